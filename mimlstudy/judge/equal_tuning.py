"""Equal tuning: what learners of bags and learners of one vector reach with the same budget.

A learner chooses among sixteen settings by hold-out. A *group* is what learners see: bags, or one
vector of each bag. Groups have different numbers of learners, and the best of many is better than
the best of few, so groups are compared by equal numbers too.
"""

import json
from itertools import combinations

import numpy as np
import pandas as pd

from mimlstudy.judge.selection import (
    RECORDED_IN,
    Records,
    as_in_our_tables,
    checked_for_means,
    records_of,
)
from mimlstudy.judge.statistics import ZERO
from mimlstudy.paper.equal_tuning import BASE_METHODS, LAYOUTS
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.printed import printed_tables
from mimlstudy.paper.section6 import YAHOO

CONTROLS_EXPERIMENT = "controls"
PAPERS_LEARNERS = "bags, the paper's learners"
OTHERS = "bags, others"
RIVAL_GROUPS = ("mean", "bag statistics", OTHERS)
N_LEARNERS = 2  # as many as the smallest group has


def tuned_losses(get_records: Records) -> pd.DataFrame:
    """1 − average precision of equal tuning: a row for each independent data set.

    The sets of web pages are one; a method without a record of some of them has no loss there. A
    learner of bags that works through InsDif goes by the learner's name, not by InsDif's.
    """
    records = records_of(get_records, RECORDED_IN["equal"])
    rows = checked_for_means(as_in_our_tables(records)).dropna(subset="average_precision")
    methods = rows["method"].map(BASE_METHODS)
    of_splits = rows["average_precision"].groupby([rows["dataset"], methods])
    means = of_splits.mean().unstack()
    is_page = means.index.isin(YAHOO)
    losses = 1 - means[~is_page]
    if is_page.any():
        # Eleven sets of pages of one site would outvote all others. Some of them may be easy.
        losses.loc["web pages"] = 1 - means[is_page].mean(skipna=False)
    return losses.sort_index()


def learners_by_group(get_records: Records) -> pd.DataFrame:
    """Every learner with its budget, by what it sees; a row for each data set, split and learner.

    ``group`` is :data:`PAPERS_LEARNERS`, :data:`OTHERS`, or the layout of a vector, such as "mean".
    ``held_out`` is the best value of its settings on the held-out part; ``value`` is the average
    precision of the chosen setting on the test set, or the accuracy for one label.
    """
    columns = [
        "dataset",
        "split",
        "group",
        "method",
        "held_out",
        "value",
        "kind_of_labels",
    ]
    records = records_of(get_records, RECORDED_IN["equal"], CONTROLS_EXPERIMENT)
    rows = checked_for_means(as_in_our_tables(records))
    # Where there are no controls, there is nothing to compare bags with.
    rows = rows[rows["dataset"].isin(EXPERIMENTS[CONTROLS_EXPERIMENT].datasets)]
    if rows.empty:
        return pd.DataFrame(columns=columns)
    one_label = rows["average_precision"].isna()
    kind_of_labels = np.where(one_label, "one label", "many labels")
    rows = rows.assign(
        group=_groups(rows["method"]),
        held_out=rows["held_out"].map(_best_value),
        value=rows["average_precision"].fillna(rows["accuracy"]),
        kind_of_labels=kind_of_labels,
    )
    return rows.loc[rows["group"] != "", columns]


def _best_value(held_out):
    """The best of the values that a hold-out found, which are recorded as JSON."""
    return max(json.loads(held_out))


def _groups(methods):
    """The group of each method; empty for learners of the vectors of Tables 1, 3 and 4.

    The first kind that holds counts: controls have their layout, the paper's learners are of bags.
    """
    of_scenes, one_label = printed_tables()[1], printed_tables()[5]
    of_vectors = (*of_scenes.compared, "Cnmf")
    proposed = (*of_scenes.proposed, "D-MimlSvm", *one_label.proposed)
    layouts = methods.map(LAYOUTS)
    kinds = [
        layouts != "",
        methods.isin(of_vectors),
        methods.isin(proposed),
    ]
    return np.select(kinds, [layouts, "", PAPERS_LEARNERS], OTHERS)


def best_of_group(learners: pd.DataFrame) -> pd.DataFrame:
    """Of each group the learner with the best held-out value, by data set and split."""
    keys = ["dataset", "split", "group"]
    # Among equals the first by name, as in chance_to_lead.
    ordered = learners.sort_values(
        ["held_out", "method"],
        ascending=[False, True],
        kind="stable",
    )
    chosen = ordered.drop_duplicates(keys).sort_values(keys, ignore_index=True)
    return chosen[[*keys, "method", "value", "kind_of_labels"]]


def _on_common_splits(learners):
    """The rows of the splits that all learners of a data set have: others may be easier."""
    n_of_split = learners.groupby(["dataset", "split"])["method"].transform("nunique")
    n_of_set = learners.groupby("dataset")["method"].transform("nunique")
    return learners[n_of_split == n_of_set]


def differences_of_groups(learners: pd.DataFrame) -> pd.DataFrame:
    """How far the paper's learners of bags are ahead of each rival group, on average, by data set.

    All learners of a data set are compared on the splits that all of them have. Columns: dataset,
    kind_of_labels, rival, difference.
    """
    chosen = best_of_group(_on_common_splits(learners))
    of_splits = chosen.groupby(["kind_of_labels", "dataset", "group"])["value"]
    means = of_splits.mean().unstack()
    means = means.reindex(columns=[PAPERS_LEARNERS, *RIVAL_GROUPS])
    # In favour of the paper's learners.
    differences = -means[[*RIVAL_GROUPS]].sub(means[PAPERS_LEARNERS], axis=0)
    table = differences.stack().rename("difference")
    table.index = table.index.set_names(["kind_of_labels", "dataset", "rival"])
    return table.dropna().reset_index()


def chance_to_lead(learners: pd.DataFrame, n_learners: int = N_LEARNERS) -> pd.DataFrame:
    """As :func:`differences_of_groups`, between equal numbers of learners.

    ``leads`` is the share of all draws of so many learners from both groups in which the paper's
    learners of bags lead; ``difference`` is the mean over the draws. A group of fewer learners is
    left out.
    """
    values = {}
    by_group = _on_common_splits(learners).groupby(["dataset", "group"])
    for (dataset, group), rows in by_group:
        if rows["method"].nunique() >= n_learners:
            values[dataset, group] = _values_of_draws(rows, n_learners)
    kinds = learners.groupby("dataset")["kind_of_labels"].first()
    table = []
    for (dataset, group), theirs in values.items():
        ours = values.get((dataset, PAPERS_LEARNERS))
        if group in RIVAL_GROUPS and ours is not None:
            differences = np.subtract.outer(ours, theirs)  # of each pair of draws
            leads = float((differences > ZERO).mean())
            difference = float(differences.mean())
            table.append((kinds[dataset], dataset, group, leads, difference))
    columns = ["kind_of_labels", "dataset", "rival", "leads", "difference"]
    return pd.DataFrame(table, columns=columns)


def _values_of_draws(rows, n_learners):
    """Of every subset of so many learners, the mean value of those that hold-out chooses."""
    table = rows.pivot(index="split", columns="method", values=["held_out", "value"])
    held_out = table["held_out"].to_numpy()  # (n_splits, n_methods)
    value = table["value"].to_numpy()
    n_splits, n_methods = held_out.shape
    splits = np.arange(n_splits)
    means = []
    for subset in combinations(range(n_methods), n_learners):
        # Whoever uses these learners follows the hold-out, split by split.
        chosen = held_out[:, subset].argmax(axis=1)
        means.append(value[:, subset][splits, chosen].mean())
    return np.array(means)
