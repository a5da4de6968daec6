import numpy as np
import pytest

from mimlpaper.datasets import THINGS, load, load_synthetic_africa, make_africa


@pytest.fixture(scope="module")
def africa():
    return load_synthetic_africa()


def test_the_same_seed_draws_the_same(africa):
    again, other = load("synthetic_africa"), load_synthetic_africa(random_state=1)
    assert np.array_equal(africa.X.instances, again.X.instances)
    assert np.array_equal(africa.y, again.y)
    assert africa.sha256 == again.sha256 != other.sha256


def test_a_bag_is_of_africa_if_one_of_its_instances_tells(africa):
    assert africa.kind == "synthetic" and africa.label_names == ("Africa",)
    assert np.array_equal(africa.X.max(africa.instance_labels[:, 0]), africa.y)
    assert africa.y.mean() == 0.5
    assert set(africa.X.sizes) == {2, 3, 4, 5}


def test_things_are_clouds_around_their_places():
    X, y, things = make_africa(2000, n_features=3)
    names = list(THINGS)
    for thing, (name, place) in enumerate(THINGS.items()):
        cloud = X.instances[things == thing]
        assert cloud[:, :2].mean(axis=0) == pytest.approx(place, abs=0.15)
        assert cloud[:, :2].std(axis=0) == pytest.approx([0.55] * 2, abs=0.05)
        assert cloud[:, 2].mean() == pytest.approx(0.0, abs=0.5)
        assert y[X.bag_of_instance[things == thing]].all() == (name in ("lion", "elephant"))
    assert set(things) == set(range(len(names)))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n_bags": 0}, "n_bags must be at least 1"), ({"n_features": 1}, "at least 2, got 1")],
)
def test_bad_parameters(options, message):
    with pytest.raises(ValueError, match=message):
        make_africa(**options)
