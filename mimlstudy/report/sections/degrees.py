"""The degree of RankSvm: what the printed rows say of it, and what a hold-out would choose."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import unmixed
from mimlstudy.judge.statistics import swept_values
from mimlstudy.paper import section4, section6
from mimlstudy.report.figures import BLUE, GREEN, INK, RING, VERMILION
from mimlstudy.report.sections.early_stop import likelihoods
from mimlstudy.report.tables import ReportTable, frame_grid

# Of each kind of data: the table with its printed row, its data sets, colour and marker.
KINDS = {
    "scenes": (1, section4.SCENES, INK, "o"),
    "texts": (2, section4.TEXTS, VERMILION, "s"),
    "genes": (3, section6.YEAST, GREEN, "^"),
    "web pages": (4, section6.YAHOO, BLUE, "D"),
}
USUAL = -10.0  # log likelihoods above this have a linear axis


def likelihoods_by_degree(runs: pd.DataFrame) -> pd.DataFrame:
    """The printed row's log likelihood a criterion: a row for each degree, a column for each kind.

    ``runs`` are records of ``ranksvm_degrees``.
    """
    columns = {}
    for kind, of_kind in _by_kind(runs):
        number = KINDS[kind][0]
        columns[kind] = {
            degree: likelihoods(number, of_degree)["log_likelihood"].mean()
            for degree, of_degree in of_kind.groupby("degree")
        }
    return pd.DataFrame(columns).rename_axis("degree")


def _by_kind(runs):
    """The kinds of data that ran, each with its runs and the column ``degree``."""
    with_degree = runs.assign(degree=swept_values(runs, default=float("nan")).astype(int))
    for kind, (_, datasets, *_) in KINDS.items():
        of_kind = with_degree[with_degree["dataset"].isin(datasets)]
        if len(of_kind):
            yield kind, of_kind


def degrees_figure(likely: pd.DataFrame, in_tables: Mapping[str, int]) -> plt.Figure:
    """A line for each kind of data; a ring stands at the degree of its row ``in_tables``."""
    figure, ax = plt.subplots(figsize=(5.6, 3.2))
    for kind in likely:
        _, _, color, marker = KINDS[kind]
        ax.plot(likely[kind], color=color, marker=marker, markersize=4, label=kind)
    ringed = {
        degree: likely.at[degree, kind] for kind, degree in in_tables.items() if kind in likely
    }
    ax.plot([*ringed], [*ringed.values()], **RING, color=INK, label="in our table")
    # A linear axis would show only the least likely degrees.
    ax.set_yscale("symlog", linthresh=-USUAL)
    ax.set(xlabel="degree of the polynomial", ylabel="log likelihood of the printed row")
    figure.legend(loc="outside upper center", ncols=5)
    return figure


def hold_outs_table(runs: pd.DataFrame) -> ReportTable:
    """Which degree a hold-out would choose most often, by criterion, and in what share of splits.

    The test part of a split stands for the hold-out, so that a choice sees as much as a hold-out
    of that share of the data.
    """
    shown, parts = {}, {}
    for kind, of_kind in _by_kind(runs):
        chosen = chosen_degrees(of_kind)
        shares = chosen.apply(lambda degrees: degrees.value_counts(normalize=True))
        parts[kind] = shares.fillna(0).rename_axis("degree")
        shown[kind] = {
            CRITERIA[name].title: f"{share.idxmax()} ({share.max():.0%})"
            for name, share in shares.items()
        }
    # Synthetic data, as in a smoke run, are of no kind.
    tidy = pd.concat(parts, names=["data"]).reset_index() if parts else pd.DataFrame()
    return frame_grid(
        pd.DataFrame(shown),
        tidy,
        "For each criterion, the degree that is best on the test part of most splits, and the "
        "share of splits in which it is best.",
        corner="criterion",
    )


def chosen_degrees(runs: pd.DataFrame) -> pd.DataFrame:
    """The best degree by each criterion: a row for each split of each data set."""
    chosen = {}
    for name, criterion in CRITERIA.items():
        values = unmixed(runs, "degree").pivot(
            index=["dataset", "split"], columns="degree", values=name
        )
        losses = values if criterion.lower_is_better else -values
        chosen[name] = losses.idxmin(axis=1)
    return pd.DataFrame(chosen)
