"""Explanations: drawn at the right places, and measured on known instances."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle, Rectangle
from PIL import Image
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import paths
from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.bags import Bags
from mimlpaper.datasets import (
    SCENE_LABELS,
    ImageBags,
    load_synthetic_scene,
    load_synthetic_texts,
    scene_mosaic,
)
from mimlpaper.preprocessing import OnInstances
from mimlpaper.reasons import explain
from mimlpaper.study import explanations
from mimlpaper.study.explanations import (
    EXPLAINED,
    FRAME,
    UPPER_BOUND,
    draw_explained_scene,
    draw_mosaic,
    explained_images,
    explained_scenes,
    explained_text,
    explanation_check,
    explanation_hits,
    explanation_shares,
    recorded_check,
    telling_words,
)
from mimlpaper.study.rendering import INK, RIGHT, STYLE_SHEET, WRONG, save_figure


@pytest.fixture(autouse=True)
def paper_style():
    with plt.style.context(STYLE_SHEET):
        yield
    plt.close("all")


@pytest.fixture
def bag(rng):
    image = rng.integers(0, 256, (40, 48, 3), dtype=np.uint8)
    return ImageBags().transform([image])[0]


class WeighedWords:
    """Scores passages by the weights of their words, for two labels."""

    weights = np.array([[2.0, -1.0], [0.5, 0.0], [-3.0, 1.0], [1.0, 1.0]])

    def instance_scores(self, bags):
        return bags.instances @ self.weights


class Colourful:
    """Scores an instance by its red and its blue, a bag by their maxima."""

    def instance_scores(self, bags):
        return bags.instances[:, [0, 2]]

    def decision_function(self, bags):
        return bags.max(self.instance_scores(bags))


def discs(ax):
    return [patch for patch in ax.patches if isinstance(patch, Circle)]


def frames(ax):
    return {patch.get_xy() for patch in ax.patches if isinstance(patch, Rectangle)}


def test_mosaic_has_the_colours_of_the_blobs_and_empty_corners(bag):
    ax = plt.subplots()[1]
    draw_mosaic(ax, bag)
    shown = np.asarray(ax.images[0].get_array())
    assert shown.shape == (7, 7, 4)
    known = np.isfinite(scene_mosaic(bag)[..., 0])
    assert known.sum() == 33
    assert np.array_equal(shown[..., 3] == 1, known)
    assert shown[known][:, :3] == pytest.approx(scene_mosaic(bag)[known] / 255)
    assert shown[3, 2, :3] == pytest.approx(bag[3, :3] / 255)  # instance 3: row 2 + 1, column 2 + 0


def test_colours_out_of_range_are_cut(bag):
    bag[4, 3:6] = 400.0
    ax = plt.subplots()[1]
    draw_mosaic(ax, bag)
    assert ax.images[0].get_array()[3, 1].tolist() == [1, 1, 1, 1]


def test_discs_and_frame_tell_the_scores(bag):
    """Scores 0 to 8 for one label; for the other, instance 1 is the highest."""
    axes = plt.subplots(1, 3)[1]
    scores = np.column_stack([np.arange(9.0), np.where(np.arange(9) == 1, -1.0, -2.0)])
    draw_explained_scene(axes, bag, scores, np.array([-0.5, 1.25]), ("sea", "trees"))
    assert [ax.get_title() for ax in axes] == ["", "trees\n+1.25", "sea\n−0.50"]
    assert frames(axes[1]) == {(2.5, 1.5)} and frames(axes[2]) == {(3.5, 3.5)}
    areas = np.array([disc.radius**2 for disc in discs(axes[2])])
    assert areas / areas.max() == pytest.approx(np.arange(9) / 8)
    against = np.array([disc.radius**2 for disc in discs(axes[1])])
    assert against / areas.max() == pytest.approx(np.where(np.arange(9) == 1, 1, 2) / 8)
    assert {disc.get_facecolor() for disc in discs(axes[1])} == {to_rgba(INK)}
    assert {disc.get_facecolor() for disc in discs(axes[2])[1:]} == {to_rgba(FRAME)}
    places = [disc.center for disc in discs(axes[2])]
    assert places[:4] == [(2, 2), (3, 2), (4, 2), (2, 3)]
    assert not discs(axes[0])


def test_true_labels_and_fewer_axes_than_labels(bag):
    axes = plt.subplots(1, 2)[1]
    scores, names = np.zeros((9, 3)), ("sea", "sunset", "trees")
    true = np.array([True, True, False])
    draw_explained_scene(axes, bag, scores, np.array([0.0, 2.0, 1.0]), names, true)
    assert axes[0].get_title() == "sea\nsunset"
    assert axes[1].get_title() == "sunset\n+2.00, right"
    assert {disc.radius for disc in discs(axes[1])} == {0.0}  # all scores are the same
    draw_explained_scene(axes, bag, scores, np.zeros(3), names, np.zeros(3, bool))
    assert axes[0].get_title() == "no label"


def test_own_images_beside_their_reasons(rng, tmp_path):
    """From a path, an array and a Pillow image; each row has its picture and both labels."""
    arrays = rng.integers(0, 256, (3, 16, 24, 3), dtype=np.uint8)
    Image.fromarray(arrays[0]).save(tmp_path / "first.png")
    images = [tmp_path / "first.png", arrays[1], Image.fromarray(arrays[2])]
    figure = explained_images(Colourful(), images, ("red", "blue"))
    axes = np.array(figure.axes).reshape(3, 4)
    for row, array in zip(axes, arrays, strict=True):
        assert np.array_equal(row[0].images[0].get_array(), array)
    bags = ImageBags().transform(list(arrays))
    for row, scores in zip(axes, Colourful().decision_function(bags), strict=True):
        top = "red" if scores[0] > scores[1] else "blue"
        assert row[2].get_title() == f"{top}\n+{scores.max():.2f}"
        assert len(discs(row[2])) == 9


def test_scenes_without_pictures_have_their_true_labels(bag):
    true = np.array([[False, True]])
    figure = explained_scenes(Colourful(), Bags.from_list([bag]), ("red", "blue"), true=true)
    assert len(figure.axes) == 3 and figure.axes[0].get_title() == "blue"


def test_a_text_has_rows_for_each_of_its_highest_labels():
    class Reader(WeighedWords):
        def decision_function(self, X):
            return np.array([[-1.0, 2.0]])

    bag = np.array([[0.0, 0, 1, 0], [1, 1, 0, 0]])
    table = explained_text(Reader(), bag, ("oil", "trade"))
    assert table.data["label"].tolist() == ["trade +2.00"] * 2 + ["oil −1.00"] * 2
    assert table.data["score"].tolist() == [1.0, -1.0, -3.0, 2.5]
    html = table.to_html()
    assert "linear-gradient" in html and ">−3.00<" in html
    assert len(explained_text(Reader(), bag, ("oil", "trade"), n_shown=1).data) == 2


def test_telling_words_by_hand():
    """Row 0 is the sum of the others. Word 3 speaks against label 0, for label 1."""
    bag = np.array([[2.0, 0, 3, 1], [2, 0, 0, 1], [0, 0, 3, 0]])
    found = telling_words(WeighedWords(), bag, 0)
    assert found["passage"].tolist() == ["whole text", "passage 1", "passage 2"]
    assert found["score"].tolist() == [-4.0, 5.0, -9.0]
    assert found["words"].tolist() == ["word 1 ×2, word 4", "word 1 ×2, word 4", ""]
    other = telling_words(WeighedWords(), bag, 1, ["oil", "bank", "wheat", "corn"], n_words=1)
    assert other["words"].tolist() == ["wheat ×3", "corn", "wheat ×3"]
    empty = telling_words(WeighedWords(), np.zeros((3, 4)), 0)
    assert empty["passage"].tolist() == ["passage 1", "passage 2", "passage 3"]
    two = telling_words(WeighedWords(), bag[1:], 0)
    assert two["passage"].tolist() == ["passage 1", "passage 2"]


def test_words_of_composed_texts_are_those_of_their_topic():
    texts = load_synthetic_texts(n_texts=120)
    learner = MimlSvmMi(kernel="linear", C=0.1, max_alternations=2, random_state=0)
    learner.fit(texts.X[:100], texts.Y[:100])
    oil = texts.label_names.index("oil")
    about_oil = next(i for i in range(100, 120) if texts.Y[i, oil] and texts.Y[i].sum() == 1)
    found = telling_words(learner, texts.X[about_oil], oil, texts.feature_names)
    words = " ".join(found["words"])
    assert any(word in words for word in ("crude", "barrels", "opec", "petroleum", "oil"))


def test_wrong_and_missed_labels_and_wrong_reasons_are_marked(bag):
    axes = plt.subplots(1, 4)[1]
    scores = np.tile(np.arange(9.0)[:, None], 3)
    regions = np.zeros((9, 3), bool)
    regions[8, :2] = True
    bag_scores, true = np.array([0.5, -1.0, -2.0]), np.array([False, True, False])
    draw_explained_scene(
        axes, bag, scores, bag_scores, ("sea", "sun", "sky"), true, regions=regions
    )
    assert [ax.get_title() for ax in axes[1:]] == [
        "sea\n+0.50, wrong",
        "sun\n−1.00, missed",
        "sky\n−2.00",
    ]
    assert [ax.title.get_color() for ax in axes[1:]] == [WRONG, WRONG, INK]
    edges = [ax.patches[-1].get_edgecolor() for ax in axes[1:]]
    assert edges == [to_rgba(RIGHT), to_rgba(RIGHT), to_rgba(WRONG)]


def test_same_scores_same_bytes(bag, tmp_path):
    def saved(name):
        figure, axes = plt.subplots(1, 3)
        draw_explained_scene(axes, bag, np.arange(18.0).reshape(9, 2), np.ones(2), ("a", "b"))
        return [path.read_bytes() for path in save_figure(figure, tmp_path, name)]

    assert saved("one") == saved("two")


def test_the_reasons_of_the_worked_scene_are_right():
    """Notebook 3 says so of scene 7, whose two labels are found by a learner of the other 199."""
    scenes, chosen = load_synthetic_scene(), 7
    others = np.arange(200) != chosen
    model = make_pipeline(OnInstances(MinMaxScaler()), DMimlSvm(random_state=0))
    model.fit(scenes.X[others], scenes.Y[others])
    assert np.array_equal(model.decision_function(scenes.X[[chosen]])[0] > 0, scenes.Y[chosen])
    own = slice(scenes.X.offsets[chosen], scenes.X.offsets[chosen + 1])
    hits = explanation_hits(
        explain(model, scenes.X[[chosen]]), scenes.X[[chosen]], scenes.Y[[chosen]],
        scenes.instance_labels[own],
    )  # fmt: skip
    assert hits["hit"].tolist() == [1, 1] and (hits["chance"] < 0.5).all()


FEW = {"MimlNn": make_pipeline(OnInstances(MinMaxScaler()), MimlNn())}


@pytest.fixture(scope="module")
def check():
    return explanation_check(FEW, n_runs=2, n_images=60)


def test_hits_by_hand():
    """Bag 0 has both labels, bag 1 the second. Two instances tie for the top of (0, 1)."""
    bags = Bags(np.zeros((5, 1)), [0, 3, 5])
    scores = np.array([[1, 7], [2, 7], [3, 0], [9, 1], [0, 2]])
    shown = np.array([[0, 1], [1, 0], [1, 1], [1, 0], [0, 1]], dtype=bool)
    found = explanation_hits(scores, bags, np.array([[1, 1], [0, 1]], dtype=bool), shown)
    expected = {
        "bag": [0, 0, 1], "label": [0, 1, 1], "n_labels": [2, 2, 1], "hit": [1, 0.5, 1],
        "chance": [2 / 3, 2 / 3, 0.5],
    }  # fmt: skip
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected), check_dtype=False)


def test_perfect_constant_and_reversed_scores():
    scenes = load_synthetic_scene(n_images=40)
    shown = scenes.instance_labels

    def hits(scores):
        return explanation_hits(scores, scenes.X, scenes.Y, shown)

    assert len(hits(1.0 * shown)) == scenes.Y.sum()
    assert (hits(1.0 * shown)["hit"] == 1).all()
    constant = hits(np.zeros(shown.shape))
    assert constant["hit"].to_numpy() == pytest.approx(constant["chance"].to_numpy())
    reverse = hits(-1.0 * shown)
    assert set(reverse["hit"]) == {0.0, 1.0}  # 1 where every instance shows the label
    assert ((reverse["hit"] == 1) == (reverse["chance"] == 1)).all()


def test_the_check_is_seeded_and_whole(check):
    again = explanation_check(FEW, n_runs=2, n_images=60)
    pd.testing.assert_frame_equal(again, check)
    second = explanation_check(FEW, n_runs=1, n_images=60, random_state=1)
    expected = check[check["run"] == 1].assign(run=0).reset_index(drop=True)
    pd.testing.assert_frame_equal(second, expected)
    assert check["method"].unique().tolist() == [UPPER_BOUND, "MimlNn"]
    assert set(check["label"]) <= set(SCENE_LABELS)
    judged = check[["method", "run", "bag", "label"]]
    assert not judged.duplicated().any()
    for run in range(2):
        Y = load_synthetic_scene(n_images=60, random_state=run).Y[30:]
        assert (judged[judged["run"] == run].groupby("method").size() == Y.sum()).all()


def test_the_upper_bound_lies_above_chance_and_methods(check):
    shares = check.groupby("method")[["hit", "chance"]].mean()
    assert shares.loc[UPPER_BOUND, "hit"] > 0.8 > shares.loc["MimlNn", "hit"]
    assert shares.loc[UPPER_BOUND, "chance"] == shares.loc["MimlNn", "chance"] < 0.7


def test_shares_are_recorded_once_and_again_after_a_change(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    monkeypatch.setattr(explanations, "EXPLAINED", FEW)
    first, file = recorded_check("quick"), tmp_path / "explanations.csv"
    expected = explanation_shares(explanation_check(FEW, n_runs=1))
    keys = ["images_or_label", "method"]
    both = (table.set_index(keys)[["mean", "pairs"]].astype(float) for table in (first, expected))
    pd.testing.assert_frame_equal(*both, rtol=1e-5, check_like=True)
    written = file.stat().st_mtime_ns
    pd.testing.assert_frame_equal(recorded_check("quick"), first)
    assert file.stat().st_mtime_ns == written
    recorded_check("quick", recompute=True)
    assert file.stat().st_mtime_ns > written
    other = {"MimlNn": make_pipeline(OnInstances(MinMaxScaler()), MimlNn(ratio=0.1))}
    monkeypatch.setattr(explanations, "EXPLAINED", other)  # so the record is stale
    assert set(recorded_check("quick")["code"]).isdisjoint(first["code"])


def test_every_method_that_explains_is_in_the_check():
    check = explanation_check(n_runs=1, n_images=24)
    assert check["method"].unique().tolist() == [UPPER_BOUND, *EXPLAINED]
    assert check["hit"].between(0, 1).all() and check["chance"].between(0, 1).all()
