"""Plots of explanations show the scores that they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle
from PIL import Image, UnidentifiedImageError

from mimlpaper import MimlNn, plots
from mimlpaper.bags import Bags
from mimlpaper.datasets import ImageBags, load_synthetic_scene, scene_mosaic
from mimlpaper.plots import INK, RIGHT, WRONG
from mimlstudy.report.sections import play


class FixedScores:
    """Given scores of nine instances and of their bag."""

    def __init__(self, of_instances, of_bag):
        self.of_instances = of_instances
        self.of_bag = np.array([of_bag])

    def instance_scores(self, bags):
        return self.of_instances

    def decision_function(self, bags):
        return self.of_bag

    def predict(self, bags):
        return self.of_bag > 0


class RedAndBlue:
    """Scores of the labels red and blue by these colours."""

    def instance_scores(self, bags):
        return bags.instances[:, [0, 2]]

    def decision_function(self, bags):
        return bags.max(self.instance_scores(bags))

    def predict(self, bags):
        return self.decision_function(bags) > 0


@pytest.fixture
def bag(rng):
    image = rng.integers(0, 256, (40, 48, 3), dtype=np.uint8)
    return ImageBags().transform([image])[0]


def axes_of(bag, of_instances, of_bag, names, **options):
    """The mosaic's axes, and those of each label."""
    figure = plots.explained_images(
        FixedScores(of_instances, of_bag),
        Bags.from_list([bag]),
        names,
        n_shown=len(names),
        **options,
    )
    return figure.axes


def colours_of(ax):
    """The colours of a picture without its opacity."""
    return np.asarray(ax.images[0].get_array())[..., :3]


def discs(ax):
    return [patch for patch in ax.patches if isinstance(patch, Circle)]


def face_colours(patches):
    return {patch.get_facecolor() for patch in patches}


def test_mosaic_has_the_colours_of_the_blobs_and_empty_corners(bag):
    _, ax = plt.subplots()
    plots.draw_mosaic(ax, bag)
    shown = np.asarray(ax.images[0].get_array())
    assert shown.shape == (7, 7, 4)

    mosaic = scene_mosaic(bag)
    is_blob = np.isfinite(mosaic[..., 0])
    # Of 49 places, the four corners of four blobs each are empty.
    assert is_blob.sum() == 33
    opacity = shown[..., 3]
    assert np.array_equal(opacity == 1, is_blob)
    colours = shown[..., :3]
    assert colours[is_blob] == pytest.approx(mosaic[is_blob] / 255)
    # Instance 3 is centred at row 2 + 1, column 2 + 0.
    assert colours[3, 2] == pytest.approx(bag[3, :3] / 255)


@pytest.fixture
def rising_and_peaked():
    """For the sea scores 0 to 8; for trees all negative, and highest at instance 1."""
    sea = np.arange(9.0)
    trees = np.full(9, -2.0)
    trees[1] = -1.0
    return np.column_stack([sea, trees])


def test_labels_are_shown_from_the_highest_with_their_scores(bag, rising_and_peaked):
    mosaic, trees, sea = axes_of(
        bag,
        rising_and_peaked,
        [-0.5, 1.25],
        ("sea", "trees"),
    )
    assert mosaic.get_title() == ""
    assert trees.get_title() == "trees\n+1.25"
    assert sea.get_title() == "sea\n−0.50"


def test_discs_and_frame_show_the_scores(bag, rising_and_peaked):
    mosaic, trees, sea = axes_of(
        bag,
        rising_and_peaked,
        [-0.5, 1.25],
        ("sea", "trees"),
    )
    # The last patch frames the highest instance.
    assert trees.patches[-1].get_xy() == (2.5, 1.5)
    assert sea.patches[-1].get_xy() == (3.5, 3.5)

    assert not discs(mosaic)
    of_sea = [disc.radius**2 for disc in discs(sea)]
    of_trees = [disc.radius**2 for disc in discs(trees)]
    areas = np.column_stack([of_sea, of_trees])
    expected = abs(rising_and_peaked) / 8
    assert areas / areas.max() == pytest.approx(expected)

    # Dark discs speak against a label, white ones for it.
    assert face_colours(discs(trees)) == {to_rgba(INK)}
    assert face_colours(discs(sea)[1:]) == {to_rgba("white")}
    centres = [disc.center for disc in discs(sea)]
    assert centres[:4] == [(2, 2), (3, 2), (4, 2), (2, 3)]


def test_wrong_and_missed_labels_and_wrong_reasons_are_marked(bag):
    scores = np.tile(np.arange(9.0)[:, None], 3)
    # The highest instance shows the sea and the sun, not the sky.
    regions = np.zeros((9, 3), bool)
    regions[8, :2] = True
    mosaic, sea, sun, sky, *_ = axes_of(
        bag,
        scores,
        [2.0, 0.5, -1.0],
        ("sea", "sun", "sky"),
        regions=regions,
        true=np.array([[True, False, True]]),
    )
    assert mosaic.get_title() == "sea\nsky"
    assert sea.get_title() == "sea\n+2.00, right"
    assert sea.title.get_color() == INK
    assert sun.get_title() == "sun\n+0.50, wrong"
    assert sun.title.get_color() == WRONG
    assert sky.get_title() == "sky\n−1.00, missed"
    assert sky.title.get_color() == WRONG

    assert sea.patches[-1].get_edgecolor() == to_rgba(RIGHT)
    assert sun.patches[-1].get_edgecolor() == to_rgba(RIGHT)
    assert sky.patches[-1].get_edgecolor() == to_rgba(WRONG)


def test_a_bag_without_labels_says_so(bag):
    no_scores = np.zeros((9, 1))
    mosaic, sea = axes_of(
        bag,
        no_scores,
        [-1.0],
        ("sea",),
        true=np.array([[False]]),
    )
    assert mosaic.get_title() == "no label"
    assert sea.get_title() == "sea\n−1.00"
    assert {disc.radius for disc in discs(sea)} == {0.0}


def test_a_picture_of_another_format_is_refused_whatever_its_name(tmp_path):
    """Pillow would start Ghostscript for PostScript."""
    path = tmp_path / "picture.png"
    Image.new("RGB", (8, 8)).save(path, format="EPS")
    _, ax = plt.subplots()
    with pytest.raises(UnidentifiedImageError):
        plots._draw_picture(ax, path)
    with pytest.raises(UnidentifiedImageError):
        play.scenes_to_choose([path], ["picture"])


def test_own_images_beside_their_reasons(rng, tmp_path):
    """From a path, an array and a Pillow image; each row has its picture and both labels."""
    arrays = rng.integers(0, 256, (3, 16, 24, 3), dtype=np.uint8)
    path = tmp_path / "image.png"
    Image.fromarray(arrays[0]).save(path)
    images = [path, arrays[1], Image.fromarray(arrays[2])]
    scorer = RedAndBlue()
    figure = plots.explained_images(scorer, images, ("red", "blue"))

    rows = np.reshape(figure.axes, (3, 4))
    bags = ImageBags().transform(list(arrays))
    scores = scorer.decision_function(bags)
    for (picture, _, top, _), array, (red, blue) in zip(rows, arrays, scores, strict=True):
        assert np.array_equal(colours_of(picture), array)
        expected = f"red\n+{red:.2f}" if red > blue else f"blue\n+{blue:.2f}"
        assert top.get_title() == expected
        assert len(discs(top)) == 9


def test_a_picture_is_turned_as_its_bag_is(tmp_path):
    """A photograph that is red on its left, taken by a camera that was turned (orientation 6)."""
    image = Image.new("RGB", (60, 40))
    image.paste((255, 0, 0), (0, 0, 30, 40))
    exif = Image.Exif()
    exif[0x0112] = 6
    path = tmp_path / "turned.png"
    image.save(path, exif=exif)
    picture, mosaic, *_ = plots.explained_images(RedAndBlue(), [path], ("red", "blue")).axes
    reds = colours_of(picture)[..., 0]
    assert reds.shape == (60, 40)
    assert (reds[:30] == 255).all()
    assert (reds[30:] == 0).all()
    reds_of_blobs = colours_of(mosaic)[..., 0]
    assert (reds_of_blobs[:2, 2:5] > reds_of_blobs[5:, 2:5]).all()


@pytest.mark.parametrize("form", ["array", "one colour", "opacity", "Pillow"])
def test_a_grey_picture_is_grey(rng, form):
    grey = rng.integers(0, 256, (8, 12), dtype=np.uint8)
    images = {
        "array": grey,
        "one colour": grey[:, :, None],
        "opacity": np.dstack([grey, np.full_like(grey, 255)]),
        "Pillow": Image.fromarray(grey),
    }
    figure = plots.explained_images(RedAndBlue(), [images[form]], ("red", "blue"))
    assert np.array_equal(colours_of(figure.axes[0]), np.dstack([grey, grey, grey]))


def titles(figure):
    return [ax.get_title() for ax in figure.axes]


@pytest.fixture
def scenes():
    return load_synthetic_scene(n_images=30)


@pytest.fixture
def of_names(scenes):
    """Fitted to labels with names."""
    labels = pd.DataFrame(scenes.Y, columns=scenes.label_names)
    return MimlNn(random_state=0).fit(scenes.X, labels)


def test_names_of_labels_may_have_any_order(scenes, of_names):
    """As a model of arrays, which knows no names, shows them in the order of the columns."""
    names = list(scenes.label_names)
    shown = scenes.X[:2]
    expected = titles(plots.explained_images(of_names, shown, names))
    assert titles(plots.explained_images(of_names, shown, names[::-1])) == expected
    of_arrays = MimlNn(random_state=0).fit(scenes.X, scenes.Y)
    assert titles(plots.explained_images(of_arrays, shown, names)) == expected


def test_true_labels_and_regions_go_by_names(scenes, of_names):
    names = list(scenes.label_names)
    shown = scenes.X[:3].with_names(["a", "b", "c"])
    true = pd.DataFrame(scenes.Y[:3], list(shown.names), names)
    index = pd.MultiIndex.from_product([shown.names, range(9)])
    regions = pd.DataFrame(scenes.instance_labels[: shown.n_instances], index, names)
    in_order = plots.explained_images(of_names, shown, names, true=true, regions=regions)
    expected = titles(in_order)
    assert any("missed" in title for title in expected)
    turned = plots.explained_images(
        of_names,
        shown,
        names[::-1],
        true=true.iloc[::-1, ::-1],
        regions=regions.iloc[::-1, ::-1],
    )
    assert titles(turned) == expected
    frames = [ax.patches[-1].get_edgecolor() for ax in in_order.axes if ax.patches]
    assert [ax.patches[-1].get_edgecolor() for ax in turned.axes if ax.patches] == frames


def test_columns_of_arrays_are_the_names_that_are_given(scenes, of_names):
    names = list(scenes.label_names)[::-1]
    shown = scenes.X[:3]
    true = pd.DataFrame(scenes.Y[:3], columns=scenes.label_names)[names]
    of_table = titles(plots.explained_images(of_names, shown, names, true=true))
    assert (
        titles(plots.explained_images(of_names, shown, names, true=true.to_numpy()))
        == of_table
    )


def test_levels_of_regions_go_by_their_names(scenes, of_names):
    names = list(scenes.label_names)
    shown = scenes.X[:9]  # as many images as instances of each
    index = pd.MultiIndex.from_product([range(9), range(9)], names=["bag", "instance"])
    regions = pd.DataFrame(scenes.instance_labels[:81], index, names)
    frames = []
    for table in (regions, regions.swaplevel()):
        figure = plots.explained_images(of_names, shown, names, regions=table)
        frames.append([ax.patches[-1].get_edgecolor() for ax in figure.axes if ax.patches])
    assert frames[0] == frames[1]


@pytest.mark.parametrize("names", [list("abc"), None])
def test_regions_of_pictures_go_by_names_or_numbers(of_names, rng, names):
    pictures = [rng.integers(0, 256, (35, 35, 3)).astype(np.uint8) for _ in range(3)]
    labels = list(of_names.label_names_)
    index = pd.MultiIndex.from_product([names or range(3), range(9)])
    truths = rng.random((27, len(labels))) > 0.5
    regions = pd.DataFrame(truths, index, labels)
    images = dict(zip(names, pictures, strict=True)) if names else pictures
    colours = []
    for table in (regions, regions.iloc[::-1]):
        figure = plots.explained_images(of_names, images, labels, regions=table)
        colours.append([ax.patches[-1].get_edgecolor() for ax in figure.axes if ax.patches])
    assert colours[0] == colours[1]
    with pytest.raises(ValueError, match="regions must have the index"):
        others = regions.set_axis(index.set_levels(["x", "y", "z"], level=0))
        plots.explained_images(of_names, images, labels, regions=others)


@pytest.mark.parametrize("names", [{"a", "b"}, "ab", None, 5])
def test_names_of_labels_must_have_an_order(scenes, of_names, names):
    with pytest.raises(ValueError, match="label names must have an order"):
        plots.explained_images(of_names, scenes.X[:1], names)


def test_regions_of_other_images_are_refused(scenes, of_names):
    names = list(scenes.label_names)
    shown = scenes.X[:2].with_names(["a", "b"])
    index = pd.MultiIndex.from_product([["a", "c"], range(9)])
    regions = pd.DataFrame(scenes.instance_labels[:18], index, names)
    with pytest.raises(ValueError, match="regions must have the index"):
        plots.explained_images(of_names, shown, names, regions=regions)


def test_images_may_have_names(rng):
    """Here true labels go by the names of the images."""
    images = dict(zip("ab", rng.integers(0, 256, (2, 8, 8, 3), dtype=np.uint8), strict=True))
    true = pd.DataFrame({"red": [True, False], "blue": [True, False]}, ["b", "a"])
    figure = plots.explained_images(RedAndBlue(), images, ("red", "blue"), true=true)
    mosaics = figure.axes[1], figure.axes[5]
    assert [ax.get_title() for ax in mosaics] == ["no label", "red\nblue"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_shown": 0}, "n_shown must be an integer of at least 1, got 0"),
        ({"n_shown": -1}, "n_shown must be an integer of at least 1, got -1"),
        ({"n_shown": 1.5}, "n_shown must be an integer of at least 1, got 1.5"),
        ({"label_names": ["red"]}, "label_names must be 2, one for each label, got 1"),
        ({"true": [[True]]}, r"true must have the shape \(1, 2\), got \(1, 1\)"),
        ({"regions": [[True, True]]}, r"regions must have the shape \(9, 2\), got \(1, 2\)"),
        ({"images": "a/b.png"}, "a list of images is needed, got the single one 'a/b.png'"),
        ({"images": np.zeros((9, 9, 3))}, r"a list of images is needed, .* give \[image\]"),
        ({"images": np.zeros((9, 9))}, "a list of images is needed, got a single image"),
        (
            {"images": Image.new("L", (9, 9))},
            "a list of images is needed, got a single image",
        ),
    ],
)
def test_odd_arguments_are_named(rng, options, message):
    arguments = {
        "images": [rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)],
        "label_names": ("red", "blue"),
    }
    with pytest.raises(ValueError, match=message):
        plots.explained_images(RedAndBlue(), **(arguments | options))


def test_names_of_other_labels_are_refused(scenes, of_names):
    names = [*scenes.label_names[:-1], "snow"]
    message = "label_names and the labels of the estimator must have the same names"
    with pytest.raises(ValueError, match=message):
        plots.explained_images(of_names, scenes.X[:1], names)


class SpringOrFall(FixedScores):
    """A learner of one label whose classes are words."""

    classes_ = np.array(["fall", "spring"])

    def predict(self, bags):
        return self.classes_[1 * (self.of_bag > 0)]


def test_a_learner_of_one_label_may_have_any_two_classes(bag):
    learner = SpringOrFall(np.zeros(9), 1.0)
    bags = Bags.from_list([bag])
    figure = plots.explained_images(learner, bags, ("spring",), true=np.array([[True]]))
    _, spring = figure.axes
    assert spring.get_title() == "spring\n+1.00, right"
