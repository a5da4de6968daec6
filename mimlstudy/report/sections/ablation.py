"""What the bags of InsDif change: each learner with bags, against itself on plain vectors."""

import matplotlib.pyplot as plt
import pandas as pd

from mimlstudy.paper.section6 import WITH_BAGS
from mimlstudy.report.marks import marked_names
from mimlstudy.report.sections.loss_maps import above_and_below, numbers_map


def bags_against_none(records: pd.DataFrame) -> pd.DataFrame:
    """How far losses with bags lie above those of the same learner without, in percent.

    ``records`` are those of the experiment "ablation". Rows are methods with bags; columns are
    criteria.
    """
    parts = []
    for without, with_bags in WITH_BAGS.items():
        rows = records[records["method"].isin([without, *with_bags])]
        # A profile with few methods may have none of a learner.
        if without in set(rows["method"]):
            by_set = above_and_below(rows, without)
            parts.append(by_set.groupby("method", sort=False).mean())
    return pd.concat(parts)


def bags_map(changes: pd.DataFrame) -> plt.Figure:
    """The changes of :func:`bags_against_none` as numbers on coloured squares."""
    # The methods have the settings of their rows in Table 3.
    names = marked_names(changes.index, "table3")
    title = "loss with bags, % above or below that of plain vectors"
    return numbers_map(changes.rename(index=names), title, limit=20)
