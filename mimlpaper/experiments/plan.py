"""What a full computation would take on some number of workers, from the recorded seconds."""

from __future__ import annotations

import pandas as pd

from mimlpaper.experiments.protocol import get_experiment
from mimlpaper.experiments.runner import default_store, records
from mimlpaper.experiments.store import KEY, Store

__all__ = ["plan"]


def plan(
    experiments,
    *,
    profile: str = "paper",
    workers: int = 2,
    anew: bool = False,
    store: Store | None = None,
) -> pd.DataFrame:
    """Trials that are still to run and the hours that they take, one row an experiment.

    Seconds of a trial are the mean of the recorded ones of its method on its data set, of
    processor time; of a method that was never run there, nothing is known, and the row says how
    many trials that concerns. The last row is the sum.

    Parameters
    ----------
    experiments : list of str
    profile : {"paper", "quick", "smoke"}
    workers : int, default 2
        Processes at a time, each with a core of its own.
    anew : bool, default False
        Plan for all trials, whatever is recorded.
    store : Store or None

    Returns
    -------
    table : columns experiment, trials, to_run, unknown, core_hours, hours. The hours are those of
        the work shared out evenly, or of the longest trial if that is more.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    store = store or default_store(profile)
    rows = [_plan(name, profile, workers, anew, store) for name in experiments]
    table = pd.DataFrame(rows)
    total = table.sum(numeric_only=True).to_dict() | {"experiment": "all"}
    table = pd.concat([table, pd.DataFrame([total])], ignore_index=True)
    return table.astype({"trials": int, "to_run": int, "unknown": int})


def _plan(name, profile, workers, anew, store):
    trials = pd.DataFrame(get_experiment(name).trials(profile), columns=KEY)
    recorded = records(name, profile=profile, store=store).drop_duplicates(KEY)
    usable = recorded.loc[recorded["state"] != "stale", KEY]
    done = pd.MultiIndex.from_frame(usable)
    waiting = trials if anew else trials[~pd.MultiIndex.from_frame(trials).isin(done)]
    seconds = _seconds_each(waiting, recorded)
    share = max(seconds.sum() / workers, seconds.max()) if len(seconds) else 0.0
    return {
        "experiment": name, "trials": len(trials), "to_run": len(waiting),
        "unknown": int(seconds.isna().sum()), "core_hours": seconds.sum() / 3600,
        "hours": share / 3600,
    }  # fmt: skip


def _seconds_each(waiting, recorded):
    kind = ["dataset", "method", "parameters"]
    told = recorded.assign(seconds=recorded["fit_seconds"] + recorded["predict_seconds"])
    means = told.groupby(kind)["seconds"].mean()
    return waiting.join(means, on=kind)["seconds"]
