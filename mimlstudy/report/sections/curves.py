"""Curves of Section 5 and Appendix B: shares of multi-label examples, and values of a parameter."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from mimlpaper.datasets.fetch import source_of, split_percentage
from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import checked_for_means, runs_by
from mimlstudy.judge.statistics import MARGIN, swept_values
from mimlstudy.paper.experiments import get_experiment
from mimlstudy.paper.printed import printed_cells
from mimlstudy.report.figures import (
    LINE,
    PRINTED_BAR,
    as_loss,
    look_of,
    panel_titles,
    plot_parameter_curves,
)
from mimlstudy.report.marks import marked_names

GREY = "#ececec"  # of the band in which settings tie
MARGIN_PERCENT = round(100 * MARGIN)  # of a tie, in percent of the loss
# The paper's rounds, or its percentage of the training examples.
CHOSEN: dict[str, float] = {
    "MimlBoost": 50,
    "AdtBoost.MH": 25,
    "MimlSvm": 20,
    "InsDif": 20,
}
RECORDED_ROUNDS = 50  # of boosting, after each of which criteria are recorded


def printed_means(number: int, method: str) -> pd.Series:
    """A method's printed means in Table ``number``, by criterion; N/A is left out."""
    cells = printed_cells(number)
    of_method = cells[cells["algorithm"] == method].set_index("criterion")
    return of_method["mean"].dropna()


def rounds_figure(
    records: pd.DataFrame,
    table: int,
    methods: Sequence[str],
    *,
    grid: Sequence[float] = (),
    with_print: bool = True,
    first_shown: float | None = None,
) -> plt.Figure:
    """Losses by the rounds of boosting, with a ring at the paper's rounds.

    Parameters
    ----------
    records : DataFrame, with a stage for each round.
    table : int, which prints the methods' values.
    methods : sequence of str, those with a ring.
    grid : sequence of numbers, the rounds that are shown; all if empty.
    with_print : bool, whether bars mark the printed values.
    first_shown : float or None, as in :func:`~mimlstudy.report.figures.plot_parameter_curves`.
    """
    rounds = {name: CHOSEN[name] for name in methods}
    printed = [(value, printed_means(table, name)) for name, value in rounds.items()]
    return plot_parameter_curves(
        records[records["stage"].isin(grid)] if grid else records,
        "stage",
        xlabel="boosting rounds",
        in_our_tables=rounds,
        printed=printed if with_print else (),
        first_shown=first_shown,
    )


def percent_figure(
    records: pd.DataFrame,
    table: int,
    method: str,
    *,
    xlabel: str,
    with_print: bool = True,
    limits: tuple[float, float] | None = None,
) -> plt.Figure:
    """Changes of losses with a percentage of the training examples, see :func:`changes_figure`.

    ``table`` prints the method's values, which bars mark if ``with_print``.
    """
    return changes_figure(
        in_percent(records),
        "%",
        xlabel=xlabel,
        setting=CHOSEN[method],
        limits=limits,
        printed=printed_means(table, method) if with_print else None,
    )


def is_without_ranking(records: pd.DataFrame) -> pd.Series:
    """Whether all scores of a run tie, so that it ranks no label above another."""
    return records["ranking_loss"] == 1


def shares_figure(records: pd.DataFrame) -> plt.Figure:
    """Curves against the percentage of multi-label examples, which ends the name of a data set.

    Runs of :func:`is_without_ranking` are not in the curves: each is a cross, at the edge of a
    panel if it lies beyond.
    """
    percentages = {}
    for name in records["dataset"].unique():
        _, percentages[name] = split_percentage(name)
    placed = records.assign(percentage=records["dataset"].map(percentages))
    apart = is_without_ranking(placed)
    figure = plot_parameter_curves(
        placed[~apart],
        "percentage",
        xlabel="multi-label examples (%)",
        open_method="MimlSvm_mi",
    )
    for run in placed[apart].itertuples():
        _draw_apart(figure, run)
    shown_names = marked_names(records["method"].unique(), records["experiment"].iat[0])
    for text in figure.legends[0].get_texts():
        text.set_text(shown_names[text.get_text()])
    if apart.any():
        words = "× a split in which all scores tie;\n   it is not part of the mean"
        figure.text(0.42, 0.1, words, fontsize=7.5, va="top", linespacing=1.4)
    return figure


def _draw_apart(figure, run):
    """A cross for one run in each panel, with its value where that lies beyond the panel."""
    color = look_of(run.method).color
    cross = dict(marker="x", color=color, markersize=5, markeredgewidth=1.4)
    for ax, name in zip(figure.axes, CRITERIA, strict=True):
        loss = as_loss(getattr(run, name), name)
        lowest, highest = ax.get_ylim()
        ax.set_ylim(lowest, highest)  # which the cross must not change
        place = (run.percentage, min(loss, highest))
        ax.plot(*place, clip_on=False, zorder=6, **cross)
        if loss > highest:
            text = dict(ha="right", va="center", fontsize=7)
            beside = dict(xytext=(-5, 0), textcoords="offset points")
            ax.annotate(f"{loss:.2g}", place, **text, **beside)


def changes_figure(
    records: pd.DataFrame,
    x: str,
    *,
    xlabel: str,
    setting: float,
    limits: tuple[float, float] | None = None,
    printed: pd.Series | None = None,
) -> plt.Figure:
    """How losses of one method change with a parameter, in percent of those at its setting.

    All panels have the same unit and limits, so that one can see what is sensitive. A curve is the
    mean over the splits, with ± one standard deviation of a split's own change. The grey band is
    the margin of ties.

    Parameters
    ----------
    records : DataFrame, of one method and data set.
    x, xlabel : str, the column of the parameter, and its name in words.
    setting : float, the paper's value of it; the nearest value stands in for one not there.
    limits : (float, float) or None, of all panels, in percent; None for those of the curves.
    printed : Series or None, the printed means at the setting, by criterion.
    """
    changes, losses = changes_in_percent(records, x, setting)
    at = _nearest(losses.index, setting)
    (method,) = records["method"].unique()
    color = look_of(method).color
    figure, axes = plt.subplots(3, 3, figsize=(5.4, 5.2), sharex=True, sharey=True)
    titles = panel_titles()
    panels = dict(zip(titles, axes.flat, strict=False))
    for name, ax in panels.items():
        ax.set_title(titles[name])
        _draw_changes(ax, changes[name].groupby(x), color)
        ax.axvline(at, color=LINE, linewidth=0.6, linestyle=":")
        ax.tick_params(labelbottom=True)
        if printed is not None and name in printed:
            loss = as_loss(printed[name], name)
            share = 100 * (loss / losses.loc[at, name] - 1)
            ax.plot(at, share, label="printed", **PRINTED_BAR)
    if limits is not None:
        axes.flat[0].set_ylim(limits)
    for ax in axes.flat[len(panels) :]:
        ax.set_axis_off()
    figure.supxlabel(xlabel, fontsize=8, x=0.3)
    figure.supylabel(f"change of the loss, % of that at {at:g}%", fontsize=8)
    n_splits = records["split"].nunique()
    _draw_key(figure, axes.flat[0], color, n_splits)
    return figure


def _nearest(values, setting):
    """The value that is nearest to a setting."""
    return values[np.argmin(np.abs(values - setting))]


def _draw_changes(ax, by_value, color):
    """The mean change, ± std over the splits as a band, and the margin of ties."""
    mean, std = by_value.mean(), by_value.std()
    ax.axhspan(-MARGIN_PERCENT, MARGIN_PERCENT, color=GREY, zorder=0)
    band = dict(color=color, alpha=0.2, linewidth=0)
    ax.fill_between(mean.index, mean - std, mean + std, **band)
    ax.plot(mean, color=color, marker="o")


def _draw_key(figure, ax, color, n_splits):
    curve = plt.Line2D([], [], color=color, marker="o")
    margin = plt.Rectangle((0, 0), 1, 1, color=GREY)
    handles = {
        f"mean ± std, {n_splits} splits": curve,
        f"tie, ± {MARGIN_PERCENT}%": margin,
    }
    bars, _ = ax.get_legend_handles_labels()
    handles |= dict(zip(["printed"], bars, strict=False))
    place = dict(loc="lower right", bbox_to_anchor=(0.98, 0.12))
    figure.legend(handles.values(), handles, **place)


def changes_in_percent(
    records: pd.DataFrame, x: str, setting: float
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Changes of the losses from a setting, in percent of the mean loss there, and mean losses.

    Returns
    -------
    changes : DataFrame, by ``x`` and split; columns are criteria.
    losses : DataFrame, means by ``x``.
    """
    by_split = checked_for_means(records, x).set_index([x, "split"])
    of_runs = {name: as_loss(by_split[name], name) for name in CRITERIA}
    of_runs = pd.DataFrame(of_runs)
    losses = of_runs.groupby(x).mean()
    at = _nearest(losses.index, setting)
    # Each split is compared with itself: easy and hard splits cancel.
    changes = of_runs.sub(of_runs.loc[at], level="split")
    return 100 * changes / losses.loc[at], losses


class Sweep(NamedTuple):
    """A sweep of Appendix B, of which losses are compared with those at one value."""

    name: str
    figure: str
    method: str
    x: str  # "stage" for rounds, "%" of the training examples
    setting: float  # rounds, or percent of the training examples
    values: tuple[float, float]  # the first and the last that count
    table: int  # which prints the method's values


SENSITIVITY_SWEEPS = (
    Sweep("MimlBoost: rounds 40 to 50", "figure6", "MimlBoost", "stage", 40, (40, 50), 1),
    Sweep("AdtBoost.MH, images: 25 to 50", "figure6", "AdtBoost.MH", "stage", 25, (25, 50), 1),
    Sweep("AdtBoost.MH, genes: 25 to 50", "figure9", "AdtBoost.MH", "stage", 25, (25, 50), 3),
    Sweep("MimlSvm: k of 10 to 100%", "figure7", "MimlSvm", "%", 20, (10, 100), 1),
    Sweep("InsDif: M of 10 to 100%", "figure8", "InsDif", "%", 20, (10, 100), 3),
)


def in_percent(records: pd.DataFrame) -> pd.DataFrame:
    """Records of a sweep of shares, with the share in percent in the column "%"."""
    shares = swept_values(records, default=0.2)
    return records.assign(**{"%": (100 * shares).round(6)})


def largest_changes(get_records: Callable[[str], pd.DataFrame]) -> pd.DataFrame:
    """The largest change of each loss in a sweep, in percent of the loss at the setting.

    Returns
    -------
    DataFrame
        Rows are the names of :data:`SENSITIVITY_SWEEPS`, columns are criteria. A fall is negative.
    """
    rows = {}
    for sweep in SENSITIVITY_SWEEPS:
        records = get_records(sweep.figure)
        records = records[records["method"] == sweep.method]
        if sweep.x == "%":
            records = in_percent(records)
        losses = _mean_losses(records, sweep.x)
        begin, end = sweep.values
        at_setting = losses.loc[sweep.setting]
        changes = 100 * (losses.loc[begin:end] / at_setting - 1)
        # With its sign, so that one sees whether the loss rises.
        places = changes.abs().idxmax()
        rows[sweep.name] = {name: changes.loc[place, name] for name, place in places.items()}
    return pd.DataFrame(rows).T


def _mean_losses(records, x):
    """Mean losses by ``x``, a column for each criterion."""
    losses = {name: as_loss(runs_by(records, x, name).mean(), name) for name in CRITERIA}
    return pd.DataFrame(losses)


def is_not_printed() -> pd.DataFrame:
    """Whether the paper prints no value of a criterion, by the sweeps' names."""
    rows = {}
    for sweep in SENSITIVITY_SWEEPS:
        means = printed_means(sweep.table, sweep.method)
        rows[sweep.name] = {name: name not in means for name in CRITERIA}
    return pd.DataFrame(rows).T


class Sensitivity(NamedTuple):
    """How far losses move away from those at the paper's settings, in percent of these.

    Attributes
    ----------
    of_boosting : largest change of a printed criterion in later rounds.
    of_unprinted : largest fall of a criterion that AdtBoost.MH's rows do not print.
    of_medoids, of_prototypes : largest change of each criterion with the parameter of MimlSvm and
        of InsDif.
    """

    of_boosting: float
    of_unprinted: float
    of_medoids: pd.Series
    of_prototypes: pd.Series

    @classmethod
    def of(cls, changes: pd.DataFrame) -> "Sensitivity":
        """Summarise :func:`largest_changes`."""
        not_printed = is_not_printed()
        printed, unprinted = changes.mask(not_printed), changes.where(not_printed)
        of_rounds = [sweep.name for sweep in SENSITIVITY_SWEEPS if sweep.x == "stage"]
        of_adtboost = [sweep.name for sweep in SENSITIVITY_SWEEPS if sweep.method == "AdtBoost.MH"]
        by_figure = {sweep.figure: changes.loc[sweep.name] for sweep in SENSITIVITY_SWEEPS}
        return cls(
            printed.loc[of_rounds].abs().max(axis=None),
            unprinted.loc[of_adtboost].min(axis=None),
            by_figure["figure7"],
            by_figure["figure8"],
        )

    def in_words(self) -> str:
        """A sentence with the largest changes of the three kinds of parameters."""
        return (
            "In later rounds of boosting (from 25 on for AdtBoost.MH, from 40 for MimlBoost) the "
            f"largest change of a printed criterion is {self.of_boosting:.1f}% of its loss. "
            f"MimlSvm's losses rise by up to {self.of_medoids.max():.0f}% with its parameter, and "
            f"InsDif's change by up to {self.of_prototypes.abs().max():.1f}%."
        )


class Question(NamedTuple):
    """What a reader asks of Appendix B, as the notebook's parameters say it."""

    dataset: str = ""
    methods: Sequence[str] = ()
    grid: Sequence[float] = ()
    n_splits: int = 0

    def of_figure(self, figure: str, parameter: str) -> dict | None:
        """The question as :meth:`Companion.trials` takes it; None if it is not about a figure.

        Parameters
        ----------
        figure : str, the name of its experiment.
        parameter : str, which it varies, such as "n_rounds".
        """
        experiment = get_experiment(figure)
        chosen = [*experiment.methods]
        if self.methods:
            chosen = [name for name in chosen if name in self.methods]
        if not chosen:
            return None
        # A learner of bags says nothing of vectors, nor the other way round.
        of_vectors = _is_of_vectors(experiment.datasets[0])
        if self.dataset and _is_of_vectors(self.dataset) != of_vectors:
            return None
        changes = self._changes(parameter)
        return {
            "datasets": [self.dataset] if self.dataset else [],
            "n_splits": self.n_splits,
            "methods": chosen if self.methods else [],
            "overrides": {name: changes for name in chosen if changes},
        }

    def _changes(self, parameter):
        """What the grid changes. Up to 50 rounds are recorded after each one."""
        if parameter != "n_rounds":
            return [{parameter: value} for value in self.grid]
        most = max(self.grid, default=0)
        return [{parameter: int(most)}] if most > RECORDED_ROUNDS else []


def _is_of_vectors(dataset):
    """Whether examples are single vectors, as genes and web pages are."""
    return source_of(dataset).n_instances is None
