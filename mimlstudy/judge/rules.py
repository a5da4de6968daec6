"""The rules by which claims are judged, and which a reader may change."""

from dataclasses import dataclass

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import SETTINGS_COLUMNS
from mimlstudy.judge.statistics import ALPHA, MARGIN

PART_TESTS = ("paper", "paired", "corrected")
# The least share of the printed differences that a test must show to count.
POWERFUL = 0.5


@dataclass(frozen=True)
class Rules:
    """How strictly claims are judged, and on which runs; the defaults are those of all tables.

    Parameters
    ----------
    level : float, default 0.05
        The chance of a false alarm that a test may have.
    margin : float, default 0.05
        As a share of the rival's loss, at most 1: what is closer is a tie. Against a quoted
        accuracy it is .02 always, and facts keep the default.
    power : float, default 0.5
        The least share of the printed differences that a test must show of our records moved to the
        printed means; else the claim is undecided.
    test : {"corrected", "paired", "paper"}, default "corrected"
        The test of each part. "paper" is its t-test, where what is not significant is a tie;
        "paired" is the same with a test of ties; "corrected" also allows for shared examples and
        for the number of parts.
    column : {"closest", "fixed", "equal"}, default "closest"
        How open settings were chosen: for closeness to print, in advance, or by a hold-out among as
        many for each method.
    criteria : tuple of str, default ()
        The criteria that count; all if empty. Accuracies always count.
    left_out : tuple of int, default ()
        Numbers of splits, from 0, that do not count. What has one split keeps it.

    Raises
    ------
    ValueError
        Names the parameter, what it is, and what it must be.
    """

    level: float = ALPHA
    margin: float = MARGIN
    power: float = POWERFUL
    test: str = "corrected"
    column: str = "closest"
    criteria: tuple[str, ...] = ()
    left_out: tuple[int, ...] = ()

    def __post_init__(self):
        if not 0 < self.level < 1:
            raise ValueError(f"level must be between 0 and 1, got {self.level!r}")
        if not 0 <= self.margin <= 1:
            raise ValueError(f"margin must be from 0 to 1, got {self.margin!r}")
        if not 0 <= self.power <= 1:
            raise ValueError(f"power must be from 0 to 1, got {self.power!r}")
        if self.test not in PART_TESTS:
            raise ValueError(f"test must be one of {PART_TESTS}, got {self.test!r}")
        if self.column not in SETTINGS_COLUMNS:
            raise ValueError(f"column must be one of {SETTINGS_COLUMNS}, got {self.column!r}")
        unknown = sorted({*self.criteria} - {*CRITERIA})
        if unknown:
            raise ValueError(f"criteria must be among {[*CRITERIA]}, got {unknown}")
        if any(number < 0 for number in self.left_out):
            raise ValueError(f"left_out must be numbers of splits from 0, got {self.left_out}")

    def counts(self, name: str) -> bool:
        """Whether a criterion counts, or a data set, which is judged by accuracy."""
        return name not in CRITERIA or not self.criteria or name in self.criteria


DEFAULT_RULES = Rules()
