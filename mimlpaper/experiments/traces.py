"""Section 5.3: the objective of D-MimlSvm after each step of its outer loop, fit by fit."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from mimlpaper.datasets import DataError, load
from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.runner import current_codes, default_store
from mimlpaper.experiments.section5_methods import FIXED
from mimlpaper.experiments.splits import RandomSplits
from mimlpaper.experiments.store import KEY
from mimlpaper.experiments.trial import set_random_states

__all__ = ["TRACED", "objective_traces", "recorded_traces"]

TRACED = Experiment(
    "cccp", "Objectives of the CCCP", ("scene:30%", "reuters:30%"), RandomSplits(5, train=0.25),
    ("D-MimlSvm",), FIXED,
    variants={
        "D-MimlSvm": (
            {}, {"dmimlsvm__lam": 0.3}, {"dmimlsvm__imbalance": False},
            {"dmimlsvm__relatedness": "pairwise", "dmimlsvm__mu": 1.0},
        )
    },
)  # fmt: skip


def objective_traces(profile: str = "paper", *, data_home=None, folder=None) -> pd.DataFrame:
    """One row for each fit and step; the fits are run if they are not recorded, or stale.

    Columns: those that tell a trial apart; stage, the step, from 1; objective; n_iter, the inner
    solver's iterations; gap, its relative duality gap at the end of the fit; kind; code; state.

    Parameters
    ----------
    profile : {"paper", "quick", "smoke"}, see :class:`Experiment`.
    data_home : path or None, see :mod:`mimlpaper.datasets`.
    folder : path or None
        Where the traces are recorded; None for ``data/results``, or its folder ``smoke``.

    Raises
    ------
    DataError
        If data are missing and nothing is recorded.
    """
    recorded = recorded_traces(profile, folder=folder)
    trials = TRACED.trials(profile)
    if _keys(recorded[recorded["state"] == "fresh"]) == {_key(trial) for trial in trials}:
        return recorded
    try:
        datasets = {name: load(name, data_home) for name in {trial.dataset for trial in trials}}
    except DataError:
        if len(recorded):
            return recorded
        raise
    code = current_codes(TRACED)
    rows = [
        row | {"code": code(trial.dataset, trial.method, trial.parameters)}
        for trial in trials
        for row in _trace(trial, datasets[trial.dataset])
    ]
    path = _path(profile, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(path, index=False, float_format="%.10g", lineterminator="\n")
    return recorded_traces(profile, folder=folder)


def recorded_traces(profile: str = "paper", *, folder=None) -> pd.DataFrame:
    """The traces as they are recorded, empty if there are none; nothing is run."""
    path = _path(profile, folder)
    if not path.is_file():
        return pd.DataFrame(columns=[*KEY, "stage", "objective", "state"])
    rows = pd.read_csv(path)
    wanted = {_key(trial) for trial in TRACED.trials(profile)}
    rows = rows[[key in wanted for key in rows[KEY].itertuples(index=False, name=None)]]
    today = current_codes(TRACED)
    return rows.assign(
        state=[
            "fresh" if row.code == today(row.dataset, row.method, row.parameters) else "stale"
            for row in rows.itertuples()
        ]
    )


def _trace(trial, dataset):
    """The rows of one fit."""
    train, _ = TRACED.splits.indices(dataset, trial.split)
    estimator = TRACED.estimator(trial)
    set_random_states(estimator, trial.split)
    fitted = estimator.fit(dataset.X[train], dataset.Y[train])[-1]
    common = dict(zip(KEY, _key(trial), strict=True)) | {
        "gap": fitted.duality_gap_,
        "kind": dataset.kind,
        "data_sha256": dataset.sha256,
    }
    steps = zip(fitted.objective_, fitted.n_iter_, strict=True)
    return [
        common | {"stage": stage, "objective": objective, "n_iter": n_iter}
        for stage, (objective, n_iter) in enumerate(steps, start=1)
    ]


def _path(profile, folder):
    return Path(folder or default_store(profile).folder) / "cccp.csv"


def _key(trial):
    return tuple(getattr(trial, name) for name in KEY)


def _keys(table):
    return set(table[KEY].itertuples(index=False, name=None))
