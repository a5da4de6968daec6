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
from tests.systems import on_linux

SCENES = load("synthetic_scene")
TRAIN, TEST = np.arange(150), np.arange(150, 200)
FEW = np.arange(60)


def boosted(n_rounds):
    return make_pipeline(ConcatenateInstances(), AdtBoostMH(n_rounds=n_rounds))


def evaluated_after(n_rounds):
    """The criteria of a fit with so many rounds, on the test part."""
    fitted = boosted(n_rounds).fit(SCENES.X[TRAIN], SCENES.Y[TRAIN])
    X = SCENES.X[TEST]
    scores = fitted.decision_function(X)
    return evaluate(SCENES.Y[TEST], scores, fitted.predict(X))


def criteria_of(row):
    return {name: row[name] for name in CRITERIA}


def test_the_criteria_of_a_stage_are_those_of_a_fit_with_so_many_rounds():
    rows = measures.criteria_by_stage(boosted(4), SCENES, TRAIN, TEST)
    assert [row["stage"] for row in rows] == [1, 2, 3, 4]
    for row in rows:
        assert criteria_of(row) == evaluated_after(row["stage"])


def test_the_criteria_of_a_trial_are_those_of_its_fit():
    (row,) = measures.criteria(boosted(4), SCENES, TRAIN, TEST)
    assert row["chosen"] == ""
    assert row["stage"] == 0
    assert criteria_of(row) == evaluated_after(4)


def test_objectives_are_those_of_the_fit():
    learner = get_experiment("cccp").estimator("scene:30%", "D-MimlSvm")
    train = FEW[:40]
    rows = pd.DataFrame(measures.objectives(learner, SCENES, train, TEST))
    fitted = learner[-1]
    n = len(rows)
    assert rows["stage"].tolist() == list(range(1, n + 1))
    assert rows["objective"].tolist() == list(fitted.objective_)
    assert rows["n_iter"].tolist() == list(fitted.n_iter_[:n])
    assert set(rows["gap"]) == {fitted.duality_gap_}
    # The last step has no following one.
    following = rows["following"].dropna().tolist()
    assert following
    n_following = len(following)
    assert following == list(fitted.raw_objective_[1 : n_following + 1])


def test_related_pairs_are_those_of_the_fit():
    """Ten pairs of five labels; what is not learned is empty."""
    experiment = get_experiment("relatedness")
    Y = SCENES.Y[FEW]
    names = SCENES.label_names
    n_together = (Y[:, 1] & Y[:, 3]).sum()
    n_if_independent = Y[:, 1].sum() * Y[:, 3].sum() / len(Y)
    for text in experiment.parts[0].override_texts("scene", "D-MimlSvm"):
        learner = experiment.estimator("synthetic_scene", "D-MimlSvm", text)
        rows = measures.related_pairs(learner, SCENES, FEW, TEST)
        assert len(rows) == 10
        by_pair = {(row["first"], row["second"]): row for row in rows}
        assert len(by_pair) == 10
        fitted = learner[-1]
        sharing = np.nan
        if text != "{}":
            sharing = 1 / (4 * fitted.pair_penalties_[1, 3] + 2)
        expected = {
            "first": names[1],
            "second": names[3],
            "cosine": fitted.label_relatedness_[1, 3],
            "together": n_together / n_if_independent,
            "sharing": sharing,
        }
        row = by_pair[names[1], names[3]]
        assert row == pytest.approx(expected, nan_ok=True)


def made_up(X, Y):
    label_names = tuple("abc")[: Y.shape[1]]
    return Dataset(
        "made up",
        X,
        label_names,
        "synthetic",
        "",
        "",
        "",
        Y=Y,
    )


def test_characteristics_by_hand():
    """Two of four training documents have two labels, one of 200 test documents has label c."""
    Y = np.zeros((204, 3), dtype=bool)
    Y[:, 0] = True
    Y[:2, 1] = True
    Y[203, 2] = True
    documents = made_up(np.ones((204, 7)), Y)
    train, test = np.split(np.arange(204), [4])
    (row,) = measures.characteristics(None, documents, train, test)
    expected = {
        "categories": 3,
        "vocabulary": 7,
        "train_PMC": 50.0,
        "train_ANL": 1.5,
        "train_PRC": 100 / 3,
        "test_PMC": 0.5,
        "test_ANL": 1.005,
        "test_PRC": 200 / 3,
    }
    assert row == pytest.approx(expected)


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
    right_in_part = np.array([[0.5, 0.1], [0.7, 0.6], [0.9, 0.2], [9.0, 9.0]])
    equal = np.zeros((4, 2))
    names = (*POINTING, *MICRO_AUC)
    for scores, expected in (
        (right_in_part, (2 / 3, 2 / 3, 3 / 4, 2 / 3, 1 / 6, 7 / 9)),
        (equal, (1 / 2, 2 / 3, 1 / 2, 2 / 3, 1 / 2, 1 / 2)),
        (truth.astype(float), (1.0, 1.0, 1.0, 1.0, 1.0, 1.0)),
    ):
        shares = measures.right_explanations(scores, bags, Y, truth)
        by_name = dict(zip(names, expected, strict=True))
        assert shares == pytest.approx(by_name)


def test_calibration_reads_the_labels_of_bags_alone(rng):
    """Bags of one instance whose label has the odds e^(2s - 1), and a label that all have."""
    scores = rng.normal(size=(4000, 2))
    bags = Bags.from_list(list(scores[:, None]))
    labels = rng.random((4000, 2)) < expit(2 * scores - 1)
    labels[:, 1] = True
    test = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    assert measures.calibrated("none", scores, bags, labels, test) is test
    odds = expit(2 * test[:, 0] - 1)
    for kind, near in (("platt", 0.03), ("isotonic", 0.1)):
        calibrated = measures.calibrated(
            kind,
            scores,
            bags,
            labels,
            test,
        )
        assert calibrated[:, 0] == pytest.approx(odds, abs=near)
        assert (calibrated[:, 1] == 1).all()


@pytest.fixture
def ceiling():
    """A learner that is taught the labels of instances."""
    return Ceiling(OneVsRestClassifier(LogisticRegression(max_iter=1000)))


@pytest.mark.filterwarnings("ignore")
def test_explanations_of_learners_lie_between_chance_and_the_ceiling(ceiling):
    noisy_or = NoisyOr(rank=20, max_iter=50, random_state=0)
    of_chance = measures.explanations(Chance(), SCENES, TRAIN, TEST)
    of_noisy_or = measures.explanations(noisy_or, SCENES, TRAIN, TEST)
    of_ceiling = measures.explanations(ceiling, SCENES, TRAIN, TEST)
    assert [row["calibration"] for row in of_chance] == ["none"]
    assert [row["calibration"] for row in of_noisy_or] == ["none", "platt", "isotonic"]
    assert [row["calibration"] for row in of_ceiling] == ["none"]
    # With five labels.
    assert of_chance[0]["accuracy"] == pytest.approx(1 / 5, abs=0.01)
    assert of_ceiling[0]["accuracy"] > 0.7
    for name in POINTING:
        assert of_chance[0][name] < of_noisy_or[0][name]
        assert of_chance[0][name] < of_ceiling[0][name]


@pytest.mark.filterwarnings("ignore")
def test_the_ceiling_never_names_a_label_that_it_was_not_taught(ceiling):
    taught = SCENES.X.with_instances(SCENES.instance_labels)[TRAIN].instances.astype(bool)
    taught[:, 2] = False
    ceiling.fit(SCENES.X[TRAIN], taught)
    scores = ceiling.instance_scores(SCENES.X[TEST])
    assert np.isfinite(scores).all()
    assert not (scores.argmax(axis=1) == 2).any()


class Greedy(BaseEstimator):
    """Takes 64 MB for a while when it is fitted to more than a few examples."""

    n_fits = 0

    def fit(self, X, Y):
        if len(Y) > measures.N_WARM_UP:
            Greedy.n_fits += 1
            np.ones(2**23).sum()
        return self


@on_linux
def test_memory_is_that_of_the_fit_and_short_fits_are_repeated():
    # What was taken before the fit does not count.
    np.ones(2**24).sum()
    data = load("drawn:100x2x4")
    (row,) = measures.costs(Greedy(), data, np.arange(100), FEW[:0])
    assert row["fit_megabytes"] == pytest.approx(64, abs=4)
    assert Greedy.n_fits == 3
    assert row["n_instances"] == 2
    assert row["n_features"] == 16
    assert row["n_labels"] == 4
    assert "predict_seconds" not in row
    assert 0 < row["fit_seconds"] < 1


def sorted_by_label():
    labels = np.column_stack([np.arange(80) < 60, np.arange(80) > 75])
    X, _ = make_bags(80, 3, 4)
    return made_up(X, labels)


def africa():
    return load("synthetic_africa")


@pytest.mark.parametrize("make_data", [sorted_by_label, africa])
def test_costs_on_a_set_sorted_by_label(make_data):
    """The small fit before needs both classes as well; a learner of one label gets the first."""
    train = np.arange(70)
    test = np.arange(70, 80)
    (row,) = measures.costs(
        OneLabel(NoisyOr()),
        make_data(),
        train,
        test,
    )
    assert row["fit_seconds"] > 0
    assert row["predict_seconds"] >= 0
    assert row["n_labels"] == 1
    assert "average_precision" not in row


def test_costs_grow_by_one_size_at_a_time():
    costs = EXPERIMENTS["costs"]
    measured = {trial.dataset for trial in costs.trials() if trial.method == "MimlNn"}
    for varied, sizes in SIZES.items():
        for size in sizes:
            shape = BASE | {varied: size}
            assert "drawn:{bags}x{instances}x{labels}".format(**shape) in measured


def test_costs_of_the_smoke_profile_are_those_of_small_sets():
    trials = EXPERIMENTS["costs"].trials("smoke")
    names = {trial.dataset for trial in trials}
    assert max(len(load(name)) for name in names) <= 240


def test_the_distances_of_peers_are_ours():
    six = SCENES.X[:6]
    four = SCENES.X[:4]
    np.testing.assert_allclose(scipy_hausdorff(six, four), max_hausdorff(six, four))


IN_EACH_ROW = {
    "stage",
    "n_stages",
    "kind",
    "data_sha256",
    "n_train",
    "n_test",
    "seconds",
    "warnings",
}


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("table1", "MimlNn"),
        ("figure9", "AdtBoost.MH"),
        ("explanations", "chance"),
        ("characteristics", "after term selection"),
        ("costs", "MimlNn"),
        ("degenerate", "MlSvm"),
        ("kernel_ranks", "MimlSvm_mi"),
    ],
)
def test_each_experiment_records_what_its_measure_names(name, method):
    experiment = EXPERIMENTS[name]
    measure = experiment.measure
    trial = experiment.trials("smoke", [method])[0]
    splits = experiment.part_of(trial.dataset, method).splits
    estimator = experiment.estimator(trial.dataset, method, trial.override)
    rows = run_trial(trial, estimator, splits, measure, CATALOGUE)
    recorded = set(rows[0])
    assert recorded <= IN_EACH_ROW | {*measure.numbers, *measure.words}
    assert set(measure.words) <= recorded
    assert {*measure.numbers} - {*measure.may_lack} <= recorded
