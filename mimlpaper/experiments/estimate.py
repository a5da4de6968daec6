"""How long the trials take that are still to run, from the recorded seconds."""

import json

import pandas as pd

from mimlpaper.experiments.multiverse import Readings
from mimlpaper.experiments.registry import get_experiment
from mimlpaper.experiments.runner import default_store, records
from mimlpaper.experiments.store import KEY, Store


def estimate(
    experiments, *, profile: str = "paper", workers: int = 2, recompute: bool = False,
    store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Trials that are still to run and the hours that they take, one row an experiment.

    A trial takes the mean processor time that is recorded for its method on its data set. A
    reading of the multiverse that never ran takes the time of the published one; another label
    rule or number of alternations takes none, since the machines are shared. The time of a method
    that never ran on a data set is unknown; the row counts such trials. The last row is the sum.

    ``workers`` is the number of processes, each on its own core. ``recompute`` counts all trials,
    whatever is recorded. The columns are experiment, trials, to_run, unknown, core_hours and
    hours: of the work in equal shares, or of the longest trial if it takes longer.
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
    experiment = get_experiment(name)
    trials = pd.DataFrame(experiment.trials(profile), columns=KEY)
    recorded = records(name, profile=profile, store=store).drop_duplicates(KEY)
    usable = recorded.loc[recorded["state"] != "stale", KEY]
    done = pd.MultiIndex.from_frame(usable)
    waiting = trials if recompute else trials[~pd.MultiIndex.from_frame(trials).isin(done)]
    seconds = _seconds_each(waiting, recorded, ["dataset", "method", "parameters"])
    if isinstance(experiment, Readings):
        seconds = seconds.fillna(_seconds_like(waiting, experiment.of, profile, store))
    longest = max(seconds.sum() / workers, seconds.max()) if len(seconds) else 0.0
    return {
        "experiment": name, "trials": len(trials), "to_run": len(waiting),
        "unknown": int(seconds.isna().sum()), "core_hours": seconds.sum() / 3600,
        "hours": longest / 3600,
    }  # fmt: skip


def _seconds_each(waiting, recorded, variant):
    """Mean recorded seconds of what each waiting trial is a variant of, NaN if unknown."""
    recorded = recorded.assign(seconds=recorded["fit_seconds"] + recorded["predict_seconds"])
    means = recorded.groupby(variant)["seconds"].mean()
    return waiting.join(means, on=variant)["seconds"]


def _seconds_like(waiting, published, profile, store):
    """Of readings that never ran: the published one's, once for all that share its machines."""
    tables = [records(name, profile=profile, store=store) for name in published]
    recorded = pd.concat(tables).query("parameters == '{}'").drop_duplicates(KEY)
    scores = {text: _machines(text) for text in waiting["parameters"].unique()}
    again = waiting.assign(parameters=waiting["parameters"].map(scores)).duplicated(KEY)
    return _seconds_each(waiting, recorded, ["dataset", "method"]).where(~again, 0.0)


def _machines(parameters):
    changes = json.loads(parameters).items()
    others = ("label_rule", "max_alternations")
    return json.dumps({name: v for name, v in changes if not name.endswith(others)})
