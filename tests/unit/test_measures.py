"""What is measured of a trial: by hand, and equal to what the fitted estimators say."""

import json
import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.bags import Bags
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.chfd import ChFd
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.datasets import load, make_bags
from mimlpaper.datasets.dataset import Dataset
from mimlpaper.distances import max_hausdorff
from mimlpaper.metrics import CRITERIA, evaluate
from mimlpaper.preprocessing import ConcatenateInstances, SumInstances
from mimlpaper.study import measures as module
from mimlpaper.study.costs import BASE, COSTS_EXPERIMENT, LARGE, LARGE_BAGS, SIZES, scipy_hausdorff
from mimlpaper.study.holdouts import HoldOut
from mimlpaper.study.measures import (
    CALIBRATIONS,
    COSTS,
    MICRO_AUC,
    POINTING,
    REASONS,
    Ceiling,
    Chance,
    calibrated,
    characteristics,
    costs,
    criteria,
    criteria_by_stage,
    objectives,
    reasons,
    related_pairs,
    shares_of_right_reasons,
    spent,
)
from mimlpaper.study.records import Store
from mimlpaper.study.registry import EXPERIMENTS, get_experiment
from mimlpaper.study.runner import compute
from mimlpaper.study.trials import load_data, run_trial

SCENES = load("synthetic_scene")
TRAIN, TEST = np.arange(150), np.arange(150, 200)


def test_criteria_are_those_of_scores_and_labels_on_the_test_set():
    learner = make_pipeline(SumInstances(), MlKnn())
    (row,) = criteria(learner, SCENES, TRAIN, TEST)
    again = make_pipeline(SumInstances(), MlKnn()).fit(SCENES.X[TRAIN], SCENES.Y[TRAIN])
    X, Y = SCENES.X[TEST], SCENES.Y[TEST]
    expected = evaluate(Y, again.decision_function(X), again.predict(X))
    assert {name: row[name] for name in CRITERIA} == expected
    assert (row["chosen"], row["stage"]) == ("", 0)
    assert row["fit_seconds"] >= 0 and row["predict_seconds"] >= 0


def test_stages_are_fits_with_so_many_rounds():
    """Also of a hold-out, which says what it chose."""

    def learner(n_rounds):
        return make_pipeline(ConcatenateInstances(), AdtBoostMH(n_rounds=n_rounds))

    rows = criteria_by_stage(learner(4), SCENES, TRAIN, TEST)
    assert [row["stage"] for row in rows] == [1, 2, 3, 4]
    for n_rounds, row in enumerate(rows, start=1):
        (alone,) = criteria(learner(n_rounds), SCENES, TRAIN, TEST)
        assert {n: row[n] for n in CRITERIA} == {n: alone[n] for n in CRITERIA}
    search = HoldOut(learner(2), {"adtboostmh__n_rounds": [1, 3]}, random_state=0)
    found = criteria_by_stage(search, SCENES, TRAIN, TEST)
    chosen = json.loads(found[0]["chosen"])
    assert chosen == search.best_params_ and len(found) == chosen["adtboostmh__n_rounds"]


def test_objectives_are_those_of_the_fit():
    cccp = get_experiment("cccp")
    scenes = cccp.estimator("scene:30%", "D-MimlSvm")
    few = np.arange(40)
    rows = objectives(scenes, SCENES, few, TEST)
    fitted = scenes[-1]
    assert [row["objective"] for row in rows] == list(fitted.objective_)
    assert [row["stage"] for row in rows] == list(range(1, len(rows) + 1))
    following = [row["following"] for row in rows]
    assert following[: len(fitted.raw_objective_) - 1] == list(
        fitted.raw_objective_[1 : len(rows) + 1]
    )
    assert {row["gap"] for row in rows} == {fitted.duality_gap_}
    assert [row["n_iter"] for row in rows] == list(fitted.n_iter_[: len(rows)])


def test_related_pairs_are_those_of_the_fit():
    """Ten pairs of five labels; what is not learned is empty."""
    experiment, few = get_experiment("relatedness"), np.arange(60)
    for change in experiment.parts[0].changes("scene", "D-MimlSvm"):
        learner = experiment.estimator("synthetic_scene", "D-MimlSvm", change)
        rows = related_pairs(learner, SCENES, few, TEST)
        pairs = {(row["first"], row["second"]): row for row in rows}
        assert len(rows) == len(pairs) == 10
        Y, names = SCENES.Y[few], SCENES.label_names
        row = pairs[names[1], names[3]]
        assert row["cosine"] == pytest.approx(learner[-1].label_relatedness_[1, 3])
        expected = Y[:, 1].sum() * Y[:, 3].sum() / len(Y)
        assert row["together"] == pytest.approx((Y[:, 1] & Y[:, 3]).sum() / expected)
        sharing = [row["sharing"] for row in rows]
        if change == "{}":
            assert np.isnan(sharing).all()
        else:
            penalty = learner[-1].pair_penalties_[1, 3]
            assert row["sharing"] == pytest.approx(1 / (4 * penalty + 2)) and np.ptp(sharing) > 0


def test_characteristics_by_hand():
    """Two of four training documents have two labels, one label is on one in 200 test documents."""
    Y = np.zeros((204, 3), dtype=bool)
    Y[:, 0] = True
    Y[:2, 1] = Y[203, 2] = True
    X = np.ones((204, 7))
    data = Dataset("web", X, ("a", "b", "c"), "synthetic", "", "", "", Y=Y)
    (row,) = characteristics(None, data, np.arange(4), np.arange(4, 204))
    assert row == pytest.approx(
        {"categories": 3, "vocabulary": 7, "train_PMC": 50.0, "train_ANL": 1.5}
        | {"train_PRC": 100 / 3, "test_PMC": 0.5, "test_ANL": 1.005, "test_PRC": 200 / 3}
    )


# Two bags of two instances and two labels; nobody labelled the last instance.
TWO = Bags.from_list([[[0.0], [0.0]], [[0.0], [0.0]]])
Y = np.array([[True, True], [True, False]])
TRUTH = np.array([[True, False], [False, True], [True, False], [False, False]])


def test_shares_of_right_reasons_by_hand():
    """Instance 2 has label 1 but scores higher for label 0; in its bag, label 0 is at instance 2.

    Among all labels and among the bag's, 2 of 3 instances are right: bag 2 has label 0 alone. AUC
    of label 0: of the pairs (1, 2) and (3, 2) one is right; of label 1: both. Of three pairs of a
    bag and a label, label 0 of bag 1 points at instance 2. With all labels together, 7 of 9 pairs
    of instances are right. Of bags, label 1 of bag 2 is the one wrong score; it ties with one of
    three and is above the others. Equal scores give what chance gives, the truth gives 1.
    """
    scores = np.array([[0.5, 0.1], [0.7, 0.6], [0.9, 0.2], [9.0, 9.0]])
    for found, expected in (
        (scores, (2 / 3, 2 / 3, 3 / 4, 2 / 3, 1 / 6, 7 / 9)),
        (np.zeros((4, 2)), (1 / 2, 2 / 3, 1 / 2, 2 / 3, 1 / 2, 1 / 2)),
        (1.0 * TRUTH, (1.0,) * 6),
    ):
        shares = shares_of_right_reasons(found, TWO, Y, TRUTH)
        names = (*POINTING, *MICRO_AUC)
        assert shares == pytest.approx(dict(zip(names, expected, strict=True)))


def test_the_ceiling_never_names_a_label_that_it_was_not_taught(rng):
    bags = Bags.from_list([[[x], [-x]] for x in rng.uniform(1, 2, 30)])
    truth = np.column_stack([bags.instances > 0, bags.instances < 0, np.zeros(60)]).astype(bool)
    taught = Ceiling(OneVsRestClassifier(LogisticRegression())).fit(bags, truth)
    scores = taught.instance_scores(bags)
    assert (scores.argmax(axis=1) == truth.argmax(axis=1)).all() and np.isfinite(scores).all()


def test_calibration_reads_the_labels_of_bags_alone(rng):
    """Bags of one instance whose label has the odds e^(2s - 1), and a label that all have."""
    scores = rng.normal(size=(4000, 2))
    bags = Bags.from_list(list(scores[:, None]))
    labels = rng.random((4000, 2)) < expit(2 * scores - 1)
    labels[:, 1] = True
    test = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    assert calibrated("none", scores, bags, labels, test) is test
    for kind, near in (("platt", 0.03), ("isotonic", 0.1)):
        found = calibrated(kind, scores, bags, labels, test)
        assert found[:, 0] == pytest.approx(expit(2 * test[:, 0] - 1), abs=near)
        assert (found[:, 1] == 1).all()


def test_reasons_of_learners_lie_between_chance_and_the_ceiling():
    ceiling = Ceiling(OneVsRestClassifier(LogisticRegression(max_iter=1000)))
    learners = (Chance(), NoisyOr(rank=20, max_iter=50, random_state=0), ceiling)
    found = [reasons(learner, SCENES, TRAIN, TEST) for learner in learners]
    assert [[row["calibration"] for row in rows] for rows in found] == [
        ["none"], list(CALIBRATIONS), ["none"]
    ]  # fmt: skip
    chance, noisy, best = ({name: rows[0][name] for name in POINTING} for rows in found)
    assert chance["accuracy"] == pytest.approx(1 / 5, abs=0.01) and best["accuracy"] > 0.7
    assert all(chance[name] < min(noisy[name], best[name]) for name in POINTING)
    explained = set(get_experiment("reasons").methods)
    assert {"MimlBoost", "MimlSvm", "MimlSvm_mi", "MimlNn", "D-MimlSvm", "Guess"} < explained
    assert not {"Ml-knn", "Set kernel"} & explained


class Greedy(BaseEstimator):
    """Takes 64 MB for a while when it is fitted to more than a few examples."""

    n_fits = 0

    def fit(self, X, Y):
        if len(Y) > module.N_WARM_UP:
            Greedy.n_fits += 1
            np.ones(2**23).sum()
            warnings.warn("greedy", RuntimeWarning, stacklevel=2)
        return self


def test_memory_is_that_of_the_fit_and_short_fits_are_repeated():
    data = load_data("drawn:100x2x4")
    np.ones(2**24).sum()  # does not count
    with pytest.warns(RuntimeWarning, match="greedy"):
        (row,) = costs(Greedy(), data, np.arange(100), np.arange(0))
    assert row["fit_megabytes"] == pytest.approx(64, abs=4) and Greedy.n_fits == 3
    assert (row["n_instances"], row["n_features"], row["n_labels"]) == (2, 16, 4)
    assert "predict_seconds" not in row and 0 < row["fit_seconds"] < 1
    assert spent(lambda: np.ones(2**22).sum())[2] == pytest.approx(32, abs=4)


def test_a_set_sorted_by_label_is_measured():
    """The small fit before needs both classes as well; a learner of one label gets the first."""
    X, _ = make_bags(100, 3, 4)
    names = ("a", "b")
    labels = np.column_stack([np.arange(100) < 80, np.arange(100) > 50])
    data = Dataset("sorted", X, names, "synthetic", "", "", "", Y=labels)
    (row,) = costs(ChFd(), data, np.arange(90), np.arange(90, 100))
    assert row["fit_seconds"] > 0 and row["n_labels"] == 1
    assert row["predict_seconds"] >= 0 and "average_precision" not in row


def test_costs_are_of_every_size_and_every_method():
    trials = COSTS_EXPERIMENT.trials()
    assert {t.dataset for t in trials} >= {f"drawn:{n}x8x8" for n in (*SIZES["bags"], *LARGE_BAGS)}
    for varied, several in SIZES.items():
        for size in several:
            name = "drawn:{bags}x{instances}x{labels}".format(**BASE | {varied: size})
            assert "MimlNn" in {t.method for t in trials if t.dataset == name}
    assert len([t for t in trials if t.method in LARGE]) == len(LARGE) * len(LARGE_BAGS)
    smoke = {trial.dataset for trial in COSTS_EXPERIMENT.trials("smoke")}
    assert {len(load_data(name)) for name in smoke} <= {80, 200, 240}
    assert COSTS.alone and not COSTS.repeatable
    np.testing.assert_allclose(
        scipy_hausdorff(SCENES.X[:6], SCENES.X[:4]), max_hausdorff(SCENES.X[:6], SCENES.X[:4])
    )


def test_each_experiment_records_what_its_measure_names():
    """One smoke trial of each measure: its columns and no others."""
    common = {
        "stage",
        "n_stages",
        "kind",
        "data_sha256",
        "n_train",
        "n_test",
        "seconds",
        "warnings",
    }
    for name, method in (
        ("table1", "MimlNn"), ("figure9", "AdtBoost.MH"), ("characteristics", "after term selection"),
        ("reasons", "chance"), ("costs", "MimlNn"),
    ):  # fmt: skip
        one = EXPERIMENTS[name]
        trial = one.trials("smoke", [method])[0]
        splits = one.part_of(trial.dataset, method).splits
        rows = run_trial(trial, one.estimator(trial.dataset, method), splits, one.measure)
        assert set(rows[0]) <= common | {*one.measure.numbers, *one.measure.words}
        assert set(one.measure.words) <= set(rows[0])
    assert len({one.measure for one in EXPERIMENTS.values()}) == 7
    assert REASONS.words == ("calibration",)


def test_methods_on_unseen_data_run_on_drawn_data(tmp_path):
    fast = ["MimlNn", "MlSvm", "Ml-knn", "Guess", "Set kernel", "Max pooling", "NoisyOr"]
    table = compute("unseen", profile="smoke", methods=fast, jobs=1, store=Store(tmp_path))
    for _, own in table.groupby("dataset"):
        assert own["method"].tolist() == fast
        assert own.set_index("method")["average_precision"].idxmin() == "Guess"
