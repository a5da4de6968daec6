"""Claims with alternative settings: a row of dots for each, one dot a mixture of settings."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from mimlstudy.judge.multiverse import MIXTURE, OURS
from mimlstudy.paper.printed import printed_claims
from mimlstudy.report.figures import BLUE
from mimlstudy.report.forest import ABOVE_THE_AXIS, FARTHEST, axis_of_rows, wrapped, write_row

FIRM = 0.9  # share of mixtures in which methods lead in the paper's direction
PALE = "#9a9a9a"  # of a mixture
SHAKEN = 4.0  # points: how far dots stand above or below the middle of their row
POINTS = 72  # of an inch, the unit of heights


def multiverse_figure(effects: pd.DataFrame, turns: pd.DataFrame) -> plt.Figure:
    """A row for each claim: grey dots for mixtures of settings, a blue one for our settings.

    At the right stands the share of mixtures in which the favoured methods are ahead. A triangle
    and a number stand for mixtures beyond the axis; a blue dot beyond it stands at its edge.

    Parameters
    ----------
    effects, turns : DataFrame
        Those of :func:`~mimlstudy.judge.multiverse.claim_effects` and
        :func:`~mimlstudy.judge.multiverse.flips`.
    """
    claims = printed_claims().set_index("id")["claim"]
    texts = [wrapped(f"{name}: {claims[name]}") for name in turns["claim"]]
    xlabel = "difference as claimed, % of the rival's loss"
    figure, ax, middles = axis_of_rows(texts, xlabel)
    by_claim = effects.groupby("claim")
    rows = zip(turns.itertuples(), texts, middles, strict=True)
    for turn, text, middle in rows:
        share = f"{turn.in_favour:.0%} ahead"
        write_row(ax, middle, text, share, color="#444444")
        _draw_effects(ax, middle, by_claim.get_group(turn.claim))
    # At the left there is room for the number of what lies beyond.
    ax.set_xlim(-FARTHEST * 1.3, FARTHEST)
    handles = [
        plt.Line2D([], [], label="a mixture of settings", **_dot(PALE, 3)),
        plt.Line2D([], [], label=OURS, **_dot(BLUE, 5.5)),
    ]
    ax.legend(handles=handles, ncols=2, **ABOVE_THE_AXIS)
    return figure


def _draw_effects(ax, middle, effects):
    is_mixture = effects["kind"] == MIXTURE
    has_our_settings = effects["kind"] == OURS
    mixtures = effects.loc[is_mixture, "effect"]
    # A lead is at most 100% of the rival's loss, so that what lies beyond is at the left.
    near = mixtures[mixtures >= -FARTHEST]
    # Dots that would hide each other stand at different heights, the same in every run.
    shaken = np.random.default_rng(0).uniform(-SHAKEN, SHAKEN, len(near))
    heights = middle + shaken / POINTS
    ax.plot(near, heights, alpha=0.6, **_dot(PALE, 1.8))
    ours = effects.loc[has_our_settings, "effect"]
    ax.plot(ours.clip(-FARTHEST, FARTHEST), [middle], **_dot(BLUE, 5.5))
    n_beyond = len(mixtures) - len(near)
    if n_beyond:
        ax.plot(-1.06 * FARTHEST, middle, **_dot(PALE, 5, "<"))
        look = dict(ha="right", va="center", fontsize=6)
        ax.text(-1.12 * FARTHEST, middle, str(n_beyond), **look)


def _dot(color, size, marker="o"):
    return dict(
        color=color,
        marker=marker,
        markersize=size,
        markeredgewidth=0,
        linestyle="none",
    )
