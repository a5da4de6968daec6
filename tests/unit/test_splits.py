from types import SimpleNamespace

import numpy as np
import pytest

from mimlpaper.study.trials import CrossValidation, GivenSplit, RandomSplits


class Examples(SimpleNamespace):
    def __len__(self):
        return self.n


DATA = Examples(n=40, name="data", y=np.arange(40) % 4 == 0, n_train=None)


@pytest.mark.parametrize(
    "splits", [RandomSplits(5), CrossValidation(20), CrossValidation(20, stratified=True)]
)
def test_every_split_uses_every_example_once(splits):
    for split in range(splits.n_splits):
        train, test = splits.indices(DATA, split)
        assert sorted([*train, *test]) == list(range(40))
        again = splits.indices(DATA, split)
        assert np.array_equal(test, again[1])


def test_random_splits_differ_and_keep_the_share():
    train, test = RandomSplits(3, train=0.25).indices(DATA, 0)
    assert (len(train), len(test)) == (10, 30)
    other, _ = RandomSplits(3, train=0.25).indices(DATA, 1)
    assert set(train) != set(other)


def test_folds_of_one_repeat_are_disjoint_and_repeats_differ():
    folds = CrossValidation(20)
    first = [tuple(folds.indices(DATA, split)[1]) for split in range(10)]
    assert sorted(sum(first, ())) == list(range(40))
    second = [tuple(folds.indices(DATA, split)[1]) for split in range(10, 20)]
    assert set(first) != set(second)


def test_stratified_folds_keep_the_share_of_positives():
    folds = CrossValidation(10, stratified=True)
    assert {DATA.y[folds.indices(DATA, split)[1]].sum() for split in range(10)} == {1}


def test_given_split():
    train, test = GivenSplit().indices(Examples(n=5, name="web", n_train=2), 0)
    assert (train.tolist(), test.tolist()) == ([0, 1], [2, 3, 4])
    with pytest.raises(ValueError, match="the source of data fixes no training set"):
        GivenSplit().indices(DATA, 0)


def test_a_split_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="between 0 and 4, got 5"):
        RandomSplits(5).indices(DATA, 5)
