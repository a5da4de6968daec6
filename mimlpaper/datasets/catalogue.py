"""All data sets by name: load one, list them, download their files."""

import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from mimlpaper.datasets import loaders, synthetic
from mimlpaper.datasets.dataset import Dataset, with_percentage
from mimlpaper.datasets.fetch import SOURCES, data_folder, download, manifest

LOADERS: dict[str, Callable[..., Dataset]] = {
    "scene": loaders.load_scene,
    "reuters": loaders.load_reuters,
    "yeast": loaders.load_yeast,
    **{f"yahoo:{name}": partial(loaders.load_yahoo, name) for name in loaders.YAHOO_NAMES},
    "musk1": loaders.load_musk1,
    "musk2": loaders.load_musk2,
    "elephant": loaders.load_elephant,
    "tiger": loaders.load_tiger,
    "fox": loaders.load_fox,
    "hja": loaders.load_hja,
    "letter_frost": loaders.load_letter_frost,
    "letter_carroll": loaders.load_letter_carroll,
    "dbpedia": loaders.load_dbpedia,
    "synthetic_africa": synthetic.load_synthetic_africa,
    "synthetic_scene": synthetic.load_synthetic_scene,
    "synthetic_texts": synthetic.load_synthetic_texts,
    "synthetic_genes": synthetic.load_synthetic_genes,
    "synthetic_pages": synthetic.load_synthetic_pages,
}

# The derived sets of Section 5.5: with 10 to 50 % of examples with several labels.
PERCENTAGES = (10, 20, 30, 40, 50)
DERIVED_FROM = {
    f"{name}:{percentage}%": (name, percentage)
    for name in ("scene", "reuters", "synthetic_scene", "synthetic_texts")
    for percentage in PERCENTAGES
}


def _loader(load, percentage):
    def load_derived(**where) -> Dataset:
        return with_percentage(load(**where), percentage)

    return load_derived


DATASETS: dict[str, Callable[..., Dataset]] = LOADERS | {
    name: _loader(LOADERS[origin], percentage)
    for name, (origin, percentage) in DERIVED_FROM.items()
}


def load(name: str, data_home: str | os.PathLike | None = None) -> Dataset:
    """The data set of a name in :data:`DATASETS`; synthetic ones need no files.

    "scene:10%" to "scene:50%", and likewise for the other MIML sets, have this percentage of
    examples with several labels, see :func:`~mimlpaper.datasets.with_percentage`. ``data_home`` is
    the data folder; None for ``$MIMLPAPER_DATA``, else ``data/raw``. Raises ValueError for another
    name, and DataError if a file is missing and cannot be downloaded, damaged, or not laid out as
    expected.
    """
    source = _source(name)
    return DATASETS[name](data_home=data_home) if source.files else DATASETS[name]()


def is_present(name: str, data_home: str | os.PathLike | None = None) -> bool:
    """Whether a data set can be loaded without a download; its files' hashes are checked."""
    return _state(_source(name), data_folder(data_home)) in ("present", "built in")


def n_labels(name: str) -> int:
    """Number of labels of a data set, without reading it."""
    return _source(name).n_labels


def fetch_all(
    data_home: str | os.PathLike | None = None, names: Iterable[str] | None = None
) -> list[Path]:
    """Paths of the files of the named or all data sets; downloads missing and damaged files."""
    folder = data_folder(data_home)
    sources = _sources(SOURCES if names is None else names)
    entries = [manifest()[file] for source in sources for file in source.files]
    return [
        download(entry, folder) if entry.fault(folder / entry.file) else folder / entry.file
        for entry in entries
    ]


def _source(name):
    return _sources([DERIVED_FROM.get(name, (name, None))[0]])[0]


def _sources(names):
    unknown = [name for name in names if name not in SOURCES]
    if unknown:
        raise ValueError(
            f"no data set is named {', '.join(map(repr, unknown))}; there are {', '.join(SOURCES)}"
        )
    return [SOURCES[name] for name in names]


def describe(data_home: str | os.PathLike | None = None) -> list[dict]:
    """One row for each data set, without reading or downloading it.

    The state is "present", "missing", "damaged", or "built in" if no file is needed.
    """
    rows, folder = [], data_folder(data_home)
    for source in SOURCES.values():
        entry = manifest()[source.files[0]] if source.files else None
        rows.append(
            {
                "name": source.name,
                "shape": source.shape,
                "labels": source.n_labels,
                "kind": source.kind,
                "state": _state(source, folder),
                "source": entry.original_source if entry else source.citation,
                "terms": entry.data_terms if entry else "BSD-3-Clause",
                "path": str(folder / entry.file) if entry else "",
            }
        )
    return rows


def _state(source, folder):
    if not source.files:
        return "built in"
    if not all((folder / file).exists() for file in source.files):
        return "missing"
    damaged = any(manifest()[file].fault(folder / file) for file in source.files)
    return "damaged" if damaged else "present"
