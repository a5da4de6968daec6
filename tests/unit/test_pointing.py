"""Reasons against truth: shares by hand, calibration from bags, resumed records."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from mimlpaper import paths
from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.bags import Bags
from mimlpaper.baselines.guess import Guess
from mimlpaper.study import pointing as module
from mimlpaper.study.pointing import (
    CEILING,
    CHANCE,
    MEASURES,
    POINTING,
    POINTING_TEXTS,
    Ceiling,
    calibrated,
    measure_reasons,
    pointing,
    recorded_pointing,
)

# Two bags of two instances and two labels; nobody labelled the last instance.
TWO = Bags.from_list([[[0.0], [0.0]], [[0.0], [0.0]]])
Y = np.array([[True, True], [True, False]])
TRUTH = np.array([[True, False], [False, True], [True, False], [False, False]])


def test_shares_by_hand():
    """Instance 2 has label 1 but scores higher for label 0; in its bag, label 0 is at instance 2.

    Among all labels and among the bag's, 2 of 3 instances are right: bag 2 has label 0 alone. AUC
    of label 0: of the pairs (1, 2) and (3, 2) one is right; of label 1: both. Of three pairs of a
    bag and a label, label 0 of bag 1 points at instance 2. With all labels together, 7 of 9 pairs
    of instances are right. Of bags, label 1 of bag 2 is the one wrong score; it ties with one of
    three and is above the others.
    """
    scores = np.array([[0.5, 0.1], [0.7, 0.6], [0.9, 0.2], [9.0, 9.0]])
    assert measure_reasons(scores, TWO, Y, TRUTH) == pytest.approx(
        {"accuracy": 2 / 3, "accuracy_known": 2 / 3, "auc": 3 / 4, "pointing": 2 / 3}
        | {"micro_auc_bags": 1 / 6, "micro_auc_instances": 7 / 9}
    )


def test_equal_scores_give_what_chance_gives():
    found = measure_reasons(np.zeros((4, 2)), TWO, Y, TRUTH)
    assert found == pytest.approx(
        {"accuracy": 1 / 2, "accuracy_known": 2 / 3, "auc": 1 / 2, "pointing": 2 / 3}
        | {"micro_auc_bags": 1 / 2, "micro_auc_instances": 1 / 2}
    )


def test_the_truth_scores_one():
    assert set(measure_reasons(1.0 * TRUTH, TWO, Y, TRUTH).values()) == {1.0}


def test_the_ceiling_never_names_a_label_that_it_was_not_taught(rng):
    bags = Bags.from_list([[[x], [-x]] for x in rng.uniform(1, 2, 30)])
    truth = np.column_stack([bags.instances > 0, bags.instances < 0, np.zeros(60)]).astype(bool)
    scores = (
        Ceiling(OneVsRestClassifier(LogisticRegression())).fit(bags, truth).instance_scores(bags)
    )
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


@pytest.fixture
def few(monkeypatch):
    """Three methods on one split of drawn scenes."""
    methods = {name: POINTING.configurations[name] for name in (CHANCE, "NoisyOr", CEILING)}
    methods["NoisyOr"] = NoisyOr(rank=20)
    experiment = replace(POINTING, configurations=methods)
    monkeypatch.setattr(module, "BOTH", (experiment,))
    return experiment


def test_shares_are_recorded_and_a_stale_one_runs_again(few, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    found = pointing("smoke", jobs=1)
    assert found["method"].tolist() == [CHANCE, *3 * ["NoisyOr"], CEILING]
    assert set(found["state"]) == {"fresh"}
    shares = found.set_index(["method", "calibration"])[[*MEASURES]]
    assert shares.loc[CHANCE, "none"]["accuracy"] == pytest.approx(1 / 5)
    assert (shares.loc[CEILING, "none"] > shares.loc[CHANCE, "none"]).all()
    assert shares.loc[CEILING, "none"]["accuracy"] > 0.7
    assert (shares.loc["NoisyOr", "none"] > shares.loc[CHANCE, "none"]).all()

    changed = {**few.configurations, "NoisyOr": NoisyOr(rank=21)}
    monkeypatch.setattr(module, "BOTH", (replace(few, configurations=changed),))
    states = recorded_pointing("smoke").groupby("method")["state"].first()
    assert states.to_dict() == {CHANCE: "fresh", CEILING: "fresh", "NoisyOr": "stale"}
    ran = []
    monkeypatch.setattr(module, "_run", lambda _, trial, *others: ran.append(trial) or ([], {"W"}))
    pointing("smoke", jobs=1)
    assert capsys.readouterr().out.endswith("pointing: 1 of 1 fits gave a W\n")
    assert [trial.method for trial in ran] == ["NoisyOr"]


def test_every_method_that_explains_is_measured():
    assert not {"Ml-knn", "Set kernel"} & set(POINTING.methods)
    assert POINTING.methods == POINTING_TEXTS.methods
    assert {"MimlBoost", "MimlSvm", "MimlSvm_mi", "MimlNn", "D-MimlSvm", "Guess"} < set(
        POINTING.methods
    )
    assert isinstance(POINTING.configurations["Guess"][-1], Guess)
