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
from mimlstudy.judge.claims import CORRECTED, WORDS, ClaimFinding
from mimlstudy.judge.compare import moved_to_printed_means
from mimlstudy.judge.rules import Rules
from mimlstudy.judge.selection import Records, Selection, selected, without_synthetic
from mimlstudy.report.figures import BLUE, INK, LINE
from mimlstudy.report.sentences import counted
from mimlstudy.report.verdict_looks import CLAIM_LOOKS

# With this margin of ties the margin of a comparison is the rival's mean loss itself.
WHOLE_LOSS = Rules(margin=1.0)
WORSE = ("worse", "worst mean")  # outcomes that are claimed against the first method
LETTERS = 76  # of a claim in one line
LINE_HEIGHT, LANE, ROW_GAP = 0.15, 0.2, 0.09  # inches: of a line, of an interval below its words
WIDTH, ABOVE, BELOW = 5.2, 0.25, 0.4  # of the figure; the room for the key and for the axis
AXIS_LEFT, AXIS_RIGHT = 0.02, 0.63  # in widths of the figure; verdicts stand at its right
FARTHEST = 100.0  # percent that the axis shows; a lead is at most 100% of the rival's loss
BAR: dict[str, Any] = dict(color=INK, marker="|", markersize=10, markeredgewidth=1.8)
ABOVE_THE_AXIS: dict[str, Any] = dict(  # the place of a key
    loc="lower center", bbox_to_anchor=(0.5, 1), fontsize=8
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
    differences = []
    for test in claim_tests().get(claim, []):
        if test.claimed not in FACT_TESTS:
            records = without_synthetic(selected(get_records, Selection(test.experiments)))
            differences += _differences(records, test)
    printed = [of_case for of_case in differences if of_case.printed is not None]
    averaged = printed or differences
    if not averaged:
        return None
    return ClaimDifference(
        ours=float(np.mean([of_case.ours for of_case in averaged])),
        half=float(np.mean([of_case.half for of_case in averaged])),
        printed=float(np.mean([of_case.printed for of_case in printed])) if printed else None,
    )


def _differences(records, test):
    """The difference of each comparison of a test, by our records and by the printed means."""
    if test.claimed == "insensitive":
        parts = insensitive(records, test, WHOLE_LOSS)
        return [_difference(part) for part in parts if isinstance(part, ComparedPart)]
    if test.claimed == "shares":
        test = test._replace(claimed="better", values=())
    parts = comparisons(records, test, WHOLE_LOSS)
    moved = moved_to_printed_means(records, test.experiments[0])
    printed_parts = comparisons(moved, test, WHOLE_LOSS)
    differences = []
    cases = zip(test.cases(), parts, printed_parts, strict=True)
    for case, part, printed_part in cases:
        if isinstance(part, ComparedPart):
            loss = _quoted_loss(test, case)
            difference = _difference(part, loss)
            if isinstance(printed_part, ComparedPart):
                of_print = _difference(printed_part, loss)
                difference = difference._replace(printed=of_print.ours)
            differences.append(difference)
    return differences


def _quoted_loss(test, case):
    """The loss of a quoted accuracy that a case compares with; None of another rival."""
    _, (rival, *_), dataset = case
    if rival not in QUOTED:
        return None
    # A claim may name a distance from the quoted accuracy.
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
        look = dict(color=CLAIM_LOOKS.at[finding.word(), "ink"], weight="bold")
        write_row(ax, middle, text, _verdict(finding), **look)
    differences = [claim_difference(get_records, finding.id) for finding in findings]
    known = [(y, drawn) for y, drawn in zip(middles, differences, strict=True) if drawn is not None]
    for middle, difference in known:
        _draw_difference(ax, middle, difference)
    has_print = any(difference.printed is not None for _, difference in known)
    handles = [plt.Line2D([], [], linewidth=1.6, label="ours, mean of the 95% intervals", **DOT)]
    if has_print:
        handles.append(plt.Line2D([], [], linestyle="none", label="printed", **BAR))
    ax.legend(handles=handles, ncols=2, **ABOVE_THE_AXIS)
    return figure


def _verdict(finding):
    """The word of a claim, and how many of its parts hold if only some do."""
    verdict = finding.verdicts[CORRECTED]
    if verdict.word != "supported in part":
        return verdict.word
    return f"{verdict.word}, {verdict.supported} of {verdict.n_parts}"


def wrapped(text: str) -> str:
    """A claim in lines that fit the width of a figure."""
    return "\n".join(wrap(text, LETTERS, break_on_hyphens=False))


def axis_of_rows(texts: Sequence[str], xlabel: str) -> tuple[plt.Figure, plt.Axes, np.ndarray]:
    """A figure, its axis with room for each text, and the heights of the lanes below the texts.

    Parameters
    ----------
    texts : sequence of str, of :func:`wrapped`.
    xlabel : str
    """
    n_lines = np.array([text.count("\n") + 1 for text in texts])
    heights = LINE_HEIGHT * n_lines + LANE + ROW_GAP
    ends = np.cumsum(heights)
    of_rows = heights.sum()
    total = BELOW + of_rows + ABOVE
    figure, ax = plt.subplots(figsize=(WIDTH, total), layout="none")
    figure.subplots_adjust(AXIS_LEFT, BELOW / total, AXIS_RIGHT, 1 - ABOVE / total)
    ax.set(ylim=(of_rows, 0), yticks=[], xlabel=xlabel)
    ax.grid(axis="x")
    ax.spines["left"].set_visible(False)
    ax.axvline(0, color=LINE, linewidth=0.8)
    to_the_edge = (1 - AXIS_LEFT) / (AXIS_RIGHT - AXIS_LEFT)  # below verdicts too
    over_all = dict(xmin=0, xmax=to_the_edge, clip_on=False)
    for edge in ends[:-1]:
        ax.axhline(edge, color="#d5d5d5", linewidth=0.5, **over_all)
    return figure, ax, ends - (LANE + ROW_GAP) / 2


def write_row(ax: plt.Axes, y: float, text: str, word: str, **look) -> None:
    """A text above a lane of an axis, and a word at its right, with the word's ``look``."""
    # Across in widths of the axis, upwards in its units.
    across = ax.get_yaxis_transform()
    size: dict[str, Any] = dict(fontsize=8, transform=across)
    over_grid = dict(facecolor="white", edgecolor="none", pad=0.5)
    words: dict[str, Any] = dict(color=INK, linespacing=1.15, va="bottom", bbox=over_grid)
    ax.text(0, y - LANE / 2, text, **words, **size)
    ax.text(1.03, y, word, va="center", **size, **look)


def claims_caption(findings: Sequence[ClaimFinding]) -> str:
    """What :func:`claims_figure` shows, in words, with the number of claims of each verdict."""
    words = [finding.word() for finding in findings]
    counts = counted({word: words.count(word) for word in WORDS})
    claimed = {test.claimed for finding in findings for test in claim_tests().get(finding.id, [])}
    sentences = [
        "A row for each claim: its words; a black bar for the printed difference, where there is "
        "one; a blue dot for ours, with the mean of its comparisons' 95% intervals; the verdict of "
        "the corrected test. A difference is the mean over the claim's comparisons, in percent of "
        "the rival's loss."
    ]
    if "shares" in claimed:
        sentences.append(
            "A claim about shares of cases may be contradicted although its mean difference is in "
            "its favour."
        )
    if "insensitive" in claimed:
        sentences.append(
            "For a claim that a parameter matters little the difference is that of the loss at "
            "the paper's value from the loss at other values."
        )
    sentences.append(f"Of {len(words)} claims: {counts}.")
    return " ".join(sentences)


def _draw_difference(ax, y, difference):
    low, high = difference.ours - difference.half, difference.ours + difference.half
    shown = np.clip((low, high), -FARTHEST, FARTHEST)
    ax.plot(shown, (y, y), color=BLUE, linewidth=1.6)
    # An arrow where the interval goes on.
    for end, place, marker in zip((low, high), shown, "<>", strict=True):
        if end != place:
            ax.plot(place, y, color=BLUE, marker=marker, markersize=4)
    ax.plot(difference.ours, y, **DOT)
    if difference.printed is not None:
        ax.plot(difference.printed, y, **BAR)
