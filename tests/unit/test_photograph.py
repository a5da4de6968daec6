"""The photograph: its windows and squares, and how right the named regions are."""

import numpy as np

from mimlstudy import folders
from mimlstudy.report.sections import photograph


def test_a_bag_has_a_row_for_each_square_with_four_numbers_a_colour():
    image = np.zeros((40, 60, 3))
    image[:20, :20, 0] = 8.0
    image[0, 0, 0] = 12.0
    bag = photograph.bag_of(image)
    assert bag.shape == (6, 12)
    assert bag[0, [0, 6, 9]].tolist() == [8.01, 8.0, 12.0]  # mean, least and largest red
    assert not bag[1:].any()


def test_a_window_has_the_labels_of_what_it_shows(monkeypatch):
    """The 320 left columns show a tower: a window has it from nine of its hundred columns on."""

    def left_is_tower(photo):
        labels = np.zeros((*photo.shape[:2], 2), dtype=bool)
        labels[:, :320, 0] = True
        return labels

    monkeypatch.setattr(photograph, "outlines", left_is_tower)
    bags, labels = photograph.windows(20)
    assert [bag.shape for bag in bags] == [(25, 12)] * 20
    largest = np.array(photograph.load().shape[:2]) - photograph.WINDOW
    corners = np.random.default_rng(0).integers(0, largest, (20, 2))
    shows_tower = corners[:, 1] < 312
    assert labels[:, 0].tolist() == shows_tower.tolist()
    assert not labels[:, 1].any()


def test_precision_and_recall_of_regions_that_are_named_by_the_outlines():
    photo = photograph.load()
    shows = photograph.squares(photograph.outlines(photo)).mean(axis=2).reshape(-1, 2) > 0.5
    named = np.where(
        shows.any(axis=1),
        shows.argmax(axis=1),
        photograph.NONE,
    )
    table = photograph.precision_and_recall(named)
    assert (table[["precision", "recall"]] == 1).all(axis=None)
    only_half = named.copy()
    only_half[np.flatnonzero(named == 0)[::2]] = photograph.NONE
    recall = photograph.precision_and_recall(only_half)["recall"]
    assert abs(recall["tower"] - 0.5) < 0.01
    assert recall["trees"] == 1


def test_the_readme_says_how_right_the_learner_is():
    text = (folders.project_root() / "README.md").read_text()
    assert photograph.in_words() in " ".join(text.split())


def test_the_figure_tints_named_squares_alone():
    n_squares = np.prod(photograph.squares(photograph.load()).shape[:2])
    named = np.full(n_squares, photograph.NONE)
    named[0] = 1
    figure = photograph.photograph_figure(named)
    tints = figure.axes[1].get_images()[1].get_array()
    assert (tints[..., 3] > 0).sum() == 1
