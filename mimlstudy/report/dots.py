"""Runs as dots on a line, beside the printed value: SVG, for pages and notebooks."""

from collections.abc import Mapping, Sequence

import numpy as np
from markupsafe import Markup

from mimlstudy.counts import number_and_noun
from mimlstudy.report.tables import number_text

WIDTH, LEFT, ROW = 400, 8, 46  # pixels
N_LEVELS = 5  # heights of dots, so that equal values are seen
# Legible on light and on dark.
ENDS_COLOR, OURS_COLOR, PRINTED_COLOR = "#808080", "#2b8bd1", "#d55e00"

PICTURE = Markup(
    '<svg class="dots" role="img" aria-label="{label}" viewBox="0 0 {width} {height}" '
    'style="width: 100%; max-width: 32rem; display: block; font-size: 11px" '
    'fill="currentColor">{parts}</svg>'
)
BAND_TAG = Markup(
    '<rect x="{left}" y="0" width="{width}" height="{height}" fill="{color}" opacity="0.2"/>'
)
LINE_TAG = Markup(
    '<line x1="{x}" x2="{x}" y1="{top}" y2="{bottom}" stroke="{color}" stroke-width="2"/>'
)
DOT_TAG = Markup('<circle cx="{x}" cy="{y}" r="3" fill="{color}" opacity="0.7"/>')
TEXT_TAG = Markup('<text x="{x}" y="{y}" text-anchor="{anchor}"{color}>{text}</text>')


def dots(values: Mapping[str, Sequence[float]], printed: float, tolerance: float) -> Markup:
    """A row of dots for each list of values, with their mean as a line.

    Parameters
    ----------
    values : mapping from what a row shows to its values.
    printed : float, drawn as a line through all rows; NaN for none.
    tolerance : float, half of the band around the printed value.

    Returns
    -------
    Markup
        An SVG as wide as its place, at most 32rem, with a label in words; "" without any number.
    """
    shown = {name: np.asarray(row) for name, row in values.items() if len(row)}
    has_print = not np.isnan(printed)
    # The whole band is in the picture, wherever our values lie.
    ends = [printed - tolerance, printed + tolerance] if has_print else []
    numbers = np.concatenate([*shown.values(), ends])
    if not len(numbers):
        return Markup("")
    scale = _scale(numbers)
    height = ROW * len(shown) + 34
    parts = _printed(printed, tolerance, scale, height) if has_print else []
    for place, (name, row) in enumerate(shown.items()):
        parts += _row(name, row, scale, top=ROW * place + 18)
    parts += _ends(numbers, height)
    return PICTURE.format(
        label="; ".join(_in_words(shown, printed)),
        width=WIDTH,
        height=height,
        parts=Markup("").join(parts),
    )


def _scale(numbers):
    """From a number to its place across."""
    lowest, highest = numbers.min(), numbers.max()
    span = (highest - lowest) or 1.0  # equal values stand at the left end
    room = WIDTH - 2 * LEFT

    def across(number):
        share = (number - lowest) / span
        return round(LEFT + share * room, 1)

    return across


def _printed(printed, tolerance, scale, height):
    """The band around the printed value, and its line with the number."""
    left = scale(printed - tolerance)
    width = round(scale(printed + tolerance) - left, 1)
    bottom = height - 16
    x = scale(printed)
    # A text near the right edge ends at its line, so that it is not cut.
    anchor = "end" if x > WIDTH / 2 else "start"
    color = Markup(' fill="{}"').format(PRINTED_COLOR)
    words = f" printed {number_text(printed)} "
    band = BAND_TAG.format(left=left, width=width, height=bottom, color=PRINTED_COLOR)
    line = LINE_TAG.format(x=x, top=0, bottom=bottom, color=PRINTED_COLOR)
    text = TEXT_TAG.format(x=x, y=10, anchor=anchor, color=color, text=words)
    return [band, line, text]


def _row(name, values, scale, top):
    """The dots of one row at a few heights, its mean, and its name below."""
    middle = top + 12
    marks = []
    for place, value in enumerate(values):
        level = place % N_LEVELS - N_LEVELS // 2
        marks.append(DOT_TAG.format(x=scale(value), y=middle + 3 * level, color=OURS_COLOR))
    mean = values.mean()
    ends = {"top": middle - 12, "bottom": middle + 12}
    marks.append(LINE_TAG.format(x=scale(mean), color=OURS_COLOR, **ends))
    words = f"{name}: mean {number_text(mean)} of {len(values)}"
    marks.append(TEXT_TAG.format(x=LEFT, y=middle + 24, anchor="start", color="", text=words))
    return marks


def _ends(numbers, height):
    """The lowest and the highest number, below all rows."""
    lowest, highest = number_text(numbers.min()), number_text(numbers.max())
    color = Markup(' fill="{}"').format(ENDS_COLOR)
    look = {"y": height - 3, "color": color}
    at_left = TEXT_TAG.format(x=0, anchor="start", text=lowest, **look)
    at_right = TEXT_TAG.format(x=WIDTH, anchor="end", text=highest, **look)
    return [at_left, at_right]


def _in_words(shown, printed):
    """What the picture shows, for readers who do not see it."""
    if not np.isnan(printed):
        yield f"printed {number_text(printed)}"
    for name, row in shown.items():
        lowest, highest = number_text(row.min()), number_text(row.max())
        yield f"{number_and_noun(len(row), 'run')} with {name} from {lowest} to {highest}"
