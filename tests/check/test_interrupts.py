"""Ctrl-C at nine moments of a fit: the learner is then what it was before, or unfitted."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import mimlpaper as miml
from mimlpaper.base import BagClassifier, VectorEstimator
from mimlpaper.datasets import load_synthetic_scene
from mimlpaper.preprocessing import MeanInstances

pytestmark = pytest.mark.filterwarnings("ignore")
LEARNERS = [
    miml.AdtBoostMH(n_rounds=50),
    miml.ChFd(random_state=0),
    miml.Cnmf(),
    miml.DMimlSvm(random_state=0),
    miml.DiverseDensity(random_state=0),
    miml.EmDd(random_state=0),
    miml.InsDif(learner=miml.MimlNn(random_state=0)),
    miml.MiSvmBag(random_state=0),
    miml.MiSvmInstance(random_state=0),
    miml.MimlBoost(n_rounds=10, random_state=0),
    miml.MimlClassifier(time_budget=None, n_folds=2, random_state=0),
    miml.MimlNn(random_state=0),
    miml.MimlSvm(random_state=0),
    miml.MimlSvmMi(random_state=0),
    miml.MlKnn(),
    miml.MlSvm(),
    miml.NoisyOr(random_state=0),
    miml.OneLabel(miml.MimlNn(random_state=0)),
    miml.RankSvm(random_state=0),
    miml.SubCod(n_concepts=10, random_state=0),
]
MOMENTS = np.arange(1, 10) / 10  # of the time that a fit takes
SCENES = load_synthetic_scene()
VECTORS = MeanInstances().fit_transform(SCENES.X)


def examples(learner, part):
    """Bags or vectors, and label sets or one label, as the learner takes them."""
    X = VECTORS[part] if isinstance(learner, VectorEstimator) else SCENES.X[part]
    Y = SCENES.Y[part]
    return X, Y[:, 0] if isinstance(learner, BagClassifier) else Y


def fit_and_interrupt(learner, X, Y, seconds) -> bool:
    """Fit, with a SIGINT after so many seconds; whether the fit was interrupted."""
    ended = threading.Event()

    def interrupt():
        if not ended.wait(seconds):
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    try:
        thread.start()
        learner.fit(X, Y)
        ended.set()
        thread.join()
    except KeyboardInterrupt:
        thread.join()
        return True
    return False


def timed_fit(learner, X, Y):
    """A fitted copy, and the seconds that it took."""
    began = time.perf_counter()
    fitted = clone(learner).fit(X, Y)
    return fitted, time.perf_counter() - began


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_an_interrupted_fit_is_no_fit_or_a_whole_one(learner, moment):
    """The signal may come when the fit has just ended: then all of it counts."""
    fitted = clone(learner).fit(*examples(learner, slice(0, 60)))
    X, Y = examples(learner, slice(60, 160))
    following, seconds = timed_fit(learner, X, Y)
    before, after = fitted.decision_function(X), following.decision_function(X)
    fit_and_interrupt(fitted, X, Y, moment * seconds)
    scores = fitted.decision_function(X)
    assert np.array_equal(scores, before) or np.array_equal(scores, after)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_learner_whose_first_fit_is_interrupted_is_unfitted(learner):
    X, Y = examples(learner, slice(60, 160))
    following, seconds = timed_fit(learner, X, Y)
    unfitted = clone(learner)
    if fit_and_interrupt(unfitted, X, Y, 0.5 * seconds):
        with pytest.raises(NotFittedError):
            unfitted.predict(X)
    else:
        scores = unfitted.decision_function(X)
        assert np.array_equal(scores, following.decision_function(X))
