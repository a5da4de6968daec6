"""Files of labelled bags: ARFF with an XML file of label names, CSV, NPZ, LIBSVM.

A reader of text makes a table with one row for each instance; :func:`bags_of_table` checks it.
"""

import csv
import math
import os
import re
import warnings
from collections.abc import Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np
import pandas as pd
from sklearn.datasets import load_svmlight_file

from mimlpaper.bags import LARGEST, Bags, as_bags
from mimlpaper.datasets.fetch import DataError
from mimlpaper.paths import whole_file, write_whole

MAX_BYTES = 2**32  # of a file, and of its instances in memory, unless the caller allows more

# Values of labels that a bag has, and of labels that it lacks; and of features that are missing.
YES = {"1", "1.0", "+1", "yes", "y", "true", "t", "positive"}
NO = {"0", "0.0", "-1", "no", "n", "false", "f", "negative"}
MISSING = ("", "?")
LABEL_PREFIX = "label:"  # of a column of labels in a CSV file

# Grammar of ARFF. With possessive quantifiers no file can make a search long.
QUOTED = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
ATTRIBUTE = re.compile(rf"@attribute\s++({QUOTED}|[^\s{{}}'\"][^\s{{}}]*+)\s*+(.+)", re.IGNORECASE)
VALUE = rf"\s*+(?P<value>{QUOTED}|[^,'\"]*+)\s*+(?P<comma>,|\Z)"
DENSE, SPARSE = re.compile(VALUE), re.compile(r"\s*+(?P<index>\d{1,9})\s" + VALUE)
WEIGHT = re.compile(r",\s*+\{([\d.]++)\}\Z")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
NUMERIC = re.compile(r"(numeric|real|integer)\s*(\[.*\])?", re.IGNORECASE)  # maybe with a range
MEKA = re.compile(r"-C\s+(-?\d{1,9})\b")  # the number of labels, in the name of the relation
NAMES = ("label_names", "feature_names", "bag_names")  # arrays of an archive
MULAN = "http://mulan.sourceforge.net/labels"  # the namespace of files of label names


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
        _checked_names(label_names, "label", Y.shape[1]),
        _checked_names(feature_names, "feature", X.n_features, prefix="f"),
        _checked_names(bag_names, "bag", len(X), prefix="bag"),
    )


def _checked_names(names, kind: str, n: int, prefix: str = "") -> tuple[str, ...]:
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
        twice = max(names, key=names.count)
        raise ValueError(f"{kind} names must differ, but {twice!r} stands twice")
    return tuple(names)


def read_bags(path: str | os.PathLike, *, max_bytes: int = MAX_BYTES, **options) -> LabelledBags:
    """Bags, labels and names from a file that ends in .arff, .csv, .npz, .svm or .libsvm.

    A file of single instances, such as Mulan's ARFF or LIBSVM's, gives bags of one instance. Then
    :class:`~mimlpaper.algorithms.insdif.InsDif` takes the array ``X.instances``.

    CSV has one row for each instance: the bag's name, then features, and labels 0 and 1 or no and
    yes. Rows of a bag follow each other and repeat its labels. A column is a label if its head
    begins with ``label:``, which is not part of the name. If the first line is a number n, the last
    n columns are the labels, as in files of the library mimllearning. ::

        bag,f1,f2,label:sea,label:trees
        beach,5,-20,1,0
        beach,4.5,-1,1,0
        forest,10,-8,0,1

    ARFF is read as Weka, Mulan, MEKA and the library MIML write it. One attribute is the bag. The
    first, unless it is the bag or a label, is the bag's name. The others are labels; an XML file
    with the ARFF file's name must name the same ones. If no attribute is the bag, each row is an
    instance: the XML file names the labels, or MEKA's ``-C`` counts them. A nominal feature becomes
    a feature 0 or 1 for each of its values. Rows and instances may be sparse (``{1 -20}``). Weights
    of rows (``{0.5}`` at the end) are ignored with a warning. ::

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

    NPZ holds the arrays ``instances`` (n_instances, n_features), ``offsets`` (n_bags + 1,), where
    each bag starts, ``Y`` (n_bags, n_labels), ``label_names``, and optionally ``feature_names`` and
    ``bag_names``. Pickled objects are never loaded.

    A row of LIBSVM's multi-label format, such as ``0,2 1:0.5 4:-1``, holds the numbers of its
    labels and the features that are not 0, counted from 1. Labels are named by their numbers.

    Parameters
    ----------
    labels : path, sequence of str, or None (not for .npz)
        Mulan's XML file of label names, or these names; None if the file marks its labels.
    missing : float or None, default None (.arff and .csv)
        Number that replaces missing values, "?" or nothing; None refuses them.
    n_features : int or None, default None (.svm and .libsvm)
        None for the largest index. A test file needs the number of its training file.
    max_bytes : int, default 4 GiB
        Largest size of the file, unpacked, and of its instances in memory, 8 bytes a value.

    Raises
    ------
    DataError : names the file and its line, feature or bag that does not follow the format.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mimlpaper.datasets import load_synthetic_scene
    >>> with TemporaryDirectory() as folder:
    ...     write_bags(f"{folder}/scenes.arff", load_synthetic_scene(n_images=10))
    ...     read_bags(f"{folder}/scenes.arff").X
    Bags(10 bags, 90 instances, 15 features)
    """
    read = _of_ending(READERS, path)
    with _naming(path):
        _check_size(os.path.getsize(path), max_bytes)
        return read(Path(path), max_bytes, **options)


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


@contextmanager
def _naming(path):
    """Turn the errors of a damaged file, of many types, into a DataError that names the file."""
    try:
        yield
    except (FileNotFoundError, TypeError):  # TypeError: an option that this format does not have
        raise
    except Exception as error:
        raise DataError(f"{path}: {error}") from error


def _check_size(needed, max_bytes):
    if needed > max_bytes:
        raise ValueError(
            f"more than max_bytes={max_bytes:,} are needed for the file, or for its instances in "
            "memory; raise it if that is meant"
        )


class Column(NamedTuple):
    """A column of a table: a label, a feature, or a feature for each of its values."""

    name: str
    kind: str = "numeric"  # nominal, or another type of ARFF
    values: tuple[str, ...] = ()  # of a nominal column, and of a numeric one declared {0,1}

    @property
    def features(self) -> list[str]:
        """Names of its features."""
        if self.kind == "nominal":
            return [f"{self.name}={value}" for value in self.values]
        return [self.name]

    def numbers(self, cells) -> np.ndarray:
        """Its features, not finite for a cell without a value: (n_cells, n_features)."""
        if self.kind == "nominal":
            found = np.array([[cell == value for value in self.values] for cell in cells.tolist()])
            return np.where(found.any(axis=1, keepdims=True), found, np.nan)
        return np.array([_number(cell) for cell in cells.tolist()])[:, None]


def _number(cell):
    """The number, or NaN for other text; 1_000 is a number in Python only."""
    try:
        return math.nan if "_" in str(cell) else float(cell)
    except (TypeError, ValueError):
        return math.nan


def bags_of_table(
    table: pd.DataFrame, columns: list[Column], labels: list[int], missing: float | None = None
) -> LabelledBags:
    """Bags from a table with one row for each instance, checked.

    Parameters
    ----------
    table : DataFrame (n_instances, 1 + n_columns)
        The bag's name, then the values of ``columns``, as text or numbers. Rows of a bag follow
        each other and repeat its labels. The index says where a row was found and is named after
        what it counts, such as "line"; errors begin with both.
    labels : places of the labels among ``columns``; the others are features.
    missing : number in place of features that are empty or "?"; None refuses them.
    """
    features = [i for i in range(len(columns)) if i not in set(labels)]
    if table.empty or not features or not labels:
        raise ValueError(
            "at least one bag, one feature and one label are needed, got "
            f"{len(table)} instances, {len(features)} features and {len(labels)} labels"
        )
    numbers = [_numbers(columns[i], table[i + 1], missing) for i in features]
    names = table[0].to_numpy()
    X = bags_of_runs(np.hstack(numbers), names)
    starts = X.offsets[:-1]
    Y = np.column_stack([_truths(columns[i].name, table[i + 1]) for i in labels])
    for row in np.flatnonzero((Y != Y[starts][X.bag_of_instance]).any(axis=1)):
        raise _fault(table, row, f"bag {names[row]!r:.60} must have equal labels in all its rows")
    return labelled_bags(
        X, Y[starts], [columns[i].name for i in labels],
        feature_names=[name for i in features for name in columns[i].features],
        bag_names=names[starts],
    )  # fmt: skip


def bags_of_runs(instances: np.ndarray, bag_ids: np.ndarray) -> Bags:
    """Bags of instances (n_instances, n_features) with equal ``bag_ids`` (n_instances,).

    The instances of a bag must follow each other; bags keep the order of the file.
    """
    if len(instances) != len(bag_ids):
        raise ValueError(f"{len(instances)} instances, but {len(bag_ids)} names of bags")
    starts = np.flatnonzero(np.r_[True, bag_ids[1:] != bag_ids[:-1]])
    ids, times = np.unique(bag_ids[starts], return_counts=True)
    if times.max() > 1:
        raise ValueError(f"the instances of bag {ids[times.argmax()]!s:.60} must follow each other")
    return Bags(instances, np.append(starts, len(instances)))


def _fault(table, row, message) -> ValueError:
    return ValueError(f"{table.index.name} {table.index[row]}: {message}")


def _truths(name, cells):
    """A label as booleans: (n_instances,)."""
    texts = [str(cell).lower() for cell in cells.tolist()]
    for row, text in enumerate(texts):
        if text not in YES and text not in NO:
            raise _fault(cells, row, f"label {name!r} must be 0 or 1, got {text!r:.60}")
    return [text in YES for text in texts]


def _numbers(column, cells, missing):
    """The features of a column, all of them finite: (n_instances, n_features)."""
    numbers = column.numbers(cells)
    for row in np.flatnonzero(~(np.abs(numbers) <= LARGEST).all(axis=1)):
        cell = cells.iloc[row]
        if cell not in MISSING:
            needed = f"a finite number of at most {LARGEST:g}, since larger squares overflow"
            if column.kind == "nominal":
                needed = f"one of {', '.join(column.values):.60}"
            message = f"feature {column.name!r} must be {needed}, got {cell!r:.60}"
            raise _fault(cells, row, message)
        if missing is None:
            message = f"feature {column.name!r} is missing; give missing= the number for it"
            raise _fault(cells, row, message)
        numbers[row] = missing
    return numbers


def _read_text(path, max_bytes, *, labels=None, missing=None):
    """Bags from ARFF or CSV: a table of the cells and their lines."""
    if labels is None and path.suffix.lower() == ".arff" and path.with_suffix(".xml").is_file():
        labels = path.with_suffix(".xml")
    names = _names_of_labels(labels)
    parse = _csv if path.suffix.lower() == ".csv" else _arff
    columns, marked, rows = parse(_decoded(path.read_bytes()), names or ())
    labels = _places_of_labels(columns, marked, names)
    width = sum(len(column.features) for column in columns)
    lines, cells = [], []
    for line, row in rows:
        if len(row) != 1 + len(columns):
            raise ValueError(f"line {line}: {1 + len(columns)} values are needed, got {len(row)}")
        lines.append(line)
        cells.append(row)
        _check_size(8 * len(cells) * width, max_bytes)
    table = pd.DataFrame(cells, index=pd.Index(lines, name="line"), dtype=object)
    return bags_of_table(table, columns, labels, missing)


def _decoded(content):
    try:
        return content.decode("utf-8-sig")  # a byte order mark is no part of the text
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line}: is not UTF-8 text") from error


def _names_of_labels(labels):
    """The names themselves, or if ``labels`` is a path, those in Mulan's XML file.

    The file is ``<labels><label name="…"/>…</labels>``; labels may be nested.
    """
    if not isinstance(labels, (str, os.PathLike)):
        return labels
    with _naming(labels):
        _, *tags = ElementTree.parse(labels).iter()  # the root comes first
        if any(tag.tag.rpartition("}")[2] != "label" for tag in tags):
            raise ValueError('only <labels> with <label name="…"> are expected')
        return _checked_names([tag.get("name") for tag in tags], "label", len(tags))


def _places_of_labels(columns, marked, names):
    """Places of the labels among the columns: the file marks them, or they are named."""
    labels = marked
    if names is not None:
        named, among = set(names), marked or range(len(columns))
        labels = [i for i in among if columns[i].name in named]
        found = {columns[i].name for i in marked or labels}
        if found != named:
            raise ValueError(
                "the labels must be the ones named in labels= or the XML file: only named "
                f"{sorted(named - found)[:5]}, only in this file {sorted(found - named)[:5]}"
            )
    if not labels:
        raise ValueError(
            f"no column is known to be a label; name the labels by labels=, by {LABEL_PREFIX!r} "
            "before their names in a CSV file, or in an XML file with the name of an ARFF file"
        )
    return labels


def _csv(text, names):
    """Columns, places of labels, and the line and the cells of each row."""
    reader = csv.reader(StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from error
    n_labels, (_, head) = 0, rows.pop(0) if rows else (0, [""])
    if len(head) == 1 and head[0].isdecimal() and rows:
        n_labels, (_, head) = int(head[0]), rows.pop(0)
    if head[0].startswith(LABEL_PREFIX):
        raise ValueError(f"the first column must be the bag's name, got {head[0]!r:.60}")
    columns = [Column(name.removeprefix(LABEL_PREFIX)) for name in head[1:]]
    marked = [i for i, name in enumerate(head[1:]) if name.startswith(LABEL_PREFIX)]
    return columns, list(range(len(columns)))[-n_labels:] if n_labels else marked, rows


def _arff(text, names):
    """Columns, places of labels, and the line and the cells of each instance."""
    lines = enumerate(text.split("\n"), 1)
    outer, inner, n_labels = _arff_header(lines)
    kinds = [attribute.kind for attribute in outer]
    if kinds.count("relational") > 1:
        raise ValueError("only one relational attribute is expected")
    bag = kinds.index("relational") if "relational" in kinds else None
    may_be_name = kinds[0] == "string" if bag is None else bag > 0
    has_name = may_be_name and outer[0].name not in names
    columns = [attribute for i, attribute in enumerate(outer) if i != bag][has_name:]
    places = list(range(len(columns)))
    if bag is None:
        marked = places[:n_labels] if n_labels >= 0 else places[n_labels:]
        return columns, marked, _arff_rows(lines, outer, [], None, has_name)
    return columns + inner, places, _arff_rows(lines, outer, inner, bag, has_name)


def _arff_header(lines):
    """Attributes of a row, attributes inside the bag, and MEKA's number of labels."""
    outer, inner, n_labels, inside = [], [], 0, False
    for line, text in lines:
        text = text.strip()
        keyword = text.split(maxsplit=1)[0].lower() if text else "%"
        with _at(line):
            if keyword.startswith("%"):
                continue
            if keyword == "@relation":
                match = MEKA.search(text)
                n_labels = int(match[1]) if match else 0
            elif keyword == "@attribute":
                (inner if inside else outer).append(_attribute(text))
                inside = inside or outer[-1].kind == "relational"
            elif keyword == "@end" and inside:
                inside = False
            elif keyword == "@data" and outer and not inside:
                return outer, inner, n_labels
            else:
                raise ValueError(
                    "expected @attribute, or @end after the bag's attributes, or @data after all; "
                    f"got {text!r:.60}"
                )
    raise ValueError("the file ends before @data")


@contextmanager
def _at(line):
    """Begin the message of a ValueError with the line."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"line {line}: {error}") from error


def _attribute(text):
    match = ATTRIBUTE.fullmatch(text)
    if not match:
        raise ValueError(f"an attribute must have a name and a type, got {text!r:.60}")
    name, kind = _unquoted(match[1]), match[2]
    if kind[0] + kind[-1] == "{}":
        values = tuple(_unquoted(cell["value"]) for cell in _cells(DENSE, kind[1:-1]))
        return Column(name, "numeric" if set(values) == {"0", "1"} else "nominal", values)
    return Column(name, "numeric" if NUMERIC.fullmatch(kind) else kind.lower())


def _arff_rows(lines, outer, inner, bag, has_name):
    """The line of each instance, and its cells: the bag's name, the row's others, the bag's."""
    names = set()
    for line, text in lines:
        text = text.strip()
        if not text or text.startswith("%"):
            continue
        with _at(line):
            row, instances = _values(text, outer), [[]]
            if bag is not None:
                texts = row.pop(bag).strip("\r\n").split("\n")
                instances = [_values(text.strip(), inner) for text in texts]
            name = row.pop(0) if has_name else f"bag{len(names) + 1}"
            if name in names:
                raise ValueError(f"bag {name!r:.60} was already there")
            names.add(name)
        for instance in instances:
            yield line, [name, *row, *instance]


def _values(text, attributes):
    """The values of a row, dense or sparse, without quotes and weight."""
    match = WEIGHT.search(text)
    if match:
        text = text[: match.start()].rstrip()
        if float(match[1]) != 1:
            warnings.warn("weights of rows are ignored: no learner here takes any", stacklevel=2)
    if text[:1] + text[-1:] == "{}":
        return _sparse_values(text[1:-1].strip(), attributes)
    values = [_unquoted(cell["value"]) for cell in _cells(DENSE, text)]
    if len(values) != len(attributes):
        raise ValueError(f"{len(attributes)} values are needed, got {len(values)}: {text!r:.60}")
    return values


def _sparse_values(text, attributes):
    """The values of a sparse row; what it leaves out is 0, or the first of the nominal values."""
    cells = list(_cells(SPARSE, text)) if text else []
    given = {int(cell["index"]): _unquoted(cell["value"]) for cell in cells}
    if len(given) < len(cells) or not given.keys() <= set(range(len(attributes))):
        raise ValueError(
            f"a sparse row must hold indices from 0 to {len(attributes) - 1}, none twice, "
            f"got {text!r:.60}"
        )
    defaults = [(*attribute.values, "0")[0] for attribute in attributes]
    return [given.get(i, default) for i, default in enumerate(defaults)]


def _cells(pattern, text):
    """Matches of the cells of a row, one after the other."""
    at, more = 0, True
    while more:
        match = pattern.match(text, at)
        if not match:
            raise ValueError(f"no value can be read from {text[at:]!r:.60}; is a quote not closed?")
        yield match
        at, more = match.end(), match["comma"]


def _unquoted(text):
    if text[:1] not in ("'", '"'):
        return text.strip()
    return ESCAPE.sub(lambda match: ESCAPED.get(match[1], match[1]), text[1:-1])


def _read_npz(path, max_bytes):
    with ZipFile(path) as archive:
        _check_size(sum(member.file_size for member in archive.infolist()), max_bytes)
    with np.load(path, allow_pickle=False) as stored:
        names = {name: np.atleast_1d(stored[name]) for name in NAMES if name in stored}
        if stored["offsets"].dtype.kind not in "iu":
            raise ValueError(f"offsets must be integers, got {stored['offsets'].dtype}")
        X = Bags(stored["instances"], stored["offsets"])
        return labelled_bags(X, stored["Y"], names.pop("label_names", ()), **names)


def _read_libsvm(path, max_bytes, *, labels=None, n_features=None):
    X, label_sets = load_svmlight_file(
        str(path), n_features=n_features, multilabel=True, zero_based=False
    )
    _check_size(8 * X.shape[0] * X.shape[1], max_bytes)
    numbers = {number for found in label_sets for number in found}
    if labels is None:
        labels = [f"{number:g}" for number in sorted(numbers)]
    unknown = numbers - set(map(float, labels))
    if unknown:
        raise ValueError(f"label {min(unknown):g} is not among labels=")
    Y = [[float(name) in found for name in labels] for found in label_sets]
    return labelled_bags(Bags(X.toarray(), np.arange(len(Y) + 1)), Y, labels)


def _write_arff(path, data):
    """An ARFF file of bags, and an XML file of the same name with the labels' names."""
    names = ElementTree.Element("labels", xmlns=MULAN)
    for name in data.label_names:
        ElementTree.SubElement(names, "label", name=name)
    ElementTree.indent(names)
    write_whole(path.with_suffix(".xml"), ElementTree.tostring(names, "utf-8"))
    name_, bag_ = (_unlike(data.label_names, name) for name in ("id", "bag"))
    with whole_file(path) as file:
        file.write(f"@relation {_quoted(path.stem if path.stem.isprintable() else 'bags')}\n\n")
        file.write(f"@attribute {name_} {{{','.join(map(_quoted, data.bag_names))}}}\n")
        file.write(f"@attribute {bag_} relational\n")
        file.writelines(f"  @attribute {_quoted(name)} numeric\n" for name in data.feature_names)
        file.write(f"@end {bag_}\n")
        file.writelines(f"@attribute {_quoted(name)} {{0,1}}\n" for name in data.label_names)
        file.write("\n@data\n")
        for name, instances, labels in _texts(data):
            rows = "\\n".join(map(",".join, instances))
            file.write(f'{_quoted(name)},"{rows}",{",".join(labels)}\n')


def _quoted(name):
    if re.fullmatch(r"[\w.-]+", name, re.ASCII):
        return name
    return "'" + re.sub(r"(['\"\\%])", r"\\\1", name) + "'"


def _unlike(names, name):
    """The name, with underscores after it until it is not among ``names``."""
    while name in names:
        name += "_"
    return name


def _write_csv(path, data):
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


def _texts(data):
    """Each bag's name, instances and labels as texts; the shortest that read back as the same."""
    for name, instances, labels in zip(data.bag_names, data.X, data.Y, strict=True):
        rows = [[repr(value).removesuffix(".0") for value in row] for row in instances.tolist()]
        yield name, rows, [str(int(label)) for label in labels]


def _write_npz(path, data):
    names = {name: np.array(getattr(data, name)) for name in NAMES}
    with whole_file(path, "wb") as file:
        np.savez_compressed(
            file, instances=data.X.instances, offsets=data.X.offsets, Y=data.Y, **names
        )


READERS = {
    ".arff": _read_text, ".csv": _read_text, ".npz": _read_npz, ".svm": _read_libsvm,
    ".libsvm": _read_libsvm,
}  # fmt: skip
WRITERS = {".arff": _write_arff, ".csv": _write_csv, ".npz": _write_npz}
