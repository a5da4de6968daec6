"""How often, and by how much, one method differs from others: tables and a picture."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.calibration import power
from mimlstudy.judge.claims import CORRECTED, PAPERS
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.judge.statistics import WinTieLoss, win_tie_loss
from mimlstudy.paper.printed import PRINTED_WIN_TIE_LOSS
from mimlstudy.report.figures import BLUE, INK, VERMILION, as_loss
from mimlstudy.report.marks import marked_names
from mimlstudy.report.tables import HEADS, ReportTable, frame_grid

RIVALS = ("MimlSvm", "MimlSvm_mi")  # of D-MimlSvm, in Figs. 4 and 5
BAR_COLORS = {  # the colour of a bar, and of the number on it
    "better": (BLUE, "white"),
    "neither": ("#d9d9d9", INK),
    "worse": (VERMILION, "white"),
}
FIGURES = {"scenes": "figure4", "texts": "figure5"}  # of Section 5, by their data
N_PRINTED = 35  # cases in print
NARROW = 6  # percent of the cases, below which a bar has no room for its number
TRUE_DIFFERENCES = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)  # in standard deviations


def wins_of_figures(scenes: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    """How often D-MimlSvm is better, worse, or neither significantly, in percent of the cases.

    A case is a criterion on a data set.

    Parameters
    ----------
    scenes, texts : DataFrame, records of Figs. 4 and 5.

    Returns
    -------
    DataFrame
        Rows: a comparison such as "scenes, against MimlSvm", and who counted: "printed",
        "paper's test" or "corrected test". Columns: those of :class:`WinTieLoss`, and "cases".
    """
    rows = {}
    for (place, figure), records in zip(FIGURES.items(), (scenes, texts), strict=True):
        n_cases = len(CRITERIA) * records["dataset"].nunique()
        for rival in RIVALS:
            name = _comparison(place, rival)
            printed = PRINTED_WIN_TIE_LOSS[figure, rival]
            rows[name, "printed"] = (*printed, N_PRINTED)
            counts = win_tie_loss(records, "D-MimlSvm", rival)
            for test, numbers in zip((PAPERS, CORRECTED), counts, strict=True):
                shares = [100 * n / n_cases for n in numbers]
                rows[name, test] = (*shares, n_cases)
    columns = [*WinTieLoss._fields, "cases"]
    table = pd.DataFrame.from_dict(rows, "index", columns=columns)
    # With names: without rows, from_dict makes no index of two levels.
    names = ["comparison", "counted by"]
    return table.set_index(pd.MultiIndex.from_tuples(rows, names=names))


def _comparison(place, rival):
    return f"{place}, against {rival}"


def _marked_comparisons():
    """The names of comparisons as shown: with a mark where print chose settings of the rival."""
    names = {}
    for place, figure in FIGURES.items():
        for rival, marked in marked_names(RIVALS, figure).items():
            names[_comparison(place, rival)] = _comparison(place, marked)
    return names


def wins_table(wins: pd.DataFrame) -> ReportTable:
    """A row for each comparison of :func:`wins_of_figures`, a column for each who counted."""
    shares = wins[[*WinTieLoss._fields]].map("{:.0f}".format)
    texts = shares.agg(" / ".join, axis=1).unstack(sort=False)
    n_cases = wins["cases"].unstack(sort=False)
    texts["cases"] = n_cases[CORRECTED].astype(int)
    texts = texts.rename(index=_marked_comparisons())
    caption = "Percentages of cases that are better / neither / worse. Neither does not mean a tie."
    return frame_grid(texts, wins.reset_index(), caption, corner="D-MimlSvm")


def wins_figure(wins: pd.DataFrame) -> plt.Figure:
    """A bar for each row of :func:`wins_of_figures`; those of a comparison stand together."""
    wins = wins.rename(index=_marked_comparisons(), level="comparison")
    comparisons = wins.index.unique(0)
    height = 0.2 * len(wins) + 0.25 * len(comparisons) + 0.6
    figure, ax = plt.subplots(figsize=(5.4, height))
    names_at = {}
    top = 0.0  # of the next bar, counted downwards
    for comparison in comparisons:
        ax.text(0, top - 0.1, comparison, weight="bold", va="bottom")
        for counted_by, row in wins.loc[comparison].iterrows():
            names_at[top + 0.5] = counted_by
            _draw_bar(ax, top + 0.5, row)
            top += 1
        top += 1.2
    ax.set(xlim=(0, 100), ylim=(top - 1, -1.2), xlabel="cases (%)")
    ax.set_yticks([*names_at], [*names_at.values()])
    ax.tick_params(axis="y", length=0)
    ax.grid(False)
    handles = []
    for color, _ in BAR_COLORS.values():
        handles.append(plt.Rectangle((0, 0), 1, 1, color=color))
    names = ["D-MimlSvm is better", "not significant", "it is worse"]
    figure.legend(handles, names, loc="outside upper right", ncols=3, fontsize=7)
    return figure


def _draw_bar(ax, height, row):
    left = 0.0
    for outcome, (color, ink) in BAR_COLORS.items():
        share = row[outcome]
        ax.barh(height, share, left=left, color=color, height=0.9)
        if share >= NARROW:
            text = dict(ha="center", va="center", fontsize=7.5)
            middle = left + share / 2
            ax.text(middle, height, f"{share:.0f}", color=ink, **text)
        left += share


def losses_of(records: pd.DataFrame) -> pd.DataFrame:
    """Mean losses by method and data set; of precision, recall and F1 one minus the mean."""
    groups = checked_for_means(records).groupby(["method", "dataset"], sort=False)
    means = groups[[*CRITERIA]].mean()
    return means.apply(lambda column: as_loss(column, column.name))


def differences(records: pd.DataFrame, method: str, rival: str) -> pd.DataFrame:
    """By data set and criterion: the rival's loss minus the method's, in percent of the former."""
    losses = losses_of(records)
    recorded = {*losses.index.unique("method")}
    if not {method, rival} <= recorded:
        return losses[:0].droplevel("method")
    ratios = losses.loc[method] / losses.loc[rival]
    return 100 * (1 - ratios)


def differences_table(comparisons: Mapping, caption: str) -> ReportTable:
    """The mean differences over the data sets; a row for each comparison.

    ``comparisons`` has for each row's name the records, the method and its rival.
    """
    means = {name: differences(*parts).mean() for name, parts in comparisons.items()}
    table = pd.DataFrame(means).T
    texts = table.map("{:+.0f}%".format, na_action="ignore")
    shown = texts.rename(columns=HEADS)
    return frame_grid(shown, table.reset_index(), caption, corner="")


def power_table(simulated: pd.DataFrame, cases: pd.Series) -> pd.DataFrame:
    """The share of true differences that the corrected test shows, and how many of our cases.

    Parameters
    ----------
    simulated : DataFrame, records of equal learners, see :mod:`mimlstudy.judge.calibration`.
    cases : Series, our differences in standard deviations of the runs' differences.
    """
    rows = {}
    for difference in TRUE_DIFFERENCES:
        row: dict[str, str | int] = {}
        for n_train, share in power(simulated, difference).items():
            row[f"significant, of {n_train} training examples"] = f"{share:.0%}"
        row["our cases"] = int((cases >= difference).sum())
        rows[difference] = row
    table = pd.DataFrame(rows)
    return table.rename_axis(columns="true difference, in std, or more")


def standardized(records: pd.DataFrame, method: str, rival: str) -> pd.Series:
    """The mean difference over its standard deviation, by data set and criterion, unsigned."""
    keys = ["dataset", "split"]
    runs = checked_for_means(records).pivot(index=keys, columns="method", values=[*CRITERIA])
    of_method = runs.xs(method, axis=1, level="method")
    of_rival = runs.xs(rival, axis=1, level="method")
    by_set = (of_method - of_rival).groupby("dataset")
    in_deviations = by_set.mean() / by_set.std()
    return in_deviations.abs().stack()
