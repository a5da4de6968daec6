"""Made-up records with exactly the means and standard deviations asked for."""

import json

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.paper.printed import printed_cells, printed_tables

YAHOO = tuple(f"yahoo-{i}" for i in range(11))


def spread(mean, std, n, seed):
    """n values of exactly this mean and std (ddof 1)."""
    if n == 1:
        return np.full(1, mean)
    noise = np.random.default_rng(seed).normal(size=n)
    standardized = (noise - noise.mean()) / noise.std(ddof=1)
    return mean + std * standardized


def rows(experiment, dataset, method, values, **columns):
    """One record for each split; ``values`` maps a criterion to its value on each split."""
    n = len(next(iter(values.values())))
    row = {
        "experiment": experiment,
        "dataset": dataset,
        "method": method,
        "override": "{}",
        "split": np.arange(n),
        "stage": 0,
        "kind": "original",
        **values,
        "fit_seconds": 1.0,
        "predict_seconds": 0.1,
        "warnings": "",
        "n_train": 1500,
        "n_test": 500,
        "state": "current",
    }
    return pd.DataFrame(row | columns)


def as_in_the_paper(number, n_runs=None, **columns):
    """Records that give Table ``number`` as printed; .5 ± .01 where it has no value."""
    table = printed_tables()[number]
    parts = []
    n_runs = n_runs or table.n_runs
    groups = printed_cells(number).groupby(["dataset", "algorithm"])
    for j, ((dataset, method), cells) in enumerate(groups):
        values = {}
        complete_cells = cells.fillna({"mean": 0.5, "std": 0.01})
        for i, cell in enumerate(complete_cells.itertuples()):
            seed = [number, i, j]
            values[cell.criterion] = spread(
                cell.mean,
                cell.std,
                n_runs,
                seed,
            )
        record = rows(
            table.experiment,
            dataset,
            method,
            values,
            **columns,
        )
        if table.run == "dataset":
            record = record.assign(dataset=YAHOO[:n_runs], split=0)
        if table.n_folds > 1:
            folds = [
                record.assign(split=record["split"] * table.n_folds + fold)
                for fold in range(table.n_folds)
            ]
            record = pd.concat(folds)
        parts.append(record)
    return pd.concat(parts, ignore_index=True)


def level(experiment, dataset, method, mean, n=30, seed=0, **columns):
    """Records of a method whose criteria all sit at ``mean`` ± .01; seeds differ by some .001."""
    values = {}
    for j, name in enumerate(CRITERIA):
        same_for_all = spread(mean, 0.01, n, seed=j)
        # Roughness: without it the differences of two methods would not vary.
        of_this_method = spread(0, 0.001, n, seed=[seed, j])
        values[name] = same_for_all + of_this_method
    return rows(experiment, dataset, method, values, **columns)


def swept(experiment, method, name, grid, n=30, effect=0.0):
    """Records of one parameter over a grid; each step adds ``effect`` to every criterion."""
    parts = []
    for i, value in enumerate(grid):
        override = json.dumps({name: float(value)})
        mean = 0.3 + effect * i
        parts.append(level(experiment, "scene", method, mean, n, i, override=override))
    return pd.concat(parts, ignore_index=True)


def staged(experiment, method, n_rounds, n=30, pace=5.0):
    """Records of every round of a boosting method whose criteria level off."""
    parts = []
    for stage in range(1, n_rounds + 1):
        mean = 0.3 + 0.2 * np.exp(-stage / pace)
        values = {}
        for j, criterion in enumerate(printed_tables()[1].criteria):
            values[criterion] = spread(mean, 0.01, n, seed=j)
        parts.append(rows(experiment, "scene", method, values, stage=stage))
    return pd.concat(parts, ignore_index=True)


def apart(difference):
    """On two sets A lies ``difference`` below B: better on 4 losses, worse on 3 scores."""
    parts = []
    of_split = {"n": 10, "n_train": 100, "n_test": 300}
    for name in ("scene:10%", "scene:20%"):
        parts.append(level("figure4", name, "A", 0.3, seed=0, **of_split))
        parts.append(level("figure4", name, "B", 0.3 + difference, seed=1, **of_split))
    return pd.concat(parts)
