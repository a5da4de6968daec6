"""What data sets there are, and their files: listed in the manifest, checked, downloaded."""

import csv
import os
import re
import shlex
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pooch
import requests
from tqdm import tqdm  # tqdm.auto warns in notebooks without ipywidgets

from mimlpaper import paths

DRAWN = "drawn:"  # begins the names of data sets drawn in any size, such as "drawn:400x8x4"
DRAWN_FEATURES = 16  # as make_bags draws them
RETRIES = 3  # of each address
TIMEOUT = 30  # seconds without an answer
CHUNK = 2**16  # bytes of a download that are written at once


class DataError(RuntimeError):
    """A data file is missing, damaged or malformed; the message says what to do."""


class DownloadError(DataError):
    """A file could not be downloaded from any of its addresses."""


@dataclass(frozen=True)
class Source:
    """One row of ``data/datasets.csv``: a data set before any file is read."""

    name: str
    kind: str  # original, re-derived or synthetic
    n_examples: int
    n_instances: int | None  # None if the examples are single instances
    n_features: int
    n_labels: int
    files: tuple[str, ...]  # in the manifest, that of the features first; none if synthetic
    citation: str


@dataclass(frozen=True)
class ManifestEntry:
    """One row of ``data/manifest.csv``."""

    file: str
    bytes: int
    sha256: str
    url: str
    second_url: str  # of another server, asked if the first one fails
    original_source: str
    data_terms: str

    @property
    def needed(self) -> str:
        return f"it must have {self.bytes:,} bytes and sha256 {self.sha256}"

    def is_at(self, path: Path) -> bool:
        """Whether the file at ``path`` is this one, by its size and hash."""
        if not path.is_file() or path.stat().st_size != self.bytes:
            return False
        return pooch.file_hash(path) == self.sha256


def drawn_sizes(name: str) -> tuple[int, ...]:
    """Numbers of bags, instances in each, and labels of "drawn:400x8x4"; () for others.

    Raises ValueError for sizes that cannot be read.
    """
    if not name.startswith(DRAWN):
        return ()
    sizes = re.fullmatch(r"([1-9][0-9]*)x([1-9][0-9]*)x([1-9][0-9]*)", name.removeprefix(DRAWN))
    if sizes is None:
        raise ValueError(f"name must be such as {DRAWN}400x8x4 for synthetic bags, got {name!r}")
    return tuple(map(int, sizes.groups()))


def split_percentage(name: str) -> tuple[str, int | None]:
    """A data set's name without the percentage, and the percentage or None.

    >>> split_percentage("scene:10%")
    ('scene', 10)
    >>> split_percentage("yahoo:Arts")
    ('yahoo:Arts', None)
    """
    parts = re.fullmatch(r"(.+):(\d+)%", name)
    if parts is None:
        return name, None
    origin, percentage = parts.groups()
    return origin, int(percentage)


def source_of(name: str) -> Source:
    """The source of a data set, also of one like "scene:10%"; ValueError if there is none."""
    if sizes := drawn_sizes(name):
        n_bags, n_instances, n_labels = sizes
        return Source(
            name=name,
            kind="synthetic",
            n_examples=n_bags,
            n_instances=n_bags * n_instances,
            n_features=DRAWN_FEATURES,
            n_labels=n_labels,
            files=(),
            citation="",
        )
    origin, _ = split_percentage(name)
    if origin not in SOURCES:
        raise ValueError(f"no data set is named {origin!r}; there are {', '.join(SOURCES)}")
    return SOURCES[origin]


def is_present(name: str, data_home: str | os.PathLike | None = None) -> bool:
    """Whether a data set can be loaded without a download; its files' hashes are checked."""
    return _state(source_of(name), data_folder(data_home)) in ("present", "built in")


def describe(data_home: str | os.PathLike | None = None) -> list[dict]:
    """A row for each data set; its state is "present", "missing", "damaged" or "built in"."""
    rows, folder = [], data_folder(data_home)
    for source in SOURCES.values():
        entry = entry_of(source.files[0]) if source.files else None
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
    whole = all(entry_of(file).is_at(folder / file) for file in source.files)
    return "present" if whole else "damaged"


def manifest() -> dict[str, ManifestEntry]:
    """The rows of ``data/manifest.csv`` by file name."""
    return _rows("manifest.csv", _manifest_entry)


def entry_of(file: str) -> ManifestEntry:
    """The row of a file in ``data/manifest.csv``; a DataError if it has none."""
    entries = manifest()
    if file not in entries:
        raise DataError(f"manifest.csv must list each file of the data sets, it lacks {file}")
    return entries[file]


def _manifest_entry(row):
    if not row["url"]:
        raise ValueError("url is empty")
    # One address is followed by a remark.
    address, *_ = row["url"].split()
    return ManifestEntry(**{**row, "bytes": int(row["bytes"]), "url": address})


def data_folder(data_home: str | os.PathLike | None = None) -> Path:
    """Folder of the data files: ``data_home``, else ``$MIMLPAPER_DATA``, else ``data/raw``."""
    named = data_home or os.environ.get("MIMLPAPER_DATA")
    if not named:
        return paths.raw_data()
    said_by = "data_home" if data_home else "MIMLPAPER_DATA"
    try:
        folder = Path(named).expanduser().resolve()
    except RuntimeError as error:  # ~somebody who is not there
        raise ValueError(f"{said_by} must be a folder, got {str(named)!r}: {error}") from error
    if folder.is_file():
        raise ValueError(f"{said_by} must be a folder, got the file {str(named)!r}")
    return folder


def fetch_all(
    data_home: str | os.PathLike | None = None,
    names: Iterable[str] | None = None,
    *,
    replace: bool = True,
) -> list[Path]:
    """Paths of the files of the named data sets, or of all, each checked as by :func:`fetch`.

    With ``replace``, here by default, damaged files are fetched again, and kept as ``.old``. A file
    that fails stops no other; at the end a DataError lists all that failed. A ValueError says that
    no data set has one of the names.
    """
    known = SOURCES if names is None else names
    files = dict.fromkeys(file for name in known for file in source_of(name).files)
    folder = data_folder(data_home)
    fetched, errors = [], []
    for file in files:
        try:
            fetched.append(_fetched(entry_of(file), folder, replace))
        except DataError as error:
            errors.append(error)
    if errors:
        lines = [f"{len(errors)} of {len(files)} files could not be had:", *map(str, errors)]
        if any(isinstance(error, DownloadError) for error in errors):
            lines.append(_ways_out(folder))
        raise DataError("\n".join(lines))
    return fetched


def fetch(file: str, data_home: str | os.PathLike | None = None, *, replace: bool = False) -> Path:
    """Path of a file of the manifest, with checked sha256; downloads a missing file.

    A damaged file may be the user's own. It is replaced, and kept as ``.old``, only with
    ``replace``; else a DataError says how.
    """
    folder = data_folder(data_home)
    try:
        return _fetched(entry_of(file), folder, replace)
    except DownloadError as error:
        raise DataError(f"{error}\n{_ways_out(folder)}") from None


def _fetched(entry, folder, replace):
    path = folder / entry.file
    if entry.is_at(path):
        return path
    if path.exists() and not replace:
        raise DataError(
            f"{path} is damaged or another file; {entry.needed}. It is left as it is; to replace "
            f"it by a fresh download: {fetch_command(folder)}"
        )
    if not path.exists():
        return download(entry, folder)
    # It may be the user's own, as what was kept before.
    old = _free_name(path)
    path.replace(old)
    try:
        fetched = download(entry, folder)
    except BaseException:
        old.replace(path)
        raise
    print(f"{path} was damaged or another file, which is kept as {old.name}", file=sys.stderr)
    return fetched


def _free_name(path):
    """The first of name.old, name.old2 and so on that nothing has."""
    number = 1
    while (old := path.with_name(f"{path.name}.old{number if number > 1 else ''}")).exists():
        number += 1
    return old


def download(entry: ManifestEntry, folder: Path) -> Path:
    """Download a file into ``folder`` and check it; replaces a damaged file.

    The second address is asked if the first one fails. A DownloadError gives the cause of each.
    """
    causes = []
    for url in (entry.url, entry.second_url):
        try:
            return _download_from(url, entry, folder)
        except (OSError, ValueError) as error:  # no network or no room for it; the wrong hash
            causes.append(f"  {url}: {_first_cause(error)}")
    lines = [
        f"{folder / entry.file} is missing or damaged, and no download worked:",
        *causes,
        f"  by hand: {entry.original_source}; {entry.needed}",
    ]
    raise DownloadError("\n".join(lines))


def _ways_out(folder):
    return (
        f"To try again: {fetch_command(folder)} (--data DIR for another folder). Or put the "
        "files there by hand. Or take --profile smoke, whose data need no download."
    )


def _download_from(url, entry, folder):
    registry = pooch.create(
        path=folder,
        base_url="",
        registry={entry.file: f"sha256:{entry.sha256}"},
        urls={entry.file: url},
        retry_if_failed=RETRIES,
    )
    pooch.get_logger().setLevel("WARNING")  # the bar and the error say it
    # The file is renamed into place once its hash is right.
    return Path(registry.fetch(entry.file, downloader=_Limited(entry)))


@dataclass(frozen=True)
class _Limited:
    """A downloader for pooch that ends at the size of the manifest; a server may send more."""

    entry: ManifestEntry

    def __call__(self, url, output_file, pooch):
        bar = tqdm(
            desc=self.entry.file,
            total=self.entry.bytes,
            unit="B",
            unit_scale=True,
        )
        with bar, requests.get(url, stream=True, timeout=TIMEOUT) as response:
            if 400 <= response.status_code < 500:
                # Of this error pooch asks no second time: the file is not there.
                raise FileNotFoundError(f"{response.status_code} {response.reason}")
            response.raise_for_status()
            with open(output_file, "wb") as file:
                for chunk in response.iter_content(CHUNK):
                    file.write(chunk)
                    bar.update(len(chunk))
                    if file.tell() > self.entry.bytes:
                        raise OSError(f"the server sends more than {self.entry.bytes:,} bytes")


def _first_cause(error: BaseException) -> BaseException:
    """The error that began a chain, such as a name that could not be resolved."""
    while error.__context__:
        error = error.__context__
    return error


def fetch_command(folder: Path) -> str:
    """The command that downloads what is missing in a folder of data files."""
    usual = None
    with suppress(ValueError):  # $MIMLPAPER_DATA may name what is no folder
        usual = data_folder()
    elsewhere = "" if folder == usual else f" --data {shlex.quote(str(folder))}"
    return f"mimlpaper data --fetch{elsewhere}"


def _rows(name, make):
    """What ``make`` makes of each row of a packaged CSV file, by the row's first column."""
    path = paths.packaged_data() / name
    made = {}
    with path.open(newline="", encoding="utf-8") as lines:
        reader = csv.DictReader(lines)
        columns = list(reader.fieldnames or ())
        for row in reader:
            # A short row has None for the columns it lacks; what is too much stands under None.
            is_whole = {*row} == {*columns} and None not in row.values()
            try:
                if not is_whole:
                    raise ValueError(f"it must have {len(columns)} columns: {', '.join(columns)}")
                made[row[columns[0]]] = make(row)
            except ValueError as error:
                raise DataError(
                    f"line {reader.line_num} of {path} is damaged: {error}. Install mimlpaper "
                    "again, or restore the file by git checkout."
                ) from None
    return made


def _source(row):
    n_instances = int(row["n_instances"]) if row["n_instances"] else None
    return Source(
        name=row["name"],
        kind=row["kind"],
        n_examples=int(row["n_examples"]),
        n_instances=n_instances,
        n_features=int(row["n_features"]),
        n_labels=int(row["n_labels"]),
        files=tuple(row["files"].split()),
        citation=row["citation"],
    )


SOURCES = _rows("datasets.csv", _source)
