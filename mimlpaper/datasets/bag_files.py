"""Bags in files of a reader's own: ARFF with its XML of label names, CSV, and NPZ."""

from __future__ import annotations

import csv
import math
import os
import re
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO
from xml.parsers import expat
from xml.sax.saxutils import quoteattr
from zipfile import ZipFile

import numpy as np

from mimlpaper.bags import Bags, as_bags
from mimlpaper.datasets.fetch import DataError
from mimlpaper.paths import whole_file

__all__ = ["LabelledBags", "labelled_bags", "read_bags", "read_label_names", "write_bags"]

MAX_BYTES = 2**32  # of instances in memory, unless the caller allows more
MAX_LINE = 2**26  # bytes
MAX_XML = 2**26  # bytes

# The grammar of ARFF. Possessive quantifiers: no file can make a search long.
QUOTED = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
ATTRIBUTE = re.compile(rf"@attribute\s++({QUOTED}|[^\s{{}}'\"][^\s{{}}]*+)\s*+(.+)", re.IGNORECASE)
VALUE = re.compile(rf"\s*+({QUOTED}|[^,'\"]*+)\s*+(,|\Z)")  # up to the comma, or the end
INDEX = re.compile(r"\s*(\d{1,9})\s+")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
NUMERIC = ("numeric", "real", "integer")
MULAN = "http://mulan.sourceforge.net/labels"  # the name space of files of label names
LABEL_PREFIX = "label:"  # of a column of labels in a CSV file

# The arrays of an archive, with their kinds as NumPy abbreviates them.
ARRAYS = {
    "instances": "fiu", "offsets": "iu", "Y": "biu", "label_names": "U", "feature_names": "U",
    "bag_names": "U",
}  # fmt: skip
OPTIONAL = {"feature_names", "bag_names"}


class LabelledBags(NamedTuple):
    """Bags, their labels and all names; :func:`labelled_bags` builds one and checks it.

    Attributes
    ----------
    X : Bags
    Y : bool array (n_bags, n_labels)
    label_names : tuple of str, (n_labels,)
    feature_names : tuple of str, (n_features,)
    bag_names : tuple of str, (n_bags,)
    """

    X: Bags
    Y: np.ndarray
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    bag_names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"LabelledBags({self.X!r}, labels {', '.join(self.label_names)})"


def labelled_bags(
    X,
    Y,
    label_names: Sequence[str],
    *,
    feature_names: Sequence[str] | None = None,
    bag_names: Sequence[str] | None = None,
) -> LabelledBags:
    """Bags and labels with names, checked against each other.

    Parameters
    ----------
    X : Bags, or list of 2-D arrays
    Y : (n_bags, n_labels), booleans, or 0 and 1
    label_names : n_labels of them
    feature_names : n_features of them; None for f1, f2, …
    bag_names : n_bags of them; None for bag1, bag2, …

    Raises
    ------
    ValueError
        If counts do not agree, a label is neither 0 nor 1, or a name is not printable, has
        spaces around it, or stands twice among its kind.
    """
    X, Y = as_bags(X), np.asarray(Y)
    if Y.ndim != 2 or len(Y) != len(X) or Y.shape[1] == 0:
        raise ValueError(
            f"Y must have one row for each of {len(X)} bags and at least one column, "
            f"got shape {Y.shape}"
        )
    if Y.dtype.kind not in "biuf" or not np.isin(Y, (0, 1)).all():
        raise ValueError("Y must hold booleans, or 0 and 1")
    return LabelledBags(
        X,
        Y.astype(bool),
        checked_names(label_names, "label", Y.shape[1]),
        checked_names(feature_names, "feature", X.n_features, prefix="f"),
        checked_names(bag_names, "bag", len(X), prefix="bag"),
    )


def as_labelled(data) -> LabelledBags:
    """A :class:`LabelledBags` or :class:`Dataset` of bags, with names for what has none."""
    Y = getattr(data, "y", None)
    return labelled_bags(
        data.X,
        data.Y if Y is None else Y[:, None],
        data.label_names,
        feature_names=data.feature_names,
        bag_names=getattr(data, "bag_names", None),
    )


def checked_names(names, kind: str, n: int, prefix: str = "") -> tuple[str, ...]:
    """``n`` different names; None stands for ``prefix`` with numbers from 1."""
    if names is None:
        names = [f"{prefix}{i + 1}" for i in range(n)]
    names = [str(name) if isinstance(name, str) else name for name in names]  # NumPy's too
    if len(names) != n:
        raise ValueError(f"{n} {kind} names are needed, got {len(names)}")
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or not name or name != name.strip():
            raise ValueError(
                f"the name of a {kind} must be printable text without spaces around it, "
                f"got {name!r:.60}"
            )
    if len(set(names)) < n:
        twice = next(name for i, name in enumerate(names) if name in set(names[:i]))
        raise ValueError(f"{kind} names must differ, but {twice!r} stands twice")
    return tuple(names)


def read_bags(path: str | os.PathLike, **options) -> LabelledBags:
    """Bags, labels and names from a file that ends in .arff, .csv or .npz.

    Parameters
    ----------
    path : path
    options : those of :func:`read_arff`, :func:`read_csv` or :func:`read_npz`, which also tell the
        layouts.

    Raises
    ------
    DataError
        If the file is not laid out as its format asks; the message tells the line, or the bag.
    FileNotFoundError
        If there is no such file.
    ValueError
        If the ending is another.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mimlpaper.datasets import load_synthetic_scene
    >>> with TemporaryDirectory() as folder:
    ...     write_bags(f"{folder}/scenes.arff", load_synthetic_scene(n_images=10))
    ...     read_bags(f"{folder}/scenes.arff").X
    Bags(10 bags, 90 instances, 15 features)
    """
    read, _ = _format(path)
    return read(path, **options)


def write_bags(path: str | os.PathLike, data):
    """Write bags with labels into a file that ends in .arff, .csv or .npz, whole or not at all.

    Parameters
    ----------
    path : path; beside an .arff file stands an .xml file that names the labels.
    data : :class:`~mimlpaper.datasets.LabelledBags`, as
        :func:`~mimlpaper.datasets.labelled_bags` makes it, or a
        :class:`~mimlpaper.datasets.Dataset` of bags.
    """
    _, write = _format(path)
    write(path, data)


def _format(path):
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise ValueError(f"path must end in {', '.join(FORMATS)}, got {str(path)!r}")
    return FORMATS[ending]


class Header(NamedTuple):
    """The attributes above ``@data``."""

    names: list[str]  # of a row's values: the bag's id, the bag, labels
    types: list[str]
    bag: int  # which of these is the bag
    features: list[str]  # the attributes within the bag


def read_arff(
    path: str | os.PathLike, *, labels: str | os.PathLike | None = None, max_bytes: int = MAX_BYTES
) -> LabelledBags:
    """Read a MIML ARFF file and the XML file that names its labels.

    ::

        @relation two
        @attribute id {bag1,bag2}
        @attribute bag relational
          @attribute f1 numeric
          @attribute f2 numeric
        @end bag
        @attribute label1 {0,1}
        @attribute label2 {0,1}
        @data
        bag1,"5,-198\\n4.5,-1",1,0
        bag2,"10,-8",0,1

    The first attribute is the bag's id; one attribute is relational, with numeric attributes in
    it; the others are the labels. Values, and whole instances and rows, may be sparse
    (``{1 -20}``), and quotes single or double.

    SciPy's reader knows relational attributes too, but neither sparse rows nor names beyond
    ASCII, and takes rows with surplus values and values that are missing.

    Parameters
    ----------
    path : path
    labels : path or None
        The XML file; None for the one beside ``path`` of the same name, if it is there.
    max_bytes : int, default 4 GiB
        The most memory that the instances may need.

    Raises
    ------
    DataError
        If a file is not laid out so; the message tells the line.
    FileNotFoundError
        If there is no such file.
    """
    path = Path(path)
    if labels is None and path.with_suffix(".xml").is_file():
        labels = path.with_suffix(".xml")
    names = None if labels is None else read_label_names(labels)
    with path.open("rb") as file:
        lines = Lines(file)
        try:
            return _read_arff(iter(lines), names, labels, max_bytes)
        except ValueError as error:
            raise DataError(f"{path}, line {lines.number}: {error}") from error


def write_arff(path: str | os.PathLike, data):
    """Write a :class:`LabelledBags`, or a :class:`Dataset` of bags, and the XML file beside it.

    Reading the file gives the same numbers and names back.
    """
    path, data = Path(path), as_labelled(data)
    with whole_file(path.with_suffix(".xml")) as file:
        write_label_names(file, data.label_names)
    with whole_file(path) as file:
        file.write(f"@relation {_quoted(path.stem if path.stem.isprintable() else 'bags')}\n\n")
        ids = ",".join(map(_quoted, data.bag_names))
        file.write(f"@attribute {_unlike(data.label_names, 'id')} {{{ids}}}\n")
        bag = _unlike(data.label_names, "bag")
        file.write(f"@attribute {bag} relational\n")
        file.writelines(f"  @attribute {_quoted(name)} numeric\n" for name in data.feature_names)
        file.write(f"@end {bag}\n")
        file.writelines(f"@attribute {_quoted(name)} {{0,1}}\n" for name in data.label_names)
        file.write("\n@data\n")
        for name, instances, labels in zip(data.bag_names, data.X, data.Y, strict=True):
            rows = "\\n".join(",".join(map(number_text, row)) for row in instances)
            ending = ",".join("1" if label else "0" for label in labels)
            file.write(f'{_quoted(name)},"{rows}",{ending}\n')


def _read_arff(lines, names, source, max_bytes):
    header = _header(lines)
    label_places = [i for i in range(1, len(header.names)) if i != header.bag]
    if names is not None:
        _compare({header.names[i] for i in label_places}, set(names), source)
    defaults = _defaults(header)
    collector = Collector(header.features, [header.names[i] for i in label_places], max_bytes)
    for line in lines:
        row = line.strip()
        if not row or row.startswith("%"):
            continue
        values = _values(row, defaults)
        if len(values) != len(defaults):
            raise ValueError(f"a row must have {len(defaults)} values, got {len(values)}")
        collector.begin(values[0], [values[i] for i in label_places])
        for instance in values[header.bag].strip("\r\n").split("\n"):
            collector.instance(_values(instance.strip(), ["0"] * len(header.features)))
    return collector.finish()


def _header(lines) -> Header:
    names, types, features = [], [], []
    bag, inside = None, False
    for line in lines:
        text = line.strip()
        keyword = text.split(maxsplit=1)[0].lower() if text else "%"
        if keyword.startswith("%") or keyword == "@relation":
            continue
        if keyword == "@attribute":
            name, kind = _attribute(text)
            if inside:
                if kind.lower() not in NUMERIC:
                    raise ValueError(f"feature {name!r} must be numeric, got {kind!r:.60}")
                features.append(name)
                continue
            if kind.lower() == "relational":
                if bag is not None:
                    raise ValueError(f"only one relational attribute is expected, got {name!r} too")
                bag, inside = len(names), True
            names.append(name)
            types.append(kind)
        elif keyword == "@end" and inside:
            inside = False
        elif keyword == "@data" and bag is not None and not inside:
            return Header(names, types, bag, features)
        else:
            raise ValueError(
                "expected @attribute, or @end after the bag's attributes, or @data after a "
                f"relational attribute; got {text!r:.60}"
            )
    raise ValueError("the file ends before @data")


def _attribute(text):
    match = ATTRIBUTE.fullmatch(text)
    if not match:
        raise ValueError(f"an attribute must have a name and a type, got {text!r:.60}")
    return _unquoted(match[1]), match[2]


def _defaults(header) -> list[str | None]:
    """What a sparse row leaves out is the first value declared; the bag cannot be left out."""
    if header.bag == 0:
        raise ValueError("the first attribute must be the bag's id, got the bag itself")
    defaults: list[str | None] = []
    for i, (name, kind) in enumerate(zip(header.names, header.types, strict=True)):
        declared = _dense_values(kind[1:-1]) if kind[0] + kind[-1] == "{}" else [None]
        if i not in (0, header.bag) and sorted(map(str, declared)) != ["0", "1"]:
            raise ValueError(f"label {name!r} must be declared {{0,1}}, got {kind!r:.60}")
        defaults.append(declared[0])
    return defaults


def _compare(found, named, source):
    if found != named:
        raise ValueError(
            f"the labels must be those of {source}: only there {sorted(named - found)[:5]}, "
            f"only here {sorted(found - named)[:5]}"
        )


def _values(text, defaults):
    """The values of a row, without quotes; a sparse row is filled up with ``defaults``."""
    if text.startswith("{") and text.endswith("}"):
        return _sparse_values(text[1:-1], defaults)
    return _dense_values(text)


def _dense_values(text):
    values, at, more = [], 0, True
    while more:
        value, more, at = _value(text, at)
        values.append(value)
    return values


def _sparse_values(text, defaults):
    values, at, more, seen = list(defaults), 0, bool(text.strip()), set()
    while more:
        match = INDEX.match(text, at)
        index = int(match[1]) if match else len(values)
        if index >= len(values) or index in seen:
            raise ValueError(
                f"a sparse row must hold indices from 0 to {len(values) - 1}, each followed by "
                f"its value, and none twice; got {text[at:]!r:.60}"
            )
        seen.add(index)
        values[index], more, at = _value(text, match.end())
    if None in values:
        raise ValueError(f"value {values.index(None)} of the sparse row cannot be left out")
    return values


def _value(text, at):
    """The value that starts there, whether a comma follows, and where the next one starts."""
    match = VALUE.match(text, at)
    if not match:
        raise ValueError(f"no value can be read from {text[at:]!r:.60}; is a quote not closed?")
    return _unquoted(match[1].strip()), match[2] == ",", match.end()


def _unquoted(text):
    if text[:1] not in ("'", '"'):
        return text
    return ESCAPE.sub(lambda match: _escaped(match[1]), text[1:-1])


def _escaped(code):
    return chr(int(code[1:], 16)) if len(code) == 5 else ESCAPED.get(code, code)


def _quoted(name):
    if re.fullmatch(r"[\w.-]+", name, re.ASCII):
        return name
    return "'" + re.sub(r"(['\"\\%])", r"\\\1", name) + "'"


def _unlike(names, name):
    """The name, or one like it that is not among ``names``."""
    while name in names:
        name += "_"
    return name


def read_label_names(path: str | os.PathLike) -> tuple[str, ...]:
    """The names in ``<labels><label name="…"/>…</labels>``, from top to bottom.

    Labels may be nested, which tells a hierarchy; every one of them is a label. A document
    type declaration is refused, since it may declare entities that expand without end.

    Raises
    ------
    DataError
        If the file is not such an XML file; the message tells the line.
    """
    names: list[str] = []
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda tag, attributes: names.extend(_label_name(tag, attributes))
    parser.StartDoctypeDeclHandler = _refuse
    with Path(path).open("rb") as file:
        content = file.read(MAX_XML + 1)
    try:
        if len(content) > MAX_XML:
            raise ValueError(f"the file is larger than {MAX_XML:,} bytes")
        parser.Parse(content, True)
        if not names:
            raise ValueError("there is no label")
        return checked_names(names, "label", len(names))
    except (ValueError, LookupError, expat.ExpatError) as error:  # LookupError: its encoding
        raise DataError(f"{path}, line {parser.CurrentLineNumber}: {error}") from error


def write_label_names(file: TextIO, names: tuple[str, ...]):
    """Write the names as one flat list."""
    file.write(f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{MULAN}">\n')
    file.writelines(f"  <label name={quoteattr(name)}></label>\n" for name in names)
    file.write("</labels>\n")


def _label_name(tag, attributes):
    """The name in a list, or an empty list for the root."""
    kind = tag.rpartition(" ")[2]  # whatever the namespace
    if kind == "labels":
        return []
    if kind != "label" or "name" not in attributes:
        raise ValueError(f'only <labels> and <label name="…"> are expected, got <{kind:.60}>')
    return [attributes["name"]]


def _refuse(*_):
    raise ValueError("a document type declaration is refused: it may declare entities")


def read_csv(
    path: str | os.PathLike, *, labels: Sequence[str] | None = None, max_bytes: int = MAX_BYTES
) -> LabelledBags:
    """Read bags from a table with one row an instance: bag, features, labels.

    ::

        bag,f1,f2,label:sea,label:trees
        beach,5,-20,1,0
        beach,4.5,-1,1,0
        forest,10,-8,0,1

    The first column is the bag's name; its rows follow each other and repeat its labels, 0 or
    1. The other columns are features.

    Parameters
    ----------
    path : path
    labels : sequence of str or None
        The columns that are labels; None for those whose heads begin with ``label:``, which is
        then no part of their names.
    max_bytes : int, default 4 GiB
        The most memory that the instances may need.

    Raises
    ------
    DataError
        If the file is not laid out so; the message tells the line.
    FileNotFoundError
        If there is no such file.
    """
    with Path(path).open("rb") as file:
        lines = Lines(file)
        try:
            return _read_table(csv.reader(iter(lines), strict=True), labels, max_bytes)
        except (ValueError, csv.Error) as error:
            raise DataError(f"{path}, line {lines.number}: {error}") from error


def write_csv(path: str | os.PathLike, data):
    """Write a :class:`LabelledBags`, or a :class:`Dataset` of bags, for :func:`read_csv`.

    Reading the file gives the same numbers and names back.
    """
    data = as_labelled(data)
    strange = [name for name in data.feature_names if name.startswith(LABEL_PREFIX)]
    if strange:
        raise ValueError(
            f"names of features must not begin with {LABEL_PREFIX!r}, got {strange[0]!r}"
        )
    with whole_file(Path(path)) as file:
        rows = csv.writer(file, lineterminator="\n")
        heads = [LABEL_PREFIX + name for name in data.label_names]
        rows.writerow(["bag", *data.feature_names, *heads])
        for name, instances, labels in zip(data.bag_names, data.X, data.Y, strict=True):
            ending = ["1" if label else "0" for label in labels]
            rows.writerows([name, *map(number_text, row), *ending] for row in instances)


def _read_table(rows, labels, max_bytes):
    head = next(rows, [])
    places = _label_places(head, labels)
    features = [i for i in range(1, len(head)) if i not in places]
    names = [head[i].removeprefix("" if labels else LABEL_PREFIX) for i in places]
    collector = Collector([head[i] for i in features], names, max_bytes)
    bag, its_labels = None, []
    for row in rows:
        if not row:
            continue
        if len(row) != len(head):
            raise ValueError(f"a row must have {len(head)} values, got {len(row)}")
        values = [row[i] for i in places]
        if row[0] != bag:
            bag, its_labels = row[0], values
            collector.begin(bag, its_labels)
        elif values != its_labels:
            raise ValueError(f"bag {bag!r:.60} must have the same labels in all its rows")
        collector.instance([row[i] for i in features])
    return collector.finish()


def _label_places(head, labels):
    """Columns of the labels, in their order in the file."""
    if labels is None:
        places = [i for i in range(1, len(head)) if head[i].startswith(LABEL_PREFIX)]
        if not places:
            raise ValueError(
                f"no column begins with {LABEL_PREFIX!r}; name the columns of labels by labels="
            )
        return places
    missing = [name for name in labels if name not in head[1:]]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r} for a label")
    return [i for i in range(1, len(head)) if head[i] in set(labels)]


def read_npz(path: str | os.PathLike, *, max_bytes: int = MAX_BYTES) -> LabelledBags:
    """Read bags from a NumPy archive. Pickled objects are never loaded.

    It holds ``instances`` (n_instances, n_features), ``offsets`` (n_bags + 1,), where each
    bag starts, ``Y`` (n_bags, n_labels), booleans or 0 and 1, and ``label_names``; where they are
    known, ``feature_names`` and ``bag_names``.

    Parameters
    ----------
    path : path
    max_bytes : int, default 4 GiB
        The most memory that the arrays may need.

    Raises
    ------
    DataError
        If the file is not laid out so; the message tells the bag where there is one.
    FileNotFoundError
        If there is no such file.
    """
    with Path(path).open("rb") as file:
        try:
            return labelled_bags(**_archived(file, max_bytes))
        except Exception as error:  # damaged archives raise many types
            raise DataError(f"{path}: {error}") from error


def write_npz(path: str | os.PathLike, data):
    """Write a :class:`LabelledBags`, or a :class:`Dataset` of bags, for :func:`read_npz`.

    Reading the file gives the same numbers and names back.
    """
    data = as_labelled(data)
    names = {name: np.array(getattr(data, name)) for name in ARRAYS if name.endswith("_names")}
    with whole_file(Path(path), "wb") as file:
        np.savez_compressed(
            file, instances=data.X.instances, offsets=data.X.offsets, Y=data.Y, **names
        )


def _archived(file, max_bytes):
    """The arguments of :func:`labelled_bags`."""
    with ZipFile(file) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
        needed = max(unpacked, sum(_promised(archive, name) for name in archive.namelist()))
    if needed > max_bytes:
        raise ValueError(
            f"the arrays need {needed:,} bytes, more than max_bytes={max_bytes:,}; raise it if "
            "that is meant"
        )
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        found = {name: stored[name] for name in ARRAYS if name in stored}
    missing = ARRAYS.keys() - OPTIONAL - found.keys()
    if missing:
        raise ValueError(f"there is no array named {', '.join(sorted(missing))}")
    for name, values in found.items():
        if values.dtype.kind not in ARRAYS[name]:
            raise ValueError(f"{name} must have a type among {ARRAYS[name]!r}, got {values.dtype}")
    instances, offsets = found.pop("instances"), found.pop("offsets")
    if not ((offsets >= 0) & (offsets <= len(instances))).all():
        raise ValueError(f"offsets must lie between 0 and the {len(instances)} instances")
    return {"X": Bags(instances, offsets), **found}


def _promised(archive, name):
    """Bytes that an array needs by its own header, whatever follows that."""
    with archive.open(name) as member:
        if member.read(8) != b"\x93NUMPY\x01\x00":  # other versions are for long headers
            return 0
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
    return math.prod(shape) * dtype.itemsize


class Lines:
    """The lines of a text file in UTF-8, and the ``number`` of the last one given.

    A line that is too long or not UTF-8 raises ValueError.
    """

    def __init__(self, file: BinaryIO):
        self.file = file
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while raw := self.file.readline(MAX_LINE + 1):
            self.number += 1
            if len(raw) > MAX_LINE:
                raise ValueError(f"is longer than {MAX_LINE:,} bytes")
            if self.number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")  # the mark that some editors put first
            try:
                yield raw.decode()
            except UnicodeDecodeError as error:
                raise ValueError(f"is not UTF-8 text at byte {error.start + 1}") from error


class Collector:
    """Bags as they are read one after the other; what does not fit raises ValueError.

    Parameters
    ----------
    feature_names, label_names : sequences of str
    max_bytes : int, of all instances as float64
    """

    def __init__(self, feature_names: Sequence[str], label_names: Sequence[str], max_bytes: int):
        if not feature_names or not label_names:
            raise ValueError(
                f"at least one feature and one label are needed, got {len(feature_names)} "
                f"and {len(label_names)}"
            )
        self.feature_names = checked_names(feature_names, "feature", len(feature_names))
        self.label_names = checked_names(label_names, "label", len(label_names))
        self.max_bytes = max_bytes
        self.values = array("d")
        self.offsets: list[int] = []
        self.labels: list[list[bool]] = []
        self.bag_names: dict[str, None] = {}  # in order, and quickly searched

    def begin(self, name: str, labels: Sequence[str]):
        """A bag starts; its labels are "0" and "1"."""
        if name in self.bag_names:
            raise ValueError(f"bag {name!r:.60} was already there, before other bags")
        for label, value in zip(self.label_names, labels, strict=True):
            if value not in ("0", "1"):
                raise ValueError(f"label {label!r} must be 0 or 1, got {value!r:.60}")
        self.bag_names[name] = None
        self.labels.append([value == "1" for value in labels])
        self.offsets.append(len(self.values) // len(self.feature_names))

    def instance(self, values: Sequence[str]):
        """The bag has another instance: one number for each feature."""
        if len(values) != len(self.feature_names):
            raise ValueError(
                f"an instance must have {len(self.feature_names)} values, got {len(values)}"
            )
        if 8 * (len(self.values) + len(values)) > self.max_bytes:
            raise ValueError(
                f"the instances need more than max_bytes={self.max_bytes:,} of memory; raise it "
                "if that is meant"
            )
        numbers = [_number(value) for value in values]
        for name, value, number in zip(self.feature_names, values, numbers, strict=True):
            if not math.isfinite(number):
                raise ValueError(f"feature {name!r} must be a finite number, got {value!r:.60}")
        self.values.extend(numbers)

    def finish(self) -> LabelledBags:
        """All bags."""
        if not self.offsets:
            raise ValueError("the file ends without any bag")
        instances = np.frombuffer(self.values).reshape(-1, len(self.feature_names))
        return labelled_bags(
            Bags(instances, [*self.offsets, len(instances)]),
            np.array(self.labels),
            self.label_names,
            feature_names=self.feature_names,
            bag_names=list(self.bag_names),
        )


def number_text(number: float) -> str:
    """The shortest text that gives the same number back, whole ones without a point."""
    return repr(float(number)).removesuffix(".0")


def _number(text):
    """The number, or NaN if it is none; Python alone takes 1_000 for one."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


FORMATS = {
    ".arff": (read_arff, write_arff),
    ".csv": (read_csv, write_csv),
    ".npz": (read_npz, write_npz),
}
