"""Verdicts on cells, rows and tables, each worked by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from mimlpaper.study import verdicts
from mimlpaper.study.compare import compare_with_paper
from mimlpaper.study.published import TABLES
from mimlpaper.study.records import records
from tests.made_up_records import as_in_the_paper

NAN = math.nan
TOLERATED = [
    # q = 2.0017 with 58 degrees of freedom; sqrt((.01² + .02²) / 30) = .0040825
    (1, "coverage", 1.0, 0.01, 0.02, 30, 0.00817 + 0.0005),
    # five runs of ours: q = 2.0345 with 33, sqrt(.01²/30 + .02²/5) = .0091287
    (1, "coverage", 1.0, 0.01, 0.02, 5, 0.01857 + 0.0005),
    # one run has no deviation: the printed one, sqrt(.01²/30 + .01²/1) = .010165, q = 2.0452
    (2, "coverage", 1.0, 0.01, NAN, 1, 0.02079 + 0.0005),
    # q = 2.1009 with 18; .62 sqrt(2 · .02² / 10) = .0055455
    (3, "one_error", 0.2, 0.02, 0.02, 10, 0.01165 + 0.0005),
    # 1.96 sqrt(.4 · .6 / 33000) = .0052857; the spread between sets does not count
    (4, "one_error", 0.4, 0.1, 0.1, 11, 0.00529 + 0.0005),
    (4, "one_error", 0.4, 9.9, 0.0, 11, 0.00529 + 0.0005),
    # 336/11 labels: 1.96 sqrt(4 (29.545 - 4) / 33000) = .10907
    (4, "coverage", 4.0, 1.0, 1.0, 11, 0.10907 + 0.0005),
    # a mean over pages and labels: 1.96 sqrt(.04 · .96 / (33000 · 30.545)) = .00038255
    (4, "hamming_loss", 0.04, 0.01, 0.01, 11, 0.00038 + 0.0005),
    # no printed deviation: 2.2622 sqrt(1 + 1/10) · .02
    (5, "accuracy", 0.85, NAN, 0.02, 10, 0.04745 + 0.0005),
    (5, "accuracy", 0.85, 0.02, 0.02, 10, 0.01879 + 0.0005),
]


def test_tolerances_by_hand():
    names = ["table", "criterion", "published_mean", "published_std", "std", "n", "expected"]
    cells = pd.DataFrame(TOLERATED, columns=names)
    assert verdicts.tolerance(cells).tolist() == pytest.approx([*cells["expected"]], abs=1e-5)


def test_two_runs_of_one_program_agree_nineteen_times_in_twenty():
    rng = np.random.default_rng(0)
    first, second = rng.normal(0.3, 0.02, (2, 4000, 30))
    cells = pd.DataFrame({
        "table": 1, "criterion": "one_error", "published_mean": 0.3, "n": 30,
        "published_std": first.std(axis=1, ddof=1), "std": second.std(axis=1, ddof=1),
    })  # fmt: skip
    within = abs(first.mean(axis=1) - second.mean(axis=1)) <= verdicts.tolerance(cells) - 0.0005
    assert within.mean() == pytest.approx(0.95, abs=0.01)


def test_partitions_move_a_mean_as_table_5_records():
    """The std over ten runs of ten folds, against that of ten independent folds."""
    trials = records("table5")
    trials = trials.assign(run=trials["split"] // 10)
    runs = trials.groupby(["method", "dataset", "run"])["accuracy"].agg(["mean", "var"])
    groups = runs.groupby(["method", "dataset"])
    between, if_independent = groups["mean"].var().sum(), groups["var"].mean().sum() / 10
    assert math.sqrt(between / if_independent) == pytest.approx(verdicts.PARTITION, abs=0.03)


def test_words():
    words = {
        ("hamming_loss", 0.21): "agrees",
        ("hamming_loss", 0.19): "agrees",
        ("hamming_loss", 0.2101): "differs_worse",
        ("hamming_loss", 0.1899): "differs_better",
        ("average_recall", 0.2101): "differs_better",
        ("average_recall", 0.1899): "differs_worse",
        ("average_recall", NAN): "missing",
    }
    cells = pd.DataFrame([*words], columns=["criterion", "mean"])
    cells = cells.assign(published_mean=0.2, kind="original", tolerance=0.0100001)
    assert verdicts.verdict(cells).tolist() == [*words.values()]


@pytest.fixture(scope="module")
def printed():
    """Tables 1 to 5 with records that give the printed values."""
    tables = [compare_with_paper(as_in_the_paper(number), number) for number in TABLES]
    return pd.concat(tables, ignore_index=True)


def test_the_printed_values_are_identified(printed):
    found = verdicts.agreement(printed)
    assert found["agrees"] == 236 and found["match_rate"] == 1.0
    assert (found["rows"], found["rows_identified"], found["columns"]) == (39, 39, 33)
    assert found["rows_by_chance"] == pytest.approx(5)
    assert found["tau"] == pytest.approx(1.0) and found["winner_agreement"] == 1.0
    assert 0.05 < found["false_match_rate"] < 0.35  # neighbours are close in print
    pairs = verdicts.deviations(printed[printed["table"] == 1])
    rates = [verdicts.match_rates(pairs, factor) for factor in (0.1, 1.0, 4.0, np.inf)]
    assert [own for own, _ in rates] == [1.0] * 4
    others = [other for _, other in rates]
    assert others == sorted({*others}) and others[-1] == 1.0 and len(pairs) == 53 + 350


def test_a_row_that_is_another_algorithm_is_told_apart(printed):
    """RankSvm with MimlSvm's numbers: its row is MimlSvm's, and the others keep their order."""
    cells = printed[printed["table"] == 1].set_index("criterion")
    own, other = (cells["algorithm"] == name for name in ("RankSvm", "MimlSvm"))
    cells.loc[own, "mean"] = cells.loc[other, "published_mean"]
    cells = cells.reset_index()
    rows = verdicts.row_verdicts(verdicts.deviations(cells)).set_index("algorithm")
    assert rows.loc["RankSvm", "nearest"] == "MimlSvm" and rows["identified"].sum() == 7
    assert verdicts.agreement(cells)["tau"] < 1


def test_kendalls_tau_and_winners_by_hand():
    """Three methods, hamming loss printed .1 .2 .3 and ours .2 .1 .3: one of three pairs turns."""
    cells = pd.DataFrame({
        "table": 1, "dataset": "scene", "criterion": "hamming_loss",
        "algorithm": ["MimlSvm", "MimlNn", "MlSvm"], "printed": "value", "kind": "original",
        "mean": [0.2, 0.1, 0.3], "std": 0.0, "n": 30, "published_mean": [0.1, 0.2, 0.3],
        "published_std": 0.0, "verdict": "agrees", "complete": True,
    })  # fmt: skip
    found = verdicts.agreement(cells)
    assert found["tau"] == pytest.approx(1 / 3)
    assert found["winner_agreement"] == 0.0 and found["rows_identified"] == 1
    for criterion, best in (("hamming_loss", 1), ("average_recall", 2)):
        won = verdicts.wins(cells.assign(criterion=criterion), "mean")
        assert np.flatnonzero(won).tolist() == [best]
