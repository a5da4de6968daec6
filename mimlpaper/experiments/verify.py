"""Run recorded trials again: does today's code still give the recorded numbers?"""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd

from mimlpaper.experiments.attest import add_attestations
from mimlpaper.experiments.pool import run_trials
from mimlpaper.experiments.protocol import get_experiment
from mimlpaper.experiments.provenance import provenance
from mimlpaper.experiments.runner import current_codes, default_store, records
from mimlpaper.experiments.store import KEY, Store
from mimlpaper.experiments.trial import Trial
from mimlpaper.metrics import CRITERIA

__all__ = ["TOLERANCE", "verify"]

TOLERANCE = 1e-6  # largest difference of a criterion that counts as equal

MEASURED = [*CRITERIA, "accuracy"]


def verify(
    experiments,
    *,
    profile: str = "paper",
    sample: int = 1,
    drop: bool = False,
    jobs: int = -1,
    data_home=None,
    store: Store | None = None,
    random_state=None,
) -> pd.DataFrame:
    """Re-run random recorded trials of each (experiment, method) group and compare.

    A group whose trials all come out equal is attested: its records, made by other code, count
    as good for today's code from then on.

    Parameters
    ----------
    experiments : list of str
    sample : int, default 1
        Trials of each group, drawn at random.
    drop : bool, default False
        Remove the records of a group that does not come out.
    random_state : int or None, default None
        Draws the trials.

    Returns
    -------
    table : one row a group: experiment, method, n_recorded, n_checked, largest_difference,
        outcome ("equal" or "different").
    """
    if sample < 1:
        raise ValueError(f"sample must be at least 1, got {sample}")
    store = store or default_store(profile)
    rng = np.random.default_rng(random_state)
    outcomes = []
    for name in experiments:
        recorded = records(name, profile=profile, store=store)
        for method, group in recorded.groupby("method", sort=False):
            difference, n_checked = _check(name, group, sample, rng, jobs, data_home)
            outcome = "equal" if difference <= TOLERANCE else "different"
            outcomes.append(
                {
                    "experiment": name,
                    "method": method,
                    "n_recorded": len(group.drop_duplicates(KEY)),
                    "n_checked": n_checked,
                    "largest_difference": difference,
                    "outcome": outcome,
                }
            )
            if outcome == "equal":
                add_attestations(store.folder, _attestations(name, group, outcomes[-1]))
            elif drop:
                everything = store.load(name)
                store.replace(name, everything[everything["method"] != method])
    return pd.DataFrame(outcomes)


def _check(name, group, sample, rng, jobs, data_home):
    """Largest difference of any criterion between recorded and repeated trials, and how many."""
    experiment = get_experiment(name)
    trials = group.drop_duplicates(KEY)[KEY]
    chosen = trials.iloc[rng.permutation(len(trials))[:sample]]
    again = [Trial(*map(_plain, row)) for row in chosen.itertuples(index=False, name=None)]
    recorded = group.set_index([*KEY, "stage"])[MEASURED]
    difference = 0.0
    for trial, rows in run_trials(experiment, again, jobs=jobs, data_home=data_home):
        for row in rows:
            key = (*(getattr(trial, column) for column in KEY), row["stage"])
            if key not in recorded.index:
                return np.inf, len(again)
            repeated = pd.Series(row).reindex(MEASURED).astype(float)
            apart = (recorded.loc[key].astype(float) - repeated).abs()
            difference = max(difference, apart.max())
    return float(difference), len(again)


def _attestations(name, group, outcome):
    today = current_codes(get_experiment(name))
    made_here = {column: provenance()[column] for column in ("commit", "machine")}
    pairs = {
        (row.code, today(row.dataset, row.method, row.parameters)) for row in group.itertuples()
    }
    return [
        {
            "experiment": name,
            "method": outcome["method"],
            "recorded_code": recorded,
            "code": current,
            "n_checked": outcome["n_checked"],
            "largest_difference": outcome["largest_difference"],
            "date": date.today().isoformat(),
        }
        | made_here
        for recorded, current in sorted(pairs)
        if recorded != current
    ]


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value
