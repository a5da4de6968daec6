"""An estimator with each alternative setting and with mixtures of them, on the same splits."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ShuffleSplit

from mimlpaper import evaluate
from mimlpaper.parameters import set_random_states
from mimlpaper.sharing import Cache, sharing
from mimlstudy.judge.multiverse import override_in_words
from mimlstudy.paper.settings import mixed


def every_setting(
    estimator: BaseEstimator,
    choices: Sequence[Mapping],
    X,
    Y,
    *,
    n_mixed: int = 8,
    n_splits: int = 5,
) -> pd.DataFrame:
    """Criteria of an estimator as it is, with each change alone, and with mixtures of changes.

    Parameters
    ----------
    estimator : unfitted estimator.
    choices : sequence of mappings from parameters to values, each a change.
    X : bags (n_bags,).
    Y : bool (n_bags, n_labels).
    n_mixed : int, default 8, the most mixtures.
    n_splits : int, default 5, each with a quarter of the bags for the test.

    Returns
    -------
    DataFrame
        A row for each split and setting: "setting" in words, "split", and the criteria of
        :func:`~mimlpaper.metrics.evaluate`.
    """
    settings = [{}, *choices, *mixed(choices, n_mixed)]
    splits = ShuffleSplit(n_splits, test_size=0.25, random_state=0)
    rows = []
    for split, (train, test) in enumerate(splits.split(np.arange(len(Y)))):
        with sharing(Cache()):  # what several settings compute alike is computed once
            for changes in settings:
                changed = clone(estimator).set_params(**changes)
                set_random_states(changed, split)
                changed.fit(X[train], Y[train])
                scores = changed.decision_function(X[test])
                criteria = evaluate(Y[test], scores, changed.predict(X[test]))
                setting = override_in_words(changes) or "as it is"
                rows.append({"setting": setting, "split": split} | criteria)
    return pd.DataFrame(rows)
