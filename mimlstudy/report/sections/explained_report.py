"""How often explanations point at a right instance."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from mimlstudy.judge.selection import checked_for_means
from mimlstudy.paper.unseen import CEILING, CHANCE
from mimlstudy.report.figures import INK, LINE, look_of

SCORES_INSTANCES = ("MimlBoost", "MimlSvm_mi", "D-MimlSvm")
BY_DISTANCES = ("MimlSvm", "MimlNn")
SIMPLE = "NoisyOr"
TITLES = {
    "synthetic_scene": "scenes (synthetic)",
    "hja": "birds (HJA)",
    "letter_carroll": "letters (Carroll)",
    "letter_frost": "letters (Frost)",
    "dbpedia": "texts (DBpedia)",
}
BAR: dict[str, Any] = dict(marker="|", markersize=12, markeredgewidth=1.8)
RECOGNISED = (5, 11, 20)  # among the test images with many labels: what a person recognises


def measured_explanations(records: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Means over splits, without calibration: a row for each data set and method."""
    # Calibrated scores have a table of their own.
    plain = checked_for_means(records[records["calibration"] == "none"])
    return plain.groupby(["dataset", "method"], sort=False)[columns].mean()


def pointing_by_method(records: pd.DataFrame) -> pd.DataFrame:
    """How often the top instance of a label has it: a row a data set, a column a method."""
    table = measured_explanations(records, ["pointing"])["pointing"].unstack()
    return table.reindex([name for name in TITLES if name in table.index])


def pointing_figure(table: pd.DataFrame) -> plt.Figure:
    """A row for each data set of :func:`pointing_by_method`, a mark for each method."""
    figure, ax = plt.subplots(figsize=(5.6, 3.2))
    places = np.arange(len(table))
    looks = _looks_of_pointing()
    # Equal values would hide each other.
    offsets = np.linspace(-0.25, 0.25, len(looks))
    for (name, look), offset in zip(looks.items(), offsets, strict=True):
        ax.plot(table[name], places + offset, linestyle="none", label=name, **look)
    titles = [TITLES[name] for name in table.index]
    ax.set_yticks(places, titles)
    ax.set_ylim(len(table) - 0.5, -0.5)  # the first data set on top
    ax.set_xlim(0, 1)
    ax.set_xlabel("the top instance of a label has it (share)")
    ax.grid(axis="both")
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def _looks_of_pointing():
    """Marks by method, from chance to the learner that was taught what others have to find."""
    looks: dict[str, dict[str, Any]] = {CHANCE: dict(color=INK, **BAR)}
    for name in (*BY_DISTANCES, *SCORES_INSTANCES):
        color = look_of(name).color
        face = "white" if name in BY_DISTANCES else color
        looks[name] = dict(
            color=color,
            marker="o",
            markersize=6,
            markerfacecolor=face,
        )
    looks[SIMPLE] = dict(color=INK, marker="*", markersize=10)
    looks[CEILING] = dict(color=LINE, **BAR)
    return looks
