"""The parts of a claim: what each line of ``claim_tests.csv`` makes of the records.

A part is one thing that a claim says, such as that one method is better than another by one
criterion. It has a word by each of three statistical tests:

- *paper*, the paper's t-test with its convention for ties: what is not significant is a tie.
- *paired*, the same t-test; a tie is supported by two one-sided tests, so that noise alone makes
  none.
- *corrected*, the t-test with a variance that allows for shared examples, or a rank test over
  independent data sets; with Holm's adjustment within a claim and the same rule for ties.

It is *supported* if what it says is shown. It is *contradicted* if the opposite is shown, or the
tie or the difference that it rules out; else *undecided*, or *not tested*, without records.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.engine.records import CONFIGURED
from mimlstudy.judge import statistics
from mimlstudy.judge.claim_tests import OF_GROUPS, QUOTED, ClaimTest
from mimlstudy.judge.compare import compare_characteristics
from mimlstudy.judge.rules import DEFAULT_RULES, PART_TESTS, Rules
from mimlstudy.judge.selection import as_in_our_tables, checked_for_means, runs_by
from mimlstudy.judge.statistics import ALPHA, MARGIN
from mimlstudy.judge.tolerances import round_half_up
from mimlstudy.paper.printed import (
    ALL_CRITERIA,
    printed_cells,
    printed_characteristics,
    printed_facts,
)

# The margin of a tie with a quoted accuracy; also how far below it a competitive method may be.
COMPETITIVE = 0.02
# In percentage points: the paper says "about 20-45%", in such steps.
ABOUT = 5.0
# Beyond these, means differ by rounding alone.
MEAN_DECIMALS = 12
# As a share of the objective, which rounding may raise by so much.
SOLVER_TOLERANCE = 1e-6

# The columns that a comparison needs.
COLUMNS_OF_COMPARISONS = ["dataset", "method", "split", "n_train", "n_test", *ALL_CRITERIA]

NOT_TESTED = "not tested"


class Evidence(NamedTuple):
    """What supports a claim about two methods, and what contradicts it: how they compare."""

    supports: str
    contradicts: tuple[str, ...]


# "Best mean", "worst mean" and boldface speak of means: a tie does not contradict them. "Much"
# means by more than the margin of a tie.
CLAIMED = {
    "better": Evidence("better", ("worse", "tie")),
    "worse": Evidence("worse", ("better", "tie")),
    "tie": Evidence("tie", ("much better", "much worse")),
    "not better": Evidence("not better", ("much better",)),
    "not worse": Evidence("not worse", ("much worse",)),
    "best mean": Evidence("better", ("worse",)),
    "worst mean": Evidence("worse", ("better",)),
    "boldface": Evidence("better", ("worse",)),
}
# By the paper's convention what is not significant is a tie, so any significant difference denies
# one.
BY_CONVENTION = CLAIMED | {
    "tie": Evidence("tie", ("better", "worse")),
    "not better": Evidence("not better", ("better",)),
    "not worse": Evidence("not worse", ("worse",)),
}


class ComparedPart(NamedTuple):
    """A comparison that a claim speaks of, before it is judged."""

    subject: str  # such as "A vs B"
    aspect: str  # such as "hloss"
    claimed: str  # one of CLAIMED
    comparison: statistics.Comparison


@dataclass(frozen=True)
class ClaimPart:
    """One thing that a claim says, with its word by each test of :data:`PART_TESTS`."""

    subject: str
    aspect: str
    paper: str = NOT_TESTED
    paired: str = NOT_TESTED
    corrected: str = NOT_TESTED
    # The effect, or what is missing if the part is not tested.
    note: str = ""
    # The difference in favour of the part's first method, and half of its corrected 95% interval.
    difference: float | None = None
    half: float | None = None
    # The share of cases in which the corrected test supports what is claimed.
    share: float | None = None


def parts_of(
    tests: Sequence[ClaimTest],
    records_of_test: Callable[[ClaimTest], pd.DataFrame],
    rules: Rules = DEFAULT_RULES,
) -> list[ClaimPart]:
    """The parts of a claim, the paper's or another, by its tests."""
    parts = []
    for test in tests:
        records = records_of_test(test)
        if test.claimed in FACT_TESTS:
            parts += FACT_TESTS[test.claimed](records, test)
        else:
            make_parts = MADE_OF_COMPARISONS.get(test.claimed, comparisons)
            parts += make_parts(records, test, rules)
    return judged(parts, level=rules.level)


def judged(parts, adjust=statistics.holm, level=ALPHA) -> list[ClaimPart]:
    """The parts with their words; ``adjust`` is for the p-values of the corrected test."""
    compared = [part for part in parts if isinstance(part, ComparedPart)]
    by_paper = _words_by_convention(compared, level)
    by_pairs = _words(compared, "paired", statistics.unadjusted, level)
    by_correction = _words(compared, "corrected", adjust, level)
    words = zip(by_paper, by_pairs, by_correction, strict=True)
    judged_parts = []
    for part in parts:
        if isinstance(part, ComparedPart):
            part = _judged_part(part, len(compared), level, *next(words))
        judged_parts.append(part)
    return judged_parts


def _words(compared, part_test, adjust, level):
    """The word of each part by a test's p-values, after ``adjust``."""
    supporting, contradicting = [], []
    for part in compared:
        p_values = getattr(part.comparison, part_test)
        evidence = CLAIMED[part.claimed]
        supporting.append(p_values[evidence.supports])
        contradicting.append(min(p_values[word] for word in evidence.contradicts))
    is_supported = np.less(adjust(supporting), level)
    is_contradicted = np.less(adjust(contradicting), level)
    words = np.select(
        [is_supported, is_contradicted],
        ["supported", "contradicted"],
        "undecided",
    )
    return words.tolist()


def _words_by_convention(compared, level):
    """The word of each part by the paired t-test, where what is not significant is a tie."""
    words = []
    for part in compared:
        significant = part.comparison.outcome("paired", level)
        holds = {"tie"} if significant == "neither" else {significant}
        holds |= {f"not {word}" for word in ("better", "worse") if word != significant}
        evidence = BY_CONVENTION[part.claimed]
        if evidence.supports in holds:
            words.append("supported")
        elif holds & {*evidence.contradicts}:
            words.append("contradicted")
        else:
            words.append("undecided")
    return words


def _judged_part(part, n_parts, level, paper, paired, corrected):
    """A compared part with its words and, unless it is supported, what would have supported it."""
    comparison = part.comparison
    least_shown = comparison.least(n_parts, level)
    if CLAIMED[part.claimed].supports not in ("better", "worse"):
        needs = f"margin {comparison.tied_within:.3f}"
    elif least_shown is None:
        needs = "by ranks"
    elif not comparison.half:
        needs = "all differences are equal"
    else:
        needs = f"supported from {least_shown:.3f}"
    effect = f"{comparison.difference:+.3f} ± {comparison.half:.3f}"
    return ClaimPart(
        subject=part.subject,
        aspect=part.aspect,
        paper=paper,
        paired=paired,
        corrected=corrected,
        note="" if corrected == "supported" else f"{effect}, {needs}",
        difference=comparison.difference,
        half=comparison.half,
    )


def comparisons(
    records: pd.DataFrame,
    test: ClaimTest,
    rules: Rules = DEFAULT_RULES,
) -> list[ComparedPart | ClaimPart]:
    """A part for each case of a test: a comparison, or a part that names the records it lacks."""
    records = checked_for_means(as_in_our_tables(records))
    # All other columns would be copied with each choice of rows.
    records = records.filter(items=COLUMNS_OF_COMPARISONS)
    parts = []
    for methods, rivals, name in test.cases():
        if rules.counts(name):
            part = _compared(records, test, methods, rivals, name, rules.margin)
            parts.append(part)
    return parts


def _compared(records, test, methods, rivals, name, margin):
    """A method against a rival; of groups the best against the best, or the worst."""
    rows, criterion = records, name
    if name not in CRITERIA:  # a data set of Table 5
        rows = records[records["dataset"] == name]
        criterion = "accuracy"
    missing = _names_of_missing(rows, *methods, *rivals)
    method, rival = " or ".join(methods), " or ".join(rivals)
    if test.claimed in OF_GROUPS and not missing:
        groups = methods, rivals
        missing = _groups_without_values(rows, groups, criterion)
        if not missing:
            method, rival = _extreme_methods(rows, groups, criterion, test.claimed)
    subject, aspect = _named(test, method, rival, name)
    if missing:
        return ClaimPart(subject, aspect, note=missing)
    if rival in QUOTED:
        bound = quoted_accuracy(rival, name) + sum(test.values)
        comparison, missing = _against_accuracy(rows, method, bound)
    elif test.values:
        raise ValueError("only a lead over a quoted accuracy has a size")
    else:
        comparison, missing = _against_rival(rows, method, rival, criterion, margin)
    if missing:
        return ClaimPart(subject, aspect, note=missing)
    return ComparedPart(subject, aspect, test.claimed, comparison)


def _named(test, method, rival, name):
    """The subject and the aspect of a comparison."""
    subject = f"{method} vs {rival}"
    aspect = _symbol(name)
    if test.claimed in OF_GROUPS:
        subject = f"{test.claimed}, {subject}"
    elif test.claimed != "better":
        aspect = f"{aspect} {test.claimed}"
    aspect += "".join(f", by {value}" for value in test.values)
    return subject, aspect


def _groups_without_values(rows, groups, criterion):
    """The groups of which no method has a value of the criterion, joined by commas; or ""."""
    with_value = {*rows.loc[rows[criterion].notna(), "method"]}
    gaps = [" or ".join(group) for group in groups if with_value.isdisjoint(group)]
    return ", ".join(gaps)


def _extreme_methods(rows, groups, criterion, claimed):
    """Of each group the method with the best mean, or with the worst."""
    lower_is_better = ALL_CRITERIA[criterion].lower_is_better
    takes_least = lower_is_better != (claimed == "worst mean")
    means = rows.groupby("method")[criterion].mean()
    if not takes_least:
        means = -means
    # If means differ by rounding alone, the first method counts, on every machine.
    means = means.round(MEAN_DECIMALS)
    return [means[[*methods]].idxmin() for methods in groups]


def _against_rival(rows, method, rival, criterion, margin):
    """The comparison with a recorded rival, and the records that are missing; one of them."""
    comparison = statistics.compare_methods(rows, method, rival, criterion, margin)
    missing = "" if comparison else f"two shared splits of {method} and {rival}"
    return comparison, missing


def _against_accuracy(rows, method, bound):
    """The comparison with a quoted accuracy, and the records that are missing; one of them."""
    rows = rows[rows["method"] == method].dropna(subset="accuracy")
    if len(rows) < 2:
        return None, f"two folds of {method}"
    sizes = statistics.SplitSizes(rows["n_train"].mean(), rows["n_test"].mean())
    differences = rows["accuracy"] - bound
    return statistics.compare_differences(differences, sizes, COMPETITIVE), ""


def quoted_accuracy(rival: str, dataset: str) -> float:
    """The accuracy that stands for a group of Table 5's quoted ones, a name of ``QUOTED``."""
    cells = printed_cells(5)
    # What the paper quotes has no deviation.
    is_quoted = (cells["dataset"] == dataset) & cells["std"].isna()
    quoted = cells.loc[is_quoted, "mean"]
    return float(quoted.agg(QUOTED[rival]))


class ClaimedShares(NamedTuple):
    """What a claim about shares of cases says: the ``values`` of its test."""

    better_at_least: float
    worse_at_most: float
    # Each case counts on each of them. If 0, one test pairs the data sets, or the splits of one.
    n_datasets: float = 0


def shares(
    records: pd.DataFrame,
    test: ClaimTest,
    rules: Rules = DEFAULT_RULES,
) -> list[ClaimPart]:
    """A method is better in a share of cases, and not worse in all but another share.

    ``values`` are those of :class:`ClaimedShares`. Each case is tested at the level of ``rules``,
    unadjusted. A test errs in such a share of cases, so a claimed share counts as reached if it is
    missed by at most the level. It is contradicted if it would be missed by more even if every
    undecided case were supported.
    """
    claimed = ClaimedShares(*test.values)
    groups = [records]
    if claimed.n_datasets:
        groups = [rows for _, rows in records.groupby("dataset")]
    each_case = test._replace(claimed="better", values=())
    cases = []
    for rows in groups:
        cases += comparisons(rows, each_case, rules)
    gaps = [case.note for case in cases if isinstance(case, ClaimPart)]
    if not cases:
        gaps = ["a criterion that counts"]
    if len(groups) < claimed.n_datasets:
        gaps = [f"the {claimed.n_datasets} data sets"]
    if gaps:
        # A share of some of the cases would say nothing of the printed share.
        note = ", ".join(dict.fromkeys(gaps))
        return [ClaimPart("shares", "of cases", note=note)]
    return [
        _share(cases, "better", claimed.better_at_least, rules.level),
        _share(cases, "not worse", 1 - claimed.worse_at_most, rules.level),
    ]


def _share(cases, claimed, least, level):
    """A part that says in what share of the cases an outcome is supported, by each test."""
    renamed = [case._replace(claimed=claimed) for case in cases]
    # The share itself allows for false alarms.
    parts = judged(renamed, statistics.unadjusted, level)
    words, counts, shares_supported = {}, {}, {}
    for part_test in PART_TESTS:
        of_cases = pd.Series([getattr(part, part_test) for part in parts])
        supported = (of_cases == "supported").mean()
        contradicted = (of_cases == "contradicted").mean()
        words[part_test] = _word_of_share(supported, contradicted, least, level)
        shares_supported[part_test] = float(supported)
        counts[part_test] = f"{supported:.0%} supported and {contradicted:.0%} contradicted"
    note = (
        f"of {len(parts)} cases {counts['corrected']} by the corrected test, by the paper's "
        f"{counts['paper']}"
    )
    return ClaimPart(
        claimed,
        f"in at least {least:.0%}",
        **words,
        note=note,
        share=shares_supported["corrected"],
    )


def _word_of_share(supported, contradicted, least, level):
    """Whether a share of the cases reaches ``least``, or cannot reach it any more."""
    if supported >= least - level:
        return "supported"
    if contradicted > 1 - least + level:
        return "contradicted"
    return "undecided"


def insensitive(
    records: pd.DataFrame,
    test: ClaimTest,
    rules: Rules = DEFAULT_RULES,
) -> list[ComparedPart | ClaimPart]:
    """Every value of the swept parameter of a method ties with the default, ``values[0]``."""
    (method,) = test.methods
    (default,) = map(float, test.values)
    records = records[records["method"] == method]
    swept = statistics.swept_values(records, default)
    values = tuple(str(value) for value in sorted({*swept} - {default}))
    if default not in {*swept} or not values:
        return [ClaimPart(method, "sweep", note=f"{method} over a sweep")]
    rows = each_value_as_method(records, default)
    ties = ClaimTest("tie", values, (str(default),), test.on)
    return comparisons(rows, ties, rules)


def each_value_as_method(records: pd.DataFrame, default: float) -> pd.DataFrame:
    """Records of a sweep in which each value of the parameter takes the place of a method."""
    swept = statistics.swept_values(records, default)
    return records.assign(method=swept.map(str), override="{}")


def _fact(subject, aspect, holds, note):
    """A part without an estimate: it holds or not, by every test."""
    word = "supported" if holds else "contradicted"
    return ClaimPart(subject, aspect, word, word, word, note)


def stable(records: pd.DataFrame, test: ClaimTest) -> list[ClaimPart]:
    """From round ``values[0]`` on a mean curve stays within the margin of ties, up to the last.

    ``values[1]`` is the last round that is run. The margin is :data:`MARGIN` times the loss of
    the first of these rounds.
    """
    (method,), (begin, end) = test.methods, test.values
    rows = records[(records["method"] == method) & (records["stage"] >= 1)]
    return [_stable(rows, method, begin, end, name) for name in test.on]


def _stable(rows, method, begin, end, name):
    """Whether the mean curve over all data sets and splits stays near its value of ``begin``."""
    runs = runs_by(rows, "stage", name)
    aspect = _symbol(name)
    if not {begin, end} <= {*runs.columns}:
        return ClaimPart(method, aspect, note=f"{method} up to round {end}")
    curve = runs.mean().loc[begin:end]
    if not CRITERIA[name].lower_is_better:
        curve = 1 - curve
    start = curve.iloc[0]
    moved = float((curve - start).abs().max())
    change = f"{moved:.3f} from a loss of 0"
    if start:
        change = f"{moved / start:.1%} of the loss"
    note = f"{change} in rounds {begin} to {end}"
    return _fact(method, aspect, moved <= MARGIN * start, note)


NOT_RECOMPUTED = [ClaimPart("Appendix C", "recomputed", note="the recomputed table")]


def characteristics_agree(recomputed: pd.DataFrame, _: ClaimTest) -> list[ClaimPart]:
    """The recomputed table equals the printed one at printed precision."""
    if recomputed.empty:
        return NOT_RECOMPUTED
    parts = []
    for cell in compare_characteristics(recomputed).itertuples():
        place = cell.dataset, cell.characteristic
        if cell.verdict == "missing":
            parts.append(ClaimPart(*place, note=cell.dataset))
        else:
            note = f"{cell.recomputed:g}, {cell.as_printed:g} printed"
            parts.append(_fact(*place, cell.verdict == "agrees", note))
    return parts


def ranges(recomputed: pd.DataFrame, test: ClaimTest) -> list[ClaimPart]:
    """The lowest and the highest value of a percentage are about ``values``."""
    # A range over some of the sets would not be the paper's.
    if len(recomputed) < len(printed_characteristics()):
        return NOT_RECOMPUTED
    (name,) = test.on
    low, high = test.values
    values = recomputed[[f"train_{name}", f"test_{name}"]].to_numpy()
    if np.isnan(values).any():
        return NOT_RECOMPUTED
    ends = ("lowest", values.min(), low), ("highest", values.max(), high)
    parts = []
    for aspect, value, stated in ends:
        note = f"{value:.2f}, about {stated} stated"
        parts.append(_fact(name, aspect, abs(value - stated) <= ABOUT, note))
    return parts


def facts_agree(measured: pd.DataFrame, test: ClaimTest) -> list[ClaimPart]:
    """What the paper states of the data sets ``on``, of ``data_facts.csv``, against the files."""
    printed = printed_facts()
    parts = []
    for row in printed[printed["dataset"].isin(test.on)].itertuples():
        of_dataset = measured[measured["dataset"] == row.dataset]
        value = np.nan
        if len(of_dataset):
            value = float(of_dataset[row.fact].iloc[0])
        if np.isnan(value):
            note = f"the facts of {row.dataset}"
            parts.append(ClaimPart(row.dataset, row.fact, note=note))
            continue
        if row.over:  # the paper gives a bound, such as "over 2,000"
            stated = f"over {row.value:g}"
            holds = value > row.value
        else:
            stated = f"{row.value:g}"
            rounded = round_half_up(value, row.decimals)
            holds = bool(np.isclose(rounded, row.value, rtol=1e-9))
        note = f"{value:.{row.decimals}f}, {stated} printed"
        parts.append(_fact(row.dataset, row.fact, holds, note))
    return parts


def largest(measured: pd.DataFrame, test: ClaimTest) -> list[ClaimPart]:
    """The first of the data sets ``on`` has the largest number of instances."""
    name = test.on[0]
    of_sets = measured.drop_duplicates("dataset").set_index("dataset")
    missing = [dataset for dataset in test.on if dataset not in of_sets.index]
    if missing:
        note = f"the facts of {', '.join(missing)}"
        return [ClaimPart(name, "instances", note=note)]
    n_instances = of_sets.loc[[*test.on], "n_instances"]
    runner_up = n_instances.drop(name).max()
    note = f"{n_instances[name]:.0f}, the next {runner_up:.0f}"
    return [_fact(name, "instances", n_instances[name] > runner_up, note)]


def more_instances(measured: pd.DataFrame, test: ClaimTest) -> list[ClaimPart]:
    """A data set has more than one label.

    InsDif makes a bag with one instance for each label of each example, so that there are as many
    times more training instances for each label.
    """
    parts = []
    for name in test.on:
        of_dataset = measured[measured["dataset"] == name]
        if of_dataset.empty:
            parts.append(ClaimPart(name, "instances", note=f"the facts of {name}"))
            continue
        factor = of_dataset["n_labels"].iloc[0]
        note = f"{factor:.0f} times as many for each label"
        parts.append(_fact(name, "instances", factor > 1, note))
    return parts


def never_rises(traces: pd.DataFrame, _: ClaimTest) -> list[ClaimPart]:
    """No step of CCCP raises the objective."""
    # "following" is the objective after the next step, even if that step was rejected.
    if traces.empty or "following" not in traces:
        note = "the objective of steps that rise"
        return [ClaimPart("CCCP", "objective", note=note)]
    change = traces["following"] / traces["objective"] - 1
    largest = traces.assign(change=change).groupby([*CONFIGURED, "split"])["change"].max()
    rises = largest > SOLVER_TOLERANCE
    note = f"rises in {rises.sum()} of {len(rises)} fits"
    if rises.any():
        note += f", by {largest.max():.2%} at most"
    return [_fact("CCCP", "objective", not rises.any(), note)]


def sampling_finds_violated(_records: pd.DataFrame, test: ClaimTest) -> list[ClaimPart]:
    """The worst of ``values[0]`` random constraints is of the worst 5% with probability ≥ .95."""
    (n_sampled,) = test.values
    # Each misses the worst 5% with probability .95, independently.
    p = 1 - 0.95**n_sampled
    return [_fact("sampling", "formula", p >= 0.95, f"{p:.4f}")]


def mostly_redundant(measured: pd.DataFrame, test: ClaimTest) -> list[ClaimPart]:
    """More than half of the constraints do not bind at the solution of each fit to a data set."""
    if measured.empty:
        note = "the constraints of fits"
        return [ClaimPart("constraints", "redundant", note=note)]
    parts = []
    for dataset, fits in measured.groupby("dataset", sort=False):
        redundant = 1 - fits["n_binding"] / fits["n_constraints"]
        note = f"{redundant.min():.1%} or more in each of {len(fits)} fits"
        parts.append(_fact(str(dataset), "redundant", redundant.min() > 0.5, note))
    return parts


def _symbol(name):
    return CRITERIA[name].symbol if name in CRITERIA else name


def _names_of_missing(records, *names):
    """The names without a record, joined by commas; "" if none is."""
    recorded = {*records["method"].unique(), *QUOTED}
    missing = [name for name in dict.fromkeys(names) if name not in recorded]
    return ", ".join(missing)


# What claim_tests.csv names beside CLAIMED. Facts are judged without a statistical test, and so
# without power.
FACT_TESTS: dict[str, Callable[[pd.DataFrame, ClaimTest], list]] = {
    "stable": stable,
    "characteristics": characteristics_agree,
    "ranges": ranges,
    "facts": facts_agree,
    "largest": largest,
    "more instances": more_instances,
    "sampling": sampling_finds_violated,
    "redundant": mostly_redundant,
    "never rises": never_rises,
}
MADE_OF_COMPARISONS: dict[str, Callable[[pd.DataFrame, ClaimTest, Rules], list]] = {
    "insensitive": insensitive,
    "shares": shares,
}
