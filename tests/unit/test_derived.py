"""The derived sets of Section 5.5."""

import os
from dataclasses import replace

import numpy as np
import pytest

from mimlpaper.datasets import DATASETS, load, with_percentage
from mimlpaper.datasets.catalogue import DERIVED_FROM

real_data = pytest.mark.skipif(
    not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set"
)


def several(dataset):
    return dataset.Y.sum(axis=1) > 1


@pytest.mark.parametrize("name", ["synthetic_scene", "synthetic_texts"])
@pytest.mark.parametrize("percentage", [10, 50, 90])
def test_only_one_kind_of_example_is_removed(name, percentage):
    """What is left are examples of the set, in its order, with their own labels."""
    whole = load(name)
    derived = with_percentage(whole, percentage)
    assert abs(several(derived).mean() - percentage / 100) < 1 / len(derived)
    assert several(derived).sum() == several(whole).sum() or (
        (~several(derived)).sum() == (~several(whole)).sum()
    )
    places = places_in(whole, derived)
    assert np.array_equal(places, np.sort(places))
    assert np.array_equal(whole.Y[places], derived.Y)
    instances = np.isin(whole.X.bag_of_instance, places)
    assert np.array_equal(whole.instance_labels[instances], derived.instance_labels)


def places_in(whole, derived):
    """Row of each bag of ``derived`` in ``whole``, whose bags all differ."""
    rows = {bag.tobytes(): i for i, bag in enumerate(whole.X)}
    assert len(rows) == len(whole)
    return np.array([rows[bag.tobytes()] for bag in derived.X])


def test_higher_percentages_remove_more_of_the_same():
    whole = load("synthetic_texts")
    sets = [set(places_in(whole, with_percentage(whole, p))) for p in (60, 70, 80)]
    assert sets[0] > sets[1] > sets[2]


def test_same_name_same_set():
    first, second = load("synthetic_scene:30%"), load("synthetic_scene:30%")
    assert first.name == "synthetic_scene:30%"
    assert first.kind == "synthetic"
    assert np.array_equal(first.X.instances, second.X.instances)


def test_impossible_percentages():
    whole = load("synthetic_scene")
    with pytest.raises(ValueError, match="between 1 and 99, got 0"):
        with_percentage(whole, 0)
    singles = with_percentage(whole, 50)
    rows = ~several(singles)
    one_kind = replace(singles, X=singles.X[rows], Y=singles.Y[rows], instance_labels=None)
    with pytest.raises(ValueError, match=r"got 0 of \d+ with several"):
        with_percentage(one_kind, 50)


def test_names():
    assert set(DERIVED_FROM) < set(DATASETS)
    assert {"scene:10%", "reuters:50%"} < set(DERIVED_FROM)
    with pytest.raises(ValueError, match="no data set is named 'scene:15%'"):
        load("scene:15%")


@real_data
@pytest.mark.parametrize(
    ("name", "n_examples", "n_several"),
    [
        ("scene:10%", 1714, 171), ("scene:20%", 1929, 386), ("scene:30%", 1523, 457),
        ("scene:40%", 1143, 457), ("scene:50%", 914, 457),
        ("reuters:10%", 1890, 189), ("reuters:20%", 1495, 299), ("reuters:30%", 997, 299),
        ("reuters:40%", 747, 299), ("reuters:50%", 598, 299),
    ],
)  # fmt: skip
def test_sizes(name, n_examples, n_several):
    """457 of the 2,000 images and 299 of the 2,000 texts have several labels: for 10 and 20 %
    of the images, and for 10 % of the texts, some of these go; otherwise single ones."""
    dataset = load(name)
    assert (len(dataset), several(dataset).sum()) == (n_examples, n_several)
    assert dataset.kind == "re-derived"
