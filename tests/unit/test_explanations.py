"""The measured check of explanations: by hand, at its limits, and whole on a few drawn scenes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.bags import Bags
from mimlpaper.datasets import SCENE_LABELS, load_synthetic_scene
from mimlpaper.preprocessing import OnInstances
from mimlpaper.report.explanations import (
    CHANCE,
    EXPLAINED,
    TAUGHT,
    explanation_check,
    explanation_hits,
    explanation_table,
)

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
    assert check["method"].unique().tolist() == [TAUGHT, "MimlNn"]
    assert set(check["label"]) <= set(SCENE_LABELS)
    judged = check[["method", "run", "bag", "label"]]
    assert not judged.duplicated().any()
    for run in range(2):
        Y = load_synthetic_scene(n_images=60, random_state=run).Y[30:]
        assert (judged[judged["run"] == run].groupby("method").size() == Y.sum()).all()


def test_those_who_are_taught_do_better_than_chance(check):
    shares = check.groupby("method")[["hit", "chance"]].mean()
    assert shares.loc[TAUGHT, "hit"] > 0.8 > shares.loc["MimlNn", "hit"]
    assert shares.loc[TAUGHT, "chance"] == shares.loc["MimlNn", "chance"] < 0.7


def test_the_table_agrees_with_the_check(check):
    table = explanation_table(check)
    assert list(table.rows) == [CHANCE, TAUGHT, "MimlNn"]
    assert table.columns[:2] == ("all", "several labels")
    assert table.rules_above == ("MimlNn",)
    by_run = check[check["method"] == "MimlNn"].groupby("run")["hit"].mean()
    cell = table.tidy.query("method == 'MimlNn' and images_or_label == 'all'").iloc[0]
    assert (cell["mean"], cell["std"]) == pytest.approx((by_run.mean(), by_run.std()))
    assert cell["pairs"] == (check["method"] == "MimlNn").sum()
    assert table.rows["MimlNn"][0].lines == (f"{by_run.mean():.3f} ± {by_run.std():.3f}",)
    several = check[check["n_labels"] > 1]
    chance = several.groupby("run")["chance"].mean().mean()
    cell = table.tidy.query("method == @CHANCE and images_or_label == 'several labels'").iloc[0]
    assert cell["mean"] == pytest.approx(chance)
    assert "over 2 runs" in table.to_markdown()
    one = explanation_table(check[check["run"] == 0])
    assert "±" not in one.rows["MimlNn"][0].lines[0]


def test_every_method_that_explains_is_in_the_check():
    check = explanation_check(n_runs=1, n_images=24)
    assert check["method"].unique().tolist() == [TAUGHT, *EXPLAINED]
    assert check["hit"].between(0, 1).all() and check["chance"].between(0, 1).all()
