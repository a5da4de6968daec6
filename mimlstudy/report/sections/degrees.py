"""The degree of RankSvm: what the printed rows say of it, and what a hold-out would choose."""

from collections.abc import Mapping
from typing import NamedTuple

import matplotlib.pyplot as plt
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.judge.statistics import swept_values
from mimlstudy.paper import section4, section6
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import ROWS
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.figures import BLUE, GREEN, INK, RING, VERMILION, as_loss
from mimlstudy.report.sections.early_stop import STOPPED, likelihoods
from mimlstudy.report.tables import ReportTable, frame_grid


class Kind(NamedTuple):
    """A kind of data: the table with its printed row, its data sets, and how its line looks."""

    table: int
    datasets: tuple[str, ...]
    color: str
    marker: str


KINDS_WITH_DEGREES = {
    "scenes": Kind(1, section4.SCENES, INK, "o"),
    "texts": Kind(2, section4.TEXTS, VERMILION, "s"),
    "genes": Kind(3, section6.YEAST, GREEN, "^"),
    "web pages": Kind(4, section6.YAHOO, BLUE, "D"),
}
LINEAR = 10.0  # log likelihoods nearer to 0 have a linear axis


def likelihoods_by_degree(runs: pd.DataFrame) -> pd.DataFrame:
    """The printed row's log likelihood, a mean over criteria: a row a degree, a column a kind.

    ``runs`` are records of ``ranksvm_degrees``.
    """
    columns = {}
    for kind, of_kind in _by_kind(runs):
        columns[kind] = {
            degree: likelihoods(KINDS_WITH_DEGREES[kind].table, of_degree)["log_likelihood"].mean()
            for degree, of_degree in of_kind.groupby("degree")
        }
    return pd.DataFrame(columns).rename_axis("degree")


def _by_kind(runs):
    """The kinds of data that ran, each with its runs and the column ``degree``."""
    # Every run names its degree; one that does not must not pass: NaN is no integer.
    with_degree = runs.assign(degree=swept_values(runs, default=float("nan")).astype(int))
    for name, kind in KINDS_WITH_DEGREES.items():
        stand_ins = map(CATALOGUE.stand_in, kind.datasets)
        of_kind = with_degree[with_degree["dataset"].isin([*kind.datasets, *stand_ins])]
        if len(of_kind):
            yield name, of_kind


def degrees_in_tables() -> dict[str, int]:
    """The degree of RankSvm's row by kind of data, where it is no choice of a hold-out."""
    degrees = {}
    for name, kind in KINDS_WITH_DEGREES.items():
        row = ROWS[printed_tables()[kind.table].experiment][STOPPED]
        degree = row.settings_on(kind.datasets[0])["degree"].value
        if isinstance(degree, int):
            degrees[name] = degree
    return degrees


def degrees_figure(likely: pd.DataFrame, in_tables: Mapping[str, int]) -> plt.Figure:
    """A line for each kind of data; a ring stands at the degree of its row ``in_tables``."""
    figure, ax = plt.subplots(figsize=(5.6, 3.2))
    degrees, heights = [], []  # of the rings
    for name in likely:
        kind = KINDS_WITH_DEGREES[name]
        ax.plot(
            likely[name],
            color=kind.color,
            marker=kind.marker,
            markersize=4,
            label=name,
        )
        # A hold-out has no one degree, and a smoke run has few.
        if name in in_tables and in_tables[name] in likely.index:
            degrees.append(in_tables[name])
            heights.append(likely.at[in_tables[name], name])
    ax.plot(degrees, heights, **RING, color=INK, label="in our table")
    # A linear axis would show only the least likely degrees.
    ax.set_yscale("symlog", linthresh=LINEAR)
    ax.set(xlabel="degree of the polynomial", ylabel="mean log likelihood of a criterion")
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
    tidy = pd.concat(parts, names=["data"]).reset_index()
    return frame_grid(
        pd.DataFrame(shown),
        tidy,
        "For each criterion, the degree that is best on the test part of most splits, and the "
        "share of splits in which it is best.",
        corner="criterion",
    )


def chosen_degrees(runs: pd.DataFrame) -> pd.DataFrame:
    """The best degree by each criterion: a row for each split of each data set."""
    by_split = checked_for_means(runs, "degree").pivot(
        index=["dataset", "split"], columns="degree", values=[*CRITERIA]
    )
    chosen = {}
    for name in CRITERIA:
        chosen[name] = as_loss(by_split[name], name).idxmin(axis=1)
    return pd.DataFrame(chosen)
