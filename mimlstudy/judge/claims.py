"""Every claim of the paper with its verdicts, from the records.

A claim is *not tested* if none of its parts is. It is *contradicted* if more parts are contradicted
than supported, *supported* if all parts are, *supported in part* if some are, and *undecided* if
none is. The *power* of its test is the number of parts that the same test supports of our records
after their means are moved to the printed ones. If that is less than half of the parts that have
printed means, the claim is *undecided*, whatever its parts are.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from itertools import groupby

import pandas as pd

from mimlstudy.judge.claim_parts import (
    FACT_TESTS,
    NOT_TESTED,
    ClaimPart,
    parts_of,
)
from mimlstudy.judge.claim_tests import claim_tests
from mimlstudy.judge.compare import moved_to_printed_means
from mimlstudy.judge.rules import DEFAULT_RULES, POWERFUL, Rules
from mimlstudy.judge.selection import (
    SETTINGS_COLUMNS,
    Records,
    records_of,
    selected,
    without_synthetic,
)
from mimlstudy.paper.printed import printed_claims

WORDS = (
    "supported",
    "supported in part",
    "undecided",
    "contradicted",
    NOT_TESTED,
)
# What a claim is about, in claims.csv; each kind is counted apart.
CLAIM_KINDS = (
    "comparison",
    "sensitivity",
    "data",
    "arithmetic",
    "convergence",
    "running time",
)
PAPERS, CORRECTED = "paper's test", "corrected test"
IN_ADVANCE, EQUAL = "fixed in advance", "equal tuning"
EQUIVALENCE = "paper's test, ties by equivalence"
# The views that tables of claims show.
SHOWN_VIEWS = (PAPERS, CORRECTED, IN_ADVANCE, EQUAL)
# The heading of each view, its column of settings and its test of parts, one of rules.PART_TESTS.
VIEWS = {
    PAPERS: ("closest", "paper"),
    CORRECTED: ("closest", "corrected"),
    IN_ADVANCE: ("fixed", "corrected"),
    EQUAL: ("equal", "corrected"),
    EQUIVALENCE: ("closest", "paired"),
    "fixed in advance, paper's test": ("fixed", "paper"),
    "equal tuning, paper's test": ("equal", "paper"),
}


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim's word by one test, and numbers of its parts."""

    word: str  # one of WORDS
    n_parts: int
    supported: int
    contradicted: int
    not_tested: int
    n_printed: int  # parts with a printed difference
    # Of these, the ones that the test would have supported: its power.
    n_detected: int


@dataclass(frozen=True)
class ClaimFinding:
    """A claim and its verdicts, a :class:`ClaimVerdict` for each of :data:`VIEWS`."""

    id: str
    where: str
    claim: str
    kind: str  # one of CLAIM_KINDS
    verdicts: dict[str, ClaimVerdict]
    # A text for each word of the corrected test, closest to print.
    detail: tuple[str, ...]
    parts: tuple[ClaimPart, ...]

    def word(self, view: str = CORRECTED) -> str:
        """One of :data:`WORDS`, for one of :data:`VIEWS`."""
        return self.verdicts[view].word

    @classmethod
    def of_dict(cls, fields: dict) -> "ClaimFinding":
        """The finding whose :meth:`as_dict` gave these fields, also after JSON."""
        verdicts = {view: ClaimVerdict(**made) for view, made in fields["verdicts"].items()}
        parts = tuple(ClaimPart(**made) for made in fields["parts"])
        rebuilt = {
            "verdicts": verdicts,
            "parts": parts,
            "detail": tuple(fields["detail"]),
        }
        return cls(**(fields | rebuilt))

    def as_dict(self) -> dict:
        """All fields, ready for JSON."""
        return asdict(self)


def evaluate_claims(
    get_records: Records,
    ids: tuple[str, ...] | None = None,
) -> list[ClaimFinding]:
    """Findings of all claims, or of ``ids``, on ``get_records(name)``; synthetic data test none."""
    recorded, moved = _readers_of_selections(get_records)
    findings = []
    for claim in printed_claims().to_dict("records"):
        if ids is None or claim["id"] in ids:
            findings.append(_evaluate(claim, recorded, moved))
    return findings


def _readers_of_selections(get_records):
    """Two functions of a selection, without synthetic data; each result is made once.

    ``recorded(selection)`` gives its records. ``moved(selection, left_out)`` gives them without
    those splits, their means moved to the printed ones.
    """
    read_once = cache(partial(records_of, get_records))

    @cache
    def recorded(selection):
        return without_synthetic(selected(read_once, selection))

    @cache
    def moved(selection, left_out):
        rows = without_splits(recorded(selection), left_out)
        return moved_to_printed_means(rows, selection.experiments[0])

    return recorded, moved


def _evaluate(claim, recorded, moved):
    """A claim's finding; its parts are made once for each column of settings."""
    tests = claim_tests().get(claim["id"], [])
    parts, printed_parts = {}, {}
    for column in SETTINGS_COLUMNS:
        rules = replace(DEFAULT_RULES, column=column)
        made = _recorded_and_printed_parts(tests, recorded, moved, rules)
        parts[column], printed_parts[column] = made
    verdicts = {}
    for view, (column, part_test) in VIEWS.items():
        verdicts[view] = verdict_of(parts[column], part_test, printed_parts[column])
    return ClaimFinding(
        id=claim["id"],
        where=claim["where"],
        claim=claim["claim"],
        kind=claim["kind"],
        verdicts=verdicts,
        detail=_described(parts["closest"]),
        parts=tuple(parts["closest"]),
    )


def _recorded_and_printed_parts(tests, recorded, moved, rules):
    """The parts of a claim, and those of its comparisons by the printed means, for their power."""

    def records_of_test(test):
        records = recorded(test.selection(rules.column))
        is_fact = test.claimed in FACT_TESTS
        return records if is_fact else without_splits(records, rules.left_out)

    def moved_records_of_test(test):
        return moved(test.selection(rules.column), tuple(rules.left_out))

    # Facts have no power: nothing of them is estimated.
    estimates = [test for test in tests if test.claimed not in FACT_TESTS]
    parts = parts_of(tests, records_of_test, rules)
    return parts, parts_of(estimates, moved_records_of_test, rules)


def verdict_of(
    parts: Sequence[ClaimPart],
    test: str = "corrected",
    printed_parts: Sequence[ClaimPart] = (),
    least_power: float = POWERFUL,
) -> ClaimVerdict:
    """The verdict on a claim by one test of its parts.

    Parameters
    ----------
    parts : sequence of ClaimPart
        All that the claim says.
    test : {"corrected", "paired", "paper"}, default "corrected"
        By which of its words a part counts.
    printed_parts : sequence of ClaimPart, default ()
        The same parts of records that have the printed means, for the test's power.
    least_power : float, default 0.5
        The share of the printed differences that the test must support to count.
    """
    counts = Counter(getattr(part, test) for part in parts)
    of_printed = Counter(getattr(part, test) for part in printed_parts)
    n_printed = len(printed_parts) - of_printed[NOT_TESTED]
    n_parts = len(parts)
    supported = counts["supported"]
    contradicted = counts["contradicted"]
    if counts[NOT_TESTED] == n_parts:
        word = NOT_TESTED
    elif of_printed["supported"] < least_power * n_printed:
        # A test that would miss the printed differences can neither support nor contradict.
        word = "undecided"
    elif contradicted > supported:
        word = "contradicted"
    elif supported == n_parts:
        word = "supported"
    else:
        word = "supported in part" if supported else "undecided"
    return ClaimVerdict(
        word=word,
        n_parts=n_parts,
        supported=supported,
        contradicted=contradicted,
        not_tested=counts[NOT_TESTED],
        n_printed=n_printed,
        n_detected=of_printed["supported"],
    )


@dataclass(frozen=True)
class ArguedClaim:
    """A claim judged by a reader's rules."""

    id: str
    verdict: ClaimVerdict
    parts: tuple[ClaimPart, ...]


def argue(get_records: Records, rules: Rules = DEFAULT_RULES) -> list[ArguedClaim]:
    """All claims by some rules, on ``get_records(name)``; synthetic data test none.

    Rules are about comparisons of methods. Facts, such as the arithmetic of a formula, depend on
    the column alone: a fact about methods is not tested in a column without their records.
    """
    recorded, moved = _readers_of_selections(get_records)
    argued = []
    for claim in printed_claims()["id"]:
        tests = claim_tests().get(claim, [])
        parts, printed_parts = _recorded_and_printed_parts(tests, recorded, moved, rules)
        verdict = verdict_of(parts, rules.test, printed_parts, rules.power)
        argued.append(ArguedClaim(claim, verdict, tuple(parts)))
    return argued


def without_splits(records: pd.DataFrame, left_out: Sequence[int]) -> pd.DataFrame:
    """Records without some splits. Where all records share one split, it stays."""
    if not left_out or records["split"].nunique() < 2:
        return records
    return records[~records["split"].isin(left_out)]


def count_words(findings: Sequence[ClaimFinding]) -> pd.DataFrame:
    """How many claims have each of :data:`WORDS` (columns) by each of :data:`VIEWS` (rows)."""
    rows = {}
    for view in VIEWS:
        counts = Counter(finding.word(view) for finding in findings)
        rows[view] = [counts[word] for word in WORDS]
    return pd.DataFrame.from_dict(rows, "index", columns=[*WORDS])


def count_words_by_kind(findings: Sequence[ClaimFinding], view: str = CORRECTED) -> pd.DataFrame:
    """How many claims of each kind (rows) have each of :data:`WORDS` (columns) by one view.

    Comparisons of methods, sensitivity to settings, running time, checks of data, arithmetic and
    convergence are different things: only the first say which method is better.
    """
    kinds = pd.Series([finding.kind for finding in findings], dtype="str")
    words = pd.Series([finding.word(view) for finding in findings], dtype="str")
    counts = pd.crosstab(kinds, words)
    return counts.reindex(index=[*CLAIM_KINDS], columns=[*WORDS], fill_value=0)


def _described(parts):
    """A text for each word: its parts, with the effects of those that are not supported."""
    texts = {word: [] for word in WORDS}
    ordered = sorted(parts, key=lambda part: WORDS.index(part.corrected))
    for (word, subject), group in groupby(ordered, lambda part: (part.corrected, part.subject)):
        aspects = [": ".join(filter(None, (part.aspect, part.note))) for part in group]
        texts[word].append(f"{subject} ({', '.join(aspects)})")
    # Many parts lack the same records: these are named once.
    missing = [part.note for part in parts if part.corrected == NOT_TESTED]
    texts[NOT_TESTED] = list(dict.fromkeys(missing))
    return tuple(f"{word}: {', '.join(said)}" for word, said in texts.items() if said)
