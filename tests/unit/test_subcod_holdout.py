import numpy as np
import pytest
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.datasets import make_africa
from mimlpaper.distances import max_hausdorff
from mimlpaper.experiments import subcod_holdout
from mimlpaper.experiments.subcod_holdout import SubCodHoldOut, shared_hausdorff
from mimlpaper.preprocessing import OnInstances

GRID = dict(n_concepts=(4, 8), kept_shares=(0.2, 0.8, 1.0))


@pytest.fixture
def africa():
    return make_africa(60, random_state=1)[:2]


def test_accuracies_are_those_of_every_setting_alone(africa):
    """One fit of SubCod a setting, and the held-out part measured: the slow way."""
    X, y = africa
    subcod = make_pipeline(OnInstances(MinMaxScaler()), SubCod(random_state=0))
    search = SubCodHoldOut(subcod, random_state=3, **GRID).fit(X, y)
    split = StratifiedShuffleSplit(1, test_size=0.25, random_state=3)
    train, held = next(split.split(y, y))
    for row, n_concepts in enumerate(GRID["n_concepts"]):
        for column, kept_share in enumerate(GRID["kept_shares"]):
            setting = {"subcod__n_concepts": n_concepts, "subcod__kept_share": kept_share}
            alone = subcod.set_params(**setting).fit(X[train], y[train])
            expected = np.mean(alone.predict(X[held]) == y[held])
            assert search.accuracies_[row, column] == pytest.approx(expected)
    assert len(np.unique(search.accuracies_)) > 1


def test_the_first_of_the_best_settings_is_fitted_on_all(africa):
    X, y = africa
    search = SubCodHoldOut(SubCod(random_state=0), random_state=0, **GRID).fit(X, y)
    rows, columns = np.nonzero(search.accuracies_ == search.accuracies_.max())
    best = {
        "n_concepts": GRID["n_concepts"][rows[0]], "kept_share": GRID["kept_shares"][columns[0]],
    }  # fmt: skip
    assert search.best_params_ == best
    alone = SubCod(random_state=0, **best).fit(X, y)
    assert np.array_equal(search.decision_function(X), alone.decision_function(X))
    assert np.array_equal(search.predict(X), alone.predict(X))


def test_shared_distances_change_nothing_and_are_computed_once(africa, monkeypatch):
    X, y = africa
    calls = []

    def counted(A, B=None):
        calls.append((len(A), len(A if B is None else B)))
        return max_hausdorff(A, B)

    monkeypatch.setattr(subcod_holdout, "max_hausdorff", counted)
    subcod_holdout.DISTANCES.clear()
    expected = SubCodHoldOut(
        SubCod(learner=MimlSvm(random_state=0), random_state=0), random_state=0, **GRID
    ).fit(X, y)
    learner = MimlSvm(metric=shared_hausdorff, random_state=0)
    search = SubCodHoldOut(SubCod(learner=learner, random_state=0), random_state=0, **GRID)
    search.fit(X, y)
    assert np.array_equal(search.accuracies_, expected.accuracies_)
    assert search.decision_function(X) == pytest.approx(expected.decision_function(X))
    # Training part, held-out part against medoids, the whole set, and all of it to its medoids.
    assert calls == [(45, 45), (15, 9), (60, 60), (60, 12)]
    assert len(subcod_holdout.DISTANCES) <= subcod_holdout.N_KEPT
