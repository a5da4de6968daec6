"""How long the trials take that are still to run, from the recorded seconds."""

from __future__ import annotations

import pandas as pd

from mimlpaper.experiments.registry import get_experiment
from mimlpaper.experiments.runner import default_store, records
from mimlpaper.experiments.store import KEY, Store

__all__ = ["estimate"]


def estimate(
    experiments,
    *,
    profile: str = "paper",
    workers: int = 2,
    recompute: bool = False,
    store: Store | None = None,
) -> pd.DataFrame:
    """Trials that are still to run and the hours that they take, one row an experiment.

    A trial takes the mean processor time that is recorded for its method on its data set. The
    time of a method that never ran there is unknown; the row counts such trials. The last row is
    the sum.

    Parameters
    ----------
    experiments : list of str
    profile : {"paper", "quick", "smoke"}
    workers : int, default 2
        Processes at a time, each on its own core.
    recompute : bool, default False
        Estimate for all trials, whatever is recorded.
    store : Store or None

    Returns
    -------
    table : columns experiment, trials, to_run, unknown, core_hours, hours. The hours are those of
        the work in equal shares, or of the longest trial if it takes longer.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    store = store or default_store(profile)
    rows = [_estimate(name, profile, workers, recompute, store) for name in experiments]
    table = pd.DataFrame(rows)
    total = table.sum(numeric_only=True).to_dict() | {"experiment": "all"}
    table = pd.concat([table, pd.DataFrame([total])], ignore_index=True)
    return table.astype({"trials": int, "to_run": int, "unknown": int})


def _estimate(name, profile, workers, recompute, store):
    trials = pd.DataFrame(get_experiment(name).trials(profile), columns=KEY)
    recorded = records(name, profile=profile, store=store).drop_duplicates(KEY)
    usable = recorded.loc[recorded["state"] != "stale", KEY]
    done = pd.MultiIndex.from_frame(usable)
    waiting = trials if recompute else trials[~pd.MultiIndex.from_frame(trials).isin(done)]
    seconds = _seconds_each(waiting, recorded)
    longest = max(seconds.sum() / workers, seconds.max()) if len(seconds) else 0.0
    return {
        "experiment": name, "trials": len(trials), "to_run": len(waiting),
        "unknown": int(seconds.isna().sum()), "core_hours": seconds.sum() / 3600,
        "hours": longest / 3600,
    }  # fmt: skip


def _seconds_each(waiting, recorded):
    """Mean recorded seconds of each waiting trial's method on its data set, NaN if unknown."""
    variant = ["dataset", "method", "parameters"]
    recorded = recorded.assign(seconds=recorded["fit_seconds"] + recorded["predict_seconds"])
    means = recorded.groupby(variant)["seconds"].mean()
    return waiting.join(means, on=variant)["seconds"]
