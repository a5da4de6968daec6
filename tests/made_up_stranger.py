"""A user's method in a file of its own."""

from mimlstudy import folders

# Methods that work, and methods with the mistakes that one can make.
STRANGER = '''
import os
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from mimlpaper import ConcatenateInstances, MlKnn, OnInstances
from mimlpaper.metrics import scorers

def knn():
    scaler = OnInstances(MinMaxScaler())
    return make_pipeline(scaler, ConcatenateInstances(), MlKnn(n_neighbors=10))

def tuned():
    return knn()

tuned.param_grid = {"n_neighbors": [5, 10]}

search = GridSearchCV(
    knn(), {"mlknn__n_neighbors": [5, 10]}, scoring=scorers["average_precision"], cv=2
)

class Plain:
    """Scores of a label: its share of the training bags. No estimator; JSON knows no sets."""
    def __init__(self):
        self.kinds = {1, 2}
    def fit(self, X, Y):
        self.shares_ = np.mean(Y, axis=0) - 0.5
    def decision_function(self, X):
        return np.tile(self.shares_, (len(X), 1))
    def predict(self, X):
        return self.decision_function(X) > 0

class Shares(BaseEstimator):
    fit, decision_function, predict = Plain.fit, Plain.decision_function, Plain.predict

shares = Shares()

class Shape(Shares):
    def decision_function(self, X):
        return super().decision_function(X)[:, :2]

class Masked(Shares):
    def decision_function(self, X):
        return np.ma.masked_greater(super().decision_function(X), -9)

class Raises(Shares):
    def fit(self, X, Y):
        raise RuntimeError("no luck\\ntoday")

class Leaves(Shares):
    def fit(self, X, Y):
        raise SystemExit(3)

class BadGrid(Shares):
    param_grid = {"nothing": [1, 2]}

class Crash(Shares):
    def fit(self, X, Y):
        os.kill(os.getpid(), 9)
'''


def enter_project(folder, monkeypatch):
    """Make a folder the project and the current one, with the user's file."""
    monkeypatch.setattr(folders, "project_root", lambda: folder)
    monkeypatch.chdir(folder)
    (folder / "stranger.py").write_text(STRANGER)
