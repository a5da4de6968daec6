"""Every claim of the paper, tested from the records.

``claim_tests.csv`` says which tests a claim has, on which experiment and which methods. A claim
sees no other method's records. What cannot be shown does not hold: neither few runs nor rough ones
help a claim, not even a claim of a tie.

A test is a function of records. Its other parameters are columns of its row in the file:
``methods``, ``rivals``, ``on`` (criteria or data sets), ``values``; or all its rows, ``rows``.
"""

import inspect
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
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
    records_of_all,
)
from mimlpaper.study.published import (
    ALL_CRITERIA,
    PROTOCOL_RUNS,
    TABLES,
    published_cells,
    published_claims,
)
from mimlpaper.study.statistics import (
    ALPHA,
    Comparison,
    compare_gains,
    compare_methods,
    curve,
    holm,
    ranks_of_means,
    swept_values,
)
from mimlpaper.study.verdicts import winners_of

STABLE = 0.02  # range of a curve over its last fifth, relative to where it ends
COMPETITIVE = 0.02  # accuracy: how far below the median a competitive method may be
ABOUT = 2.5  # percent: half of the steps of five in which "about 20-45 %" is given
SETTLED = 1e-3  # of the objective: what the last step of a procedure at its end may change
FIT = ["dataset", "method", "parameters", "split"]  # the columns that identify a fit

NOT_COMPARABLE = {
    "N.1": "seconds of solvers of today, of low rank, say nothing of a program of 2012 on a "
    "machine of 2012"
}


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

    def to_dict(self) -> dict:
        """For JSON."""
        held = sum(part.holds is True for part in self.parts)
        return asdict(self) | {"n_parts": len(self.parts), "n_held": held}


def evaluate_claims(
    get_records: Records, protocol_n: Mapping[str, int] | None = None, *,
    ids: tuple[str, ...] | None = None,
) -> list[ClaimResult]:  # fmt: skip
    """The results of the paper's claims, of all or of those in ``ids``.

    ``get_records`` gives an experiment's records by its name, such as "table1"; an empty frame,
    or no entry in the mapping, if there are none. "characteristics" gives Appendix C's table as
    recomputed from the files, "cccp" the objectives of D-MimlSvm's outer loop.
    ``protocol_n`` has the runs that the protocol asks for, by experiment; by default the paper's.
    """
    protocol_n = protocol_n or PROTOCOL_RUNS
    read_once = cache(partial(records_of, get_records))
    return [
        _evaluate(claim, read_once, protocol_n)
        for claim in published_claims().to_dict("records")
        if ids is None or claim["id"] in ids
    ]


def _evaluate(claim, get_records, protocol_n):
    parts, used = claim_parts(claim["id"], get_records, "matched")
    verdicts = {
        "matched": verdict_of(claim["id"], parts, "holds"),
        "paired": verdict_of(claim["id"], parts, "holds_paired"),
    }
    for column in COLUMNS[1:]:
        others, records = claim_parts(claim["id"], get_records, column)
        drawn = "synthetic" in _values(records, "kind")
        verdicts[column] = "not evaluated" if drawn else verdict_of(claim["id"], others, "holds")
    remarks = [
        f"{n} of {protocol_n[name]} runs of {name}"
        for name, records in used.items()
        if (n := count_runs(records, name)) < protocol_n.get(name, 0)
    ]
    states, kinds = _values(used, "state"), _values(used, "kind")
    if "stale" in states:
        remarks.append("some records are stale")
    if "synthetic" in kinds:
        said = verdicts["matched"]
        remarks.append(f"on synthetic data, which cannot test the paper's claim: {said}")
        verdicts |= dict.fromkeys(("paired", "matched"), "not evaluated")
    remarks.append(NOT_COMPARABLE.get(claim["id"], ""))
    return ClaimResult(
        id=claim["id"], where=claim["where"], claim=claim["claim"],
        detail="; ".join(filter(None, [_describe(parts), *remarks])),
        parts=tuple(parts),
        state=overall(states) if states else None,
        kind=overall(kinds, KINDS) if kinds else None,
        **verdicts,
    )  # fmt: skip


def _values(used, column):
    return {value for records in used.values() for value in records[column].unique()}


def claim_parts(claim_id, get_records, column):
    """The parts of a claim in a column, and the records that they need, by experiment.

    A test of no method has the same records in all columns.
    """
    parts, used = [], {}
    for test, experiment, methods in CLAIM_TESTS[claim_id]:
        records = _records(get_records, experiment, column if methods else "matched")
        if "method" in records:
            records = records[records["method"].isin(methods)]
        parts += test(records)
        if "state" in records and len(records):
            used[experiment] = records
    return _adjusted(parts), used


def _records(get_records, experiment, column):
    """Of "table3_tuned" the tuned rows, of "table5+readings" both together: if matched."""
    if experiment is None or not {"_", "+"} & set(experiment):
        return column_records(get_records, experiment, column)
    if column != "matched":
        return NO_RECORDS
    if experiment.endswith("_tuned"):
        return column_records(get_records, experiment.removesuffix("_tuned"), "tuned")
    return records_of_all(get_records, experiment.split("+"))


def judged(parts: list[Part]) -> tuple[str, list[Part]]:
    """The verdict of a claim that is not the paper's, and its parts after Holm's adjustment."""
    parts = _adjusted(parts)
    return verdict_of("", parts, "holds"), parts


def _adjusted(parts):
    """The parts with a p-value, judged after Holm's adjustment for their number."""
    tested = [i for i, part in enumerate(parts) if part.p is not None]
    strict, paired = (holm([getattr(parts[i], name) for i in tested]) for name in ("p", "paired_p"))
    for i, p, paired_p in zip(tested, map(float, strict), map(float, paired), strict=True):
        part = parts[i]
        effect = f"{part.gain:+.3f} [{part.low:+.3f}, {part.high:+.3f}], p = {p:.2g}"
        parts[i] = replace(
            part, holds=p < ALPHA, paired=paired_p < ALPHA, p=p, paired_p=paired_p,
            note="" if p < ALPHA else effect,
        )  # fmt: skip
    return parts


def verdict_of(claim_id, parts, name):
    """The verdict by the strict tests, ``name`` "holds", or by the plain ones, "holds_paired"."""
    outcomes = [getattr(part, name) for part in parts]
    if claim_id in NOT_COMPARABLE:
        return "not comparable"
    if None in outcomes:
        return "not evaluated"
    if all(outcomes):
        return "holds"
    return "partly" if any(outcomes) else "fails"


def _describe(parts):
    """Counts under both tests, then which parts hold, which fail, and what is missing."""
    held = [part for part in parts if part.holds]
    failed = [part for part in parts if part.holds is False]
    others = [part for part in parts if part.holds is None and part.note]
    missing = dict.fromkeys(gap for part in parts for gap in part.missing)
    sentences = []
    if held or failed:
        sentences.append(f"{len(held)} of {len(parts)} parts hold")
    if any(part.paired is not None for part in parts):
        paired = sum(part.holds_paired or False for part in parts)
        sentences[-1] += f", {paired} by the paired t-test"
    if held and (failed or missing or any(part.note for part in held)):
        sentences.append(f"hold: {_listing(held)}")
    if failed:
        sentences.append(f"fail: {_listing(failed)}")
    if others:
        sentences.append(_listing(others))
    if missing:
        sentences.append(f"missing: {', '.join(missing)}")
    return "; ".join(sentences)


def _listing(parts):
    """``A vs B (hloss, rloss: +.01), A vs C (coverage)``: grouped by subject."""
    groups = []
    for subject, group in groupby(parts, key=lambda part: part.subject):
        aspects = [f"{p.aspect}: {p.note}" if p.note else p.aspect for p in group]
        groups.append(f"{subject} ({', '.join(aspects)})")
    return ", ".join(groups)


def significance(records: pd.DataFrame, *, test, methods, rivals, on) -> list[Part]:
    """Every method against every rival shows the outcome ``test`` on every criterion."""
    records = as_published(records)
    return [
        _part(f"{a} vs {b}", _symbol(name), test, _comparison(records, a, b, name))
        for a, b, name in product(methods, rivals, on)
    ]


def _part(subject, aspect, outcome, found):
    """A part about the outcome of a comparison; ``found`` may be what the comparison lacks."""
    if isinstance(found, tuple):
        return Part(subject, aspect, missing=found)
    aspect += "" if outcome == "better" else f" {outcome}"
    p = dict(p=found.strict[outcome], paired_p=found.paired[outcome])
    return Part(subject, aspect, gain=found.gain, low=found.low, high=found.high, **p)


def shares(records: pd.DataFrame, *, rows) -> list[Part]:
    """A method is better in a share of cases, and not worse in all but another share.

    ``values`` of the first row are these shares, and a number of data sets if each case counts on
    each of them; otherwise the data sets are the pairs of one test. The p-values are adjusted by
    Holm for the number of cases.
    """
    records = as_published(records)
    better, worse, *n_datasets = rows[0]["values"]
    cases = [case for r in rows for case in product(r["methods"], r["rivals"], r["on"])]
    groups = [own for _, own in records.groupby("dataset")] if n_datasets else [records]
    if n_datasets and len(groups) < n_datasets[0]:
        return [Part("shares", "of cases", missing=(f"the {n_datasets[0]} data sets",))]
    found = [_comparison(own, *case) for own in groups for case in cases]
    gaps = [gap for comparison in found if isinstance(comparison, tuple) for gap in comparison]
    if gaps:
        return [Part("shares", "of cases", missing=tuple(dict.fromkeys(gaps)))]
    return [_share(found, "better", better), _share(found, "not worse", 1 - worse)]


def insensitive(records: pd.DataFrame, *, methods, values, on) -> list[Part]:
    """Every value of the swept parameter of a method ties with the default on every criterion."""
    (method,), (default,) = methods, values
    swept = swept_values(records, default)
    others = sorted(set(swept) - {default})
    if default not in set(swept) or not others:
        return [Part(method, "sweep", missing=(f"{method} over a sweep",))]
    rows = records.assign(method=swept.map(str), parameters="{}")
    return significance(rows, test="tie", methods=map(str, others), rivals=[str(default)], on=on)


def best_mean(records: pd.DataFrame, *, methods, rivals, on) -> list[Part]:
    """The best mean of each criterion belongs to one of the methods."""
    everyone = [*methods, *rivals]
    if gaps := _absent(as_published(records), everyone):
        return [Part("best mean", "any", missing=gaps)]
    winners = _places(records, everyone, on).idxmin()
    return [
        Part("best mean", _symbol(name), winner in methods, note=winner)
        for name, winner in winners.items()
    ]


def worst_mean(records: pd.DataFrame, *, methods, rivals, on) -> list[Part]:
    """The worst mean of each criterion belongs to the one method."""
    (loser,), everyone = methods, [*methods, *rivals]
    if gaps := _absent(as_published(records), everyone):
        return [Part(loser, "any", missing=gaps)]
    places = _places(records, everyone, on)
    return [
        Part(loser, _symbol(name), bool(place == places[name].max()),
             note=f"place {place:.0f} of {len(everyone)}")
        for name, place in places.loc[loser].items()
    ]  # fmt: skip


def printed_winners(records: pd.DataFrame, *, experiment) -> list[Part]:
    """What the table prints in boldface has the best mean of its column here as well."""
    cells = compare_with_paper(records, int(experiment.removeprefix("table")))
    printed = cells[cells["printed"] == "value"]
    if gaps := tuple(printed.loc[printed["mean"].isna(), "algorithm"].unique()):
        return [Part("boldface", "any", missing=gaps)]
    parts = []
    for (dataset, criterion), column in printed.groupby(["dataset", "criterion"], sort=False):
        ours, theirs = winners_of(column, "mean"), winners_of(column, "published_mean")
        note = f"{' and '.join(sorted(ours))}, {' and '.join(sorted(theirs))} printed"
        aspect = dataset if criterion == "accuracy" else _symbol(criterion)
        parts.append(Part("boldface", aspect, bool(ours & theirs), note=note))
    return parts


def stable(records: pd.DataFrame, *, methods, values, on) -> list[Part]:
    """A method's mean curve moves by at most 2 % over the last fifth of its rounds."""
    (method,), (last,) = methods, values
    rows = records[(records["method"] == method) & records["stage"].between(1, last)]
    if rows.empty or rows["stage"].max() < last:
        gap = f"{method} up to round {last}"
        return [Part(method, _symbol(name), missing=(gap,)) for name in on]
    parts = []
    for name in on:
        late = curve(rows, "stage", name)["mean"].loc[math.ceil(0.8 * last) :]
        change = float((late.max() - late.min()) / late.iloc[-1])
        parts.append(Part(method, _symbol(name), change <= STABLE, note=f"{change:.1%}"))
    return parts


def accuracies_compared(records: pd.DataFrame, *, methods, rivals=(), on, values=()) -> list[Part]:
    """Every method is better than each rival here, and than the best that the paper quotes.

    It is better than the best by more than ``values[0]``; without it, nothing quoted is compared.
    """
    records, parts = as_published(records), []
    for method, dataset in product(methods, on):
        rows = records[records["dataset"] == dataset]
        found = {rival: _comparison(rows, method, rival, "accuracy") for rival in rivals}
        for lead in values:
            quoted = _quoted(dataset)
            name = f"{quoted.idxmax()}, quoted" + f", by {lead}" * bool(lead)
            found[name] = _against(rows, method, quoted.max() + lead)
        parts += [_part(f"{method} vs {rival}", dataset, "better", c) for rival, c in found.items()]
    return parts


def competitive(records: pd.DataFrame, *, methods, on) -> list[Part]:
    """A method is not worse than the median that the paper quotes, by .02 at most."""
    records, parts = as_published(records), []
    for method, dataset in product(methods, on):
        rows = records[records["dataset"] == dataset]
        found = _against(rows, method, _quoted(dataset).median(), margin=COMPETITIVE)
        parts.append(_part(f"{method} vs the median quoted", dataset, "not worse", found))
    return parts


def sub_concepts_matter(records: pd.DataFrame, *, methods, rivals) -> list[Part]:
    """Fits differ from the rival's, the learner on the bag label alone, so sub-concepts matter.

    The note counts the fits that equal the rival's, and the hold-outs with the smallest M and θ.
    """
    records, (method,), (alone,) = as_published(records), methods, rivals
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


def characteristics_agree(recomputed: pd.DataFrame) -> list[Part]:
    """The recomputed table equals the printed one at printed precision."""
    if recomputed.empty:
        return NOT_RECOMPUTED
    return [
        Part(cell.dataset, cell.characteristic, missing=(cell.dataset,))
        if cell.verdict == "missing"
        else Part(cell.dataset, cell.characteristic, cell.verdict == "agrees",
                  note=f"{cell.recomputed:g}, {cell.published:g} printed")
        for cell in compare_characteristics(recomputed).itertuples()
    ]  # fmt: skip


def ranges(recomputed: pd.DataFrame, *, rows) -> list[Part]:
    """The lowest and the highest value of some percentages are about what the text says."""
    if recomputed.empty:
        return NOT_RECOMPUTED
    parts = []
    for (name,), (low, high) in ((row["on"], row["values"]) for row in rows):
        own = recomputed[[f"train_{name}", f"test_{name}"]].to_numpy()
        for aspect, bound, value in (("lowest", low, own.min()), ("highest", high, own.max())):
            note = f"{value:.2f}, about {bound} told"
            parts.append(Part(name, aspect, bool(abs(value - bound) <= ABOUT), note=note))
    return parts


def longest_fits(records: pd.DataFrame, *, methods) -> list[Part]:
    """The seconds of each method's longest fit, without a judgement."""
    seconds = records.groupby("method")["fit_seconds"].max()
    return [
        Part(method, "longest fit", note=f"{seconds[method]:.0f} s")
        if method in seconds
        else Part(method, "seconds", missing=(method,))
        for method in methods
    ]


def never_rises(traces: pd.DataFrame) -> list[Part]:
    """No convex problem raises the objective, and each fit ends where one more changes nothing.

    The column ``following`` has the objective after the next step, also of a step that rises and
    is thrown away; ``objective`` falls by construction, and shows nothing. A point that one more
    step leaves is no local minimum.
    """
    if "following" not in traces:
        gap = "the objective of steps that rise, which are thrown away before they are recorded"
        return [Part("CCCP", "objective", missing=(gap,))]
    change = traces["following"] / traces["objective"] - 1
    fits = traces.assign(change=change).sort_values("stage").groupby(FIT)
    rises, moves = fits["change"].max() > 1e-6, fits["change"].last().abs() > SETTLED
    return [
        Part("CCCP", "objective", not rises.any(), note=f"rises in {rises.sum()} of {len(rises)} "
             f"fits, by {change.max():.2%} at most"),
        Part("CCCP", "local minimum", not moves.any(), note=f"the last step of {moves.sum()} of "
             f"{len(moves)} fits changes the objective by more than {SETTLED:.1%}"),
    ]  # fmt: skip


def sampling_finds_violated(records: pd.DataFrame | None = None, *, n_drawn=59) -> list[Part]:
    """The worst of 59 random constraints is among the 5 % most violated with probability .95.

    By the formula 1 - .95^59, and by 200,000 simulated draws from 10,000 constraints.
    """
    formula = 1 - 0.95**n_drawn
    rng = np.random.default_rng(0)
    worst = rng.integers(10_000, size=(200_000, n_drawn), dtype=np.int16).min(axis=1)
    simulated = float(np.mean(worst < 500))
    return [
        Part("sampling", "formula", formula >= 0.95, note=f"{formula:.4f}"),
        Part("sampling", "simulation", simulated >= 0.95, note=f"{simulated:.4f}"),
    ]


def _symbol(criterion):
    return ALL_CRITERIA[criterion].symbol


def _absent(records, methods):
    """The methods that have no record."""
    recorded = set(records["method"])
    return tuple(method for method in dict.fromkeys(methods) if method not in recorded)


def _comparison(records, a, b, criterion) -> Comparison | tuple[str, ...]:
    """The comparison, or what is missing for it."""
    if gaps := _absent(records, (a, b)):
        return gaps
    return compare_methods(records, a, b, criterion) or (f"two shared splits of {a} and {b}",)


def _against(records, method, value, margin=0.0) -> Comparison | tuple[str, ...]:
    """A method's accuracies against one value, or what is missing for it."""
    if gaps := _absent(records, (method,)):
        return gaps
    rows = records[records["method"] == method]
    if len(rows) < 2:
        return (f"two folds of {method}",)
    test_share = (rows["n_test"] / rows["n_train"]).mean()
    return compare_gains(rows["accuracy"] - value, test_share, margin)


def _share(found, outcome, least):
    strict, paired = (
        int((holm([getattr(c, test)[outcome] for c in found]) < ALPHA).sum())
        for test in ("strict", "paired")
    )
    note = f"{strict} of {len(found)} = {strict / len(found):.0%} (paired {paired})"
    enough = [bool(n / len(found) >= least) for n in (strict, paired)]
    return Part(outcome, f"in at least {least:.0%}", *enough, note=note)


def _places(records, methods, criteria):
    """Rank of each method by its mean of each criterion; 1 is best."""
    means = as_published(records).groupby("method")[list(criteria)].mean()
    return ranks_of_means(means.loc[methods])


@cache
def _quoted(dataset):
    """The accuracies that Table 5 quotes from the literature, by algorithm."""
    cells = published_cells(5).query("dataset == @dataset").set_index("algorithm")
    return cells["mean"].reindex(TABLES[5].compared)


class Lead(NamedTuple):
    """What a claim says of two methods: the first is better on a criterion, on a data set."""

    method: str
    rival: str
    criterion: str
    dataset: str = ""  # the only one of the table


def leads_claimed(experiment: str) -> dict[str, list[Lead]]:
    """The leads that each claim about a table or figure states, by the claim's id."""
    rows = _read_rows()
    stated = rows["test"].isin(("better", "shares", "more accurate")) & rows["rivals"].map(bool)
    leads: dict[str, list[Lead]] = {}
    for row in rows[stated & (rows["experiment"] == experiment)].itertuples():
        for method, rival, name in product(row.methods, row.rivals, row.on):
            lead = (name, "") if name in CRITERIA else ("accuracy", name)
            leads.setdefault(row.id, []).append(Lead(method, rival, *lead))
    return leads


class ClaimTest(NamedTuple):
    """One test of a claim: on the experiment's records of these methods."""

    test: Callable[[pd.DataFrame], list[Part]]
    experiment: str | None
    methods: tuple[str, ...]


# The tests that claim_tests.csv names; every other name there is an outcome of comparisons.
TESTS: dict[str, Callable[..., list[Part]]] = {
    "best mean": best_mean,
    "worst mean": worst_mean,
    "boldface": printed_winners,
    "stable": stable,
    "insensitive": insensitive,
    "shares": shares,
    "more accurate": accuracies_compared,
    "competitive": competitive,
    "sub-concepts": sub_concepts_matter,
    "longest fit": longest_fits,
    "characteristics": characteristics_agree,
    "ranges": ranges,
    "sampling": sampling_finds_violated,
    "never rises": never_rises,
}


def _read_rows() -> pd.DataFrame:
    """The rows of claim_tests.csv; lists in it are separated by semicolons."""
    table = pd.read_csv(published() / "claim_tests.csv", dtype=str, keep_default_na=False)
    table["on"] = table["on"].replace("all", "; ".join(CRITERIA))
    for column in ("methods", "rivals", "on", "values"):
        table[column] = table[column].map(lambda text: tuple(filter(None, text.split("; "))))
    return table.assign(values=table["values"].map(lambda texts: tuple(map(json.loads, texts))))


def _read_tests() -> dict[str, list[ClaimTest]]:
    """The tests of each claim: rows on one experiment are one test."""
    table = _read_rows()
    kinds = table["test"].where(table["test"].isin(TESTS), "significance")
    tests: dict[str, list[ClaimTest]] = {}
    for (claim, experiment, kind), group in table.groupby(["id", "experiment", kinds], sort=False):
        rows = group.to_dict("records")
        methods = dict.fromkeys(name for r in rows for name in (*r["methods"], *r["rivals"]))
        test = partial(_run, TESTS.get(kind, significance), rows)
        tests.setdefault(claim, []).append(ClaimTest(test, experiment or None, tuple(methods)))
    return tests


def _run(test, rows, records):
    """The parts of a test: on all its rows together if it asks for them, otherwise row by row."""
    names = inspect.signature(test).parameters
    if "rows" in names:
        return test(records, rows=rows)
    chosen = ({name: row[name] for name in row if name in names} for row in rows)
    return [part for arguments in chosen for part in test(records, **arguments)]


# Claims "on all criteria" of Section 4 are tested on all seven, also on the three that the paper
# prints as N/A for AdtBoost.MH. S6's percentages are taken over the cells that the paper prints.
CLAIM_TESTS = _read_tests()
