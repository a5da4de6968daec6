"""Claims: each kind on made-up records whose outcome is known."""

import json

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlpaper.study.claims import (
    CLAIM_TESTS,
    VIEWS,
    ClaimTest,
    Part,
    characteristics_agree,
    comparisons,
    count_words,
    evaluate_claims,
    insensitive,
    never_rises,
    parts_of,
    ranges,
    sampling_finds_violated,
    shares,
    stable,
    sub_concepts_matter,
    verdict_of,
)
from mimlpaper.study.published import (
    TABLES,
    published_cells,
    published_characteristics,
    published_claims,
)
from mimlpaper.study.registry import ROWS
from mimlpaper.study.scorecard import scorecard
from mimlpaper.study.statistics import holm
from tests.made_up_records import as_in_the_paper, rows, spread, staged, swept

SEVEN = tuple(CRITERIA)
GRID = np.arange(1, 11) / 10


def levels(experiment="table1", dataset="scene", n=30, **means):
    """Records of methods whose losses and scores sit at ``means`` ± .01, rough by .001."""
    parts = []
    for i, (method, mean) in enumerate(means.items()):
        values = {
            name: spread(mean, 0.01, n, seed=j) + spread(0, 0.001, n, seed=[i, j])
            for j, name in enumerate(SEVEN)
        }
        parts.append(rows(experiment, dataset, method, values))
    return pd.concat(parts, ignore_index=True)


def of(test, methods="A", rivals="B", on=SEVEN, values=(), experiment="table1"):
    return ClaimTest(test, tuple(methods), tuple(rivals), tuple(on), tuple(values), experiment)


def judged(records, test):
    """The parts of one test, and their words by the strict test."""
    parts = parts_of([test], {test.experiment: records})
    return parts, [part.strict for part in parts]


def words(result):
    return [result.word(view) for view in VIEWS]


def test_every_claim_has_a_test_of_known_methods():
    ids = list(published_claims()["id"])
    assert [*CLAIM_TESTS, "N.1"] == ids  # what the authors could not run cannot be tested
    known = {name for table in TABLES.values() for name in table.algorithms}
    known |= {"D-MimlSvm", "MimlSvm on the bag label"}
    for tests in CLAIM_TESTS.values():
        assert {method for test in tests for method in test.methods} <= known


def test_nothing_is_tested_without_records():
    """Except the sampling claim, which needs no records."""
    results = evaluate_claims({})
    for result in results:
        expected = "shown" if result.id == "S5.5" else "not tested"
        assert set(words(result)) == {expected}, result.id
        assert result.id in ("S5.5", "N.1") or result.detail.startswith("not tested: ")
    counts = count_words(results)
    assert list(counts.index) == list(VIEWS)
    assert counts.loc["blind"].to_dict()["not tested"] == len(results) - 1


def test_a_verdict_by_hand():
    """More parts contradicted than shown contradict; a control below one half decides nothing."""

    def word(shown, contradicted, undecided, untested=0, control=()):
        outcomes = ["shown"] * shown + ["contradicted"] * contradicted
        outcomes += ["undecided"] * undecided + ["not tested"] * untested
        parts = [Part("", "", strict=one) for one in outcomes]
        return verdict_of(parts, control=[Part("", "", strict=one) for one in control])

    assert word(3, 0, 0).word == "shown"
    assert word(3, 0, 0, 1).word == word(2, 2, 1).word == "shown in part"
    assert word(1, 2, 9).word == "contradicted"
    assert word(0, 0, 4).word == "undecided" and word(0, 0, 0, 2).word == "not tested"
    weak, fair = ["shown", "undecided", "undecided"], ["shown", "undecided", "not tested"]
    assert word(3, 0, 0, control=weak).word == word(0, 3, 0, control=weak).word == "undecided"
    found = word(3, 0, 0, control=fair)
    assert (found.word, found.control, found.n_control) == ("shown", 1, 2)


def test_the_printed_values_bear_out_the_claims_about_best_means():
    """By the paper's test; the printed leads are those of the control."""
    records = {f"table{number}": as_in_the_paper(number) for number in TABLES}
    ids = ("S4.8", "S4.16", "S6.4", "S6.11")
    by_mapping = evaluate_claims(records, ids)
    for result in by_mapping:
        found = result.verdicts["paper's test"]
        assert found.contradicted == 0 and found.shown == found.control > 0
    assert evaluate_claims(lambda name: records.get(name, pd.DataFrame()), ids) == by_mapping


def test_columns_have_their_own_verdicts():
    """Blind, MimlSvm_mi loses to MlSvm, the other methods do not; tuned, none is recorded."""
    matched = as_in_the_paper(1)
    blind = matched[matched["method"].isin(ROWS["table1"].blind())].copy()
    blind.loc[blind["method"] == "MimlSvm_mi", list(SEVEN)] *= 0.9
    blind.loc[blind["method"] == "MimlSvm_mi", list(SEVEN[:4])] *= 2
    (result,) = evaluate_claims({"table1": matched, "blind": blind}, ("S4.2",))
    assert result.word("strict test") == result.word("paper's test") == "shown"
    found = result.verdicts["blind, paper's test"]
    assert found.word == "shown in part" and 0 < found.contradicted <= 7
    assert result.word("tuned") == "not tested"


def test_missing_methods_are_named_and_the_rest_is_judged():
    records = as_in_the_paper(1)
    records = records[~records["method"].isin(["MimlBoost", "MimlSvm_mi"])]
    (result,) = evaluate_claims({"table1": records}, ("S4.2",))
    found = result.verdicts["strict test"]
    assert (found.word, found.shown, found.not_tested) == ("shown in part", 14, 14)
    assert result.detail.endswith("not tested: MimlBoost, MimlSvm_mi")


def test_drawn_data_test_no_claim():
    (result,) = evaluate_claims({"table1": as_in_the_paper(1, kind="synthetic")}, ("S4.8",))
    assert set(words(result)) == {"not tested"}


def test_holm_counts_all_parts_of_a_claim():
    """The strict words are those of adjusted p-values, the paper's of plain ones."""
    rng = np.random.default_rng(0)
    records = levels(n=30, A=0.2, B=0.2)
    leads = rng.normal(0.0004, 0.0001, 7)
    records.loc[records["method"] == "A", list(SEVEN)] += np.where(np.arange(7) < 4, -1, 1) * leads
    test = of("better")
    p = [
        (one.found.strict["better"], one.found.paired["better"])
        for one in comparisons(records, test)
    ]
    parts, strict = judged(records, test)
    adjusted = holm([one for one, _ in p])
    assert [word == "shown" for word in strict] == [one < 0.05 for one in adjusted]
    assert [part.paired == "shown" for part in parts] == [one < 0.05 for _, one in p]
    assert all(0 < part.paired_half < part.half < part.least for part in parts)


def test_other_methods_change_no_claim():
    """The best of all on every criterion, stale, with one run: no claim of Table 1 sees it."""
    records = as_in_the_paper(1)
    values = {name: [0.001 if CRITERIA[name].lower_is_better else 0.999] for name in SEVEN}
    stranger = rows("table1", "scene", "Oracle", values, state="stale")
    ids = tuple(name for name, tests in CLAIM_TESTS.items() if tests[0].experiment == "table1")
    assert len(ids) == 9
    alone = evaluate_claims({"table1": records}, ids)
    assert evaluate_claims({"table1": pd.concat([stranger, records])}, ids) == alone


def test_results_are_json():
    claims = evaluate_claims({"table1": as_in_the_paper(1)}, ("S4.1",))
    (one,) = json.loads(json.dumps(scorecard({}, claims)["claims"]))
    found = one["verdicts"]["strict test"]
    assert one["id"] == "S4.1" and found["n_parts"] == len(one["parts"]) == 28
    assert found["shown"] == sum(part["strict"] == "shown" for part in one["parts"])


def test_parts_are_shown_contradicted_or_undecided():
    """A is lower by .1 everywhere: better on the losses, worse on the scores, and no tie."""
    parts, strict = judged(levels(A=0.2, B=0.3), of("better"))
    assert strict == ["shown"] * 4 + ["contradicted"] * 3
    assert [part.gain for part in parts] == pytest.approx([0.1] * 4 + [-0.1] * 3)
    assert judged(levels(A=0.2, B=0.3), of("worse"))[1] == ["contradicted"] * 4 + ["shown"] * 3
    assert judged(levels(A=0.2, B=0.3), of("tie"))[1] == ["contradicted"] * 7
    assert judged(levels(A=0.2, B=0.2), of("better"))[1] == ["contradicted"] * 7  # a tie is shown
    assert judged(levels(A=0.2, B=0.2), of("tie"))[1] == ["shown"] * 7
    rough = levels(A=0.2, B=0.2)
    rough.loc[rough["method"] == "A", list(SEVEN)] += spread(0, 0.1, 30, seed=9)[:, None]
    assert judged(rough, of("better"))[1] == judged(rough, of("tie"))[1] == ["undecided"] * 7
    (gap,), strict = judged(levels(A=0.2, B=0.3, n=1), of("tie", on=SEVEN[:1]))
    assert strict == ["not tested"] and gap.note == "two shared splits of A and B"


def test_strict_test_is_stricter_and_says_from_which_lead_on_it_shows():
    """A lead of .0002 against paired noise of .0005: seen by the plain test alone."""
    noise = spread(0.0002, 0.0005, 30, seed=0)
    base = rows("table1", "scene", "B", {"hamming_loss": np.full(30, 0.2)})
    for lead in (0.0, 1.0):
        records = pd.concat([base, base.assign(method="A", hamming_loss=0.2 - noise)])
        (part,), _ = judged(records, of("better", on=["hamming_loss"]))
        assert part.paired == "shown"
        assert part.strict == ("shown" if lead else "contradicted")  # far within the margin
        noise = noise - noise.mean() + part.least * 1.001
    assert part.least == pytest.approx(part.half)


def test_few_runs_help_no_claim():
    """Neither of a tie nor of not being worse: with three runs nothing is shown."""
    for outcome in ("better", "tie", "not better", "not worse"):
        for n, shown in ((3, False), (3000, outcome != "better")):
            records = pd.concat([
                rows("table1", "scene", name, {"hamming_loss": spread(0.3, 0.03, n, seed)},
                     n_test=10)
                for seed, name in enumerate("AB")
            ])  # fmt: skip
            _, (word,) = judged(records, of(outcome, on=["hamming_loss"]))
            assert (word == "shown") == shown


def test_shares_count_cases_on_each_data_set():
    """A leads on the four losses and trails on the three scores, on both sets: 8 and 6 of 14."""
    records = pd.concat([levels(dataset=name, A=0.2, B=0.3) for name in ("10", "20")])
    better, not_worse = shares(records, of("shares", values=(0.57, 0.3, 2)))
    assert better.strict == better.paired == "shown"
    assert not_worse.strict == not_worse.paired == "contradicted"
    assert better.note.startswith("of 14 cases 57% shown and 43% contradicted")
    (gap,) = shares(records, of("shares", values=(0.5, 0.5, 5)))
    assert gap.note == "the 5 data sets" and gap.strict == "not tested"


def test_best_and_worst_mean_follow_the_arrow():
    """The best of some methods against the best of the others; a tie contradicts neither."""
    records = levels(A=0.2, B=0.3, C=0.4)
    best, strict = judged(records, of("best mean", rivals="BC"))
    assert strict == ["shown"] * 4 + ["contradicted"] * 3
    assert best[-1].subject == "best mean, A vs C"
    assert judged(records, of("worst mean", rivals="BC"))[1] == ["contradicted"] * 4 + ["shown"] * 3
    assert judged(levels(A=0.2, B=0.2), of("best mean"))[1] == ["undecided"] * 7
    assert judged(records, of("best mean", rivals="D"))[0][0].note == "D"


def test_stable_curves():
    """After 25 rounds exp(-t/5) is stable, exp(-t/25) is not."""
    both = pd.concat([staged("figure6", "A", 25), staged("figure6", "B", 25, pace=25.0)])
    for method, outcome in (("A", "shown"), ("B", "contradicted")):
        parts = stable(both, of("stable", method, values=[25]))
        assert {part.strict for part in parts} == {outcome}
    for method in "AC":
        (short, *_) = stable(both, of("stable", method, values=[50]))
        assert short.note == f"{method} up to round 50" and short.strict == "not tested"


def test_boosting_that_stops_early_keeps_its_last_value():
    """Half of the runs end at round 5 with their losses at .3; the others go on, at .1."""
    rounds = []
    for stage in range(1, 11):
        level = np.where(np.arange(10) < 5, 0.3, 0.1)
        record = rows("figure6", "scene", "A", {"hamming_loss": level}, stage=stage)
        rounds.append(record if stage <= 5 else record[record["split"] >= 5])
    (part,) = stable(pd.concat(rounds), of("stable", values=[10], on=["hamming_loss"]))
    assert part.strict == "shown" and part.note == "0.0%"


def test_insensitive_by_equivalence():
    """A step of .002 leaves the neighbours within 5 % of .3, and not what is ten steps away.

    A record without parameters has the default parameters.
    """
    still = swept("figure7", "MimlSvm", "ratio", GRID)
    test = of("insensitive", ["MimlSvm"], (), values=[0.2])
    parts = insensitive(still, test)
    assert [part.strict for part in parts] == ["shown"] * 63
    default = still["parameters"] == '{"ratio": 0.2}'
    unnamed = still.assign(parameters=still["parameters"].mask(default, "{}"))
    assert insensitive(unnamed, test) == parts
    moving = swept("figure7", "MimlSvm", "ratio", GRID, effect=0.005)
    parts = insensitive(moving, test._replace(on=SEVEN[:1]))
    assert [part.strict == "shown" for part in parts] == [True] * 3 + [False] * 6
    assert insensitive(still[default], test)[0].note == "MimlSvm over a sweep"


def test_accuracies_against_the_literature():
    """On Musk2 the paper quotes Ch-Fd with .857 as the best, and .843 as the median."""
    records = as_in_the_paper(5).assign(n_train=90, n_test=10)

    def lead(records, rival, test="better", *values):
        quoted = of(test, ["SubCod"], [rival], ["musk2"], values, "table5")
        return judged(records, quoted)[0][0]

    part = lead(records, "best quoted")
    assert part.gain == pytest.approx(0.921 - 0.857) and part.strict == "shown"
    much = lead(records, "best quoted", "better", 0.06)
    assert much.gain == pytest.approx(0.004) and much.strict != "shown" and "by 0.06" in much.aspect
    assert lead(records, "SubCod_MimlNn").gain == pytest.approx(0.921 - 0.888)
    lower = records.assign(accuracy=records["accuracy"] - 0.07)
    part = lead(lower, "median quoted", "not worse")
    assert part.gain == pytest.approx(0.008) and part.strict == "shown"
    rough = lower.assign(accuracy=lower["accuracy"] + 0.2 * (-1) ** lower["split"])
    assert lead(rough, "median quoted", "not worse").strict == "undecided"
    assert lead(records[:0], "best quoted").note == "SubCod"
    assert lead(records.query("split == 0"), "best quoted").note == "two folds of SubCod"


def test_boldface():
    """What is bold is compared with the best of the others."""
    records, test = as_in_the_paper(1), of("boldface")
    assert "contradicted" not in judged(records, test)[1]
    best = records["method"] == "RankSvm"
    parts, strict = judged(records.assign(coverage=records["coverage"] - best), test)
    assert strict[2] == "contradicted" and parts[2].subject == "boldface, MimlBoost vs RankSvm"
    assert judged(records[~best], test)[0][0].note == "RankSvm"


def test_hold_outs_that_leave_no_sub_concepts():
    chosen = json.dumps({"subcod__kept_share": 0.1, "subcod__n_concepts": 10})
    ours = rows("readings", "fox", "SubCod", {"accuracy": [0.6, 0.7]}, chosen=chosen)
    alone, test = ours.assign(method="alone", chosen=""), of("sub-concepts", ["SubCod"], ["alone"])
    (part,) = sub_concepts_matter(pd.concat([ours, alone]), test)
    assert part.strict == "contradicted"
    assert part.note == "2 of 2 fits equal alone, 2 of 2 chose kept_share 0.1, n_concepts 10"
    (part,) = sub_concepts_matter(pd.concat([ours, alone.assign(accuracy=0.6)]), test)
    assert part.strict == "shown" and part.note.startswith("1 of 2 fits")


def test_percentages_of_appendix_c():
    """Appendix C has 13.75 to 48.05 and 18.18 to 58.97; "about" is the nearest five."""
    printed, stated = published_characteristics(), {"PMC": (20, 45), "PRC": (20, 55)}
    tests = [of("ranges", (), (), [name], values) for name, values in stated.items()]
    parts = parts_of(tests, {"table1": printed})
    assert [part.strict == "shown" for part in parts] == [False, False, True, False]
    assert parts[0].note == "13.75, about 20 stated"
    assert ranges(pd.DataFrame(), tests[0])[0].strict == "not tested"


def test_characteristics_at_printed_precision():
    exact, test = published_characteristics(), of("characteristics")
    assert all(part.strict == "shown" for part in characteristics_agree(exact, test))
    finer = exact.assign(train_PMC=exact["train_PMC"] + 0.004, test_ANL=exact["test_ANL"] - 4e-4)
    assert all(part.strict == "shown" for part in characteristics_agree(finer, test))
    wrong = exact.assign(vocabulary=exact["vocabulary"] + 1)
    failed = [part for part in characteristics_agree(wrong, test) if part.strict == "contradicted"]
    assert {part.aspect for part in failed} == {"vocabulary"}
    left = [
        part.note for part in characteristics_agree(exact[1:], test) if part.strict == "not tested"
    ]
    assert left == ["Arts&Humanities"] * 8


def trace(following, **values):
    columns = {"dataset": "scene", "method": "D-MimlSvm", "parameters": "{}", "split": 0}
    columns |= {"stage": range(4), "objective": [9.0, 6.0, 5.0, 5.0], "following": following}
    return pd.DataFrame(columns | values)


def test_objective_of_the_steps_as_they_were():
    for following, falls, ends in (
        ([6, 5, 5, np.nan], True, True),
        ([6, 5, 5, 5.004], False, True),  # a rise of .08 % that is thrown away
        ([6, 5, 5, 5.4], False, False),
        ([6, 5, 5, 4.5], True, False),
    ):
        test = of("never rises")
        words = [part.strict == "shown" for part in never_rises(trace(following), test)]
        assert words == [falls, ends]
        assert (
            never_rises(trace(following).drop(columns="following"), test)[0].strict == "not tested"
        )
        other = trace([6, 5, 5, np.nan], parameters='{"mu": 1.0}')
        both = pd.concat([trace(following), other]).sort_values("stage", ascending=False)
        assert never_rises(both, test)[0].note.startswith(f"rises in {int(not falls)} of 2 fits")


def test_sampling():
    """1 - .95^59 = .9515 is the first power to pass .95: 58 draws are not enough."""
    for n, enough in ((59, True), (58, False)):
        parts = sampling_finds_violated(pd.DataFrame(), of("sampling", values=[n]))
        assert [part.strict == "shown" for part in parts] == [enough]


def drawn_as_printed(rng, shuffle=False):
    """Records drawn from every printed mean and std; on request names are shuffled by split.

    The splits of a method share much of their noise with those of the others, as real ones do.
    """
    found = {}
    for number in (1, 2, 3):
        own = as_in_the_paper(number)
        cells = published_cells(number).set_index(["algorithm", "criterion"])
        for method, rows_of in own.groupby("method"):
            for name in TABLES[number].criteria:
                mean, std = cells.loc[(method, name), ["mean", "std"]].fillna(0.5)
                common = np.random.default_rng([number, SEVEN.index(name)]).normal(
                    size=len(rows_of)
                )
                noise = (0.5**0.5) * (common + rng.normal(size=len(rows_of)))
                own.loc[rows_of.index, name] = mean + std * noise
        if shuffle:
            names = own.groupby("split")["method"].transform(
                lambda m: rng.permutation(m.to_numpy())
            )
            own["method"] = names
        found[f"table{number}"] = own
    return found


def test_printed_means_show_the_claims_and_shuffled_names_do_not():
    """At least 80 % of the parts with a printed lead, by the paper's test; at most 5 %."""
    rng = np.random.default_rng(0)
    for shuffle, test in ((False, "paired"), (True, "strict"), (True, "paired")):
        shown = []
        records = drawn_as_printed(rng, shuffle)
        for name, tests in CLAIM_TESTS.items():
            if tests[0].experiment in records and name.startswith(("S4", "S6")):
                leads = [one for one in tests if one.test in ("better", "best mean", "boldface")]
                named = {m for one in leads for m in (*one.methods, *one.rivals)} - {"AdtBoost.MH"}
                leads = [one._replace(rivals=tuple(named & {*one.rivals})) for one in leads]
                shown += [getattr(part, test) == "shown" for part in parts_of(leads, records)]
        share = np.mean(shown)
        assert len(shown) > 150 and (share <= 0.05 if shuffle else share >= 0.8), share
