"""Tiny experiments on data that the library draws, and code that looks edited."""

import os
import signal
import time
from functools import cache, partial
from pathlib import Path
from unittest.mock import Mock

import numba
import pandas as pd
from pandas.testing import assert_frame_equal
from sklearn.pipeline import make_pipeline

from mimlpaper import MimlNn, MlKnn, SumInstances
from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlstudy.engine import fingerprint
from mimlstudy.engine.records import KEY, columns_of, read_records
from mimlstudy.engine.rows import sealed
from mimlstudy.engine.trials import Experiment, Part, RandomSplits
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.measures import COST_MEASURE, TESTED

TINY = "drawn:24x2x4"  # 24 bags of two instances with four labels
METHODS = {"MimlNn": MimlNn(), "Ml-knn": make_pipeline(SumInstances(), MlKnn(n_neighbors=3))}


def tiny(
    methods=METHODS,
    overrides=None,
    *,
    name="mine",
    datasets=(TINY,),
    n_splits=2,
    measure=TESTED,
    **fields,
):
    """An experiment on 24 drawn bags."""
    part = Part(datasets, RandomSplits(n_splits), methods, overrides or {})
    return Experiment(name, "Mine", (part,), measure, stand_in=CATALOGUE.stand_in, **fields)


class SleepsATenth(LabelFrequencies):
    """A learner that takes a tenth of a second."""

    def fit(self, X, Y):
        time.sleep(0.1)
        return super().fit(X, Y)


class Deadly(LabelFrequencies):
    """A learner that kills its process."""

    def fit(self, X, Y):
        os.kill(os.getpid(), signal.SIGKILL)


class SleepsMinutes(LabelFrequencies):
    """A learner that takes minutes."""

    def fit(self, X, Y):
        Path(os.environ["FITS_BEGUN"], f"begun-{os.getpid()}").touch()
        time.sleep(300)
        return super().fit(X, Y)


@numba.njit
def _count(n):
    number = 1
    for _ in range(n):
        number = (number * 16807) % 2147483647
    return number


class Counting(LabelFrequencies):
    """A learner that counts in compiled code, for a second or so."""

    def fit(self, X, Y):
        _count(150_000_000)
        return super().fit(X, Y)


# In the place of Fig. 7: the command takes only names of EXPERIMENTS.
in_place_of_figure_7 = partial(tiny, name="figure7")


def short_trials() -> Experiment:
    """Forty trials, of which half take a tenth of a second."""
    methods = {"SleepsATenth": SleepsATenth(), "Ml-knn": METHODS["Ml-knn"]}
    return in_place_of_figure_7(methods, n_splits=20)


def compiled_trials() -> Experiment:
    """Thirty trials in compiled code."""
    return in_place_of_figure_7({"Counting": Counting()}, n_splits=30)


def long_trial_alone() -> Experiment:
    """A trial of minutes in a process of its own."""
    methods = {"SleepsMinutes": SleepsMinutes()}
    return in_place_of_figure_7(methods, n_splits=1, measure=COST_MEASURE)


def long_trials() -> Experiment:
    """Two trials of minutes, side by side."""
    return in_place_of_figure_7({"SleepsMinutes": SleepsMinutes()}, n_splits=2)


def numbers_of(table: pd.DataFrame) -> pd.DataFrame:
    """What two runs of the same trials have in common, in the order of the trials."""
    # All but the commit, the state, the code of today, the seal and seconds.
    numbers = table.filter(regex="^(?!commit$|state$|code_today$|seal$|.*seconds$)")
    return numbers.sort_values([*KEY, "stage"], ignore_index=True)


def check_same_numbers(table: pd.DataFrame, expected: pd.DataFrame):
    """Fail unless two tables of records are equal, in any order, but for seconds and the commit."""
    assert_frame_equal(
        numbers_of(table),
        numbers_of(expected),
        check_exact=True,
    )


def states(experiment, store, by="method") -> dict[str, str]:
    """The states of an experiment's records, as of each method."""
    table = read_records(experiment, store=store)
    return table.groupby(by)["state"].unique().str.join("|").to_dict()


def made_up_row(split, stage=0, n_stages=1, columns=None, **values):
    """A sealed row of Ml-knn in the experiment "mine"; ``values`` replace or add columns."""
    row = {
        "experiment": "mine",
        "dataset": TINY,
        "method": "Ml-knn",
        "override": "{}",
        "split": split,
        "stage": stage,
        "n_stages": n_stages,
        "hamming_loss": 0.1,
        "seconds": 1.0,
        "fit_seconds": 0.75,
        "predict_seconds": 0.25,
        "n_train": 18,
        "n_test": 6,
    }
    return sealed(row | values, columns or columns_of(TESTED))


def change_records(store, experiment, change):
    """Write what ``change`` makes of an experiment's records, with right seals."""
    columns = columns_of(experiment.measure)

    def changed(rows):
        rows = change(rows.assign(doubt=""))
        sealed_rows = [sealed(row, columns) for row in rows.to_dict("records")]
        return pd.DataFrame(sealed_rows, columns=rows.columns)

    store.rewrite(experiment, changed)


def raising(error: Exception):
    """A function that raises it, whatever it is given."""
    return Mock(side_effect=error)


def edit(monkeypatch, module: str, old: str, new: str):
    """Change a module's source as fingerprints see it; the module itself stays as it is."""
    source = fingerprint.sources()[module].decode()
    assert source.count(old) == 1, f"{module} has {source.count(old)} times {old!r}"
    see(monkeypatch, {module: source.replace(old, new)})


def see(monkeypatch, texts: dict[str, str]):
    """Let fingerprints see these texts of modules, and forget what they saw before."""
    before = fingerprint._names
    edited = cache(before.__wrapped__)
    encoded = {name: text.encode() for name, text in texts.items()}
    changed = fingerprint.sources() | encoded
    monkeypatch.setattr(fingerprint, "sources", lambda: changed)

    def names(module):
        # Names of unchanged modules stay in their cache.
        return edited(module) if module in texts else before(module)

    names.__wrapped__ = edited.__wrapped__
    monkeypatch.setattr(fingerprint, "_names", names)
    forget_fingerprints(monkeypatch)


def forget_fingerprints(monkeypatch):
    """Forget what fingerprints have found of the sources, but for the names in modules."""
    for name, function in list(vars(fingerprint).items()):
        is_own = getattr(function, "__module__", "") == fingerprint.__name__
        if is_own and hasattr(function, "cache_clear") and name != "_names":
            monkeypatch.setattr(fingerprint, name, cache(function.__wrapped__))
