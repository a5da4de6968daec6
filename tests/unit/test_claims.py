"""Claims: each kind on made-up records whose outcome is known."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlpaper.study.claims import (
    CLAIM_TESTS,
    accuracies_compared,
    best_mean,
    characteristics_agree,
    competitive,
    evaluate_claims,
    insensitive,
    longest_fits,
    never_rises,
    printed_winners,
    ranges,
    sampling_finds_violated,
    shares,
    significance,
    stable,
    sub_concepts_matter,
    worst_mean,
)
from mimlpaper.study.published import (
    PROTOCOL_RUNS,
    TABLES,
    published_characteristics,
    published_claims,
)
from mimlpaper.study.statistics import holm
from tests.made_up_records import as_in_the_paper, rows, spread, staged, swept

SEVEN = TABLES[1].criteria
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


def test_every_claim_has_a_test():
    assert list(CLAIM_TESTS) == list(published_claims()["id"])


def test_nothing_is_judged_without_records():
    """Except the sampling claim, which needs no records, and claims without a comparison."""
    expected = {"S5.5": "holds", "N.1": "not comparable"}
    for result in evaluate_claims({}):
        words = {result.paired, result.matched, result.blind, result.tuned}
        assert words == {expected.get(result.id, "not evaluated")}
        assert result.id == "S5.5" or "missing: " in result.detail


def test_callable_and_mapping_agree():
    records = {"table1": as_in_the_paper(1)}
    ids = ("S4.2", "S4.8", "S4.9")
    by_mapping = evaluate_claims(records, ids=ids)
    by_call = evaluate_claims(lambda name: records.get(name, pd.DataFrame()), ids=ids)
    assert by_mapping == by_call
    assert [result.id for result in by_mapping] == list(ids)


def test_the_printed_values_bear_out_the_claims_about_best_means():
    records = {f"table{number}": as_in_the_paper(number) for number in TABLES}
    ids = ("S4.8", "S4.16", "S4.17", "S4.18", "S6.4", "S6.9", "S6.11", "S7.5")
    assert {result.matched for result in evaluate_claims(records, ids=ids)} == {"holds"}


def test_columns_have_their_own_verdicts():
    """Blind, MimlSvm_mi loses to MlSvm, the other methods do not; tuned, none is recorded."""
    matched = as_in_the_paper(1)
    blind = matched[matched["method"].isin(["MimlSvm_mi", "MlSvm"])].copy()
    blind.loc[blind["method"] == "MimlSvm_mi", list(SEVEN)] = 0.5
    (result,) = evaluate_claims({"table1": matched, "table1_blind": blind}, ids=("S4.2",))
    assert result.paired == result.matched == "holds"
    assert result.blind == "partly" and result.tuned == "not evaluated"


def test_missing_methods_are_named_and_the_rest_is_told():
    records = as_in_the_paper(1)
    records = records[~records["method"].isin(["MimlBoost", "MimlSvm_mi"])]
    (result,) = evaluate_claims({"table1": records}, ids=("S4.2",))
    assert result.matched == "not evaluated"
    assert result.detail.startswith("14 of 28 parts hold, 14 by the paired t-test; hold: ")
    assert result.detail.endswith("missing: MimlBoost, MimlSvm_mi")


def test_shortfall_stale_and_synthetic_are_told():
    few = {"table1": as_in_the_paper(1, n_runs=4, state="stale")}
    (result,) = evaluate_claims(few, ids=("S4.8",))
    assert result.matched == "holds"
    assert result.state == "stale"
    assert result.detail.endswith("4 of 30 runs of table1; some records are stale")
    synthetic = {"table1": as_in_the_paper(1, kind="synthetic")}
    (result,) = evaluate_claims(synthetic, PROTOCOL_RUNS, ids=("S4.8",))
    assert result.matched == result.paired == "not evaluated"
    assert result.detail.endswith("on synthetic data, which cannot test the paper's claim: holds")


def test_holm_counts_all_parts_of_a_claim():
    """One lead of paired p = .03 holds alone, and not among the parts of S4.5."""
    records = levels(n=30, **{"MimlNn": 0.2, "Ml-knn": 0.2})
    (result,) = evaluate_claims({"table1": records}, ids=("S4.5",))
    raw = significance(records, test="better", methods=["MimlNn"], rivals=["Ml-knn"], on=SEVEN)
    adjusted = [part.paired_p for part in result.parts]
    assert adjusted == pytest.approx(list(holm([part.paired_p for part in raw])))
    assert all(part.low < part.gain < part.high for part in result.parts)


def test_other_methods_change_no_claim():
    """The best of all on every criterion, stale, with one run: no claim of Table 1 sees it."""
    records = as_in_the_paper(1)
    values = {name: [0.001 if CRITERIA[name].lower_is_better else 0.999] for name in SEVEN}
    stranger = rows("table1", "scene", "Oracle", values, state="stale")
    ids = tuple(name for name, tests in CLAIM_TESTS.items() if tests[0].experiment == "table1")
    assert len(ids) == 9
    alone = evaluate_claims({"table1": records}, ids=ids)
    assert evaluate_claims({"table1": pd.concat([stranger, records])}, ids=ids) == alone


def test_claims_name_methods_that_the_paper_has():
    known = {name for table in TABLES.values() for name in table.algorithms}
    known |= {"D-MimlSvm", "MimlSvm on the bag label"}
    for tests in CLAIM_TESTS.values():
        assert {method for test in tests for method in test.methods} <= known


def test_results_are_json():
    (result,) = evaluate_claims({"table1": as_in_the_paper(1)}, ids=("S4.1",))
    result_dict = json.loads(json.dumps(result.to_dict()))
    assert result_dict["id"] == "S4.1"
    assert result_dict["n_parts"] == len(result_dict["parts"]) == 28
    assert (
        result_dict["n_held"] + sum(part["holds"] is False for part in result_dict["parts"]) == 28
    )


def test_significance_has_effects_and_intervals():
    """A is lower by .1 everywhere: better on the losses, worse on the scores."""
    records = levels(A=0.2, B=0.3)
    parts = significance(records, test="better", methods=["A"], rivals=["B"], on=SEVEN)
    assert [part.p < 1e-6 for part in parts] == [True] * 4 + [False] * 3
    assert [part.gain for part in parts] == pytest.approx([0.1] * 4 + [-0.1] * 3)
    assert all(part.low < part.gain < part.high for part in parts)
    (tie,) = significance(records, test="tie", methods="A", rivals="B", on=SEVEN[:1])
    assert tie.p == pytest.approx(1.0) and tie.aspect.endswith(" tie")


def test_strict_test_is_stricter():
    """A lead of .0002 against paired noise of .0005: seen by the plain test alone."""
    noise = spread(0.0002, 0.0005, 30, seed=0)
    base = {"hamming_loss": np.full(30, 0.2)}
    records = pd.concat(
        [
            rows("table1", "scene", "B", base),
            rows("table1", "scene", "A", {"hamming_loss": 0.2 - noise}),
        ]
    )
    (part,) = significance(records, test="better", methods="A", rivals="B", on=["hamming_loss"])
    assert part.paired_p < 0.05 < part.p


def test_few_runs_help_no_claim():
    """Neither of a tie nor of not being worse: with three runs nothing is shown."""
    for outcome in ("better", "tie", "not better", "not worse"):
        for n, shown in ((3, False), (3000, outcome != "better")):
            records = pd.concat([
                rows("table1", "scene", name, {"hamming_loss": spread(0.3, 0.03, n, seed)},
                     n_test=10)
                for seed, name in enumerate("AB")
            ])  # fmt: skip
            (part,) = significance(
                records, test=outcome, methods="A", rivals="B", on=["hamming_loss"]
            )
            assert (part.p < 0.05) == shown


def test_one_split_allows_no_test():
    (part, *_) = significance(
        levels(A=0.2, B=0.3, n=1), test="tie", methods="A", rivals="B", on=SEVEN[:1]
    )
    assert part.holds is None
    assert part.missing == ("two shared splits of A and B",)


def test_shares_count_cases_on_each_data_set():
    """A leads on the four losses and trails on the three scores, on both sets: 8 and 6 of 14."""
    records = pd.concat([levels(dataset=name, A=0.2, B=0.3) for name in ("10", "20")])
    row = {"methods": ["A"], "rivals": ["B"], "on": SEVEN}
    better, not_worse = shares(records, rows=[row | {"values": (0.57, 0.4, 2)}])
    assert better.holds and better.paired
    assert better.note == "8 of 14 = 57% (paired 8)"
    assert not_worse.holds is False
    assert not_worse.note == "8 of 14 = 57% (paired 8)"
    (gap,) = shares(records, rows=[row | {"values": (0.5, 0.5, 5)}])
    assert gap.missing == ("the 5 data sets",)


def test_best_and_worst_mean_follow_the_arrow():
    records = levels(A=0.2, B=0.3, C=0.4)
    best = best_mean(records, methods=["A"], rivals=["B", "C"], on=SEVEN)
    assert [part.holds for part in best] == [True] * 4 + [False] * 3
    assert best[-1].note == "C"
    worst = worst_mean(records, methods=["A"], rivals=["B", "C"], on=SEVEN)
    assert [part.holds for part in worst] == [False] * 4 + [True] * 3
    assert worst[0].note == "place 1 of 3"


def test_stable_curves():
    """After 25 rounds exp(-t/5) is stable, exp(-t/25) is not."""
    flat, falling = staged("figure6", "A", 25), staged("figure6", "B", 25, pace=25.0)
    for method, outcome in (("A", True), ("B", False)):
        both = pd.concat([flat, falling])
        parts = stable(both, methods=[method], values=[25], on=SEVEN)
        assert [part.holds for part in parts] == [outcome] * 7
    (short, *_) = stable(flat, methods=["A"], values=[50], on=SEVEN)
    assert short.missing == ("A up to round 50",)


def test_boosting_that_stops_early_keeps_its_last_value():
    """Half of the runs end at round 5 with their losses at .3; the others go on, at .1."""
    rounds = []
    for stage in range(1, 11):
        level = np.where(np.arange(10) < 5, 0.3, 0.1)
        record = rows("figure6", "scene", "A", {"hamming_loss": level}, stage=stage)
        rounds.append(record if stage <= 5 else record[record["split"] >= 5])
    (part,) = stable(pd.concat(rounds), methods=["A"], values=[10], on=["hamming_loss"])
    assert part.holds
    assert part.note == "0.0%"


def test_insensitive_by_equivalence():
    """A step of .002 leaves the neighbours within 5 % of .3, and not what is ten steps away."""
    still = swept("figure7", "MimlSvm", "ratio", GRID)
    parts = insensitive(still, methods=["MimlSvm"], values=[0.2], on=SEVEN)
    assert len(parts) == 63 and all(part.p < 1e-3 for part in parts)
    moving = swept("figure7", "MimlSvm", "ratio", GRID, effect=0.005)
    parts = insensitive(moving, methods=["MimlSvm"], values=[0.2], on=SEVEN[:1])
    assert [part.p < 0.05 for part in parts] == [True] * 3 + [False] * 6


def test_the_published_configuration_stands_for_its_own_value():
    """A record without parameters has the default parameters."""
    records = swept("figure7", "MimlSvm", "ratio", GRID)
    default = records["parameters"] == '{"ratio": 0.2}'
    records.loc[default, "parameters"] = "{}"
    parts = insensitive(records, methods=["MimlSvm"], values=[0.2], on=SEVEN[:1])
    assert [part.subject for part in parts[:2]] == ["0.1 vs 0.2", "0.3 vs 0.2"]


def test_accuracies_against_the_literature():
    """On Musk2 the paper quotes Ch-Fd with .857 as the best, and .843 as the median."""
    records = as_in_the_paper(5).assign(n_train=90, n_test=10)
    (part,) = accuracies_compared(records, methods=["SubCod"], on=["musk2"], values=[0.0])
    assert part.subject == "SubCod vs Ch-Fd, quoted"
    assert part.gain == pytest.approx(0.921 - 0.857) and part.p < 0.05
    (much,) = accuracies_compared(records, methods=["SubCod"], on=["musk2"], values=[0.06])
    assert much.gain == pytest.approx(0.004) and much.p > 0.05
    (rival,) = accuracies_compared(
        records, methods=["SubCod"], rivals=["SubCod_MimlNn"], on=["musk2"]
    )
    assert rival.gain == pytest.approx(0.921 - 0.888)


def test_competitive_by_the_lower_limit():
    """A lead of .008 over the median shows it if it is precise; the upper limit shows nothing."""
    records = as_in_the_paper(5).assign(n_train=90, n_test=10)
    lower = records.assign(accuracy=records["accuracy"] - 0.07)
    (part,) = competitive(lower, methods=["SubCod"], on=["musk2"])
    assert part.gain == pytest.approx(0.008) and part.p < 0.05
    rough = lower.assign(accuracy=lower["accuracy"] + 0.2 * (-1) ** lower["split"])
    (part,) = competitive(rough, methods=["SubCod"], on=["musk2"])
    assert part.gain == pytest.approx(0.008) and part.p > 0.05


def test_boldface():
    records = as_in_the_paper(1)
    assert all(part.holds for part in printed_winners(records, experiment="table1"))
    best = records["method"] == "RankSvm"
    parts = printed_winners(
        records.assign(coverage=records["coverage"] - best), experiment="table1"
    )
    assert [part.holds for part in parts] == [True, True, False, True, True, True, True]
    assert parts[2].note == "RankSvm, MimlBoost printed"
    (gap,) = printed_winners(records[~best], experiment="table1")
    assert gap.missing == ("RankSvm",)


def test_hold_outs_that_leave_no_sub_concepts():
    chosen = json.dumps({"subcod__kept_share": 0.1, "subcod__n_concepts": 10})
    ours = rows("choices_subcod", "fox", "SubCod", {"accuracy": [0.6, 0.7]}, chosen=chosen)
    alone = ours.assign(method="alone", chosen="")
    both = pd.concat([ours, alone])
    (part,) = sub_concepts_matter(both, methods=["SubCod"], rivals=["alone"])
    assert part.holds is False
    assert part.note == "2 of 2 fits equal alone, 2 of 2 chose kept_share 0.1, n_concepts 10"
    (part,) = sub_concepts_matter(
        pd.concat([ours, alone.assign(accuracy=0.6)]), methods=["SubCod"], rivals=["alone"]
    )
    assert part.holds and part.note.startswith("1 of 2 fits")


def test_percentages_that_are_told():
    """Appendix C has 13.75 to 48.05 and 18.18 to 58.97; "about" is the nearest five."""
    told = [{"on": ["PMC"], "values": (20, 45)}, {"on": ["PRC"], "values": (20, 55)}]
    parts = ranges(published_characteristics(), rows=told)
    assert [part.holds for part in parts] == [False, False, True, False]
    assert parts[0].note == "13.75, about 20 told"
    assert ranges(pd.DataFrame(), rows=told)[0].missing


def test_characteristics_at_printed_precision():
    exact = published_characteristics()
    assert all(part.holds for part in characteristics_agree(exact))
    finer = exact.assign(train_PMC=exact["train_PMC"] + 0.004, test_ANL=exact["test_ANL"] - 4e-4)
    assert all(part.holds for part in characteristics_agree(finer))
    wrong = exact.assign(vocabulary=exact["vocabulary"] + 1)
    failed = [part for part in characteristics_agree(wrong) if not part.holds]
    assert {part.aspect for part in failed} == {"vocabulary"}
    (result,) = evaluate_claims({"characteristics": exact}, ids=("C.1",))
    assert result.matched == result.blind == "holds"


def test_what_the_paper_could_not_end_cannot_be_compared():
    records = levels("table3", "yeast", InsDif_MimlBoost=0.2).assign(fit_seconds=7200.0)
    (part,) = longest_fits(records, methods=["InsDif_MimlBoost"])
    assert part.holds is None and part.note == "7200 s"
    (result,) = evaluate_claims({"table3": records}, ids=("N.1",))
    assert result.matched == result.tuned == "not comparable"
    assert "(longest fit: 7200 s)" in result.detail
    assert result.detail.endswith("a program of 2012 on a machine of 2012")


def trace(following, **values):
    columns = {"dataset": "scene", "method": "D-MimlSvm", "parameters": "{}", "split": 0}
    columns |= {"stage": range(4), "objective": [9.0, 6.0, 5.0, 5.0], "following": following}
    return pd.DataFrame(columns | values)


@pytest.mark.parametrize(
    ("following", "falls", "ends"),
    [
        ([6, 5, 5, np.nan], True, True),
        ([6, 5, 5, 5.004], False, True),  # a rise of .08 % that is thrown away
        ([6, 5, 5, 5.4], False, False),
        ([6, 5, 5, 4.5], True, False),
    ],
)
def test_objective_of_the_steps_as_they_were(following, falls, ends):
    shown = never_rises(trace(following))
    assert [part.holds for part in shown] == [falls, ends]
    assert never_rises(trace(following).drop(columns="following"))[0].missing
    other = trace([6, 5, 5, np.nan], parameters='{"mu": 1.0}')
    both = pd.concat([trace(following), other]).sort_values("stage", ascending=False)
    assert never_rises(both)[0].note.startswith(f"rises in {int(not falls)} of 2 fits")


def test_sampling():
    """1 - .95^59 = .9515 is the first power to pass .95: 58 draws are not enough."""
    assert [part.holds for part in sampling_finds_violated()] == [True, True]
    assert [part.holds for part in sampling_finds_violated(n_drawn=58)] == [False, False]
