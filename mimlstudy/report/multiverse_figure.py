"""Claims with alternative settings: a row of dots for each, one dot a mixture of settings."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from mimlstudy.paper.published import published_claims
from mimlstudy.report.figures import BLUE
from mimlstudy.report.forest import ABOVE_THE_AXIS, axis_of_rows, wrapped, write_row

FARTHEST = 100.0  # percent that the axis shows
MIXTURE = "#9a9a9a"
SHAKEN = 4.0  # points: how far dots stand above or below the middle of their row


def multiverse_figure(effects: pd.DataFrame, turns: pd.DataFrame) -> plt.Figure:
    """A row for each claim: grey dots for mixtures of settings, a blue one for the published.

    At the right stands the share of mixtures in which the favoured methods lead. A triangle and a
    number stand for mixtures beyond the axis.

    Parameters
    ----------
    effects, turns : DataFrame
        Those of :func:`~mimlstudy.judge.multiverse.claim_effects` and
        :func:`~mimlstudy.judge.multiverse.flips`.
    """
    claims = published_claims().set_index("id")["claim"]
    texts = [wrapped(f"{name}: {claims[name]}") for name in turns["claim"]]
    figure, ax, middles = axis_of_rows(texts, "difference as claimed, % of the rival's loss")
    by_claim = effects.groupby("claim")
    for turn, text, middle in zip(turns.itertuples(), texts, middles, strict=True):
        write_row(ax, middle, text, f"{turn.in_favour:.0%} lead", color="#444444")
        _draw_effects(ax, middle, by_claim.get_group(turn.claim))
    ax.set_xlim(-FARTHEST * 1.3, FARTHEST)
    grey = plt.Line2D([], [], **_dot(MIXTURE, 3), label="a mixture of settings")
    blue = plt.Line2D([], [], **_dot(BLUE, 5.5), label="the published settings")
    ax.legend(handles=[grey, blue], ncols=2, **ABOVE_THE_AXIS)
    return figure


def _draw_effects(ax, middle, effects):
    mixtures = effects.loc[effects["kind"] == "mixture", "effect"]
    published = effects.loc[effects["kind"] == "published", "effect"]
    near = mixtures[mixtures >= -FARTHEST]
    n_beyond = len(mixtures) - len(near)
    # Dots that would hide each other stand at different heights, the same in every run.
    heights = middle + np.random.default_rng(0).uniform(-SHAKEN, SHAKEN, len(near)) / 72
    ax.plot(near, heights, **_dot(MIXTURE, 1.8), alpha=0.6)
    ax.plot(published.clip(-FARTHEST, FARTHEST), [middle], **_dot(BLUE, 5.5))
    if n_beyond:
        ax.plot(-1.06 * FARTHEST, middle, **(_dot(MIXTURE, 5) | {"marker": "<"}))
        ax.text(-1.12 * FARTHEST, middle, str(n_beyond), ha="right", va="center", fontsize=6)


def _dot(color, size):
    return dict(color=color, marker="o", markersize=size, markeredgewidth=0, linestyle="none")
