"""What is measured of a trial: by hand, and equal to what the fitted estimators say."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from mimlpaper import AdtBoostMH, Bags, ConcatenateInstances, NoisyOr, OneLabel, max_hausdorff
from mimlpaper.datasets import load, make_bags
from mimlpaper.datasets.dataset import Dataset
from mimlpaper.metrics import CRITERIA, evaluate
from mimlstudy.engine.trials import run_trial
from mimlstudy.paper import measures
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.costs import BASE, SIZES, scipy_hausdorff
from mimlstudy.paper.experiments import EXPERIMENTS, get_experiment
from mimlstudy.paper.measures import MICRO_AUC, POINTING, Ceiling, Chance

SCENES = load("synthetic_scene")
TRAIN, TEST = np.arange(150), np.arange(150, 200)
FEW = np.arange(60)


def test_criteria_and_stages_are_those_of_fits_with_so_many_rounds():
    def learner(n_rounds):
        return make_pipeline(ConcatenateInstances(), AdtBoostMH(n_rounds=n_rounds))

    X, Y = SCENES.X[TEST], SCENES.Y[TEST]
    rows = measures.criteria_by_stage(learner(4), SCENES, TRAIN, TEST)
    assert [row["stage"] for row in rows] == [1, 2, 3, 4]
    (last,) = measures.criteria(learner(4), SCENES, TRAIN, TEST)
    assert (last["chosen"], last["stage"]) == ("", 0)
    for n_rounds, row in zip((1, 2, 3, 4, 4), (*rows, last), strict=True):
        fitted = learner(n_rounds).fit(SCENES.X[TRAIN], SCENES.Y[TRAIN])
        expected = evaluate(Y, fitted.decision_function(X), fitted.predict(X))
        assert {name: row[name] for name in CRITERIA} == expected


def test_objectives_are_those_of_the_fit():
    learner = get_experiment("cccp").estimator("scene:30%", "D-MimlSvm")
    rows = pd.DataFrame(measures.objectives(learner, SCENES, FEW[:40], TEST))
    fitted, n = learner[-1], len(rows)
    assert rows["stage"].tolist() == list(range(1, n + 1))
    assert rows["objective"].tolist() == list(fitted.objective_)
    assert rows["n_iter"].tolist() == list(fitted.n_iter_[:n])
    following = rows["following"].dropna().tolist()
    assert following and following == list(fitted.raw_objective_[1 : len(following) + 1])
    assert set(rows["gap"]) == {fitted.duality_gap_}


def test_related_pairs_are_those_of_the_fit():
    """Ten pairs of five labels; what is not learned is empty."""
    experiment, Y, names = get_experiment("relatedness"), SCENES.Y[FEW], SCENES.label_names
    for change in experiment.parts[0].override_texts("scene", "D-MimlSvm"):
        learner = experiment.estimator("synthetic_scene", "D-MimlSvm", change)
        rows = measures.related_pairs(learner, SCENES, FEW, TEST)
        pairs, fitted = {(row["first"], row["second"]): row for row in rows}, learner[-1]
        assert len(rows) == len(pairs) == 10
        expected = {"first": names[1], "second": names[3], "sharing": np.nan}
        expected["cosine"] = fitted.label_relatedness_[1, 3]
        independent = Y[:, 1].sum() * Y[:, 3].sum() / len(Y)
        expected["together"] = (Y[:, 1] & Y[:, 3]).sum() / independent
        if change != "{}":
            expected["sharing"] = 1 / (4 * fitted.pair_penalties_[1, 3] + 2)
        assert pairs[names[1], names[3]] == pytest.approx(expected, nan_ok=True)


def made_up(X, Y):
    return Dataset("made up", X, tuple("abc")[: Y.shape[1]], "synthetic", "", "", "", Y=Y)


def test_characteristics_by_hand():
    """Two of four training documents have two labels, one of 200 test documents has label c."""
    Y = np.zeros((204, 3), dtype=bool)
    Y[:, 0] = Y[:2, 1] = Y[203, 2] = True
    train, test = np.split(np.arange(204), [4])
    (row,) = measures.characteristics(None, made_up(np.ones((204, 7)), Y), train, test)
    assert row == pytest.approx(
        {"categories": 3, "vocabulary": 7, "train_PMC": 50.0, "train_ANL": 1.5}
        | {"train_PRC": 100 / 3, "test_PMC": 0.5, "test_ANL": 1.005, "test_PRC": 200 / 3}
    )


def test_right_explanations_by_hand():
    """Two bags of two instances and two labels; nobody labelled the last instance.

    Instance 2 has label 1 but scores higher for label 0; in its bag, label 0 is at instance 2.
    Among all labels and among the bag's, 2 of 3 instances are right: bag 2 has label 0 alone. AUC
    of label 0: of the pairs (1, 2) and (3, 2) one is right; of label 1: both. Of three pairs of a
    bag and a label, label 0 of bag 1 points at instance 2. With all labels together, 7 of 9 pairs
    of instances are right. Of bags, label 1 of bag 2 is the one wrong score; it ties with one of
    three and is above the others. Equal scores give what chance gives, the truth gives 1.
    """
    bags = Bags.from_list([[[0.0], [0.0]], [[0.0], [0.0]]])
    Y = np.array([[True, True], [True, False]])
    truth = np.array([[True, False], [False, True], [True, False], [False, False]])
    scores = np.array([[0.5, 0.1], [0.7, 0.6], [0.9, 0.2], [9.0, 9.0]])
    for found, expected in (
        (scores, (2 / 3, 2 / 3, 3 / 4, 2 / 3, 1 / 6, 7 / 9)),
        (np.zeros((4, 2)), (1 / 2, 2 / 3, 1 / 2, 2 / 3, 1 / 2, 1 / 2)),
        (1.0 * truth, (1.0,) * 6),
    ):
        shares = measures.right_explanations(found, bags, Y, truth)
        names = (*POINTING, *MICRO_AUC)
        assert shares == pytest.approx(dict(zip(names, expected, strict=True)))


def test_calibration_reads_the_labels_of_bags_alone(rng):
    """Bags of one instance whose label has the odds e^(2s - 1), and a label that all have."""
    scores = rng.normal(size=(4000, 2))
    bags = Bags.from_list(list(scores[:, None]))
    labels = rng.random((4000, 2)) < expit(2 * scores - 1)
    labels[:, 1] = True
    test = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    assert measures.calibrated("none", scores, bags, labels, test) is test
    for kind, near in (("platt", 0.03), ("isotonic", 0.1)):
        found = measures.calibrated(kind, scores, bags, labels, test)
        assert found[:, 0] == pytest.approx(expit(2 * test[:, 0] - 1), abs=near)
        assert (found[:, 1] == 1).all()


@pytest.mark.filterwarnings("ignore")
def test_reasons_of_learners_lie_between_chance_and_the_ceiling():
    ceiling = Ceiling(OneVsRestClassifier(LogisticRegression(max_iter=1000)))
    learners = (Chance(), NoisyOr(rank=20, max_iter=50, random_state=0), ceiling)
    found = [measures.explanations(learner, SCENES, TRAIN, TEST) for learner in learners]
    calibrations = [[row["calibration"] for row in rows] for rows in found]
    assert calibrations == [["none"], ["none", "platt", "isotonic"], ["none"]]
    chance, noisy, best = (rows[0] for rows in found)
    assert chance["accuracy"] == pytest.approx(1 / 5, abs=0.01) and best["accuracy"] > 0.7
    assert all(chance[name] < min(noisy[name], best[name]) for name in POINTING)
    truth = SCENES.X.with_instances(SCENES.instance_labels)[TRAIN].instances.astype(bool)
    truth[:, 2] = False  # a label that is never taught is never named
    scores = ceiling.fit(SCENES.X[TRAIN], truth).instance_scores(SCENES.X[TEST])
    assert np.isfinite(scores).all() and not (scores.argmax(axis=1) == 2).any()


class Greedy(BaseEstimator):
    """Takes 64 MB for a while when it is fitted to more than a few examples."""

    n_fits = 0

    def fit(self, X, Y):
        if len(Y) > measures.N_WARM_UP:
            Greedy.n_fits += 1
            np.ones(2**23).sum()
        return self


def test_memory_is_that_of_the_fit_and_short_fits_are_repeated():
    np.ones(2**24).sum()  # does not count
    (row,) = measures.costs(Greedy(), load("drawn:100x2x4"), np.arange(100), FEW[:0])
    assert row["fit_megabytes"] == pytest.approx(64, abs=4) and Greedy.n_fits == 3
    assert (row["n_instances"], row["n_features"], row["n_labels"]) == (2, 16, 4)
    assert "predict_seconds" not in row and 0 < row["fit_seconds"] < 1


def test_costs_on_a_set_sorted_by_label():
    """The small fit before needs both classes as well; a learner of one label gets the first."""
    labels = np.column_stack([np.arange(80) < 60, np.arange(80) > 75])
    for data in made_up(make_bags(80, 3, 4)[0], labels), load("synthetic_africa"):
        (row,) = measures.costs(OneLabel(NoisyOr()), data, np.arange(70), np.arange(70, 80))
        assert row["fit_seconds"] > 0 and row["predict_seconds"] >= 0 and row["n_labels"] == 1
        assert "average_precision" not in row


def test_costs_grow_by_one_size_at_a_time_and_peers_compute_the_same():
    costs = EXPERIMENTS["costs"]
    ours = {t.dataset for t in costs.trials() if t.method == "MimlNn"}
    sizes = [BASE | {varied: size} for varied, several in SIZES.items() for size in several]
    assert {"drawn:{bags}x{instances}x{labels}".format(**one) for one in sizes} <= ours
    smoke = {trial.dataset for trial in costs.trials("smoke")}
    assert max(len(load(name)) for name in smoke) <= 240
    distances = scipy_hausdorff(SCENES.X[:6], SCENES.X[:4])
    np.testing.assert_allclose(distances, max_hausdorff(SCENES.X[:6], SCENES.X[:4]))


def test_each_experiment_records_what_its_measure_names():
    common = {"stage", "n_stages", "kind", "data_sha256", "n_train", "n_test", "seconds"}
    for name, method in (
        ("table1", "MimlNn"),
        ("figure9", "AdtBoost.MH"),
        ("explanations", "chance"),
        ("characteristics", "after term selection"),
        ("costs", "MimlNn"),
    ):
        one = EXPERIMENTS[name]
        trial = one.trials("smoke", [method])[0]
        splits = one.part_of(trial.dataset, method).splits
        estimator = one.estimator(trial.dataset, method)
        rows = run_trial(trial, estimator, splits, one.measure, CATALOGUE)
        assert set(rows[0]) <= common | {*one.measure.numbers, *one.measure.words, "warnings"}
        assert set(one.measure.words) <= set(rows[0])
