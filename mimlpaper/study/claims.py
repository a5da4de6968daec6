"""Every claim of the paper, tested from the records.

``claim_tests.csv`` has a row for each test of a claim: on which experiment, which methods, against
which rivals, ``on`` which criteria or data sets, with which ``values``. A test sees no other
method's records. What cannot be shown does not hold: neither few runs nor rough ones help a claim,
not even a claim of a tie.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby, product
from typing import NamedTuple

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlpaper.paths import published
from mimlpaper.study.compare import (
    COLUMNS,
    KINDS,
    NO_RECORDS,
    Records,
    as_published,
    column_records,
    compare_characteristics,
    compare_with_paper,
    count_runs,
    overall,
    records_of,
    runs_of_protocol,
)
from mimlpaper.study.published import ALL_CRITERIA, published_cells, published_claims
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.statistics import (
    ALPHA,
    Comparison,
    compare_gains,
    compare_methods,
    holm,
    ranks_of_means,
    swept_values,
)
from mimlpaper.study.verdicts import wins

STABLE = 0.02  # range of a curve over its last fifth, relative to where it ends
COMPETITIVE = 0.02  # accuracy: how far below what is quoted a competitive method may be
QUOTED = {"best quoted": "max", "median quoted": "median"}  # in place of a rival
ABOUT = 2.5  # percent: half of the steps of five in which "about 20-45 %" is given
SETTLED = 1e-3  # of the objective: what the last step of a procedure at its end may change
FIT = ["dataset", "method", "parameters", "split"]  # the columns that identify a fit

NOT_COMPARABLE = {
    "N.1": "seconds of solvers of today, of low rank, say nothing of a program of 2012 on a "
    "machine of 2012"
}


class ClaimTest(NamedTuple):
    """One test of a claim; "better", "tie" and so on are outcomes of :func:`significance`."""

    test: str
    methods: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    on: tuple[str, ...] = ()  # criteria or data sets
    values: tuple[float, ...] = ()
    experiment: str = ""

    def cases(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """(method, rival, criteria); the "printed" criteria are those that the rival has."""
        pairs = product(self.methods, self.rivals)
        if self.on != ("printed",):
            return [(*pair, self.on) for pair in pairs]
        cells = published_cells(int(self.experiment.removeprefix("table")))
        cells = cells[cells["printed"] == "value"]
        criteria = cells.groupby("algorithm", sort=False)["criterion"].agg(tuple)
        return [(method, rival, criteria[rival]) for method, rival in pairs]


@dataclass(frozen=True)
class Part:
    """One thing that a claim says; ``holds`` is None if it cannot be judged."""

    subject: str  # such as "A vs B"
    aspect: str  # such as "hloss"
    holds: bool | None = None  # by the strict test
    paired: bool | None = None  # by the plain test; None where no test is needed
    note: str = ""
    missing: tuple[str, ...] = ()  # what would be needed to judge it
    gain: float | None = None  # the effect in favour of A, with its 95 % interval
    low: float | None = None
    high: float | None = None
    p: float | None = None  # of the tests, adjusted by Holm for the parts of the claim
    paired_p: float | None = None

    @property
    def holds_paired(self) -> bool | None:
        """By the plain test where there is one, otherwise ``holds``."""
        return self.holds if self.paired is None else self.paired


@dataclass(frozen=True)
class ClaimResult:
    """A claim's verdicts: "holds", "partly", "fails", "not comparable" or "not evaluated"."""

    id: str
    where: str
    claim: str
    paired: str  # by the paper's own plain t-test under matched settings
    matched: str  # by the strict tests, under the settings of this column
    blind: str
    tuned: str
    detail: str  # of ``matched``, as the parts
    parts: tuple[Part, ...]
    state: str | None  # of the records used, None without records
    kind: str | None


def evaluate_claims(get_records: Records, ids: tuple[str, ...] | None = None) -> list[ClaimResult]:
    """The results of the paper's claims, of all or of those in ``ids``.

    ``get_records`` gives an experiment's records by its name, such as "table1"; an empty frame, or
    no entry in the mapping, if there are none.
    """
    read_once = cache(partial(records_of, get_records))
    in_column = cache(partial(_in_column, read_once))
    return [
        _evaluate(claim, in_column)
        for claim in published_claims().to_dict("records")
        if ids is None or claim["id"] in ids
    ]


def _in_column(get_records, name, column):
    """Records in a column: of "table3_tuned" the tuned ones, of "table5+readings" both together.

    Only tables and figures have other columns than the matched one.
    """
    if name in EXPERIMENTS:
        return column_records(get_records, name, column)
    if column != "matched":
        return NO_RECORDS
    if name.endswith("_tuned"):
        return column_records(get_records, name.removesuffix("_tuned"), "tuned")
    return records_of(get_records, *filter(None, name.split("+")))


def _evaluate(claim, in_column):
    tests, reason = CLAIM_TESTS[claim["id"]], NOT_COMPARABLE.get(claim["id"], "")
    used = {column: _records_behind(tests, in_column, column) for column in COLUMNS}
    parts = {column: parts_of(tests, records) for column, records in used.items()}
    verdicts = {column: verdict_of(found) for column, found in parts.items()}
    verdicts["paired"] = verdict_of(parts["matched"], "holds_paired")
    own = {name: rows for name, rows in used["matched"].items() if len(rows) and "state" in rows}
    states, kinds = _values(own, "state"), _values(own, "kind")
    remarks = [_described(parts["matched"]), *_shortfalls(own)]
    if "stale" in states:
        remarks.append("some records are stale")
    if "synthetic" in kinds:
        said = verdicts["matched"]
        remarks.append(f"on synthetic data, which cannot test the paper's claim: {said}")
    for name in verdicts:
        drawn = "synthetic" in _values(used["matched" if name == "paired" else name], "kind")
        if reason or drawn:
            verdicts[name] = "not comparable" if reason else "not evaluated"
    return ClaimResult(
        **{name: claim[name] for name in ("id", "where", "claim")}, **verdicts,
        detail="; ".join(filter(None, [*remarks, reason])), parts=tuple(parts["matched"]),
        state=overall(states) if states else None, kind=overall(kinds, KINDS) if kinds else None,
    )  # fmt: skip


def _values(used, column):
    return {value for rows in used.values() if column in rows for value in rows[column].unique()}


def _shortfalls(used):
    """Where there are fewer runs than the protocol asks for."""
    runs = ((name, count_runs(rows, name), runs_of_protocol(name)) for name, rows in used.items())
    return [f"{n} of {wanted} runs of {name}" for name, n, wanted in runs if n < wanted]


def _records_behind(tests, in_column, column):
    """By experiment, the records in a column of all methods that the tests name, or of all."""
    used = {}
    for name in dict.fromkeys(test.experiment for test in tests):
        own = [test for test in tests if test.experiment == name]
        methods = [method for test in own for method in (*test.methods, *test.rivals)]
        records = in_column(name, column if methods else "matched")
        used[name] = records[records["method"].isin(methods)] if methods else records
    return used


def parts_of(tests: Sequence[ClaimTest], records: Mapping[str, pd.DataFrame]) -> list[Part]:
    """The parts of a claim, the paper's or another, by its tests on each experiment's records.

    Those with a p-value are judged after Holm's adjustment for their number.
    """
    parts = [
        part
        for test in tests
        for part in TESTS.get(test.test, significance)(records[test.experiment], test)
    ]
    tested = [i for i, part in enumerate(parts) if part.p is not None]
    strict, paired = (holm([getattr(parts[i], name) for i in tested]) for name in ("p", "paired_p"))
    for i, p, paired_p in zip(tested, strict.tolist(), paired.tolist(), strict=True):
        part = parts[i]
        effect = f"{part.gain:+.3f} [{part.low:+.3f}, {part.high:+.3f}], p = {p:.2g}"
        judged = {"holds": p < ALPHA, "paired": paired_p < ALPHA, "p": p, "paired_p": paired_p}
        parts[i] = replace(part, **judged, note="" if p < ALPHA else effect)
    return parts


def verdict_of(parts: Sequence[Part], test: str = "holds") -> str:
    """The verdict by the strict tests, or by the plain ones, ``test="holds_paired"``."""
    outcomes = [getattr(part, test) for part in parts]
    if None in outcomes:
        return "not evaluated"
    if all(outcomes):
        return "holds"
    return "partly" if any(outcomes) else "fails"


def _described(parts):
    """Counts under both tests, then which parts hold, which fail, and what is missing."""
    held = [part for part in parts if part.holds]
    failed = [part for part in parts if part.holds is False]
    missing = dict.fromkeys(gap for part in parts for gap in part.missing)
    counts = f"{len(held)} of {len(parts)} parts hold" if held or failed else ""
    if any(part.paired is not None for part in parts):
        counts += f", {sum(part.holds_paired is True for part in parts)} by the paired t-test"
    all_said = held if failed or missing or any(part.note for part in held) else []
    lists = {
        "hold: ": _listed(all_said), "fail: ": _listed(failed),
        "": _listed(part for part in parts if part.holds is None and part.note),
        "missing: ": ", ".join(missing),
    }  # fmt: skip
    return "; ".join(filter(None, [counts, *(head + text for head, text in lists.items() if text)]))


def _listed(parts):
    """``A vs B (hloss, rloss: +.01), A vs C (coverage)``: grouped by subject."""
    groups = []
    for subject, group in groupby(parts, key=lambda part: part.subject):
        aspects = [": ".join(filter(None, (part.aspect, part.note))) for part in group]
        groups.append(f"{subject} ({', '.join(aspects)})")
    return ", ".join(groups)


def significance(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """Every method shows against every rival, in all cases, the outcome that names the test.

    "better", "worse", "tie", "not better" or "not worse"; better by more than ``values[0]``.
    """
    records, parts = as_published(records), []
    ending = f" {test.test}" * (test.test != "better") + "".join(f", by {v}" for v in test.values)
    for method, rival, names in test.cases():
        subject, found = f"{method} vs {rival}", _comparisons(records, method, rival, names, test)
        for name, one in zip(names, found, strict=True):
            aspect = (_symbol(name) if name in CRITERIA else name) + ending
            if isinstance(one, tuple):
                parts.append(Part(subject, aspect, missing=one))
                continue
            part = Part(subject, aspect, gain=one.gain, low=one.low, high=one.high)
            p, paired_p = one.strict[test.test], one.paired[test.test]
            parts.append(replace(part, p=p, paired_p=paired_p))
    return parts


def _comparisons(records, method, rival, names, test) -> list[Comparison | tuple[str, ...]]:
    """Of two methods by each criterion, or by accuracy on each data set; or what is missing for it.

    The rival may be the best or the median of the accuracies that Table 5 quotes from the
    literature, and the method must be better by more than ``test.values``.
    """
    if names[0] in CRITERIA:
        return _compared(records, method, rival, names)
    of_sets = {name: records[records["dataset"] == name] for name in names}
    if rival in QUOTED:
        return [_against_quoted(own, method, rival, n, *test.values) for n, own in of_sets.items()]
    return [one for own in of_sets.values() for one in _compared(own, method, rival, ["accuracy"])]


def _compared(records, method, rival, criteria):
    if gaps := _absent(records, (method, rival)):
        return [gaps] * len(criteria)
    found = compare_methods(records, method, rival, criteria)
    return [one or (f"two shared splits of {method} and {rival}",) for one in found]


def _against_quoted(records, method, rival, dataset, lead=0.0):
    rows = records[records["method"] == method]
    if len(rows) < 2:
        return (f"two folds of {method}",) if len(rows) else (method,)
    cells = published_cells(5).query("dataset == @dataset and std.isna()")
    gains = rows["accuracy"] - cells["mean"].agg(QUOTED[rival]) - lead
    return compare_gains(gains, (rows["n_test"] / rows["n_train"]).mean(), COMPETITIVE)


def shares(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """A method is better in a share of cases, and not worse in all but another share.

    ``values`` are these shares, and a number of data sets if each case counts on each of them;
    otherwise the data sets are the pairs of one test. The p-values are adjusted by Holm for the
    number of cases.
    """
    records = as_published(records)
    better, worse, *n_datasets = test.values
    groups = [own for _, own in records.groupby("dataset")] if n_datasets else [records]
    found = [
        one for own in groups for case in test.cases() for one in _comparisons(own, *case, test)
    ]
    gaps = [gap for comparison in found if isinstance(comparison, tuple) for gap in comparison]
    if n_datasets and len(groups) < n_datasets[0]:
        gaps = [f"the {n_datasets[0]} data sets"]
    if gaps:
        return [Part("shares", "of cases", missing=tuple(dict.fromkeys(gaps)))]
    return [_share(found, "better", better), _share(found, "not worse", 1 - worse)]


def _share(found, outcome, least):
    shown = [
        (holm([getattr(one, test)[outcome] for one in found]) < ALPHA).mean()
        for test in ("strict", "paired")
    ]
    strict, paired = (round(share * len(found)) for share in shown)
    note = f"{strict} of {len(found)} = {shown[0]:.0%} (paired {paired})"
    enough = [bool(share >= least) for share in shown]
    return Part(outcome, f"in at least {least:.0%}", *enough, note=note)


def insensitive(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """Every value of the swept parameter of a method ties with the default, ``values[0]``."""
    (method,), (default,) = test.methods, test.values
    swept = swept_values(records, default)
    others = sorted(set(swept) - {default})
    if default not in set(swept) or not others:
        return [Part(method, "sweep", missing=(f"{method} over a sweep",))]
    rows = records.assign(method=swept.map(str), parameters="{}")
    ties = ClaimTest("tie", tuple(map(str, others)), (str(default),), test.on)
    return significance(rows, ties)


def extreme_mean(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """The best mean of each criterion, or the worst one, belongs to one of the methods."""
    records, everyone = as_published(records), [*test.methods, *test.rivals]
    if gaps := _absent(records, everyone):
        return [Part(test.test, "any", missing=gaps)]
    places = ranks_of_means(records.groupby("method")[[*test.on]].mean().loc[everyone])
    found = places.idxmin() if test.test == "best mean" else places.idxmax()
    return [
        Part(test.test, _symbol(name), method in test.methods, note=method)
        for name, method in found.items()
    ]


def printed_winners(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """What the table prints in boldface has the best mean of its column here as well."""
    cells = compare_with_paper(records, int(test.experiment.removeprefix("table")))
    printed = cells[cells["printed"] == "value"]
    if gaps := tuple(printed.loc[printed["mean"].isna(), "algorithm"].unique()):
        return [Part("boldface", "any", missing=gaps)]
    parts, best = [], {value: wins(printed, value) for value in ("mean", "published_mean")}
    for (dataset, criterion), column in printed.groupby(["dataset", "criterion"], sort=False):
        names = column["algorithm"]
        ours, theirs = (
            set(names[best[value][names.index]]) for value in ("mean", "published_mean")
        )
        note = f"{' and '.join(sorted(ours))}, {' and '.join(sorted(theirs))} printed"
        aspect = dataset if criterion == "accuracy" else _symbol(criterion)
        parts.append(Part("boldface", aspect, bool(ours & theirs), note=note))
    return parts


def stable(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """A method's mean curve moves by at most 2 % over the last fifth of ``values[0]`` rounds.

    A run that stopped early keeps its last value.
    """
    (method,), (last,), parts = test.methods, test.values, []
    rows = records[(records["method"] == method) & records["stage"].between(1, last)]
    gap = () if rows["stage"].max() == last else (f"{method} up to round {last}",)
    for name in test.on:
        runs = rows.pivot(index=["dataset", "split"], columns="stage", values=name)
        late = runs.ffill(axis=1).mean().loc[math.ceil(0.8 * last) :]
        change = math.nan if gap else float((late.max() - late.min()) / late.iloc[-1])
        judged = {"missing": gap} if gap else {"holds": change <= STABLE, "note": f"{change:.1%}"}
        parts.append(Part(method, _symbol(name), **judged))
    return parts


def sub_concepts_matter(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """Fits differ from the rival's, the learner on the bag label alone, so sub-concepts matter.

    The note counts the fits that equal the rival's, and the hold-outs with the smallest M and θ.
    """
    records, (method,), (alone,) = as_published(records), test.methods, test.rivals
    if gaps := _absent(records, (method, alone)):
        return [Part(method, "sub-concepts", missing=gaps)]
    keys = ["dataset", "split"]
    ours, theirs = (records[records["method"] == name].set_index(keys) for name in (method, alone))
    same = ours["accuracy"].sub(theirs["accuracy"]).dropna().abs() < 1e-9
    chosen = pd.DataFrame([json.loads(text) for text in ours["chosen"]])
    least = int((chosen == chosen.min()).all(axis=1).sum())
    values = ", ".join(f"{name.split('__')[-1]} {v:g}" for name, v in chosen.min().items())
    note = (
        f"{same.sum()} of {len(same)} fits equal {alone}, {least} of {len(chosen)} chose {values}"
    )
    return [Part(method, "sub-concepts", not same.all(), note=note)]


NOT_RECOMPUTED = [Part("Appendix C", "recomputed", missing=("the recomputed table",))]


def characteristics_agree(recomputed: pd.DataFrame, _: ClaimTest) -> list[Part]:
    """The recomputed table equals the printed one at printed precision."""
    if recomputed.empty:
        return NOT_RECOMPUTED
    parts = []
    for cell in compare_characteristics(recomputed).itertuples():
        note = f"{cell.recomputed:g}, {cell.published:g} printed"
        judged = {"holds": cell.verdict == "agrees", "note": note}
        judged = {"missing": (cell.dataset,)} if cell.verdict == "missing" else judged
        parts.append(Part(cell.dataset, cell.characteristic, **judged))
    return parts


def ranges(recomputed: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """The lowest and the highest value of a percentage are about ``values``."""
    if recomputed.empty:
        return NOT_RECOMPUTED
    (name,), parts = test.on, []
    own = recomputed[[f"train_{name}", f"test_{name}"]].to_numpy()
    for aspect, bound in zip(("lowest", "highest"), test.values, strict=True):
        value = own.min() if aspect == "lowest" else own.max()
        note = f"{value:.2f}, about {bound} stated"
        parts.append(Part(name, aspect, bool(abs(value - bound) <= ABOUT), note=note))
    return parts


def longest_fits(records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """The seconds of each method's longest fit, without a judgement."""
    seconds = records.groupby("method")["fit_seconds"].max().reindex(test.methods)
    known = {m: {"note": f"{s:.0f} s"} for m, s in seconds.dropna().items()}
    return [Part(m, "longest fit", **known.get(m, {"missing": (m,)})) for m in test.methods]


def never_rises(traces: pd.DataFrame, _: ClaimTest) -> list[Part]:
    """No convex problem raises the objective, and each fit ends where one more changes nothing.

    The column ``following`` has the objective after the next step, also of a step that rises and
    is thrown away; ``objective`` falls by construction, and shows nothing. A point that one more
    step leaves is no local minimum.
    """
    if "following" not in traces:
        return [Part("CCCP", "objective", missing=("the objective of steps that rise",))]
    change = traces["following"] / traces["objective"] - 1
    fits = traces.assign(change=change).sort_values("stage").groupby(FIT)
    rises, moves = fits["change"].max() > 1e-6, fits["change"].last().abs() > SETTLED
    notes = {
        "objective": f"rises in {rises.sum()} of {len(rises)} fits, by {change.max():.2%} at most",
        "local minimum": f"the last step of {moves.sum()} of {len(moves)} fits changes the "
        f"objective by more than {SETTLED:.1%}",
    }
    never = zip(notes, (rises, moves), strict=True)
    return [Part("CCCP", name, not any_of.any(), note=notes[name]) for name, any_of in never]


def sampling_finds_violated(_records: pd.DataFrame, test: ClaimTest) -> list[Part]:
    """The worst of ``values[0]`` random constraints is among the 5 % most violated.

    With probability .95, by the formula 1 - .95^n, and by simulation.
    """
    (n_drawn,) = test.values
    found = {"formula": 1 - 0.95**n_drawn, "simulation": _share_of_hits(int(n_drawn))}
    return [Part("sampling", aspect, p >= 0.95, note=f"{p:.4f}") for aspect, p in found.items()]


@cache
def _share_of_hits(n_drawn):
    """How often the worst of so many of 10,000 constraints is among the 500 most violated."""
    worst = np.random.default_rng(0).integers(10_000, size=(200_000, n_drawn)).min(axis=1)
    return float(np.mean(worst < 500))


def _symbol(criterion):
    return ALL_CRITERIA[criterion].symbol


def _absent(records, methods):
    """The methods that have no record."""
    recorded = set(records["method"])
    return tuple(method for method in dict.fromkeys(methods) if method not in recorded)


# The tests that claim_tests.csv names; every other name there is an outcome of comparisons.
TESTS: dict[str, Callable[[pd.DataFrame, ClaimTest], list[Part]]] = {
    "best mean": extreme_mean,
    "worst mean": extreme_mean,
    "boldface": printed_winners,
    "stable": stable,
    "insensitive": insensitive,
    "shares": shares,
    "sub-concepts": sub_concepts_matter,
    "longest fit": longest_fits,
    "characteristics": characteristics_agree,
    "ranges": ranges,
    "sampling": sampling_finds_violated,
    "never rises": never_rises,
}


def _read_tests() -> dict[str, list[ClaimTest]]:
    """The tests of each claim in claim_tests.csv, where semicolons separate lists."""
    table = pd.read_csv(published() / "claim_tests.csv", dtype=str, keep_default_na=False)
    table["on"] = table["on"].replace("all", "; ".join(CRITERIA))
    for column in ("methods", "rivals", "on", "values"):
        table[column] = table[column].map(lambda text: tuple(filter(None, text.split("; "))))
    table["values"] = table["values"].map(lambda texts: tuple(map(json.loads, texts)))
    return {
        name: [ClaimTest(**row) for row in own.drop(columns="id").to_dict("records")]
        for name, own in table.groupby("id", sort=False)
    }


# Claims "on all criteria" of Section 4 are tested on all seven, also on the three that the paper
# prints as N/A for AdtBoost.MH. S6's percentages are taken over the cells that the paper prints.
CLAIM_TESTS = _read_tests()
