"""How often, and by how much, one method differs from others: tables and a picture."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.calibration import power
from mimlstudy.judge.selection import unmixed
from mimlstudy.judge.statistics import WinTieLoss, win_tie_loss
from mimlstudy.paper.published import PRINTED_WIN_TIE_LOSS
from mimlstudy.report.figures import BLUE, INK, VERMILION, as_loss
from mimlstudy.report.tables import HEADS, ReportTable, frame_grid

RIVALS = ("MimlSvm", "MimlSvm_mi")  # of D-MimlSvm, in Figs. 4 and 5
PAPERS, CORRECTED = "paper's t-test", "corrected test"
OUTCOMES = {  # the colour of a bar, and of the number on it
    "better": (BLUE, "white"),
    "neither": ("#d9d9d9", INK),
    "worse": (VERMILION, "white"),
}
N_PRINTED = 35  # cases in print
NARROW = 6  # percent of the cases, below which a bar has no room for its number
POWERS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)  # true differences, in standard deviations


def wins_of_figures(scenes: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    """How often D-MimlSvm is better, not shown to differ, or worse, in percent of the cases.

    A case is a criterion on a data set.

    Parameters
    ----------
    scenes, texts : DataFrame, records of Figs. 4 and 5.

    Returns
    -------
    DataFrame
        Rows: a comparison such as "scenes, against MimlSvm", and who counted: "printed",
        "paper's t-test" or "corrected test". Columns: those of :class:`WinTieLoss`, and "cases".
    """
    rows = {}
    for place, figure, records in (("scenes", "figure4", scenes), ("texts", "figure5", texts)):
        n_cases = len(CRITERIA) * records["dataset"].nunique()
        for rival in RIVALS:
            name = f"{place}, against {rival}"
            counts = win_tie_loss(records, "D-MimlSvm", rival)
            rows[name, "printed"] = (*PRINTED_WIN_TIE_LOSS[figure, rival], N_PRINTED)
            for test, numbers in zip((PAPERS, CORRECTED), counts, strict=True):
                rows[name, test] = (*(100 * n / n_cases for n in numbers), n_cases)
    columns = [*WinTieLoss._fields, "cases"]
    return pd.DataFrame.from_dict(rows, "index", columns=columns).set_index(
        pd.MultiIndex.from_tuples(rows, names=["comparison", "counted by"])
    )


def wins_table(wins: pd.DataFrame) -> ReportTable:
    """A row for each comparison of :func:`wins_of_figures`, a column for each who counted."""
    shares = wins[[*WinTieLoss._fields]]
    texts = shares.map("{:.0f}".format).agg(" / ".join, axis=1).unstack(sort=False)
    texts["cases"] = wins["cases"].unstack(sort=False)[CORRECTED].astype(int)
    caption = "Percentages of cases that are better / neither / worse. Neither shows no tie."
    return frame_grid(texts, wins.reset_index(), caption, corner="D-MimlSvm")


def wins_figure(wins: pd.DataFrame) -> plt.Figure:
    """A bar for each row of :func:`wins_of_figures`; those of a comparison stand together."""
    comparisons = wins.index.unique(0)
    height = 0.2 * len(wins) + 0.25 * len(comparisons) + 0.6
    figure, ax = plt.subplots(figsize=(5.4, height))
    places = {}
    place = 0.0
    for comparison in comparisons:
        ax.text(0, place - 0.1, comparison, weight="bold", va="bottom")
        for source, row in wins.loc[comparison].iterrows():
            places[place + 0.5] = source
            _draw_bar(ax, place + 0.5, row)
            place += 1
        place += 1.2
    ax.set(xlim=(0, 100), ylim=(place - 1, -1.2), xlabel="cases (%)")
    ax.set_yticks([*places], [*places.values()])
    ax.tick_params(axis="y", length=0)
    ax.grid(False)
    handles = [plt.Rectangle((0, 0), 1, 1, color=color) for color, _ in OUTCOMES.values()]
    names = ["D-MimlSvm is better", "no difference is shown", "it is worse"]
    figure.legend(handles, names, loc="outside upper right", ncols=3, fontsize=7)
    return figure


def _draw_bar(ax, height, row):
    left = 0.0
    for outcome, (color, ink) in OUTCOMES.items():
        share = row[outcome]
        ax.barh(height, share, left=left, color=color, height=0.9)
        if share >= NARROW:
            text = dict(ha="center", va="center", fontsize=7.5)
            middle = left + share / 2
            ax.text(middle, height, f"{share:.0f}", color=ink, **text)
        left += share


def losses_of(records: pd.DataFrame) -> pd.DataFrame:
    """Mean losses by method and data set; of precision, recall and F1 one minus the mean."""
    keys = ["method", "dataset"]
    means = unmixed(records).groupby(keys, sort=False)[[*CRITERIA]].mean()
    return means.apply(lambda column: as_loss(column, column.name))


def differences(records: pd.DataFrame, method: str, rival: str) -> pd.DataFrame:
    """By data set and criterion: the rival's loss minus the method's, in percent of the former."""
    losses = losses_of(records)
    if not {method, rival} <= {*losses.index.unique("method")}:
        return losses[:0].droplevel("method")
    return 100 * (1 - losses.loc[method] / losses.loc[rival])


def differences_table(comparisons: Mapping, caption: str) -> ReportTable:
    """The mean differences over the data sets; a row for each comparison.

    ``comparisons`` has for each row's name the records, the method and its rival.
    """
    means = {name: differences(*parts).mean() for name, parts in comparisons.items()}
    table = pd.DataFrame(means).T
    shown = table.rename(columns=HEADS).map("{:+.0f} %".format, na_action="ignore")
    return frame_grid(shown, table.reset_index(), caption, corner="")


def power_table(simulated: pd.DataFrame, cases: pd.Series) -> pd.DataFrame:
    """The share of true differences that the corrected test shows, and how many of our cases.

    Parameters
    ----------
    simulated : DataFrame, records of equal learners, see :mod:`mimlstudy.judge.calibration`.
    cases : Series, our differences in standard deviations of the runs' differences.
    """
    rows = {}
    for least in POWERS:
        shares = power(simulated, least).map("{:.0%}".format)
        names = {n: f"shown, of {n} training examples" for n in shares.index}
        rows[least] = shares.rename(names).to_dict() | {"our cases": int((cases >= least).sum())}
    table = pd.DataFrame(rows)
    return table.rename_axis(columns="true difference, in std, or more")


def standardized(records: pd.DataFrame, method: str, rival: str) -> pd.Series:
    """The mean difference over its standard deviation, by data set and criterion, unsigned."""
    runs = records.pivot(index=["dataset", "split"], columns="method", values=[*CRITERIA])
    gaps = runs.xs(method, axis=1, level=1) - runs.xs(rival, axis=1, level=1)
    by_set = gaps.groupby("dataset")
    return (by_set.mean() / by_set.std()).abs().stack()
