"""The claims of a section as a forest plot: the printed difference, ours, and the verdict."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from mimlstudy.judge.claim_parts import (
    FACT_TESTS,
    ComparedPart,
    comparisons,
    insensitive,
    quoted_accuracy,
)
from mimlstudy.judge.claim_tests import QUOTED, claim_tests
from mimlstudy.judge.claims import WORDS, ClaimFinding
from mimlstudy.judge.compare import moved_to_printed_means
from mimlstudy.judge.rules import Rules
from mimlstudy.judge.selection import Records, Selection, selected, without_synthetic
from mimlstudy.report.figures import BLUE, INK, LINE, WORD_INKS
from mimlstudy.report.words import counted

# With this margin of ties the margin of a comparison is the rival's mean loss itself.
WHOLE_LOSS = Rules(margin=1.0)
WORSE = ("worse", "worst mean")  # outcomes that are claimed against the first method
LETTERS = 62  # of a claim in one line
LINE_HEIGHT, ROW_GAP = 0.125, 0.11  # inches
WIDTH, ABOVE, BELOW = 7.0, 0.25, 0.37  # of the figure; the room for the key and for the axis
BAR: dict[str, Any] = dict(color=INK, marker="|", markersize=10, markeredgewidth=1.8)
ABOVE_THE_AXIS: dict[str, Any] = dict(  # the place of a key
    loc="lower center", bbox_to_anchor=(0.5, 1), fontsize=7
)
DOT: dict[str, Any] = dict(color=BLUE, marker="o", markersize=5)


class ClaimDifference(NamedTuple):
    """How far a claim's methods lead, in percent of the rival's loss, as the claim has it.

    Each is the mean over the claim's comparisons. ``half`` is the mean of their half intervals, as
    if all comparisons moved together; ``printed`` is None where nothing is printed.
    """

    ours: float
    half: float
    printed: float | None


def claim_difference(get_records: Records, claim: str) -> ClaimDifference | None:
    """The difference of a claim by its id; None where it compares nothing, or no record is there.

    Where values are printed, only comparisons with printed values count, so that both means are
    over the same.
    """
    pairs = []
    for test in claim_tests().get(claim, []):
        if test.claimed not in FACT_TESTS:
            records = without_synthetic(selected(get_records, Selection(test.experiments)))
            pairs += _pairs(records, test)
    with_print = [pair for pair in pairs if pair.printed is not None]
    pairs = with_print or pairs
    if not pairs:
        return None
    printed = None
    if with_print:
        printed = float(np.mean([pair.printed for pair in with_print]))
    return ClaimDifference(
        ours=float(np.mean([pair.ours for pair in pairs])),
        half=float(np.mean([pair.half for pair in pairs])),
        printed=printed,
    )


def _pairs(records, test):
    """The difference of each comparison of a test, by our records and by the printed means."""
    if test.claimed == "insensitive":
        parts = insensitive(records, test, WHOLE_LOSS)
        return [_difference(part) for part in parts if isinstance(part, ComparedPart)]
    if test.claimed == "shares":
        test = test._replace(claimed="better", values=())
    parts = comparisons(records, test, WHOLE_LOSS)
    moved = moved_to_printed_means(records, test.experiments[0])
    printed_parts = comparisons(moved, test, WHOLE_LOSS)
    pairs = []
    cases = zip(test.cases(), parts, printed_parts, strict=True)
    for case, part, printed_part in cases:
        if isinstance(part, ComparedPart):
            loss = _quoted_loss(test, case)
            difference = _difference(part, loss)
            if isinstance(printed_part, ComparedPart):
                of_print = _difference(printed_part, loss)
                difference = difference._replace(printed=of_print.ours)
            pairs.append(difference)
    return pairs


def _quoted_loss(test, case):
    """The loss of a quoted accuracy that a case compares with; None of another rival."""
    _, (rival, *_), dataset = case
    if rival not in QUOTED:
        return None
    return 1 - quoted_accuracy(rival, dataset) - sum(test.values)


def _difference(part, loss=None):
    comparison = part.comparison
    sign = -1 if part.claimed in WORSE else 1
    if loss is None:
        loss = comparison.tied_within  # by WHOLE_LOSS
    percent = 100 / loss
    return ClaimDifference(
        ours=sign * percent * comparison.difference,
        half=percent * comparison.half,
        printed=None,
    )


def claims_figure(findings: Sequence[ClaimFinding], get_records: Records) -> plt.Figure:
    """A row for each claim: its words, the printed difference, ours with its interval, the verdict.

    Claims that compare no numbers have words and a verdict alone. The verdict is that of the
    corrected test.

    Parameters
    ----------
    findings : sequence of ClaimFinding
    get_records : callable or mapping from an experiment's name to its records
    """
    texts = [wrapped(f"{row.id}, {row.where}: {row.claim}") for row in findings]
    xlabel = "difference as claimed, % of the rival's loss"
    figure, ax, middles = axis_of_rows(texts, xlabel)
    for finding, text, middle in zip(findings, texts, middles, strict=True):
        word = finding.word()
        write_row(ax, middle, text, word, color=WORD_INKS[word], weight="bold")
        difference = claim_difference(get_records, finding.id)
        if difference is not None:
            _draw_difference(ax, middle, difference)
    handles = [
        plt.Line2D([], [], linestyle="none", label="printed", **BAR),
        plt.Line2D([], [], linewidth=1.6, label="ours, 95 % interval", **DOT),
    ]
    ax.legend(handles=handles, ncols=2, **ABOVE_THE_AXIS)
    return figure


def wrapped(text: str) -> str:
    """A claim in lines that fit beside the axis of a figure."""
    return "\n".join(wrap(text, LETTERS, break_on_hyphens=False))


def axis_of_rows(texts: Sequence[str], xlabel: str) -> tuple[plt.Figure, plt.Axes, np.ndarray]:
    """A figure, its axis with room for each text at the left, and the heights of the rows.

    Parameters
    ----------
    texts : sequence of str, of :func:`wrapped`.
    xlabel : str
    """
    n_lines = np.array([text.count("\n") + 1 for text in texts])
    heights = LINE_HEIGHT * n_lines + ROW_GAP
    ends = np.cumsum(heights)
    of_rows = heights.sum()
    total = BELOW + of_rows + ABOVE
    figure, ax = plt.subplots(figsize=(WIDTH, total), layout="none")
    left, right = 0.525, 0.84  # leave room for the words and the verdicts
    figure.subplots_adjust(left, BELOW / total, right, 1 - ABOVE / total)
    ax.set(ylim=(of_rows, 0), yticks=[], xlabel=xlabel)
    ax.grid(axis="x")
    ax.spines["left"].set_visible(False)
    ax.axvline(0, color=LINE, linewidth=0.8)
    over_all = dict(xmin=-1.6, xmax=1.5, clip_on=False)  # also below words and verdicts
    for edge in ends[:-1]:
        ax.axhline(edge, color="#e6e6e6", linewidth=0.5, **over_all)
    return figure, ax, ends - heights / 2


def write_row(ax: plt.Axes, y: float, text: str, word: str, **look) -> None:
    """A text at the left of an axis, and a word at its right, with the word's ``look``."""
    # Across in widths of the axis, upwards in its units.
    across = ax.get_yaxis_transform()
    beside: dict[str, Any] = dict(va="center", fontsize=7, transform=across)
    ax.text(-1.62, y, text, color=INK, linespacing=1.15, **beside)
    ax.text(1.04, y, word, **beside, **look)


def claims_caption(findings: Sequence[ClaimFinding]) -> str:
    """What :func:`claims_figure` shows, in words, with the number of claims of each verdict."""
    words = [finding.word() for finding in findings]
    counts = counted({word: words.count(word) for word in WORDS})
    return (
        "A row for each claim: its words; a black bar for the printed difference, where there is "
        "one; a blue dot for ours, with its 95 % interval; the verdict of the corrected test. A "
        "difference is the mean over the claim's comparisons, in percent of the rival's loss. Of "
        f"{len(words)} claims: {counts}."
    )


def _draw_difference(ax, y, difference):
    ends = (difference.ours - difference.half, difference.ours + difference.half)
    ax.plot(ends, (y, y), color=BLUE, linewidth=1.6)
    ax.plot(difference.ours, y, **DOT)
    if difference.printed is not None:
        ax.plot(difference.printed, y, **BAR)
