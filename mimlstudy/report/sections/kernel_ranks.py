"""What a kernel's factor of low rank changes, and which defaults give every example the same
answer.
"""

import json

import pandas as pd

from mimlstudy.paper.printed import ALL_CRITERIA
from mimlstudy.report.tables import HEADS, ReportTable, frame_grid, number_text

RANKS = ("rank", "transformation__rank", "learner__rank")  # parameters that hold a rank
EXACT_KERNEL = "exact"


def ranks_table(runs: pd.DataFrame) -> ReportTable:
    """Each row of ``kernel_ranks``: its rank, the share of the trace that is left, its criteria.

    A table of many rows, one for each data set, method and rank; one split of each data set ran.
    """
    ranks = runs["override"].map(rank_text)
    columns = {"left": runs["unexplained"].map("{:.1%}".format, na_action="ignore")}
    for name in ALL_CRITERIA:
        columns[HEADS[name]] = runs[name].map(number_text, na_action="ignore")
    names = [runs["method"] + " on " + runs["dataset"], ranks]
    shown = pd.DataFrame(columns).set_axis(pd.MultiIndex.from_arrays(names))
    numbers = ["n_landmarks", "unexplained", *ALL_CRITERIA]
    return frame_grid(
        shown,
        runs.assign(rank=ranks)[["dataset", "method", "rank", *numbers]],
        "Learners with a kernel's factor, by its rank, on one split. “left” is the share of the "
        "kernel's trace that the factor does not explain; exact kernels leave nothing.",
        corner="learner and rank",
    )


def largest_change(runs: pd.DataFrame, rank: str) -> tuple[float, str]:
    """How much average precision changes most if ``rank`` replaces the largest one, and where.

    The largest rank of a learner has the most landmarks. An exact kernel, without any, is larger.
    """
    runs = runs.assign(rank=runs["override"].map(rank_text)).dropna(subset="average_precision")
    runs = runs.sort_values("n_landmarks", kind="stable")  # an exact kernel's NaN comes last
    by_learner = runs.groupby(["method", "dataset"], sort=False)["average_precision"]
    change = (runs["average_precision"] - by_learner.transform("last")).abs()
    changes = change[runs["rank"] == rank]
    place = runs.loc[changes.idxmax()]
    return changes.max(), f"{place['method']} on {place['dataset']}"


def rank_text(override: str) -> str:
    """The rank that an override sets: a number, auto, or exact."""
    values = json.loads(override)
    ranks = [values[name] for name in RANKS if name in values]
    (rank,) = ranks or [None]
    return EXACT_KERNEL if rank is None else str(rank)


def degenerate_table(runs: pd.DataFrame) -> ReportTable:
    """On which data sets the settings of a row give every example the same answer, before any
    hold-out.

    ``runs`` are records of ``degenerate``.
    """
    is_degenerate = runs[runs["degenerate"] == 1]
    shown = is_degenerate.groupby("method", sort=False)["dataset"].agg(", ".join)
    return frame_grid(
        shown.to_frame("data sets"),
        runs[["dataset", "method", "degenerate"]],
        "Rows whose stated settings or defaults give every example the same labels or the same "
        "scores. In the rows fixed in advance, values chosen by hold-out replace them.",
        prose=True,
    )
