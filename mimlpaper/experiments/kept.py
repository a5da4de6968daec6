"""Tables of what fits look like inside, made where data are and kept with the records."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from mimlpaper.datasets import DataError, load
from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.runner import current_codes, default_store
from mimlpaper.experiments.store import KEY
from mimlpaper.experiments.trial import set_random_states

__all__ = ["kept_table", "recorded_table"]


def kept_table(
    experiment: Experiment, look: Callable, profile: str = "paper", *, data_home=None, folder=None
) -> pd.DataFrame:
    """What ``look`` sees in the experiment's fits; they are run if not recorded, or stale.

    Columns: those that tell a trial apart, those of ``look``, kind, code and state.

    Parameters
    ----------
    experiment : whose trials are fitted, without a test.
    look : function of the fitted last step of a pipeline, and of the training labels
        (n_bags, n_labels) and their names, that gives a list of dict, one a row.
    profile : {"paper", "quick", "smoke"}, see :class:`Experiment`.
    data_home : path or None, see :mod:`mimlpaper.datasets`.
    folder : path or None
        Where the table is kept; None for ``data/results``, or its folder ``smoke``.

    Raises
    ------
    DataError
        If data are missing and nothing is recorded.
    """
    recorded = recorded_table(experiment, profile, folder=folder)
    trials = experiment.trials(profile)
    if _keys(recorded[recorded["state"] == "fresh"]) == {_key(trial) for trial in trials}:
        return recorded
    try:
        datasets = {name: load(name, data_home) for name in {trial.dataset for trial in trials}}
    except DataError:
        if len(recorded):
            return recorded
        raise
    code = current_codes(experiment)
    rows = [
        row | {"code": code(trial.dataset, trial.method, trial.parameters)}
        for trial in trials
        for row in _seen(experiment, trial, datasets[trial.dataset], look)
    ]
    path = _path(experiment, profile, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(path, index=False, float_format="%.10g", lineterminator="\n")
    return recorded_table(experiment, profile, folder=folder)


def recorded_table(experiment: Experiment, profile: str = "paper", *, folder=None) -> pd.DataFrame:
    """The table as it is kept, empty if there is none; nothing is run."""
    path = _path(experiment, profile, folder)
    if not path.is_file():
        return pd.DataFrame(columns=[*KEY, "state"])
    rows = pd.read_csv(path)
    wanted = {_key(trial) for trial in experiment.trials(profile)}
    rows = rows[[key in wanted for key in rows[KEY].itertuples(index=False, name=None)]]
    today = current_codes(experiment)
    return rows.assign(
        state=[
            "fresh" if row.code == today(row.dataset, row.method, row.parameters) else "stale"
            for row in rows.itertuples()
        ]
    )


def _seen(experiment, trial, dataset, look):
    """The rows of one fit."""
    train, _ = experiment.splits.indices(dataset, trial.split)
    estimator = experiment.estimator(trial)
    set_random_states(estimator, trial.split)
    fitted = estimator.fit(dataset.X[train], dataset.Y[train])[-1]
    common = dict(zip(KEY, _key(trial), strict=True))
    common |= {"kind": dataset.kind, "data_sha256": dataset.sha256}
    return [common | row for row in look(fitted, dataset.Y[train], dataset.label_names)]


def _path(experiment, profile, folder):
    return Path(folder or default_store(profile).folder) / f"{experiment.name}.csv"


def _key(trial):
    return tuple(getattr(trial, name) for name in KEY)


def _keys(table):
    return set(table[KEY].itertuples(index=False, name=None))
