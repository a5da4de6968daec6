"""How alike the functions of two labels are: a square for each pair of labels."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from mimlstudy.report.figures import readable_ink


def half_matrix(rows: pd.DataFrame, ax: plt.Axes):
    """A square with the cosine of each pair of labels; blue is positive, red is negative.

    Parameters
    ----------
    rows : DataFrame
        A row for each pair of one data set: the labels "first" and "second", and their "cosine".
    ax : Axes
    """
    names = [*dict.fromkeys([*rows["first"], *rows["second"]])]
    matrix = rows.pivot(index="second", columns="first", values="cosine")
    matrix = matrix.loc[names[1:], names[:-1]]
    numbers = matrix.map("{:.1f}".format).replace("-0.0", "0.0")
    numbers = numbers.map(lambda text: text.replace("-", "−"))
    look = dict(
        cmap="RdBu",
        vmin=-0.8,
        vmax=0.8,
        cbar=False,
        annot_kws=dict(fontsize=7),
    )
    sns.heatmap(matrix, annot=numbers, fmt="", square=True, ax=ax, **look)
    squares = ax.collections[0]
    for text in ax.texts:
        column, row = np.array(text.get_position(), int)  # it stands in the middle of its square
        color = squares.to_rgba(matrix.iloc[row, column])
        text.set_color(readable_ink(color))
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0, labelrotation=0)
    ax.tick_params(axis="x", labelrotation=45)
    ax.grid(False)
