"""Diagrams of the framework: the figures' parts, and a bag's instances as crosses."""

import numpy as np

from mimlpaper.datasets import load_synthetic_scene, make_scenes
from mimlstudy.report.sections.diagrams import (
    africa_figure,
    bag_figure,
    crosses,
    frameworks_figure,
)


def words(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_each_framework_has_its_instances_and_labels():
    n_instances, n_labels = [], []
    for ax in frameworks_figure().axes:
        n_instances.append(sum(word.startswith("instance") for word in words(ax)))
        n_labels.append(sum(word.startswith("label") for word in words(ax)))
    assert n_instances == [1, 3, 1, 3]
    assert n_labels == [1, 1, 3, 3]


def test_africa_is_learned_at_once_or_through_four_concepts():
    direct, through = africa_figure().axes
    assert words(direct) == ["Africa"]
    assert words(through) == ["Africa", "tree", "lion", "elephant", "grassland"]


def test_an_instance_is_a_cross_of_its_colour_and_its_neighbours():
    bag = np.zeros((9, 15))
    bag[0, :6] = [10, 20, 30, 5, 5, 5]  # the first, and how its left neighbour differs
    image = crosses(bag)
    assert image[1, 1].tolist() == [10, 20, 30]
    assert image[1, 0].tolist() == [15, 25, 35]
    assert image[1, 2].tolist() == [10, 20, 30]
    assert image[0, 0].tolist() == [255, 255, 255]  # between the arms


def test_the_instances_are_numbered_beside_the_picture():
    pictures, *_ = make_scenes(1)
    picture, mosaic, of_crosses = bag_figure(pictures[0], load_synthetic_scene().X[0]).axes
    numerals = [str(i) for i in range(1, 10)]
    assert words(picture) == []
    assert words(mosaic)[-9:] == numerals
    assert words(of_crosses) == numerals
