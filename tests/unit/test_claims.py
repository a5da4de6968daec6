"""Claims: each kind on made-up records whose outcome is known."""

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge import claims
from mimlstudy.judge.claim_parts import ClaimPart, parts_of
from mimlstudy.judge.claim_tests import ClaimTest, claim_tests
from mimlstudy.judge.claims import CLAIM_KINDS, VIEWS, evaluate_claims
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS
from mimlstudy.paper.published import TABLES, published_characteristics, published_claims
from tests.made_up_records import as_in_the_paper, level, rows, spread, staged, swept

SEVEN = tuple(CRITERIA)
GRID = np.arange(1, 11) / 10


def levels(dataset="scene", n=30, **means):
    """Records of methods at these means."""
    several = enumerate(means.items())
    return pd.concat([level("table1", dataset, name, mean, n, i) for i, (name, mean) in several])


def of(test, methods="A", rivals="B", on=SEVEN, values=(), experiment="table1"):
    return ClaimTest(test, tuple(methods), tuple(rivals), tuple(on), tuple(values), (experiment,))


def judged(records, test):
    """The parts of one test, and their words by the corrected test."""
    parts = parts_of([test], lambda _: records)
    return parts, [part.corrected for part in parts]


def words(records, test, **others):
    return judged(records, of(test, **others))[1]


NOT_TESTED = ("S6.10", "N.1")  # another paper's values, and programs that did not end


def test_every_claim_has_a_kind_and_a_test_of_known_methods():
    stated = published_claims()
    ids = [name for name in stated["id"] if name not in NOT_TESTED]
    assert list(claim_tests()) == ids
    assert set(stated["kind"]) == {*CLAIM_KINDS}
    known = {name for table in TABLES.values() for name in table.algorithms}
    known |= {"D-MimlSvm", "MimlSvm on the bag label"}
    for tests in claim_tests().values():
        for test in tests:
            assert {*test.methods} <= known
            assert {*test.experiments} <= {*EXPERIMENTS}


@pytest.mark.parametrize("records", [{"table1": as_in_the_paper(1, kind="synthetic")}, {}])
def test_nothing_is_tested_without_records(records):
    """Except the formula of sampling, which needs none. Synthetic data count as none."""
    findings = evaluate_claims(records)
    for finding in findings:
        expected = "supported" if finding.id == "S5.5" else "not tested"
        assert {finding.word(view) for view in VIEWS} == {expected}, finding.id
        if finding.id not in ("S5.5", *NOT_TESTED):
            assert finding.detail.startswith("not tested: ")
    counts = claims.count_words(findings)
    assert counts.loc["fixed in advance", "not tested"] == len(findings) - 1
    assert [*counts.index] == [*VIEWS]


def test_kinds_of_claims_are_counted_apart():
    findings = evaluate_claims({})
    counts = claims.count_words_by_kind(findings)
    assert counts.loc["arithmetic", "supported"] == 1
    assert counts.loc["comparison", "supported"] == 0
    assert counts.to_numpy().sum() == len(findings)
    stated = published_claims()["kind"].value_counts()
    assert counts.sum(axis=1).to_dict() == stated.to_dict()


def test_a_verdict_by_hand():
    """More contradicted parts than supported contradict; power below one half decides nothing."""

    def verdict(text, printed=""):
        kinds = {"s": "supported", "c": "contradicted", "u": "undecided", "n": "not tested"}
        parts, other = (
            [ClaimPart("", "", corrected=kinds[k]) for k in letters] for letters in (text, printed)
        )
        return claims.verdict_of(parts, printed_parts=other)

    for text, word in {
        "sss": "supported",
        "sssn": "supported in part",
        "ssccu": "supported in part",
        "sccuuu": "contradicted",
        "uu": "undecided",
        "nn": "not tested",
    }.items():
        assert verdict(text).word == word
    assert verdict("sss", "suu").word == verdict("ccc", "suu").word == "undecided"
    found = verdict("sss", "sun")
    assert (found.word, found.power, found.n_printed) == ("supported", 1, 2)


def test_columns_have_their_own_verdicts_and_missing_methods_are_named():
    """Fixed in advance MimlSvm_mi loses to MlSvm, the others do not; of equal tuning is nothing."""
    matched = as_in_the_paper(1)
    blind = matched[matched["method"].isin(ROWS["table1"].fixed())].copy()
    blind.loc[blind["method"] == "MimlSvm_mi", list(SEVEN)] *= 0.9
    blind.loc[blind["method"] == "MimlSvm_mi", list(SEVEN[:4])] *= 2
    (result,) = evaluate_claims({"table1": matched, "fixed": blind}, ("S4.2",))
    assert result.word("corrected test") == result.word("paper's test") == "supported"
    found = result.verdicts["fixed in advance, paper's test"]
    assert found.word == "supported in part" and 0 < found.contradicted <= 7
    assert result.word("equal tuning") == "not tested"
    few = matched[~matched["method"].isin(["MimlBoost", "MimlSvm_mi"])]
    (result,) = evaluate_claims({"table1": few}, ("S4.2",))
    found = result.verdicts["corrected test"]
    assert (found.word, found.supported, found.not_tested) == ("supported in part", 14, 14)
    assert result.detail.endswith("not tested: MimlBoost, MimlSvm_mi")


def test_parts_are_shown_contradicted_or_undecided():
    """A is lower by .1 everywhere: better on the losses, worse on the scores, and no tie."""
    lower, equal = levels(A=0.2, B=0.3), levels(A=0.2, B=0.2)
    parts, corrected = judged(lower, of("better"))
    assert corrected == ["supported"] * 4 + ["contradicted"] * 3
    assert [part.difference for part in parts] == pytest.approx([0.1] * 4 + [-0.1] * 3)
    assert all(0 < part.paired_half < part.half < part.least for part in parts)
    assert words(lower, "worse") == ["contradicted"] * 4 + ["supported"] * 3
    assert words(lower, "tie") == words(equal, "better") == ["contradicted"] * 7
    assert words(equal, "tie") == ["supported"] * 7
    rough = equal.copy()
    rough.loc[rough["method"] == "A", list(SEVEN)] += spread(0, 0.1, 30, seed=9)[:, None]
    for outcome in ("better", "tie", "not better", "not worse"):
        assert words(rough, outcome) == ["undecided"] * 7
    assert words(lower, "not worse")[:4] == words(equal, "not better")[:4] == ["supported"] * 4
    assert words(lower, "not better")[:4] == ["contradicted"] * 4
    (gap,), corrected = judged(levels(A=0.2, B=0.3, n=1), of("tie", on=SEVEN[:1]))
    assert corrected == ["not tested"] and gap.note == "two shared splits of A and B"


def test_corrected_test_is_correcteder_and_says_from_which_lead_on_it_shows():
    """A lead of .0002 against paired noise of .0005: seen by the plain test alone."""
    noise = spread(0.0002, 0.0005, 30, seed=0)
    base = rows("table1", "scene", "B", {"hamming_loss": np.full(30, 0.2)})
    for lead in (0.0, 1.0):
        records = pd.concat([base, base.assign(method="A", hamming_loss=0.2 - noise)])
        (part,), _ = judged(records, of("better", on=["hamming_loss"]))
        assert part.paired == "supported"
        assert part.corrected == ("supported" if lead else "contradicted")  # far within the margin
        noise = noise - noise.mean() + part.least * 1.001
    assert part.least == pytest.approx(part.half)


def test_shares_count_cases_on_each_data_set():
    """A leads on the four losses and trails on the three scores, on both sets: 8 and 6 of 14."""
    records = pd.concat([levels(dataset=name, A=0.2, B=0.3) for name in ("10", "20")])
    parts, corrected = judged(records, of("shares", values=(0.57, 0.3, 2)))
    assert corrected == [part.paired for part in parts] == ["supported", "contradicted"]
    assert parts[0].note.startswith("of 14 cases 57% supported and 43% contradicted")
    assert words(records, "shares", values=(0.5, 0.5, 5)) == ["not tested"]


def test_best_and_worst_mean_follow_the_arrow():
    """The best of some methods against the best of the others; a tie contradicts neither."""
    records = levels(A=0.2, B=0.3, C=0.4)
    best, corrected = judged(records, of("best mean", rivals="BC"))
    assert corrected == ["supported"] * 4 + ["contradicted"] * 3
    assert best[-1].subject == "best mean, A vs C"
    assert words(records, "worst mean", rivals="BC") == ["contradicted"] * 4 + ["supported"] * 3
    assert words(levels(A=0.2, B=0.2), "best mean") == ["undecided"] * 7
    assert judged(records, of("best mean", rivals="D"))[0][0].note == "D"


@pytest.fixture(scope="module")
def curves():
    """exp(-t/5) is level after 25 rounds; exp(-t/25) is not."""
    return pd.concat([staged("figure6", "A", 50), staged("figure6", "B", 50, pace=25.0)])


def stable(method, first, last, on=SEVEN):
    return of("stable", methods=method, rivals=(), on=on, values=(first, last))


def test_a_curve_is_stable_if_later_rounds_stay_within_the_margin_of_ties(curves):
    assert judged(curves, stable("A", 25, 50))[1] == ["supported"] * 7
    assert judged(curves, stable("B", 25, 50))[1] == ["contradicted"] * 7


def test_what_happens_before_the_named_round_does_not_count(curves):
    """From round 1 on the same curve moves."""
    assert judged(curves, stable("A", 1, 50))[1] == ["contradicted"] * 7


def test_without_later_rounds_stability_is_not_tested(curves):
    early = curves[curves["stage"] <= 25]
    assert judged(early, stable("A", 25, 50))[1] == ["not tested"] * 7
    assert judged(curves, stable("C", 25, 50))[1] == ["not tested"] * 7


def test_boosting_that_stops_early_keeps_its_last_value():
    """Half of the runs end at round 8 with their losses at .3; the others go on, at .1."""
    level = np.where(np.arange(10) < 5, 0.3, 0.1)
    record = rows("figure6", "scene", "A", {"hamming_loss": level})
    rounds = [record.assign(stage=stage)[5 * (stage > 8) :] for stage in range(1, 11)]
    parts, words_of = judged(pd.concat(rounds), stable("A", 5, 10, on=["hamming_loss"]))
    assert words_of == ["supported"]
    assert parts[0].note == "0.0% of the loss in rounds 5 to 10"


def test_by_the_papers_convention_a_tie_is_what_is_not_significant():
    """With much noise nothing is significant: a tie, no lead, and nothing that is shown equal."""
    equal = levels(A=0.2, B=0.2)
    rough = equal.copy()
    rough.loc[rough["method"] == "A", list(SEVEN)] += spread(0, 0.1, 30, seed=9)[:, None]
    for claimed, word in (
        ("tie", "supported"),
        ("not better", "supported"),
        ("not worse", "supported"),
        ("better", "contradicted"),
        ("best mean", "undecided"),
    ):
        parts, _ = judged(rough, of(claimed, on=SEVEN[:4]))
        assert {part.paper for part in parts} == {word}, claimed
        assert {part.paired for part in parts} == {"undecided"}


def test_by_the_papers_convention_a_small_significant_difference_is_no_tie():
    """A is better by .002 of .3, on each of thirty splits: within the margin, and significant."""
    first = level("table1", "scene", "A", 0.3, 30, 0)
    second = first.assign(method="B", hamming_loss=first["hamming_loss"] + 0.002)
    second["hamming_loss"] += spread(0, 0.0001, 30, seed=1)
    parts, _ = judged(pd.concat([first, second]), of("tie", on=["hamming_loss"]))
    assert parts[0].paper == "contradicted"
    assert parts[0].paired == parts[0].corrected == "supported"


def test_insensitive_by_equivalence():
    """A step of .005 leaves the neighbours within 5 % of .3, and not what is ten steps away."""
    still = swept("figure7", "MimlSvm", "ratio", GRID)
    test = of("insensitive", ["MimlSvm"], (), values=[0.2])
    assert judged(still, test)[1] == ["supported"] * 63
    default = still["override"] == '{"ratio": 0.2}'
    unnamed = still.assign(override=still["override"].mask(default, "{}"))
    assert judged(unnamed, test) == judged(still, test)
    moving = swept("figure7", "MimlSvm", "ratio", GRID, effect=0.005)
    corrected = judged(moving, test._replace(on=SEVEN[:1]))[1]
    assert [word == "supported" for word in corrected] == [True] * 3 + [False] * 6
    assert judged(still[default], test)[1] == ["not tested"]


def test_accuracies_against_the_literature():
    """On Musk2 the paper quotes Ch-Fd with .857 as the best, and .843 as the median."""
    records = as_in_the_paper(5).assign(n_train=90, n_test=10)

    def lead(records, rival, test="better", *values):
        quoted = of(test, ["SubCod"], [rival], ["musk2"], values, "table5")
        return judged(records, quoted)[0][0]

    part = lead(records, "best quoted")
    assert part.difference == pytest.approx(0.921 - 0.857) and part.corrected == "supported"
    much = lead(records, "best quoted", "better", 0.06)
    assert much.difference == pytest.approx(0.004) and much.corrected != "supported"
    assert lead(records, "SubCod_MimlNn").difference == pytest.approx(0.921 - 0.888)
    lower = records.assign(accuracy=records["accuracy"] - 0.07)
    part = lead(lower, "median quoted", "not worse")
    assert part.difference == pytest.approx(0.008) and part.corrected == "supported"
    rough = lower.assign(accuracy=lower["accuracy"] + 0.2 * (-1) ** lower["split"])
    assert lead(rough, "median quoted", "not worse").corrected == "undecided"
    for few in (records[:0], records.query("split == 0")):
        assert lead(few, "best quoted").corrected == "not tested"


def test_boldface():
    """What is bold is compared with the best of the others."""
    records, test = as_in_the_paper(1), of("boldface")
    assert "contradicted" not in judged(records, test)[1]
    best = records["method"] == "RankSvm"
    parts, corrected = judged(records.assign(coverage=records["coverage"] - best), test)
    assert corrected[2] == "contradicted" and parts[2].subject == "boldface, MimlBoost vs RankSvm"
    assert judged(records[~best], test)[0][0].note == "RankSvm"


def test_appendix_c_and_sampling():
    """Percentages are 13.75 to 48.05 and 18.18 to 58.97; "about" is within five.

    The recomputed table is compared at printed precision. 1 - .95^59 = .9515 is the first power to
    pass .95: 58 draws are not enough.
    """
    exact, test = published_characteristics(), of("characteristics")
    assert words(exact, "ranges", on=["PMC"], values=(20, 45)) == ["contradicted", "supported"]
    assert words(exact, "ranges", on=["PRC"], values=(20, 55)) == ["supported"] * 2
    assert words(pd.DataFrame(), "ranges", on=["PMC"], values=(20, 45)) == ["not tested"]
    finer = exact.assign(train_PMC=exact["train_PMC"] + 0.004, test_ANL=exact["test_ANL"] - 4e-4)
    assert {*judged(exact, test)[1], *judged(finer, test)[1]} == {"supported"}
    wrong = judged(exact.assign(vocabulary=exact["vocabulary"] + 1)[1:], test)[0]
    assert {one.aspect for one in wrong if one.corrected == "contradicted"} == {"vocabulary"}
    assert [one.note for one in wrong if one.corrected == "not tested"] == ["Arts&Humanities"] * 8
    for n_draws, word in ((59, "supported"), (58, "contradicted")):
        assert words(pd.DataFrame(), "sampling", values=[n_draws]) == [word]


def trace(following, override="{}"):
    columns = {"dataset": "scene", "method": "D-MimlSvm", "override": override, "split": 0}
    columns |= {"stage": range(4), "objective": [9.0, 6.0, 5.0, 5.0], "following": following}
    return pd.DataFrame(columns)


def test_objective_of_the_steps_as_they_were():
    test = of("never rises")
    for following, falls, ends in (
        ([6, 5, 5, np.nan], True, True),
        ([6, 5, 5, 5.004], False, True),  # a rise of .08 % that is thrown away
        ([6, 5, 5, 5.4], False, False),
        ([6, 5, 5, 4.5], True, False),
    ):
        assert [word == "supported" for word in judged(trace(following), test)[1]] == [falls, ends]
        other = trace([6, 5, 5, np.nan], '{"mu": 1.0}')
        both = pd.concat([trace(following), other]).sort_values("stage", ascending=False)
        assert judged(both, test)[0][0].note.startswith(f"rises in {int(not falls)} of 2 fits")
    assert judged(trace(0).drop(columns="following"), test)[1] == ["not tested"]


def shuffled_names(records, rng):
    """The records with the methods of each split in another order."""
    names = records.groupby("split")["method"]
    return records.assign(method=names.transform(lambda of_split: rng.permutation(of_split)))


def share_supported(records, test):
    """Of the parts of Tables 1 to 3 that name a better method, by one test."""
    supported = []
    for tests in claim_tests().values():
        leads = [t for t in tests if t.test in ("better", "best mean", "boldface")]
        for lead in leads:
            (experiment, *_) = lead.experiments
            if experiment in records:
                # Most of AdtBoost.MH's values are not printed.
                rivals = tuple(name for name in lead.rivals if name != "AdtBoost.MH")
                lead = lead._replace(rivals=rivals)
                parts = parts_of([lead], lambda _, rows=records[experiment]: rows)
                supported += [getattr(part, test) == "supported" for part in parts]
    assert len(supported) > 150
    return np.mean(supported)


def test_printed_means_support_the_claims():
    """At least 80 % of the parts with a printed difference, by the paper's test."""
    records = {f"table{number}": as_in_the_paper(number) for number in (1, 2, 3)}
    assert share_supported(records, "paired") >= 0.8


@pytest.mark.parametrize("test", ["paired", "corrected"])
def test_shuffled_names_support_none(test):
    """At most 5 % of the parts."""
    rng = np.random.default_rng(0)
    records = {}
    for number in (1, 2, 3):
        records[f"table{number}"] = shuffled_names(as_in_the_paper(number), rng)
    assert share_supported(records, test) <= 0.05


def facts(dataset="musk2", **values):
    """The measured facts of a data set."""
    return pd.DataFrame([{"dataset": dataset} | values])


def test_facts_of_the_data_are_compared_at_printed_precision(monkeypatch):
    stated = [
        ("yeast", "mean_labels", 4.24, 2, False),
        ("yeast", "n_labels", 14.0, 0, False),
        ("yeast", "multi_label", 22.0, 0, True),
        ("scene", "n_labels", 5.0, 0, False),
    ]
    columns = ["dataset", "fact", "value", "decimals", "over"]
    table = pd.DataFrame(stated, columns=columns)
    monkeypatch.setattr("mimlstudy.judge.claim_parts.published_facts", lambda: table)
    measured = facts("yeast", mean_labels=4.237, n_labels=13, multi_label=22.1)
    found = words(measured, "facts", on=["yeast", "scene"])
    assert found == ["supported", "contradicted", "supported", "not tested"]


def test_the_largest_set_has_more_instances_than_the_next():
    measured = pd.concat([facts("musk2", n_instances=6598), facts("fox", n_instances=1320)])
    assert words(measured, "largest", on=["musk2", "fox"]) == ["supported"]
    assert words(measured, "largest", on=["fox", "musk2"]) == ["contradicted"]
    assert words(measured, "largest", on=["musk2", "tiger"]) == ["not tested"]


def test_a_bag_of_instances_has_one_for_each_label():
    assert words(facts("yeast", n_labels=14), "more instances", on=["yeast"]) == ["supported"]
    assert words(facts("yeast", n_labels=1), "more instances", on=["yeast"]) == ["contradicted"]
    assert words(facts("scene"), "more instances", on=["yeast"]) == ["not tested"]


def test_most_constraints_are_redundant_if_fewer_than_half_bind_in_each_fit():
    measured = pd.DataFrame({"n_binding": [10, 49], "n_constraints": [100, 100]})
    assert words(measured, "redundant", on=()) == ["supported"]
    assert words(measured.assign(n_binding=[10, 51]), "redundant", on=()) == ["contradicted"]
    assert words(measured[:0], "redundant", on=()) == ["not tested"]
