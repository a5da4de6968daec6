"""What data sets there are, and their files: listed in the manifest, checked, downloaded."""

import csv
import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pooch
from tqdm import tqdm  # tqdm.auto warns in notebooks without ipywidgets

from mimlpaper import paths

DRAWN = "drawn:"  # begins the names of data sets drawn in any size, such as "drawn:400x8x4"
RETRIES = 3
TIMEOUT = 30  # seconds without an answer


class DataError(RuntimeError):
    """A data file is missing, damaged or malformed; the message says what to do."""


@dataclass(frozen=True)
class Source:
    """One row of ``data/datasets.csv``: a data set before any file is read."""

    name: str
    kind: str  # original, re-derived or synthetic
    n_examples: int
    n_instances: int | None  # None if the examples are single instances
    n_features: int
    n_labels: int
    files: tuple[str, ...]  # in the manifest, the numbers in the first; none if synthetic
    citation: str


@dataclass(frozen=True)
class ManifestEntry:
    """One row of ``data/manifest.csv``."""

    file: str
    bytes: int
    sha256: str
    url: str
    original_source: str
    data_terms: str

    @property
    def needed(self) -> str:
        return f"needed are {self.bytes:,} bytes of sha256 {self.sha256}"

    def is_at(self, path: Path) -> bool:
        """Whether the file at ``path`` is this one, by its hash."""
        return path.exists() and pooch.file_hash(path) == self.sha256


def drawn_sizes(name: str) -> tuple[int, ...]:
    """Numbers of bags, instances in each, and labels of "drawn:400x8x4"; none of other names."""
    return tuple(map(int, name.removeprefix(DRAWN).split("x"))) if name.startswith(DRAWN) else ()


def source_of(name: str) -> Source:
    """The source of a data set, also of one like "scene:10%"; ValueError if there is none."""
    if sizes := drawn_sizes(name):
        n_bags, n_instances, n_labels = sizes
        return Source(name, "synthetic", n_bags, n_bags * n_instances, 16, n_labels, (), "")
    name = re.sub(r":\d+%$", "", name)
    if name not in SOURCES:
        raise ValueError(f"no data set is named {name!r}; there are {', '.join(SOURCES)}")
    return SOURCES[name]


def is_present(name: str, data_home: str | os.PathLike | None = None) -> bool:
    """Whether a data set can be loaded without a download; its files' hashes are checked."""
    return _state(source_of(name), data_folder(data_home)) in ("present", "built in")


def describe(data_home: str | os.PathLike | None = None) -> list[dict]:
    """A row for each data set; its state is "present", "missing", "damaged" or "built in"."""
    rows, folder = [], data_folder(data_home)
    for source in SOURCES.values():
        entry = manifest()[source.files[0]] if source.files else None
        bags = f" bags, {source.n_instances:,} instances" if source.n_instances else " examples"
        rows.append(
            {
                "name": source.name,
                "shape": f"{source.n_examples:,}{bags}, {source.n_features:,} features",
                "labels": source.n_labels,
                "kind": source.kind,
                "state": _state(source, folder),
                "source": entry.original_source if entry else source.citation,
                "terms": entry.data_terms if entry else "BSD-3-Clause",
            }
        )
    return rows


def _state(source, folder):
    if not source.files:
        return "built in"
    if not all((folder / file).exists() for file in source.files):
        return "missing"
    whole = all(manifest()[file].is_at(folder / file) for file in source.files)
    return "present" if whole else "damaged"


def manifest() -> dict[str, ManifestEntry]:
    """The rows of ``data/manifest.csv`` by file name."""
    return {
        # One address is followed by a remark.
        row["file"]: ManifestEntry(
            **row | {"bytes": int(row["bytes"]), "url": row["url"].split()[0]}
        )
        for row in _rows("manifest.csv")
    }


def data_folder(data_home: str | os.PathLike | None = None) -> Path:
    """Folder of the data files: ``data_home``, else ``$MIMLPAPER_DATA``, else ``data/raw``."""
    named = data_home or os.environ.get("MIMLPAPER_DATA")
    return Path(named).expanduser().resolve() if named else paths.raw_data()


def fetch_all(
    data_home: str | os.PathLike | None = None,
    names: Iterable[str] | None = None,
    *,
    replace: bool = True,
) -> list[Path]:
    """Paths of the files of the named or all data sets, each fetched as by :func:`fetch`."""
    known = SOURCES if names is None else names
    return [fetch(f, data_home, replace=replace) for n in known for f in source_of(n).files]


def fetch(file: str, data_home: str | os.PathLike | None = None, *, replace: bool = False) -> Path:
    """Path of a file of the manifest, with checked sha256; downloads a missing file.

    A damaged file may be the user's own, and only ``replace`` overwrites it: a DataError says how.
    """
    entry, folder = manifest()[file], data_folder(data_home)
    path = folder / file
    if entry.is_at(path):
        return path
    if path.exists() and not replace:
        raise DataError(
            f"{path} is damaged or another file; {entry.needed}. It is left as it is; to replace "
            f"it by a fresh download: {_mending_command(folder)}"
        )
    return download(entry, folder)


def download(entry: ManifestEntry, folder: Path) -> Path:
    """Download a file into ``folder`` and check it; replaces a damaged file."""
    registry = pooch.create(
        path=folder,
        base_url="",
        registry={entry.file: f"sha256:{entry.sha256}"},
        urls={entry.file: entry.url},
        retry_if_failed=RETRIES,
    )
    path = folder / entry.file
    pooch.get_logger().setLevel("WARNING")  # the bar and the error below say it
    try:
        with tqdm(desc=entry.file, total=entry.bytes, unit="B", unit_scale=True) as bar:
            get = pooch.HTTPDownloader(progressbar=bar, timeout=TIMEOUT)
            registry.fetch(entry.file, downloader=get)  # renamed into place once its hash is right
    except (OSError, ValueError) as error:  # no network or no room for it; the wrong hash
        cause: BaseException = error
        while cause.__context__:  # such as a name that could not be resolved
            cause = cause.__context__
        raise DataError(
            f"{path} is missing or damaged; {entry.needed}; downloading it from {entry.url} "
            f"failed: {cause}. To try again: {_mending_command(folder)} (--data DIR "
            "for another folder)"
        ) from None  # the network's tracebacks say no more
    return path


def _mending_command(folder):
    elsewhere = "" if folder == paths.raw_data() else f" --data {shlex.quote(str(folder))}"
    return f"mimlpaper data --fetch{elsewhere}"


def _rows(name):
    with (paths.packaged_data() / name).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def _source(row):
    numbers = {key: int(row[key]) if row[key] else None for key in row if key[:2] == "n_"}
    return Source(**row | numbers | {"files": tuple(row["files"].split())})


SOURCES = {row["name"]: _source(row) for row in _rows("datasets.csv")}
