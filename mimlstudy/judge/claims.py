"""Every claim of the paper, tested from the records.

``claim_tests.csv`` has a row for each test of a claim: on which experiment, which methods, against
which rivals, ``on`` which criteria or data sets, with which ``values``. A test consists of parts,
such as one comparison of two methods by one criterion. By the paper's test (a paired t-test) and
by the strict one (for shared examples, with Holm's adjustment within a claim) a part is

- *shown*: its lead is significant, or its tie is shown by two one-sided tests;
- *contradicted*: the opposite is shown, or the tie or the lead that it denies;
- *undecided*: neither; or *not tested*, without records.

A claim is *shown* if all its parts are, *contradicted* if more parts are contradicted than shown,
*shown in part* if any other part is shown, else *undecided*. Its control is what the same test
shows of our records after their means are moved to the printed ones. If that is less than half of
the parts, the claim is *undecided*.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, groupby, product
from typing import NamedTuple

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.engine.records import KEY
from mimlstudy.judge import compare, statistics
from mimlstudy.paper.published import (
    ALL_CRITERIA,
    TABLES,
    published_cells,
    published_claims,
    read_rows,
)

STABLE = 0.02  # range of a curve over its last fifth, relative to where it ends
COMPETITIVE = 0.02  # accuracy: how far below what is quoted a competitive method may be
QUOTED = {"best quoted": "max", "median quoted": "median"}  # in place of a rival
ABOUT = 2.5  # percent: half of the steps of five in which "about 20-45 %" is given
SETTLED = 1e-3  # of the objective: what the last step of a procedure at its end may change
CONTROLLED = 0.5  # least share of the printed leads that a test must show to count

WORDS = ("shown", "shown in part", "undecided", "contradicted", "not tested")
# How each column and test is headed; the first two and the strict ones stand in tables of claims.
VIEWS = {
    "paper's test": ("matched", "paired"),
    "strict test": ("matched", "strict"),
    "blind": ("blind", "strict"),
    "tuned": ("tuned", "strict"),
    "blind, paper's test": ("blind", "paired"),
    "tuned, paper's test": ("tuned", "paired"),
}
# Of each comparison the outcome that shows it, and those that contradict it. Boldface is said of
# means, and a tie does not contradict it.
OUTCOMES = {
    "better": ("better", ("worse", "tie")),
    "worse": ("worse", ("better", "tie")),
    "tie": ("tie", ("much better", "much worse")),
    "not better": ("not better", ("much better",)),
    "not worse": ("not worse", ("much worse",)),
    "best mean": ("better", ("worse",)),
    "worst mean": ("worse", ("better",)),
    "boldface": ("better", ("worse",)),
}
OF_GROUPS = ("best mean", "worst mean", "boldface")  # these compare the best of two groups


class ClaimTest(NamedTuple):
    """One test of a claim; ``test`` is one of :data:`OUTCOMES` or of :data:`TESTS`."""

    test: str
    methods: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    on: tuple[str, ...] = ()  # criteria or data sets
    values: tuple[float, ...] = ()
    experiment: str = ""

    def cases(self) -> list[tuple[Sequence[str], Sequence[str], str]]:
        """(methods, rivals, criterion or data set) of each comparison: one of each, or groups.

        "printed" are the criteria that a rival has.
        """
        if self.test == "boldface":
            table, cells = _printed(self.experiment)
            names = cells.groupby([table.columns, "best"])["algorithm"].agg(list)
            places = cells[table.columns].unique()
            return [(names[place, True], names[place, False], place) for place in places]
        if self.test in OF_GROUPS:
            return [(self.methods, self.rivals, name) for name in self.on]
        pairs = [*product(self.rivals, self.on)]
        if self.on == ("printed",):
            _, cells = _printed(self.experiment)
            cells = cells[cells["algorithm"].isin(self.rivals)]
            pairs = [*zip(cells["algorithm"], cells["criterion"], strict=True)]
        return [([method], [rival], name) for method in self.methods for rival, name in pairs]


class Compared(NamedTuple):
    """A comparison that a claim speaks of, before it is judged."""

    subject: str  # such as "A vs B"
    aspect: str  # such as "hloss"
    claimed: str  # one of OUTCOMES
    found: statistics.Comparison


@dataclass(frozen=True)
class Part:
    """One thing that a claim says, with its word by the paper's test and by the strict one."""

    subject: str
    aspect: str
    paired: str = "not tested"
    strict: str = "not tested"
    note: str = ""  # the effect; of a part that is not tested what is missing
    gain: float | None = None  # the lead of A, and half of its 95 % intervals by both tests
    half: float | None = None
    paired_half: float | None = None
    least: float | None = None  # the smallest lead that the strict test would have shown


@dataclass(frozen=True)
class Verdict:
    """A claim's word by one test, and numbers of its parts."""

    word: str  # one of WORDS
    n_parts: int
    shown: int
    contradicted: int
    not_tested: int
    n_control: int  # parts with a printed lead
    control: int  # of these, the ones that the test would have shown


@dataclass(frozen=True)
class ClaimResult:
    """A claim and its verdicts, a :class:`Verdict` for each of :data:`VIEWS`."""

    id: str
    where: str
    claim: str
    verdicts: dict[str, Verdict]
    detail: str  # of the strict test under matched settings
    parts: tuple[Part, ...]

    def word(self, view: str = "strict test") -> str:
        """One of :data:`WORDS`, for one of :data:`VIEWS`."""
        return self.verdicts[view].word


def evaluate_claims(
    get_records: compare.Records, ids: tuple[str, ...] | None = None
) -> list[ClaimResult]:
    """Results of all claims, or of ``ids``, on ``get_records(name)``; drawn data test none."""
    read = cache(partial(_in_column, cache(partial(compare.records_of, get_records))))
    claims = published_claims().to_dict("records")
    return [_evaluate(claim, read) for claim in claims if ids is None or claim["id"] in ids]


def _in_column(get_records, name, column, printed=False):
    """Records in a column: of "table3_tuned" the tuned ones, of "table5+readings" both together.

    The ones of a control, as ``printed``, have the printed means.
    """
    if column == "matched" and name.endswith("_tuned"):
        name, column = name.removesuffix("_tuned"), "tuned"
    rows = compare.column_records(get_records, name, column)
    rows = rows[rows["kind"] != "synthetic"]
    return compare.as_printed(rows, name) if printed else rows


def _evaluate(claim, read):
    tests, parts, control = CLAIM_TESTS.get(claim["id"], []), {}, {}
    controlled = [test for test in tests if test.test not in FACTS]
    for column in compare.COLUMNS:
        # What no method is named for does not depend on settings.
        columns = {test.experiment: column if test.methods else "matched" for test in tests}
        used = {name: read(name, settings) for name, settings in columns.items()}
        printed = {test.experiment: read(test.experiment, column, True) for test in controlled}
        parts[column], control[column] = parts_of(tests, used), parts_of(controlled, printed)
    verdicts = {
        view: verdict_of(parts[column], test, control[column])
        for view, (column, test) in VIEWS.items()
    }
    own = (claim["id"], claim["where"], claim["claim"], verdicts)
    return ClaimResult(*own, _described(parts["matched"]), tuple(parts["matched"]))


def parts_of(tests: Sequence[ClaimTest], records: Mapping[str, pd.DataFrame]) -> list[Part]:
    """The parts of a claim, the paper's or another, by its tests on each experiment's records."""
    found = (TESTS.get(test.test, comparisons)(records[test.experiment], test) for test in tests)
    return _judged([*chain.from_iterable(found)])


def verdict_of(
    parts: Sequence[Part], test: str = "strict", control: Sequence[Part] = ()
) -> Verdict:
    """The verdict by the test "strict" or "paired", with the parts of its control if any."""
    n, could = (Counter(getattr(part, test) for part in some) for some in (parts, control))
    n_control = len(control) - could["not tested"]
    words = {
        "not tested": n["not tested"] == len(parts),
        "undecided": could["shown"] < CONTROLLED * n_control,
        "contradicted": n["contradicted"] > n["shown"],
        "shown": n["shown"] == len(parts),
        "shown in part": n["shown"] > 0,
    }
    word = next((word for word, holds in words.items() if holds), "undecided")
    counts = (n["shown"], n["contradicted"], n["not tested"], n_control, could["shown"])
    return Verdict(word, len(parts), *counts)


def count_words(results: Sequence[ClaimResult]) -> pd.DataFrame:
    """How many claims have each of :data:`WORDS` (columns) by each of :data:`VIEWS` (rows)."""
    counts = {view: Counter(result.word(view) for result in results) for view in VIEWS}
    return pd.DataFrame(counts).T.reindex(columns=[*WORDS]).fillna(0).astype(int)


def _judged(found, adjust=statistics.holm):
    """The parts that comparisons make; ``adjust`` is for the strict test's p-values."""
    compared = [one for one in found if isinstance(one, Compared)]
    words = zip(_words(compared, "paired", list), _words(compared, "strict", adjust), strict=True)
    return [
        _part(one, len(compared), *next(words)) if isinstance(one, Compared) else one
        for one in found
    ]


def _words(compared, test, adjust):
    p = [(getattr(one.found, test), *OUTCOMES[one.claimed]) for one in compared]
    shown = adjust([p_values[outcome] for p_values, outcome, _ in p])
    denied = adjust([min(map(p_values.get, others)) for p_values, _, others in p])
    tests = [np.less(shown, statistics.ALPHA), np.less(denied, statistics.ALPHA)]
    return np.select(tests, ["shown", "contradicted"], "undecided").tolist()


def _part(one, n_parts, paired, strict):
    found, least = one.found, one.found.least(n_parts)
    denies_tie = "tie" in OUTCOMES[one.claimed][1]
    needs = f"shown from {least:.3f}" if denies_tie else f"margin {found.margin:.3f}"
    note = f"{found.gain:+.3f} ± {found.half:.3f}, {needs}" if strict != "shown" else ""
    numbers = (found.gain, found.half, found.paired_half, least)
    return Part(one.subject, one.aspect, paired, strict, note, *numbers)


def _described(parts):
    """The parts by word, with the effects of those that are not shown, and what is missing."""
    texts = {word: [] for word in WORDS}
    for (word, subject), group in groupby(
        sorted(parts, key=lambda part: WORDS.index(part.strict)),
        key=lambda part: (part.strict, part.subject),
    ):
        aspects = [": ".join(filter(None, (part.aspect, part.note))) for part in group]
        texts[word].append(f"{subject} ({', '.join(aspects)})")
    texts["not tested"] = dict.fromkeys(part.note for part in parts if part.strict == "not tested")
    return "; ".join(f"{word}: {', '.join(own)}" for word, own in texts.items() if own)


def comparisons(records: pd.DataFrame, test: ClaimTest) -> list[Compared | Part]:
    """By each criterion, or by accuracy on each data set; a part where records are missing."""
    records = compare.unmixed(compare.as_published(records))
    return [_compared(records, test, *case) for case in test.cases()]


def _printed(experiment):
    """A table of the paper, and its cells that have a value."""
    table = TABLES[int(experiment.removeprefix("table"))]
    cells = published_cells(table.number)
    return table, cells[cells["printed"] == "value"]


def _compared(records, test, methods, rivals, name):
    """A method against a rival; of groups the best against the best, or the worst."""
    rows, criterion = records, name
    if name not in CRITERIA:  # a data set of Table 5
        rows, criterion = records[records["dataset"] == name], "accuracy"
    gaps = _absent(rows, *methods, *rivals)
    first, second = map(" or ".join, (methods, rivals))
    ending = f" {test.test}" * (test.test not in ("better", *OF_GROUPS))
    beginning = f"{test.test}, " * (test.test in OF_GROUPS)
    if beginning and not gaps:
        lower = ALL_CRITERIA[criterion].lower_is_better == (test.test != "worst mean")
        means = rows.groupby("method")[criterion].mean() * (1 if lower else -1)
        first, second = (means[[*names]].idxmin() for names in (methods, rivals))
    found = gaps or _difference(rows, first, second, name, criterion, test.values)
    aspect = _symbol(name) + ending + "".join(f", by {v}" for v in test.values)
    subject = f"{beginning}{first} vs {second}"
    if isinstance(found, str):
        return Part(subject, aspect, note=found)
    return Compared(subject, aspect, test.test, found)


def _difference(rows, method, rival, name, criterion, values):
    """A comparison, with a rival or a quoted accuracy plus ``values``; in words what is missing."""
    if rival not in QUOTED:
        found = statistics.compare_methods(rows, method, rival, criterion)
        return found or f"two shared splits of {method} and {rival}"
    rows = rows[rows["method"] == method]
    if len(rows) < 2:
        return f"two folds of {method}"
    cells = published_cells(5)
    quoted = cells.loc[(cells["dataset"] == name) & cells["std"].isna(), "mean"]
    gains = rows["accuracy"] - quoted.agg(QUOTED[rival]) - sum(values)
    share = (rows["n_test"] / rows["n_train"]).mean()
    return statistics.compare_gains(gains, share, COMPETITIVE)


def shares(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """A method is better in a share of cases, and not worse in all but another share.

    ``values`` are these shares, and a number of data sets if each case counts on each of them;
    otherwise the data sets are the pairs of one test. Each case is tested at 95 %, unadjusted, so
    a share is known within 5 %. It is contradicted if all undecided cases could not reach it.
    """
    better, worse, *n_datasets = test.values
    groups = [own for _, own in records.groupby("dataset")] if n_datasets else [records]
    each = test._replace(test="better", values=())
    found = [case for own in groups for case in comparisons(own, each)]
    gaps = [case.note for case in found if isinstance(case, Part)]
    if n_datasets and len(groups) < n_datasets[0]:
        gaps = [f"the {n_datasets[0]} data sets"]
    if gaps:
        return [Part("shares", "of cases", note=", ".join(dict.fromkeys(gaps)))]
    return [_share(found, "better", better), _share(found, "not worse", 1 - worse)]


def _share(found, claimed, least):
    cases, words, notes = _judged([case._replace(claimed=claimed) for case in found], list), [], []
    for test in ("paired", "strict"):
        counted = verdict_of(cases, test)
        shown, contradicted = counted.shown / len(cases), counted.contradicted / len(cases)
        reached = [shown >= least - statistics.ALPHA, contradicted > 1 - least + statistics.ALPHA]
        words.append(str(np.select(reached, ["shown", "contradicted"], "undecided")))
        notes.append(f"{shown:.0%} shown and {contradicted:.0%} contradicted")
    note = f"of {len(cases)} cases {notes[1]}, by the paper's test {notes[0]}"
    return Part(claimed, f"in at least {least:.0%}", *words, note=note)


def insensitive(records: pd.DataFrame, test: ClaimTest) -> list[Compared | Part]:
    """Every value of the swept parameter of a method ties with the default, ``values[0]``."""
    (method,), (default,) = test.methods, test.values
    swept = statistics.swept_values(records, default)
    others = tuple(str(value) for value in sorted({*swept} - {default}))
    if default not in {*swept} or not others:
        return [Part(method, "sweep", note=f"{method} over a sweep")]
    rows = records.assign(method=swept.map(str), parameters="{}")
    return comparisons(rows, ClaimTest("tie", others, (str(default),), test.on))


def _fact(subject, aspect, true, note):
    word = "shown" if true else "contradicted"
    return Part(subject, aspect, word, word, note=note)


def stable(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """A method's mean curve moves by at most 2 % over the last fifth of ``values[0]`` rounds."""
    (method,), (last,) = test.methods, test.values
    rows = records[(records["method"] == method) & records["stage"].between(1, last)]
    rows = compare.unmixed(rows, "stage")
    return [_stable(rows, method, last, name) for name in test.on]


def _stable(rows, method, last, name):
    runs = rows.pivot(index=["dataset", "split"], columns="stage", values=name)
    if last not in runs:
        return Part(method, _symbol(name), note=f"{method} up to round {last}")
    # A run that stopped early keeps its last value.
    late = runs.ffill(axis=1).mean().loc[int(np.ceil(0.8 * last)) :]
    change = float((late.max() - late.min()) / late.iloc[-1])
    return _fact(method, _symbol(name), change <= STABLE, f"{change:.1%}")


def sub_concepts_matter(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """Fits differ from the rival's, the learner on the bag label alone, so sub-concepts matter."""
    records = compare.unmixed(compare.as_published(records))
    (method,), (alone,) = test.methods, test.rivals
    if gaps := _absent(records, method, alone):
        return [Part(method, "sub-concepts", note=gaps)]
    rows = records.set_index(["dataset", "split"])
    ours, theirs = (rows[rows["method"] == name] for name in (method, alone))
    same = ours["accuracy"].sub(theirs["accuracy"]).dropna().abs() < 1e-9
    chosen = pd.DataFrame([json.loads(text) for text in ours["chosen"]])
    least = (chosen == chosen.min()).all(axis=1).sum()
    values = ", ".join(f"{name.split('__')[-1]} {v:g}" for name, v in chosen.min().items())
    note = f"{same.sum()} of {len(same)} fits equal {alone}, {least} of {len(chosen)} chose "
    return [_fact(method, "sub-concepts", not same.all(), note + values)]


NOT_RECOMPUTED = [Part("Appendix C", "recomputed", note="the recomputed table")]


def characteristics_agree(recomputed: pd.DataFrame, _: ClaimTest) -> list[Part]:
    """The recomputed table equals the printed one at printed precision."""
    if recomputed.empty:
        return NOT_RECOMPUTED
    cells = compare.compare_characteristics(recomputed).itertuples(index=False)
    return [
        _fact(dataset, name, verdict == "agrees", f"{ours:g}, {printed:g} printed")
        if verdict != "missing"
        else Part(dataset, name, note=dataset)
        for dataset, name, printed, ours, verdict in cells
    ]


def ranges(recomputed: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """The lowest and the highest value of a percentage are about ``values``."""
    if recomputed.empty:
        return NOT_RECOMPUTED
    (name,) = test.on
    own = recomputed[[f"train_{name}", f"test_{name}"]].to_numpy()
    ends = zip(("lowest", "highest"), (own.min(), own.max()), test.values, strict=True)
    return [
        _fact(name, aspect, abs(value - bound) <= ABOUT, f"{value:.2f}, about {bound} stated")
        for aspect, value, bound in ends
    ]


def never_rises(traces: pd.DataFrame, _: ClaimTest) -> list[Part]:
    """No convex problem raises the objective, and each fit ends where one more changes nothing."""
    # "following" is the objective after the next step, also of one that rises and is thrown away.
    if "following" not in traces:
        return [Part("CCCP", "objective", note="the objective of steps that rise")]
    change = traces["following"] / traces["objective"] - 1
    fits = traces.assign(change=change).sort_values("stage").groupby(KEY[1:])["change"]
    rises, moves = fits.max() > 1e-6, fits.last().abs() > SETTLED
    risen = f"rises in {rises.sum()} of {len(rises)} fits, by {change.max():.2%} at most"
    moved = f"the last step of {moves.sum()} of {len(moves)} fits changes the objective"
    return [
        _fact("CCCP", "objective", not rises.any(), risen),
        _fact("CCCP", "local minimum", not moves.any(), f"{moved} by more than {SETTLED:.1%}"),
    ]


def sampling_finds_violated(_records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """The worst of n = ``values[0]`` random constraints: with 1 - .95^n of the worst 5 %."""
    p = 1 - 0.95 ** test.values[0]
    return [_fact("sampling", "formula", p >= 0.95, f"{p:.4f}")]


def _symbol(name):
    return CRITERIA[name].symbol if name in CRITERIA else name


def _absent(records, *names):
    recorded = {*records["method"].unique(), *QUOTED}
    return ", ".join(name for name in dict.fromkeys(names) if name not in recorded)


# The tests that claim_tests.csv names beside OUTCOMES. Facts are no estimates, and need no control.
FACTS: dict[str, Callable[[pd.DataFrame, ClaimTest], list]] = {
    "stable": stable,
    "sub-concepts": sub_concepts_matter,
    "characteristics": characteristics_agree,
    "ranges": ranges,
    "sampling": sampling_finds_violated,
    "never rises": never_rises,
}
TESTS = FACTS | {"insensitive": insensitive, "shares": shares}


def _read_tests():
    tests = defaultdict(list)
    for row in read_rows("claim_tests.csv", "methods", "rivals", "on", "values"):
        row["on"] = tuple(CRITERIA) if row["on"] == ("all",) else row["on"]
        row["values"] = tuple(map(json.loads, row["values"]))
        tests[row.pop("id")].append(ClaimTest(**row))
    return dict(tests)


# Claims "on all criteria" of Section 4 are tested on all seven, also on the three that the paper
# prints as N/A for AdtBoost.MH. S6's percentages are taken over the cells that the paper prints.
CLAIM_TESTS = _read_tests()
