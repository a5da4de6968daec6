"""Drawings: InsDif's bags are translates, SubCod's sub-concepts and label vectors."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")


import matplotlib.pyplot as plt
import numpy as np
import pytest

from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.datasets import make_africa
from mimlpaper.study.diagrams import draw_label_vectors, draw_sub_concepts, draw_translates
from mimlpaper.study.rendering import use_style

X = np.array([[0.0, 0.0], [3.0, 4.0]])
PROTOTYPES = np.array([[1.0, 2.0], [-2.0, 0.0], [0.0, -1.0]])


def test_every_arrow_is_as_long_as_the_examples_are_apart():
    """(3, 4) is 5 from the origin; {-v} reaches farthest that way at (2, 0)."""
    use_style()
    figure, axes = plt.subplots(1, 2)
    draw_translates(axes, X, PROTOTYPES)
    arrows = [text for text in axes[1].texts if text.arrow_patch]
    lengths = [np.linalg.norm(np.subtract(arrow.xyann, arrow.xy)) for arrow in arrows]
    assert lengths == pytest.approx([5.0] * 3)
    (thick,) = (arrow for arrow in arrows if arrow.arrow_patch.get_linewidth() == 2.0)
    assert thick.xyann == pytest.approx([2.0, 0.0])
    plt.close(figure)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_components_are_ellipses_of_two_standard_deviations_and_points_keep_their_label():
    X, y, _ = make_africa(20)
    fitted = SubCod(n_concepts=3, kept_share=1.0, random_state=0).fit(X, y)
    ax = plt.figure().add_subplot()
    draw_sub_concepts(fitted, X, y, ax)
    ellipses = ax.patches
    assert [tuple(ellipse.center) for ellipse in ellipses] == [
        tuple(mean) for mean in fitted.mixture_.means_
    ]
    deviations = np.sqrt(fitted.mixture_.covariances_)
    assert ellipses[1].width == pytest.approx(4 * deviations[1, 0])
    assert ellipses[1].height == pytest.approx(4 * deviations[1, 1])
    full = [line for line in ax.lines if line.get_markerfacecolor() != "white"]
    assert sum(len(line.get_xdata()) for line in full) == X[y].n_instances
    assert sum(len(line.get_xdata()) for line in ax.lines) == X.n_instances


def test_label_vectors_show_the_corrected_ones_positive_bags_first():
    concepts = np.array([[True, False], [False, False], [True, True], [False, True]])
    polished = np.array([[True, False], [True, False], [True, True], [False, False]])
    y = np.array([False, True, False, True])
    ax = plt.figure().add_subplot()
    draw_label_vectors(concepts, polished, y, ax, title="some")
    assert np.array_equal(ax.images[0].get_array(), polished[[1, 3, 0, 2]])
    crosses, line = ax.lines
    assert list(zip(*crosses.get_data(), strict=True)) == [(0, 0), (1, 1)]
    assert line.get_ydata() == [1.5, 1.5]
    assert ax.get_title() == "some\n25% inverted"
