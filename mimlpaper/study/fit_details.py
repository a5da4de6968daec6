"""Cached tables: internals of fits, and characteristics of data sets; recomputed when stale."""

from collections.abc import Callable
from dataclasses import astuple
from itertools import combinations

import numpy as np
import pandas as pd

from mimlpaper import paths
from mimlpaper.datasets import YAHOO_NAMES, DataError, load, load_yahoo
from mimlpaper.datasets.catalogue import is_present
from mimlpaper.study.experiment import Experiment
from mimlpaper.study.records import KEY, current_codes, default_store, keys_of, rows_of
from mimlpaper.study.trials import set_random_states

RARE = 0.01  # a category is rare if a smaller share of the documents has it


def fit_details(
    experiment: Experiment, inspect: Callable, profile: str = "paper", *, data_home=None
) -> pd.DataFrame:
    """Internals of an experiment's fits; the fits are run if they are not recorded, or stale.

    ``inspect`` is a function of a pipeline's fitted last step, the training labels (n_bags,
    n_labels) and their names, such as :func:`objective_steps`. It returns a list of dict, one a
    row. The table has the columns of a trial's key, those of ``inspect``, kind, data_sha256, code
    and state.
    """
    recorded = recorded_fit_details(experiment, profile)
    trials = experiment.trials(profile)
    if set(keys_of(recorded[recorded["state"] == "fresh"])) == set(map(astuple, trials)):
        return recorded
    try:
        datasets = {name: load(name, data_home) for name in {trial.dataset for trial in trials}}
    except DataError:
        if len(recorded):
            return recorded
        raise
    today = current_codes(experiment)
    rows = [
        row | {"code": today(trial.dataset, trial.method, trial.parameters)}
        for trial in trials
        for row in _fit(experiment, trial, datasets[trial.dataset], inspect)
    ]
    _write(rows, default_store(profile).path(experiment.name))
    return recorded_fit_details(experiment, profile)


def recorded_fit_details(experiment: Experiment, profile: str = "paper") -> pd.DataFrame:
    """The table as it is recorded, empty if there is none; nothing is run."""
    path = default_store(profile).path(experiment.name)
    if not path.is_file():
        return pd.DataFrame(columns=[*KEY, "state"])
    return rows_of(pd.read_csv(path, dtype={"code": str}), experiment, profile)


def objective_steps(fitted, Y, names) -> list[dict]:
    """D-MimlSvm's objective, one row for each step of the outer loop.

    stage, from 1; objective after it; following, the objective after the next step, also if that
    step is thrown away, NaN if there is none; n_iter, the inner solver's iterations; gap, its
    relative duality gap at the end of the fit.
    """
    following = np.append(fitted.raw_objective_[1:], np.nan)
    steps = enumerate(zip(fitted.objective_, following, fitted.n_iter_, strict=False), start=1)
    gap = fitted.duality_gap_
    return [
        {"stage": stage, "objective": value, "following": then, "n_iter": n_iter, "gap": gap}
        for stage, (value, then, n_iter) in steps
    ]


def related_pairs(fitted, Y, names) -> list[dict]:
    """What D-MimlSvm learns of two labels, one row for each pair, ``first`` and ``second``.

    cosine between their w_t; sharing a_ij = 1 / (4 μ_ij + 2), what they share of w_i + w_j, empty
    if it is not learned; together, how often both are in a label set of Y (n_bags, n_labels), as
    a multiple of how often they would be if they were independent.
    """
    share, penalties = Y.mean(axis=0), fitted.pair_penalties_
    return [
        {
            "first": names[i],
            "second": names[j],
            "cosine": fitted.label_relatedness_[i, j],
            "sharing": np.nan if penalties is None else 1 / (4 * penalties[i, j] + 2),
            "together": (Y[:, i] & Y[:, j]).mean() / (share[i] * share[j]),
        }
        for i, j in combinations(range(len(names)), 2)
    ]


def characteristics(*, data_home=None) -> pd.DataFrame:
    """Appendix C: one row a web page data set, recomputed if all files are there.

    Otherwise the rows are as last recorded. The columns are dataset (as printed), categories,
    vocabulary; for the training and the test documents the percentage with more than one category
    (PMC), the average number of categories (ANL) and the percentage of rare categories (PRC); and
    sha256 of the file.
    """
    path = paths.results() / "characteristics.csv"
    if all(is_present(f"yahoo:{name}", data_home) for name in YAHOO_NAMES):
        rows = [_measure(name, printed, data_home) for name, printed in YAHOO_NAMES.items()]
        _write(rows, path)
    return pd.read_csv(path) if path.is_file() else pd.DataFrame()


def _fit(experiment, trial, dataset, inspect):
    """The rows of one fit."""
    train, _ = experiment.splits.indices(dataset, trial.split)
    estimator = experiment.estimator(trial)
    set_random_states(estimator, trial.split)
    fitted = estimator.fit(dataset.X[train], dataset.Y[train])[-1]
    common = vars(trial) | {"kind": dataset.kind, "data_sha256": dataset.sha256}
    return [common | row for row in inspect(fitted, dataset.Y[train], dataset.label_names)]


def _measure(name, printed, data_home):
    """The characteristics of one data set."""
    dataset = load_yahoo(name, data_home=data_home)
    measured = {"dataset": printed, "categories": dataset.n_labels}
    measured["vocabulary"] = dataset.X.shape[1]
    for part, Y in zip(("train", "test"), np.split(dataset.Y, [dataset.n_train]), strict=True):
        measured[f"{part}_PMC"] = 100 * np.mean(Y.sum(axis=1) > 1)
        measured[f"{part}_ANL"] = Y.sum(axis=1).mean()
        measured[f"{part}_PRC"] = 100 * np.mean(Y.mean(axis=0) < RARE)
    return measured | {"sha256": dataset.sha256}


def _write(rows, path):
    text = pd.DataFrame(rows).to_csv(index=False, float_format="%.10g", lineterminator="\n")
    if not path.is_file() or path.read_text("utf-8") != text:
        paths.write_whole(path, text)
