"""Files of labelled bags: ARFF with an XML file of label names, CSV, NPZ, LIBSVM."""

import csv
import math
import os
import re
import warnings
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO
from xml.parsers import expat
from xml.sax.saxutils import quoteattr
from zipfile import ZipFile

import numpy as np
from sklearn.datasets import load_svmlight_file

from mimlpaper.bags import LARGEST, Bags, as_bags
from mimlpaper.datasets.fetch import DataError
from mimlpaper.paths import whole_file

MAX_BYTES = 2**32  # of instances in memory, unless the caller allows more
MAX_LINE = 2**26  # bytes
MAX_XML = 2**26  # bytes

# Values of labels that a bag has, and of labels that it lacks.
YES = {"1", "1.0", "+1", "yes", "y", "true", "t", "positive"}
NO = {"0", "0.0", "-1", "no", "n", "false", "f", "negative"}
MISSING = "?"

# Grammar of ARFF. With possessive quantifiers no file can make a search long.
QUOTED = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
ATTRIBUTE = re.compile(rf"@attribute\s++({QUOTED}|[^\s{{}}'\"][^\s{{}}]*+)\s*+(.+)", re.IGNORECASE)
VALUE = re.compile(rf"\s*+({QUOTED}|[^,'\"]*+)\s*+(,|\Z)")  # up to the comma or the end
INDEX = re.compile(r"\s*(\d{1,9})\s+")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
NUMERIC = re.compile(r"(numeric|real|integer)\s*(\[.*\])?", re.IGNORECASE)  # maybe with a range
MEKA = re.compile(r"-C\s+(-?\d{1,9})\b")  # the number of labels, in the name of the relation
MULAN = "http://mulan.sourceforge.net/labels"  # the namespace of files of label names
LABEL_PREFIX = "label:"  # of a column of labels in a CSV file

# The arrays of an archive, with the kinds of NumPy types that each may have.
ARRAYS = {
    "instances": "fiu", "offsets": "iu", "Y": "biu", "label_names": "U", "feature_names": "U",
    "bag_names": "U",
}  # fmt: skip
OPTIONAL = {"feature_names", "bag_names"}


class LabelledBags(NamedTuple):
    """Bags, their labels and all names; :func:`labelled_bags` builds and checks it."""

    X: Bags
    Y: np.ndarray  # bool (n_bags, n_labels)
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    bag_names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"LabelledBags({self.X!r}, labels {', '.join(self.label_names)})"


def labelled_bags(
    X, Y, label_names: Sequence[str], *, feature_names: Sequence[str] | None = None,
    bag_names: Sequence[str] | None = None,
) -> LabelledBags:  # fmt: skip
    """Bags and labels with names, checked against each other.

    ``X`` is Bags or a list of 2-D arrays, ``Y`` (n_bags, n_labels) booleans, or 0 and 1. Default
    names are f1, f2, … for features and bag1, bag2, … for bags. Raises ValueError if these do not
    fit each other, or a name is a duplicate, not printable, or has spaces around it.
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


def checked_names(names, kind: str, n: int, prefix: str = "") -> tuple[str, ...]:
    """``n`` different names; by default ``prefix`` with numbers from 1."""
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
    """Bags, labels and names from a file that ends in .arff, .csv, .npz, .svm or .libsvm.

    For the formats see :func:`read_arff`, :func:`read_csv`, :func:`read_npz` and
    :func:`read_libsvm`; a DataError names the line or the bag that does not follow them. A file of
    single instances, such as Mulan's ARFF or LIBSVM's, gives bags of one instance. Then
    :class:`~mimlpaper.algorithms.insdif.InsDif` takes the array ``X.instances``.

    Parameters
    ----------
    labels : path, sequence of str, or None (not for .npz)
        Mulan's XML file of label names, or these names; None if the file marks its labels.
    missing : float or None, default None (.arff and .csv)
        Number that replaces missing values, "?" in ARFF; None refuses them.
    n_features : int or None, default None (.svm and .libsvm)
        None for the largest index. A test file needs the number of its training file.
    max_bytes : int, default 4 GiB, most memory that the instances may take.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mimlpaper.datasets import load_synthetic_scene
    >>> with TemporaryDirectory() as folder:
    ...     write_bags(f"{folder}/scenes.arff", load_synthetic_scene(n_images=10))
    ...     read_bags(f"{folder}/scenes.arff").X
    Bags(10 bags, 90 instances, 15 features)
    """
    return _of_ending(READERS, path)(path, **options)


def write_bags(path: str | os.PathLike, data):
    """Write bags with labels into a file that ends in .arff, .csv or .npz, whole or not at all.

    Reading the file gives the same numbers and names. An .arff file gets an .xml file with the
    names of the labels. ``data`` is a :class:`LabelledBags`, or a
    :class:`~mimlpaper.datasets.Dataset` of bags.
    """
    write, y = _of_ending(WRITERS, path), getattr(data, "y", None)
    labelled = labelled_bags(
        data.X, data.Y if y is None else y[:, None], data.label_names,
        feature_names=data.feature_names, bag_names=getattr(data, "bag_names", None),
    )  # fmt: skip
    write(Path(path), labelled)


def _of_ending(functions, path):
    ending = Path(path).suffix.lower()
    if ending not in functions:
        raise ValueError(f"path must end in {', '.join(functions)}, got {str(path)!r}")
    return functions[ending]


class Attribute(NamedTuple):
    """A column of an ARFF file."""

    name: str
    kind: str  # numeric, nominal, or the type in the file: relational, string, date
    values: tuple[str, ...] = ()  # of a nominal attribute, and of a numeric one declared {0,1}

    @property
    def default(self) -> str | None:
        """The value that a sparse row leaves out."""
        return self.values[0] if self.values else {"numeric": "0"}.get(self.kind)

    def columns(self) -> list[str]:
        """Names of its features: one, or one for each nominal value."""
        if self.kind not in ("numeric", "nominal"):
            raise ValueError(
                f"feature {self.name!r} must be numeric or nominal, got {self.kind!r:.60}"
            )
        if self.kind == "numeric":
            return [self.name]
        return [f"{self.name}={value}" for value in self.values]

    def numbers(self, text: str) -> list[str]:
        """The values of these features for an attribute's value."""
        if self.kind == "numeric":
            return [text]
        if text == MISSING:
            return [text] * len(self.values)
        if text not in self.values:
            raise ValueError(
                f"feature {self.name!r} must be one of {', '.join(self.values):.60}, "
                f"got {text!r:.60}"
            )
        return ["1" if text == value else "0" for value in self.values]


class Header(NamedTuple):
    """Declarations above ``@data``."""

    attributes: list[Attribute]  # of a row
    bag: int | None  # index of the bag among them; None for single instances
    inner: list[Attribute]  # of an instance in the bag
    n_labels: int  # of single instances: how many labels come first, or last if negative


def read_arff(
    path: str | os.PathLike, *, labels: str | os.PathLike | Sequence[str] | None = None,
    missing: float | None = None, max_bytes: int = MAX_BYTES,
) -> LabelledBags:  # fmt: skip
    """Read an ARFF file as Weka, Mulan, MEKA and the library MIML write it.

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

    One attribute is the bag. The first attribute, unless it is the bag or a label, is the bag's
    id. The others are labels; an XML file with the ARFF file's name must name the same labels. If
    no attribute is the bag, each row is an instance: the XML file names the labels, or MEKA's
    ``-C`` counts them, and the other attributes are features.

    A nominal feature becomes a feature 0 or 1 for each of its values.
    Labels may be {0,1}, {no,yes} and the like. Instances and rows may be sparse (``{1 -20}``).
    Weights of rows (``{0.5}`` at the end) are ignored with a warning.

    SciPy's reader lacks sparse rows and names beyond ASCII, and accepts rows of a wrong length.
    """
    path = Path(path)
    if labels is None and path.with_suffix(".xml").is_file():
        labels = path.with_suffix(".xml")
    names = _names_of_labels(labels)
    with path.open("rb") as file:
        lines = Lines(file)
        try:
            return _read_arff(iter(lines), names, missing, max_bytes)
        except ValueError as error:
            raise DataError(f"{path}, line {lines.number}: {error}") from error


def write_arff(path: Path, data: LabelledBags):
    """Write an ARFF file of bags, and an XML file of the same name with the labels' names."""
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
        for name, instances, labels in _texts(data):
            rows = "\\n".join(map(",".join, instances))
            file.write(f'{_quoted(name)},"{rows}",{",".join(labels)}\n')


def _read_arff(lines, names, missing, max_bytes):
    header = _header(lines)
    bag_id, labels = _places(header, names)
    outer = [i for i in range(len(header.attributes)) if i not in {bag_id, header.bag, *labels}]
    features = [header.attributes[i] for i in outer] if header.bag is None else header.inner
    columns = [name for feature in features for name in feature.columns()]
    label_names = [header.attributes[i].name for i in labels]
    collector = Collector(columns, label_names, missing, max_bytes)
    defaults = [attribute.default for attribute in header.attributes]
    for line in lines:
        row = line.strip()
        if not row or row.startswith("%"):
            continue
        values = _values(row, defaults)
        collector.begin(None if bag_id is None else values[bag_id], [values[i] for i in labels])
        if header.bag is None:
            collector.instance(_numbers(features, [values[i] for i in outer]))
            continue
        inner = [feature.default for feature in features]
        for instance in values[header.bag].strip("\r\n").split("\n"):
            collector.instance(_numbers(features, _values(instance.strip(), inner)))
    return collector.finish()


def _header(lines) -> Header:
    outer, inner, bag, inside, n_labels = [], [], None, False, 0
    for line in lines:
        text = line.strip()
        keyword = text.split(maxsplit=1)[0].lower() if text else "%"
        if keyword.startswith("%"):
            continue
        if keyword == "@relation":
            match = MEKA.search(text)
            n_labels = int(match[1]) if match else 0
        elif keyword == "@attribute":
            attribute = _attribute(text)
            (inner if inside else outer).append(attribute)
            if attribute.kind == "relational":
                if bag is not None:
                    raise ValueError(
                        f"only one relational attribute is expected, got {attribute.name!r} too"
                    )
                bag, inside = len(outer) - 1, True
        elif keyword == "@end" and inside:
            inside = False
        elif keyword == "@data" and outer and not inside:
            return Header(outer, bag, inner, n_labels)
        else:
            raise ValueError(
                "expected @attribute, or @end after the bag's attributes, or @data after all; "
                f"got {text!r:.60}"
            )
    raise ValueError("the file ends before @data")


def _attribute(text):
    match = ATTRIBUTE.fullmatch(text)
    if not match:
        raise ValueError(f"an attribute must have a name and a type, got {text!r:.60}")
    name, kind = _unquoted(match[1]), match[2]
    if kind[0] + kind[-1] == "{}":
        values = tuple(_dense_values(kind[1:-1]))
        return Attribute(name, "numeric" if set(values) == {"0", "1"} else "nominal", values)
    return Attribute(name, "numeric" if NUMERIC.fullmatch(kind) else kind.lower())


def _places(header, names) -> tuple[int | None, list[int]]:
    """Indices of the bag's id, if any, and of the labels."""
    attributes, single = header.attributes, header.bag is None
    first, named, n = attributes[0], set(names or ()), header.n_labels
    has_id = header.bag != 0 and first.name not in named and (not single or first.kind == "string")
    labels = [i for i in range(has_id, len(attributes)) if i != header.bag]
    if single and names is None:
        labels = labels[:n] if n >= 0 else labels[n:]
    elif single:
        labels = [i for i in labels if attributes[i].name in named]
    if not labels:
        raise ValueError(
            "no attribute is known to be a label; name the labels by labels=, or in an XML file "
            "of the same name"
        )
    if names is not None:
        _compare({attributes[i].name for i in labels}, named)
    for name, kind, values in (attributes[i] for i in labels):
        if kind != "numeric" and (kind != "nominal" or None in map(_truth, values)):
            raise ValueError(
                f"label {name!r} must be declared {{0,1}}, {{no,yes}} or the like, got "
                f"{', '.join(values) or kind:.60}"
            )
    return 0 if has_id else None, labels


def _compare(found, named):
    if found != named:
        raise ValueError(
            "the labels must be the ones named in labels= or the XML file: only named "
            f"{sorted(named - found)[:5]}, only in this file {sorted(found - named)[:5]}"
        )


def _numbers(features, values):
    """The values of an instance, nominal ones as numbers 0 and 1."""
    pairs = zip(features, values, strict=True)
    return [number for feature, value in pairs for number in feature.numbers(value)]


def _values(text, defaults):
    """The values of a row, without quotes; a sparse row is filled with ``defaults``."""
    if text.endswith("}"):
        text = _unweighted(text)
    if text.startswith("{") and text.endswith("}"):
        return _sparse_values(text[1:-1], defaults)
    values = _dense_values(text)
    if len(values) != len(defaults):
        raise ValueError(f"{len(defaults)} values are needed, got {len(values)}: {text!r:.60}")
    return values


def _unweighted(text):
    """The row without its weight, such as ``,{0.5}`` at its end."""
    row, comma, last = text.rpartition(",")
    last = last.strip()
    if not comma or last[0] != "{" or math.isnan(weight := _number(last[1:-1])):
        return text
    if weight != 1:
        warnings.warn("weights of rows are ignored: no learner here takes any", stacklevel=2)
    return row.rstrip()


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
    """The value that starts at ``at``, whether a comma follows, and where the next value starts."""
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
    """The name, with underscores after it until it is not among ``names``."""
    while name in names:
        name += "_"
    return name


def read_label_names(path: str | os.PathLike) -> tuple[str, ...]:
    """The names in ``<labels><label name="…"/>…</labels>``, nested ones too, from top to bottom.

    A DataError names the line of another XML file. A document type declaration is refused, since
    it may declare entities that expand without end.
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
    """Write the names as a flat list."""
    file.write(f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{MULAN}">\n')
    file.writelines(f"  <label name={quoteattr(name)}></label>\n" for name in names)
    file.write("</labels>\n")


def _label_name(tag, attributes):
    """A list with the name, or an empty list for the root."""
    kind = tag.rpartition(" ")[2]  # whatever the namespace
    if kind == "labels":
        return []
    if kind != "label" or "name" not in attributes:
        raise ValueError(f'only <labels> and <label name="…"> are expected, got <{kind:.60}>')
    return [attributes["name"]]


def _refuse(*_):
    raise ValueError("a document type declaration is refused: it may declare entities")


def read_csv(
    path: str | os.PathLike, *, labels: str | os.PathLike | Sequence[str] | None = None,
    missing: float | None = None, max_bytes: int = MAX_BYTES,
) -> LabelledBags:  # fmt: skip
    """Read bags from a table with one row for each instance: bag, features, labels.

    ::

        bag,f1,f2,label:sea,label:trees
        beach,5,-20,1,0
        beach,4.5,-1,1,0
        forest,10,-8,0,1

    The first column is the bag's name; the rows of a bag follow each other and repeat its labels,
    0 and 1 or no and yes. A column is a label if its head begins with ``label:``, which is not
    part of the name; the others are features. If the first line is a number n, the last n columns
    are the labels, as in files of the library mimllearning. An empty cell is a missing value.
    Spaces around cells are ignored.
    """
    names = _names_of_labels(labels)
    with Path(path).open("rb") as file:
        lines = Lines(file)
        rows = csv.reader(iter(lines), skipinitialspace=True, strict=True)
        try:
            return _read_table(rows, names, missing, max_bytes)
        except (ValueError, csv.Error) as error:
            raise DataError(f"{path}, line {lines.number}: {error}") from error


def write_csv(path: Path, data: LabelledBags):
    """Write a table for :func:`read_csv`."""
    strange = [name for name in data.feature_names if name.startswith(LABEL_PREFIX)]
    if strange:
        raise ValueError(
            f"names of features must not begin with {LABEL_PREFIX!r}, got {strange[0]!r}"
        )
    with whole_file(path) as file:
        rows = csv.writer(file, lineterminator="\n")
        heads = [LABEL_PREFIX + name for name in data.label_names]
        rows.writerow(["bag", *data.feature_names, *heads])
        for name, instances, labels in _texts(data):
            rows.writerows([name, *instance, *labels] for instance in instances)


def _read_table(rows, names, missing, max_bytes):
    head = [cell.strip() for cell in next(rows, [])]
    n_labels = 0
    if len(head) == 1 and head[0].isdecimal():
        n_labels, head = int(head[0]), [cell.strip() for cell in next(rows, [])]
    labels = _label_columns(head, names, n_labels)
    features = [i for i in range(1, len(head)) if i not in set(labels)]
    prefix = LABEL_PREFIX if names is None else ""
    label_names = [head[i].removeprefix(prefix) for i in labels]
    collector = Collector([head[i] for i in features], label_names, missing, max_bytes)
    bag, its_labels = None, []
    for row in rows:
        if not row:
            continue
        if len(row) != len(head):
            raise ValueError(f"{len(head)} values are needed, got {len(row)}")
        row = [cell.strip() for cell in row]
        values = [row[i] for i in labels]
        if row[0] != bag:
            bag, its_labels = row[0], values
            collector.begin(bag, its_labels)
        elif values != its_labels:
            raise ValueError(f"bag {bag!r:.60} must have the same labels in all its rows")
        collector.instance([row[i] or MISSING for i in features])
    return collector.finish()


def _label_columns(head, names, n_labels):
    """Columns of the labels, in the order of the file."""
    if names is not None:
        absent = [name for name in names if name not in head[1:]]
        if absent:
            raise ValueError(f"there is no column {absent[0]!r} for a label")
        more = [name for name in head[1:] if name.startswith(LABEL_PREFIX) and name not in names]
        if more:
            raise ValueError(f"labels leaves out {more[0]!r:.60}, which would become a feature")
        return [i for i in range(1, len(head)) if head[i] in set(names)]
    if n_labels:
        return list(range(max(1, len(head) - n_labels), len(head)))
    if head and head[0].startswith(LABEL_PREFIX):
        raise ValueError(f"the first column must be the bag's name, got {head[0]!r:.60}")
    found = [i for i, name in enumerate(head) if name.startswith(LABEL_PREFIX)]
    if not found:
        raise ValueError(
            f"no column begins with {LABEL_PREFIX!r}; name the columns of labels by labels="
        )
    return found


def read_npz(path: str | os.PathLike, *, max_bytes: int = MAX_BYTES) -> LabelledBags:
    """Read bags from a NumPy archive. Pickled objects are never loaded.

    It holds ``instances`` (n_instances, n_features), ``offsets`` (n_bags + 1,), where each bag
    starts, ``Y`` (n_bags, n_labels), booleans or 0 and 1, ``label_names``, and optionally
    ``feature_names`` and ``bag_names``.
    """
    with Path(path).open("rb") as file:
        try:
            return labelled_bags(**_archived(file, max_bytes))
        except Exception as error:  # damaged archives raise many types
            raise DataError(f"{path}: {error}") from error


def write_npz(path: Path, data: LabelledBags):
    """Write an archive for :func:`read_npz`."""
    names = {name: np.array(getattr(data, name)) for name in ARRAYS if name.endswith("_names")}
    with whole_file(path, "wb") as file:
        np.savez_compressed(
            file, instances=data.X.instances, offsets=data.X.offsets, Y=data.Y, **names
        )


def _archived(file, max_bytes):
    """The arguments of :func:`labelled_bags`."""
    with ZipFile(file) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
        needed = max(unpacked, sum(_promised(archive, name) for name in archive.namelist()))
    _check_memory(needed, max_bytes)
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
    """Bytes that an array needs by its own header, whatever follows."""
    with archive.open(name) as member:
        if member.read(8) != b"\x93NUMPY\x01\x00":  # other versions are for long headers
            return 0
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
    return math.prod(shape) * dtype.itemsize


def read_libsvm(
    path: str | os.PathLike, *, labels: Sequence[str] | None = None, n_features: int | None = None,
    max_bytes: int = MAX_BYTES,
) -> LabelledBags:  # fmt: skip
    """Read single instances in LIBSVM's multi-label format.

    ::

        0,2 1:0.5 4:-1
        1 3:2

    A row holds the numbers of its labels and the features that are not 0, counted from 1. Labels
    are named by their numbers, in increasing order; ``labels`` may give another order, or more
    labels.
    """
    try:
        X, label_sets = load_svmlight_file(
            str(path), n_features=n_features, multilabel=True, zero_based=False
        )
        _check_memory(8 * X.shape[0] * X.shape[1], max_bytes)
        numbers = {number for found in label_sets for number in found}
        if labels is None:
            labels = [f"{number:g}" for number in sorted(numbers)]
        unknown = numbers - set(map(float, labels))
        if unknown:
            raise ValueError(f"label {min(unknown):g} is not among labels=")
        Y = [[float(name) in found for name in labels] for found in label_sets]
        return labelled_bags(Bags(X.toarray(), np.arange(len(Y) + 1)), Y, labels)
    except FileNotFoundError:
        raise
    except Exception as error:  # damaged files raise many types
        raise DataError(f"{path}: {error}") from error


class Lines:
    """Lines of a UTF-8 text file; ``number`` is the number of the last line.

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
                raw = raw.removeprefix(b"\xef\xbb\xbf")  # a byte order mark
            try:
                yield raw.decode()
            except UnicodeDecodeError as error:
                raise ValueError(f"is not UTF-8 text at byte {error.start + 1}") from error


class Collector:
    """Bags collected row by row from text; invalid values raise ValueError.

    ``missing`` replaces "?"; None refuses it. ``max_bytes`` limits all instances as float64.
    """

    def __init__(
        self, feature_names: Sequence[str], label_names: Sequence[str], missing: float | None,
        max_bytes: int,
    ):  # fmt: skip
        if not feature_names or not label_names:
            raise ValueError(
                f"at least one feature and one label are needed, got {len(feature_names)} "
                f"and {len(label_names)}"
            )
        self.feature_names = checked_names(feature_names, "feature", len(feature_names))
        self.label_names = checked_names(label_names, "label", len(label_names))
        self.missing = missing
        self.max_bytes = max_bytes
        self.values = array("d")
        self.offsets: list[int] = []
        self.labels: list[list[bool]] = []
        self.bag_names: dict[str, None] = {}  # an ordered set

    def begin(self, name: str | None, labels: Sequence[str]):
        """Start a bag with labels such as "0" and "1"; ``name`` is None if bags have no names."""
        if name is None:
            name = f"bag{len(self.offsets) + 1}"
        if not name:
            raise ValueError("the bag's name is missing")
        if name in self.bag_names:
            raise ValueError(f"bag {name!r:.60} was already there, before other bags")
        truths = [_truth(value) for value in labels]
        if None in truths:
            i = truths.index(None)
            raise ValueError(f"label {self.label_names[i]!r} must be 0 or 1, got {labels[i]!r:.60}")
        self.bag_names[name] = None
        self.labels.append(truths)
        self.offsets.append(len(self.values) // len(self.feature_names))

    def instance(self, values: Sequence[str]):
        """Add an instance to the bag, one value for each feature."""
        _check_memory(8 * (len(self.values) + len(values)), self.max_bytes)
        numbers = [_number(value) for value in values]
        for i, number in enumerate(numbers):
            if not abs(number) <= LARGEST:
                numbers[i] = self._substitute(values[i], self.feature_names[i])
        self.values.extend(numbers)

    def _substitute(self, text, feature):
        """The number in place of a missing value; refuses text that is not a finite number."""
        if text != MISSING:
            number = _number(text)
            if not math.isfinite(number):
                raise ValueError(f"feature {feature!r} must be a finite number, got {text!r:.60}")
            _refuse_large(number)
        if self.missing is None:
            raise ValueError(
                f"feature {feature!r} is missing; give missing= the number to put in its place"
            )
        return self.missing

    def finish(self) -> LabelledBags:
        """All bags, after the checks of :func:`labelled_bags`."""
        if not self.offsets:
            raise ValueError("the file ends without any bag")
        instances = np.frombuffer(self.values).reshape(-1, len(self.feature_names))
        return labelled_bags(
            Bags(instances, [*self.offsets, len(instances)]), np.array(self.labels),
            self.label_names, feature_names=self.feature_names, bag_names=list(self.bag_names),
        )  # fmt: skip


def _texts(data):
    """Each bag's name, instances and labels as texts; the shortest that read back as the same."""
    for name, instances, labels in zip(data.bag_names, data.X, data.Y, strict=True):
        rows = [[repr(value).removesuffix(".0") for value in row] for row in instances.tolist()]
        yield name, rows, [str(int(label)) for label in labels]


def _names_of_labels(labels) -> list[str] | None:
    """The names, from an XML file if ``labels`` is a path."""
    if labels is None:
        return None
    is_path = isinstance(labels, (str, os.PathLike))
    return list(read_label_names(labels) if is_path else labels)


def _truth(text) -> bool | None:
    return True if text.lower() in YES else False if text.lower() in NO else None


def _number(text):
    """The number, or NaN for other text; 1_000 is a number in Python only."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan


def _refuse_large(number):
    if abs(number) > LARGEST:
        raise ValueError(
            f"features must be at most {LARGEST:g} in absolute value, since larger squares "
            f"overflow, got {number:g}; divide the feature by a constant"
        )


def _check_memory(needed, max_bytes):
    if needed > max_bytes:
        raise ValueError(
            f"the instances need more than max_bytes={max_bytes:,} of memory; raise it if that is "
            "meant"
        )


READERS = {
    ".arff": read_arff, ".csv": read_csv, ".npz": read_npz, ".svm": read_libsvm,
    ".libsvm": read_libsvm,
}  # fmt: skip
WRITERS = {".arff": write_arff, ".csv": write_csv, ".npz": write_npz}
