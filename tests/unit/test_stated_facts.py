"""Facts that the paper states beside its results, measured of small data."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import DMimlSvm, OnInstances
from mimlpaper.datasets import load
from mimlstudy.paper.stated_facts import FACT_COLUMNS, binding_constraints, data_facts


def facts_of(name):
    (row,) = data_facts(None, load(name), None, None)
    return row


def test_facts_of_bags_are_counted():
    scenes, row = load("synthetic_scene"), facts_of("synthetic_scene")
    n_labels_of_bag = scenes.Y.sum(axis=1)
    assert set(row) == {*FACT_COLUMNS}
    assert row["n_examples"] == 200
    assert row["n_instances"] == 1800
    assert row["n_features"] == 15
    assert row["least_size"] == row["largest_size"] == 9
    assert row["multi_label"] == pytest.approx(100 * np.mean(n_labels_of_bag > 1))
    assert row["mean_labels"] == pytest.approx(n_labels_of_bag.mean())


def test_a_vector_is_one_instance():
    row = facts_of("synthetic_genes")
    assert row["n_features"] == 20
    assert row["n_instances"] == row["n_examples"]
    assert row["largest_size"] == 1


def test_one_label_has_positive_and_negative_bags():
    africa, row = load("synthetic_africa"), facts_of("synthetic_africa")
    assert row["n_labels"] == 1
    assert row["n_positive"] == np.count_nonzero(africa.labels)
    assert row["n_positive"] + row["n_negative"] == 80


@pytest.fixture(scope="module")
def counts():
    scenes = load("synthetic_scene")
    estimator = make_pipeline(OnInstances(MinMaxScaler()), DMimlSvm(random_state=0))
    (row,) = binding_constraints(
        estimator,
        scenes,
        np.arange(40),
        None,
    )
    return row


def test_there_are_three_constraints_of_a_label_and_bag_and_one_of_each_instance(counts):
    assert counts["n_constraints"] == 5 * (3 * 40 + 9 * 40)


def test_of_each_label_and_bag_a_slack_and_a_difference_bind(counts):
    """ξ and δ are the least that the constraints allow: one of each holds with equality."""
    assert 2 * 5 * 40 <= counts["n_binding"] < counts["n_constraints"]
