"""What fits cost: seconds and peak memory, each measured in a process of its own.

Costs are a table of their own, ``costs.csv``: unlike a trial's criteria they belong to a machine,
and nothing says that a second measurement gives the same.
"""

from __future__ import annotations

import sys
import traceback
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields
from multiprocessing import get_context
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from mimlpaper.datasets import DataError, load
from mimlpaper.experiments.cost_cases import CostCase, cost_cases, is_installed
from mimlpaper.experiments.fingerprint import provenance
from mimlpaper.experiments.measure import measure
from mimlpaper.experiments.runner import default_store
from mimlpaper.experiments.store import put_rows
from mimlpaper.experiments.workers import TrialError

__all__ = ["COST_COLUMNS", "measure_costs", "recorded_costs", "waiting_costs"]

KEY = [field.name for field in fields(CostCase)]

COST_COLUMNS = [
    *KEY, "n_bags", "n_instances", "n_features", "n_labels",
    "fit_seconds", "fit_megabytes", "predict_seconds", "predict_megabytes",
    "average_precision", "warnings", "versions", "commit", "machine",
]  # fmt: skip


def measure_costs(
    profile: str = "paper", *, recompute: bool = False, data_home=None, folder=None
) -> pd.DataFrame:
    """Costs of every case of a profile; those that are not recorded are measured first.

    One fit at a time, so that none disturbs another; leave the machine alone meanwhile. Each is
    recorded as it ends: what is interrupted goes on where it was. Cases on data that are not
    there, or of a peer that is not installed, are left out.

    Parameters
    ----------
    profile : {"paper", "quick", "smoke"}
        All cases; those with the smaller drawn bags; a few tiny ones.
    recompute : bool, default False
        Measure everything, whatever is recorded.
    data_home : path or None, see :mod:`mimlpaper.datasets`.
    folder : path or None
        Where costs are recorded; None for ``data/results``, or its folder ``smoke``.

    Raises
    ------
    TrialError
        If fits failed. Every other cost is recorded, and a second call measures the rest.
    """
    waiting = waiting_costs(profile, recompute=recompute, folder=folder)
    waiting = [case for case in waiting if _has_data(case, waiting, data_home)]
    if waiting:
        n_cases = len(cost_cases(profile))
        print(f"costs: {n_cases} fits, {len(waiting)} to measure one by one", flush=True)
        _measure_each(waiting, data_home, _path(profile, folder))
    return recorded_costs(profile, folder=folder)


def recorded_costs(profile: str = "paper", *, folder=None) -> pd.DataFrame:
    """The costs of a profile's cases as they are recorded; nothing is measured."""
    table = _read(_path(profile, folder))
    wanted = pd.MultiIndex.from_tuples(map(_key, cost_cases(profile)))
    return table[pd.MultiIndex.from_frame(table[KEY]).isin(wanted)].reset_index(drop=True)


def waiting_costs(
    profile: str = "paper", *, recompute: bool = False, folder=None
) -> list[CostCase]:
    """Cases to measure: those that are not recorded, or all, of what is installed."""
    known = set() if recompute else set(_keys(recorded_costs(profile, folder=folder)))
    return [c for c in cost_cases(profile) if _key(c) not in known and is_installed(c)]


def _has_data(case, waiting, data_home):
    """Whether the case's data are there; if not, that is said once for each data set."""
    if case.study != "sets":
        return True
    try:
        load(case.dataset, data_home=data_home)
    except DataError as error:
        if case == next(other for other in waiting if other.dataset == case.dataset):
            print(f"costs on {case.dataset} are left out: {error}", flush=True)
        return False
    return True


def _measure_each(cases, data_home, path):
    """Measure and record one case after the other."""
    failures = []
    # A server that has everything imported forks a bare process for each fit: they start at
    # once, and their memory is that of one fit.
    context = get_context("forkserver")
    context.set_forkserver_preload([name for name in sys.modules if name.startswith("mimlpaper")])
    for case in tqdm(cases, desc="costs", unit="fit", leave=False):
        try:
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                measured = pool.submit(measure, case, data_home).result()
        except Exception:
            failures.append((case, traceback.format_exc()))
        else:
            _record(asdict(case) | measured | provenance(), path)
    if failures:
        case, error = failures[0]
        raise TrialError(
            f"{len(failures)} of {len(cases)} fits failed, the others are recorded; "
            f"the first: {case}\n{error}"
        )


def _record(row, path):
    """Add a row, to six digits, in place of one of the same case."""
    row = {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in row.items()}
    put_rows(path, [row], KEY, _read)


def _read(path):
    if not path.is_file():
        return pd.DataFrame(columns=COST_COLUMNS)
    return pd.read_csv(path, keep_default_na=False, na_values={
        name: [""] for name in ("predict_seconds", "predict_megabytes", "average_precision")
    })  # fmt: skip


def _path(profile, folder):
    return Path(folder or default_store(profile).folder) / "costs.csv"


def _key(case):
    return tuple(getattr(case, name) for name in KEY)


def _keys(table):
    return table[KEY].itertuples(index=False, name=None)
