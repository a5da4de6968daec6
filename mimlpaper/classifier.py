"""One estimator to start with: it scales, chooses a learner, calibrates and explains."""

import warnings
from collections.abc import Mapping
from numbers import Integral

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.base import ConstantLabelWarning, MultiLabelEstimator, check_bags, check_parameters
from mimlpaper.metrics import average_precision
from mimlpaper.preprocessing import OnInstances
from mimlpaper.reasons import explain

LEAST = 4  # bags, so that one can be held out
CANDIDATES = {
    "MimlNn": MimlNn(label_rule="top"),
    "MimlSvm_mi": MimlSvmMi(),
    "D-MimlSvm": DMimlSvm(),
}


class MimlClassifier(MultiLabelEstimator):
    """The learner that does best on held-out bags, with probabilities and reasons.

    Features are scaled to [0, 1]. The candidate with the largest average precision on held-out
    bags, or the first, if none of these has a label, is fitted again to all bags. For each label
    Platt's logistic regression on the held-out scores turns a score into a probability. If Y is a
    DataFrame, so are predictions.

    Parameters
    ----------
    candidates : dict from name to unfitted MIML estimator, or None for :data:`CANDIDATES`
    test_size : float in (0, 1), default 0.25, share of the bags that is held out.
    label_rule : {"sign", "top"}, default "sign", labels of probability above ½; or at least one.
    random_state : int, RandomState or None, default None
        Draws the bags that are held out; an integer also seeds the candidates.

    Attributes
    ----------
    chosen_, held_out_ : name of the candidate; dict, average precision of each on held-out bags.
    model_ : Pipeline of scaling and the chosen learner, fitted to all bags.
    slopes_, intercepts_ : (n_labels,), log-odds are slope × score + intercept.
    """

    def __init__(self, candidates=None, *, test_size=0.25, label_rule="sign", random_state=None):
        self.candidates = candidates
        self.test_size = test_size
        self.label_rule = label_rule
        self.random_state = random_state

    def fit(self, X, Y):
        """Fit on bags X, four at least, and label sets Y (n_bags, n_labels), array or DataFrame."""
        check_parameters(self)
        bags = check_bags(X)
        if len(bags) < LEAST:
            raise ValueError(f"X must have {LEAST} bags at least, got {len(bags)}")
        if not 0 < self.test_size < 1:
            raise ValueError(f"test_size must be between 0 and 1, got {self.test_size}")
        labels = self._learn_labels(Y, len(bags))
        self.set_output(predict="pandas" if isinstance(Y, pd.DataFrame) else "default")
        self.n_features_in_ = bags.n_features
        split = ShuffleSplit(1, test_size=self.test_size, random_state=self.random_state)
        train, held = next(split.split(labels))
        defined = labels[held].any()  # else all are NaN, and the first is as large as any
        scores, self.held_out_ = {}, {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantLabelWarning)  # given above
            for name, pipeline in self._pipelines().items():
                pipeline.fit(bags[train], labels[train])
                scores[name] = np.asarray(pipeline.decision_function(bags[held]))
                precision = average_precision(labels[held], scores[name]) if defined else np.nan
                self.held_out_[name] = precision
            self.chosen_ = max(self.held_out_, key=self.held_out_.get)
            self.model_ = self._pipelines()[self.chosen_].fit(bags, labels)
        self.slopes_, self.intercepts_ = _calibrated(scores[self.chosen_], labels[held])
        return self

    def decision_function(self, X) -> np.ndarray:
        """Log-odds of each label: (n_bags, n_labels)."""
        check_is_fitted(self)
        scores = np.asarray(self.model_.decision_function(check_bags(X, self.n_features_in_)))
        return self.slopes_ * scores + self.intercepts_

    def predict_proba(self, X):
        """Probability of each label: (n_bags, n_labels)."""
        return expit(self.decision_function(X))

    def explain(self, X) -> pd.DataFrame:
        """:func:`~mimlpaper.reasons.explain` times the slopes, with rows (bag, instance)."""
        check_is_fitted(self)
        bags = check_bags(X, self.n_features_in_)
        within = np.concatenate([np.arange(size) for size in bags.sizes])
        index = pd.MultiIndex.from_arrays([bags.bag_of_instance, within], names=["bag", "instance"])
        return pd.DataFrame(self.slopes_ * explain(self.model_, bags), index, self.classes_)

    def summary(self) -> str:
        """What the fit did, in one sentence."""
        check_is_fitted(self)
        values = ", ".join(f"{name} {value:.3f}" for name, value in self.held_out_.items())
        n_calibrated = np.sum((self.slopes_ != 1) | (self.intercepts_ != 0))
        return (
            f"Features scaled to [0, 1]; {self.chosen_} chosen by average precision on held-out "
            f"bags ({values}), fitted to all, and calibrated for {n_calibrated} labels."
        )

    def _pipelines(self) -> dict[str, Pipeline]:
        candidates = CANDIDATES if self.candidates is None else self.candidates
        if not isinstance(candidates, Mapping) or not candidates:
            raise ValueError(f"candidates must be a dict of estimators, got {candidates!r}")
        pipelines = {}
        for name, learner in candidates.items():
            learner = clone(learner)
            if isinstance(self.random_state, Integral) and "random_state" in learner.get_params():
                learner.set_params(random_state=self.random_state)
            pipelines[name] = make_pipeline(OnInstances(MinMaxScaler()), learner)
        return pipelines


def _calibrated(scores, labels):
    """Platt's slope and intercept for each label; (1, 0) where the held-out bags do not say."""
    slopes, intercepts = np.ones(scores.shape[1]), np.zeros(scores.shape[1])
    for label, (column, truth) in enumerate(zip(scores.T, labels.T, strict=True)):
        if truth.all() or not truth.any() or np.ptp(column) == 0:
            continue
        spread = column.std()
        platt = LogisticRegression().fit(column[:, None] / spread, truth)
        if platt.coef_[0, 0] > 0:  # never against the learner's own order
            slopes[label], intercepts[label] = platt.coef_[0, 0] / spread, platt.intercept_[0]
    return slopes, intercepts
