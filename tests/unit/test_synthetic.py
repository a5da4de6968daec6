"""Synthetic sets are the same for a seed, and their instances' labels make the bags' labels."""

from functools import partial

import numpy as np
import pytest

from mimlpaper.datasets import THINGS, TextBags, load, synthetic
from mimlpaper.datasets.fetch import SOURCES, is_present, source_of

NAMES = [name for name in SOURCES if name.startswith("synthetic")]


@pytest.fixture(scope="module")
def drawn():
    return {name: load(name) for name in NAMES}


def test_a_seed_draws_the_same_everywhere(drawn):
    """Records depend on these numbers: they may never change, but for rounding in BLAS."""
    assert drawn["synthetic_scene"].sha256[:12] == "b6e5272def8a"
    assert drawn["synthetic_texts"].sha256[:12] == "d8ebd6badea0"
    africa = drawn["synthetic_africa"]
    genes, pages = drawn["synthetic_genes"], drawn["synthetic_pages"]
    assert africa.X.instances.sum() == pytest.approx(-118.41606441238885)
    assert (genes.X.sum(), pages.X.sum()) == pytest.approx((-61.75791677799943, 965.4449139398947))
    totals = africa.instance_labels.sum(), genes.Y.sum(), pages.Y.sum()
    assert totals == (56, 400, 395)
    for name in NAMES:
        other = getattr(synthetic, f"load_{name}")(random_state=1)
        assert load(name).sha256 == drawn[name].sha256 != other.sha256


def test_labels_of_a_bag_are_those_of_its_instances(drawn):
    """The definition of multi-instance learning, label by label."""
    for name in ("synthetic_africa", "synthetic_scene", "synthetic_texts"):
        dataset = drawn[name]
        labels = dataset.labels.reshape(len(dataset), -1)
        np.testing.assert_array_equal(dataset.X.max(dataset.instance_labels), labels)
        assert labels.sum(axis=0).min() >= 20


def test_as_many_labels_as_in_the_originals(drawn):
    for name, share in (("synthetic_scene", 0.2285), ("synthetic_texts", 0.1495)):
        assert (drawn[name].Y.sum(axis=1) > 1).mean() == pytest.approx(share, abs=0.01)
    for name in ("synthetic_genes", "synthetic_pages"):
        assert drawn[name].Y.any(axis=1).all() and drawn[name].Y.any(axis=0).all()
        assert np.linalg.norm(drawn[name].X, axis=1) == pytest.approx(1.0)


def test_scenes_show_their_labels():
    images, Y, regions = synthetic.make_scenes(30, size=32, random_state=3)
    assert images.shape == (30, 32, 32, 3) and images.dtype == np.uint8
    for labels, region in zip(Y, regions, strict=True):
        assert set(np.unique(region)) - {-1} == set(np.flatnonzero(labels))


def test_texts_have_the_topic_of_each_word():
    texts, Y, topics = synthetic.make_texts(40, random_state=3)
    for text, labels, of_word in zip(texts, Y, topics, strict=True):
        assert len(text.split()) == len(of_word)
        assert set(of_word) == set(np.flatnonzero(labels))
    half = synthetic._labels_of_passages([np.repeat([1, 4, 6], [25, 15, 10])], TextBags())
    assert np.flatnonzero(half[0]).tolist() == [1]  # at least half of the passage


def test_things_are_clouds_around_their_places():
    X, y, things = synthetic.make_africa(2000, n_features=3)
    assert set(X.sizes) == {2, 3, 4, 5} and y.mean() == 0.5
    for thing, (name, place) in enumerate(THINGS.items()):
        cloud = X.instances[things == thing]
        assert cloud[:, :2].mean(axis=0) == pytest.approx(place, abs=0.15)
        assert cloud[:, :2].std(axis=0) == pytest.approx([0.55] * 2, abs=0.05)
        assert cloud[:, 2].mean() == pytest.approx(0.0, abs=0.5)
        assert y[X.bag_of_instance[things == thing]].all() == (name in ("lion", "elephant"))


def test_bags_of_any_size_are_drawn_by_name():
    drawn = load("drawn:40x3x8")
    X, Y = synthetic.make_bags(40, 3, 8)
    assert np.array_equal(drawn.X.instances, X.instances) and np.array_equal(drawn.Y, Y)
    source = source_of(drawn.name)
    assert is_present(drawn.name) and (source.n_labels, source.n_instances) == (8, 120)
    assert (source.n_examples, source.n_features) == (len(X), X.n_features)
    assert set(X.sizes) == {3} and set(Y.sum(axis=1)) == {2}


def test_bad_parameters():
    for make, sizes, message in (
        (partial(synthetic.make_scenes, size=30), (2,), "multiple of 8, got 30"),
        (synthetic.make_bags, (2, 2, 6), "multiple of 4, got 6"),
        (synthetic.make_bags, (2, 0, 4), "n_instances must be at least 1, got 0"),
        (synthetic.make_texts, (0,), "n_texts must be at least 1, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            make(*sizes)
