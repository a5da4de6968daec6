"""Splits use every example once, and are the same each time."""

from dataclasses import replace

import numpy as np
import pytest

from mimlstudy.engine.trials import CrossValidation, GivenSplit, RandomSplits


class Examples(list):
    """Numbers from 0 on, a quarter of them positive; a given split trains on two."""

    n_train = 2

    @property
    def y(self):
        return np.arange(len(self)) % 4 == 0


DATA = Examples(range(40))
RANDOM = RandomSplits(20)
PLAIN = CrossValidation(20)
STRATIFIED = CrossValidation(20, stratified=True)

each_kind = pytest.mark.parametrize("splits", [RANDOM, PLAIN, STRATIFIED])


@each_kind
def test_every_split_uses_every_example_once_and_none_is_the_same(splits):
    test_sets = set()
    for split in range(20):
        train, test = splits.indices(DATA, split)
        assert sorted([*train, *test]) == DATA
        test_sets.add(tuple(test))
    assert len(test_sets) == 20


@each_kind
def test_fewer_splits_are_the_same_splits(splits):
    assert splits.first(3) == replace(splits, n_splits=3)
    _, expected = splits.indices(DATA, 1)
    _, test = splits.first(50).indices(DATA, 1)
    assert np.array_equal(test, expected)


@pytest.mark.parametrize("splits", [PLAIN, STRATIFIED])
def test_the_ten_folds_of_a_repeat_test_every_example_once(splits):
    folds = [splits.indices(DATA, split)[1] for split in range(10, 20)]
    assert sorted(np.concatenate(folds)) == DATA


def test_a_stratified_fold_has_as_many_positive_examples_as_every_other():
    for split in range(20):
        _, test = STRATIFIED.indices(DATA, split)
        assert DATA.y[test].sum() == 1


def test_a_random_split_trains_on_its_share():
    train, test = RandomSplits(3, train=0.25).indices(DATA, 0)
    assert len(train) == 10
    assert len(test) == 30


def test_a_given_split_trains_on_the_first_examples():
    train, test = GivenSplit().indices(Examples(range(5)), 0)
    assert train.tolist() == [0, 1]
    assert test.tolist() == [2, 3, 4]
