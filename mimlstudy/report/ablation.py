"""What the bags of InsDif change: each learner with bags, against itself on plain vectors."""

import matplotlib.pyplot as plt
import pandas as pd

from mimlstudy.report.loss_maps import above_and_below, numbers_map

NO_BAGS = ", no bags"  # as the names of rows on plain vectors end


def bags_against_none(records: pd.DataFrame) -> pd.DataFrame:
    """How far losses with bags lie above those of the same learner without, in percent.

    ``records`` are those of the experiment "ablation". Rows are methods with bags; columns are
    criteria.
    """
    methods = records["method"].unique()
    parts = []
    for without in methods:
        if without.endswith(NO_BAGS):
            learner = without.removesuffix(NO_BAGS)
            with_bags = [name for name in methods if name.split(",")[0] == learner]
            rows = records[records["method"].isin(with_bags)]
            parts.append(above_and_below(rows, without).groupby("method", sort=False).mean())
    return pd.concat(parts)


def bags_map(changes: pd.DataFrame) -> plt.Figure:
    """The changes of :func:`bags_against_none` as numbers on coloured squares."""
    return numbers_map(changes, limit=20)
