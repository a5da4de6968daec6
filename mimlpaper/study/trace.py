"""How a number of Tables 1 to 5 came about, from the printed value down to the code."""

import hashlib

import numpy as np
import pandas as pd

from mimlpaper import paths
from mimlpaper.datasets import loader_of
from mimlpaper.study.compare import as_published, compare_with_paper
from mimlpaper.study.fingerprint import code_fingerprint, modules_behind
from mimlpaper.study.published import TABLES
from mimlpaper.study.records import default_store, load_table, records
from mimlpaper.study.registry import ROWS, get_experiment
from mimlpaper.study.settings import NEAREST, settings
from mimlpaper.study.verdicts import arithmetic


def trace(number: int | str, method: str, criterion: str, dataset: str | None = None) -> str:
    """One screen of text about one cell of Tables 1 to 5.

    It names the printed value, ours, the verdict with its arithmetic, the recorded trials, each
    setting with its basis, the files of code behind it, and when the numbers were last verified.
    Names are those of the scorecard; ``dataset=None`` is the table's only or first column. If
    there is no such cell, a ValueError names the possible values.
    """
    if str(number) not in map(str, TABLES):
        raise ValueError(f"table must be one of {list(TABLES)}, got {number!r}")
    number = int(number)
    table = TABLES[number]
    column = dataset or table.datasets[0]
    experiment = get_experiment(table.experiment)
    for name, value, known in (
        ("method", method, experiment.methods),
        ("criterion", criterion, table.criteria),
        ("dataset", column, table.datasets),
    ):
        if value not in known:
            raise ValueError(f"{name} must be one of {list(known)}, got {value!r}")
    recorded = as_published(records(table.experiment, methods=[method]))
    cells = compare_with_paper(recorded, number)
    cell = cells.query(
        "algorithm == @method and criterion == @criterion and dataset == @column"
    ).iloc[0]
    mine = recorded[recorded["dataset"].isin([column]) | ~recorded["dataset"].isin(table.datasets)]
    one_dataset = mine["dataset"].iloc[0] if len(mine) else experiment.datasets[0]
    rows = _values(cell) + _trials(table.experiment, mine) + _code(experiment, one_dataset, method)
    rows += _verified(table.experiment, method)
    heading = f"Table {number}, {method}, {criterion} on {column}"
    return "\n".join([heading, "", *_aligned(rows)])


def _values(cell):
    rows = [
        ("printed", _plus_minus(cell["published_mean"], cell["published_std"]) or cell["printed"]),
        ("ours", _plus_minus(cell["mean"], cell["std"]) or "not recorded"),
        ("verdict", cell["verdict"] or "none: the paper has no such row"),
    ]
    if cell["printed"] == "value" and cell["n"]:
        rows.append(("", arithmetic(cell)))
    rows.append(("", "data/published/results.csv, study/compare.py, study/verdicts.py"))
    return rows


def _trials(experiment, mine):
    """How many trials, their seconds, and their lines in the file."""
    path = default_store().path(experiment)
    if mine.empty:
        return [("trials", f"none; mimlpaper compute {experiment}")]
    keys = mine["dataset"] + "," + mine["method"]
    in_file = pd.read_csv(path, usecols=["dataset", "method"])
    places = 2 + np.flatnonzero((in_file["dataset"] + "," + in_file["method"]).isin(keys))
    seconds = mine["seconds"].sum()
    states = ", ".join(f"{n} {state}" for state, n in mine["state"].value_counts().items())
    splits = mine["split"]
    return [
        ("trials", f"{len(mine)}: {states}; seeds {splits.min()} to {splits.max()}"),
        ("", f"{seconds:.1f} s of processor time in all"),
        ("", f"data/results/{path.name}, lines {places[0]} to {places[-1]}"),
    ]


def _code(experiment, dataset, method):
    """The settings, and the files that compute with them, with a short hash of each."""
    splits = experiment.part_of(dataset, method).splits
    parts = experiment.estimator(dataset, method), loader_of(dataset), splits, experiment.measure
    sections = paths.PACKAGE.glob("study/section*.py")
    section = next(path for path in sections if f'"{experiment.name}"' in path.read_text())
    row = ROWS[experiment.name][method]
    rows = [("settings", line) for line in _settings(method, row, dataset)]
    rows.append(("", f"{splits}; study/{section.name}"))
    rows.append(("code", f"fingerprint {code_fingerprint(*parts)}"))
    for module, n_definitions in modules_behind(*parts).items():
        path = paths.PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        name = path.relative_to(paths.PACKAGE)
        rows.append(("", f"{name!s:<32} {digest}  {n_definitions} definitions in use"))
    return rows


def _settings(method, row, dataset):
    """Each setting's value and basis; a dagger marks a setting nearest to print."""
    about = settings({method: row}, [dataset])
    for one in about[about["basis"] != ""].itertuples():
        mark = " †" if one.basis == NEAREST else ""
        value = f"{one.parameter} = {one.value}"
        yield f"{value:<50} {one.basis} {one.source}".rstrip() + mark


def _verified(experiment, method):
    table = load_table(default_store().folder, "verified")
    own = table[(table["experiment"] == experiment) & (table["method"] == method)]
    rows = [
        ("verified", f"{row.date}: {row.outcome}, {row.n_checked} trials, {row.machine}")
        for row in own.itertuples()
    ]
    return rows or [("verified", "never")]


def _plus_minus(mean, std):
    if pd.isna(mean):
        return ""
    return f"{mean:.4g}" if pd.isna(std) else f"{mean:.4g} ± {std:.3g}"


def _aligned(rows):
    """Name and text in two columns; a name stands once."""
    names = [name if i == 0 or name != rows[i - 1][0] else "" for i, (name, _) in enumerate(rows)]
    return [f"{name:<10}{text}" for name, (_, text) in zip(names, rows, strict=True)]
