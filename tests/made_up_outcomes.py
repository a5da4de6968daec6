"""Made-up outcomes of verification."""

from mimlstudy.engine.arithmetic import PINNED
from mimlstudy.engine.records import OUTCOME_COLUMNS


def outcome(recorded_code, code, outcome="equal", **columns):
    """What verify says of records made by one code, compared with another."""
    row = dict.fromkeys(OUTCOME_COLUMNS, "") | {
        "experiment": "mine",
        "method": "Ml-knn",
        "settings": "s",
        "recorded_code": recorded_code,
        "recorded_arithmetic": PINNED,
        "verified_code": code,
        "outcome": outcome,
        "n_checked": 1,
        # Written with ten digits: it comes back as .3.
        "largest_difference": 0.1 + 0.2,
    }
    return row | columns
