"""Write the recorded trials in today's layout: ``python -m mimlstudy.paper.upgrade``.

It runs once, on the code whose settings and data are those of the records. A record's settings and
data, which were other hashes, become today's where they are the same by the former hashes. What
``verify`` found is about former fingerprints, and goes; ``mimlpaper verify`` finds it again.
"""

import hashlib
import json
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator

from mimlpaper.datasets import fetch
from mimlstudy.engine import former
from mimlstudy.engine.records import VERIFIED, Store, columns_of, fingerprint_today
from mimlstudy.engine.rows import sealed
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS

UNKNOWN = ""  # settings and data of a record that today's code does not give


def main():
    """Upgrade every file of the default store."""
    store = default_store()
    for experiment in EXPERIMENTS.values():
        path = store.path(experiment.name)
        columns = columns_of(experiment.measure)
        if path.is_file() and path.read_text().splitlines()[0] == former.header(columns):
            upgrade(store, experiment)
    verified = store.path(VERIFIED)
    if verified.is_file() and former.is_outcomes(verified.read_text()):
        verified.unlink()
        store.add_outcomes([])


def upgrade(store: Store, experiment):
    """Write one experiment's file in today's layout, and say how many records are known."""
    columns = columns_of(experiment.measure)
    hashes = {}

    def upgraded(rows):
        new = []
        for row in rows.to_dict("records"):
            key = row["dataset"], row["method"], row["parameters"]
            if key not in hashes:
                hashes[key] = _hashes(experiment, *key)
            (old_settings, settings), (old_data, data) = hashes[key]
            row["settings"] = settings if row["settings"] == old_settings else UNKNOWN
            row["data_sha256"] = _today(row["data_sha256"], old_data, data)
            new.append(row if row["doubt"] else sealed(row, columns))
        known = sum(row["settings"] != UNKNOWN != row["data_sha256"] for row in new)
        print(f"{experiment.name}: {known} of {len(new)} rows have today's settings and data")
        return rows.assign(
            **{name: [row[name] for row in new] for name in ("settings", "data_sha256", "seal")}
        )

    store.rewrite(experiment, upgraded)


def _today(recorded, old, new):
    """Today's hash of the data; drawn data are known by the code that draws them."""
    if new is None:
        return recorded
    return new if recorded == old else UNKNOWN


def _hashes(experiment, dataset, method, parameters):
    """((former, today's) settings, (former, today's) data) of a configuration."""
    try:
        estimator = experiment.estimator(dataset, method, parameters)
    except ValueError:  # a configuration that is gone
        return (None, UNKNOWN), (None, UNKNOWN)
    splits = experiment.part_of(dataset, method).splits
    parts = estimator, CATALOGUE.loader(dataset), splits, _former_measure(experiment.measure)
    text = json.dumps(parts, default=_former_description, sort_keys=True)
    settings = hashlib.sha256(text.encode()).hexdigest()[:12]
    today = fingerprint_today(experiment, CATALOGUE, dataset, method, parameters).settings
    files = fetch.source_of(dataset).files
    data = fetch.manifest()[files[0]].sha256 if files else None
    return (settings, today), (data, CATALOGUE.content(dataset))


def _former_measure(measure):
    """A measure's fields as they were described."""
    names = ("rows", "numbers", "words", "repeatable", "alone")
    return [type(measure), {name: getattr(measure, name) for name in names}]


def _former_description(value):
    """A value for JSON, as former fingerprints had it."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if hasattr(value, "__qualname__"):
        enclosed = (cell.cell_contents for cell in getattr(value, "__closure__", None) or ())
        return [value.__qualname__, *enclosed]
    if not hasattr(value, "__dict__"):
        return [type(value), str(value)]
    held = value.get_params(deep=False) if isinstance(value, BaseEstimator) else vars(value)
    return [type(value), {n: v for n, v in held.items() if n not in ("random_state", "n_splits")}]


if __name__ == "__main__":
    main()
