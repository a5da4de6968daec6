"""Labelled bags in tables and files: DataFrames, CSV, JSON, Parquet, and ARFF of Weka and Mulan."""

import csv
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pandas as pd

from mimlpaper.bags import LARGEST, Bags, as_bags
from mimlpaper.datasets.fetch import DataError
from mimlpaper.paths import write_whole

TRUTHS = {
    **dict.fromkeys(("1", "1.0", "+1", "yes", "y", "true", "t", "positive"), 1.0),
    **dict.fromkeys(("0", "0.0", "-1", "no", "n", "false", "f", "negative"), 0.0),
}
LABEL_PREFIX = "label:"  # of a column of labels in a CSV file
READABLE = (".csv", ".arff", ".json", ".parquet")
GUARDED = re.compile(rf"'*([=+\-@]|{LABEL_PREFIX})")  # names with an apostrophe before them in CSV

# Grammar of ARFF. With possessive quantifiers no file can make a search long.
QUOTED = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
CELL = re.compile(rf"((?:{QUOTED}|[^,'\"])*+),")
SPARSE = re.compile(r"(\d+)\s+(.+)")
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s{{}}'\"][^\s{{}}]*+)\s*(.+)", re.IGNORECASE)
ESCAPED = {r"\n": "\n", r"\r": "\r", r"\t": "\t"}


@dataclass(frozen=True, eq=False, repr=False)
class LabelledBags:
    """Bags, their labels and all names; a slice, mask or index array gives some of the bags."""

    X: Bags
    Y: np.ndarray  # bool (n_bags, n_labels)
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    bag_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, key) -> "LabelledBags":
        names = tuple(np.array(self.bag_names, dtype=object)[key])
        return replace(self, X=self.X[key], Y=self.Y[key], bag_names=names)

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
    """Bags and labels with names, checked against each other; a ValueError if they do not fit.

    ``X`` is Bags or a list of 2-D arrays, ``Y`` (n_bags, n_labels) booleans, or 0 and 1. Default
    names are those of X, or f1, f2, … and bag1, bag2, … Names are printable texts and differ.
    """
    X, Y = as_bags(X, missing=True), np.asarray(Y)
    if Y.ndim != 2 or len(Y) != len(X) or not Y.size or not np.isin(Y, (0, 1)).all():
        raise ValueError(
            f"Y must hold booleans, or 0 and 1, one row for each of {len(X)} bags and at least one "
            f"column, got shape {Y.shape}"
        )
    given = X.feature_names if feature_names is None else feature_names
    features = _checked_names(given, "feature", X.n_features, "f")
    bag_names = _checked_names(X.names if bag_names is None else bag_names, "bag", len(X), "bag")
    X = Bags(X.instances, X.offsets, None if given is None else features, bag_names)
    labels = _checked_names(label_names, "label", Y.shape[1])
    return LabelledBags(X, Y.astype(bool), labels, features, bag_names)


def _checked_names(names, kind: str, n: int, start: str = "") -> tuple[str, ...]:
    names = tuple(map(str, [f"{start}{i + 1}" for i in range(n)] if names is None else names))
    if len(names) != n:
        raise ValueError(f"{n} {kind} names are needed, got {len(names)}")
    for name, times in Counter(names).items():
        if times > 1 or not name.isprintable() or not name or name != name.strip():
            raise ValueError(
                f"{kind} names must differ and be printable text without spaces around it, "
                f"got {name!r:.60} {times} times"
            )
    return names


def read_bags(
    source: str | os.PathLike | pd.DataFrame,
    *,
    bag: str | None = None,
    labels: Sequence[str] | str | None = None,
    missing: float | None = None,
    max_bytes: int = 2**32,
) -> LabelledBags:
    """Bags, labels and names from a DataFrame or a file: .csv, .json, .parquet or .arff.

    A table has a row for each instance: the bag's name, then features and labels. Rows of a bag
    follow each other and repeat its labels, 0 and 1 or no and yes. The head of a label begins with
    ``label:``. JSON is a list of records. A comma, semicolon, tab or bar separates CSV cells. ::

        bag,f1,f2,label:sea,label:trees
        beach,5,-20,1,0
        beach,4.5,-1,1,0
        forest,10,-8,0,1

    ARFF has a row for each bag. One attribute is relational and holds the instances; the first, if
    it is another one, is the bag's name; the rest are labels. Without a relational attribute, each
    row is a bag of one instance. A nominal feature becomes a feature 0 or 1 for each of its values,
    after all numbers. Rows and instances may be sparse, such as ``{1 -20}``. ::

        @relation two
        @attribute id {bag1,bag2}
        @attribute bag relational
          @attribute f1 numeric
          @attribute f2 numeric
        @end bag
        @attribute label1 {0,1}
        @data
        bag1,"5,-198\\n4.5,-1",1
        bag2,"10,-8",0

    Parameters
    ----------
    bag : str or None, default None, the column of the bags' names in a table; None for the first.
    labels : sequence of str, str or None, default None
        Names of the labels, as in Mulan's XML file; or of one column with sets of labels, such as
        "sea;trees" or a list; None if the file marks its labels.
    missing : float or None, default None
        Replaces missing values, "?" or nothing, ``math.nan`` for an imputer; None refuses.
    max_bytes : int, default 4 GiB, the largest size of the file.

    Raises DataError with the file, and its line or bag that does not follow the format.
    """
    ending = "" if isinstance(source, pd.DataFrame) else _ending(source, READABLE)
    if ending and os.path.getsize(source) > max_bytes:
        raise DataError(f"{source}: the file is larger than max_bytes={max_bytes:,}")
    with _at(source if ending else "the DataFrame"):
        parse = _arff if ending == ".arff" else _csv
        columns, rows = parse(_text(source, ending), bag)
        if isinstance(labels, str):
            columns, rows = _with_sets(columns, list(rows), labels)
            labels = None
        return _labelled(_with_labels(columns, labels), rows, missing)


def _ending(path, known):
    ending = Path(path).suffix.lower()
    if ending not in known:
        raise ValueError(f"path must end in {' or '.join(known)}, got {str(path)!r}")
    return ending


def _text(source, ending):
    """The text of an ARFF or CSV file; other tables as CSV."""
    if ending in (".csv", ".arff"):
        return Path(source).read_bytes().decode("utf-8-sig")
    if ending == ".json":
        source = pd.DataFrame(json.loads(Path(source).read_bytes()))
    elif ending == ".parquet":
        source = pd.read_parquet(source)
    lists = list | tuple | set | np.ndarray
    joined = source.map(lambda cell: ";".join(map(str, cell)) if isinstance(cell, lists) else cell)
    return joined.to_csv(index=False)


def write_bags(path: str | os.PathLike, data):
    """Write bags with labels into a file that ends in .csv or .arff, whole or not at all.

    ``data`` is a :class:`LabelledBags`, or a :class:`~mimlpaper.datasets.Dataset` of bags; reading
    gives the same numbers and names. An .arff file gets an .xml file with the names of the labels.
    In a .csv file names that begin with =, +, - or @ get an apostrophe, against formulas.
    """
    write, y = WRITERS[_ending(path, WRITERS)], getattr(data, "y", None)
    labelled = labelled_bags(
        data.X,
        data.Y if y is None else y[:, None],
        data.label_names,
        feature_names=data.feature_names,
        bag_names=getattr(data, "bag_names", None),
    )
    write(Path(path), labelled)


@contextmanager
def _at(place):
    try:
        yield
    except Exception as error:
        raise DataError(f"{place}: {error}") from error


def bags_of_runs(instances: np.ndarray, bag_ids: np.ndarray) -> Bags:
    """Bags of successive instances (n_instances, n_features) with equal ids (n_instances,)."""
    starts = np.flatnonzero(np.r_[True, bag_ids[1:] != bag_ids[:-1]])
    ids, times = np.unique(bag_ids[starts], return_counts=True)
    if times.max() > 1:
        raise ValueError(f"the instances of bag {ids[times.argmax()]!s:.60} must follow each other")
    return Bags(instances, np.append(starts, len(instances)))


@dataclass(frozen=True)
class Column:
    name: str
    kind: str = "numeric"  # or nominal, label, name of the bag, relational
    values: tuple[str, ...] = ()  # if declared, also of a numeric column {0,1}

    def number(self, cell: str, missing: float | None) -> float:
        """A number, the place of a nominal value or -1 if it is missing, or 1 or 0 of a label."""
        absent = cell in ("", "?") and self.kind != "label"
        if absent and missing is not None:
            return -1 if self.kind == "nominal" else missing
        with suppress(KeyError, ValueError):
            if self.kind == "label":
                return TRUTHS[cell.lower()]
            if self.kind == "nominal":
                return self.values.index(cell)
            if abs(float(cell)) <= LARGEST:
                return float(cell)
        kinds = {"label": "0 or 1", "nominal": f"one of {', '.join(self.values):.60}"}
        needed = kinds.get(self.kind, f"a finite number of at most {LARGEST:g}")
        hint = "; give missing= its number" if absent else ""
        raise ValueError(f"{self.name!r} must be {needed}, got {cell!r:.60}{hint}")


def _with_labels(columns, names):
    marks = any(column.kind == "label" for column in columns)
    names = set(names or ())
    if marks == bool(names) or not names <= {column.name for column in columns}:
        raise ValueError(
            f"labels= must name columns if, and only if, the file marks no labels by "
            f"{LABEL_PREFIX!r} or a relational attribute, got {sorted(names)!s:.60}"
        )
    return [replace(column, kind="label") if column.name in names else column for column in columns]


def _with_sets(columns, rows, name):
    """The table with a label for each name in the sets of one column."""
    place = _place(columns, name)
    sets = [set(map(str.strip, re.split("[;|]", cells.pop(place)))) for _, _, cells in rows]
    names = sorted(set().union(*sets) - {""})
    for (_, _, cells), own in zip(rows, sets, strict=True):
        cells += [f"{name in own:d}" for name in names]
    columns.pop(place)
    return columns + [Column(name, "label") for name in names], rows


def _place(columns, name):
    names = [column.name for column in columns]
    if name not in names:
        raise ValueError(f"no column is named {name!r:.60}; there are {', '.join(names)!s:.60}")
    return names.index(name)


def _labelled(columns, rows, missing):
    lines, bag_names, numbers = [], [], []
    for line, name, cells in rows:
        lines.append(line)
        bag_names.append(name)
        with _at(f"line {line}"):
            row = zip(columns, cells, strict=True)
            numbers.append(np.array([column.number(cell, missing) for column, cell in row]))
    table = np.reshape(numbers, (-1, len(columns)))
    kinds = np.array([column.kind for column in columns])
    feature_names = [column.name for column in columns if column.kind == "numeric"]
    parts = [table[:, kinds == "numeric"]]
    for i in np.flatnonzero(kinds == "nominal"):  # a feature 0 or 1 for each value
        feature_names += [f"{columns[i].name}={value}" for value in columns[i].values]
        parts.append(table[:, [i]] == np.arange(len(columns[i].values)))
    instances = np.hstack(parts)
    if not instances.size:
        raise ValueError(f"a bag and a feature are needed, got {instances.shape}")
    X = bags_of_runs(instances, np.array(bag_names, dtype=object))
    Y, starts = table[:, kinds == "label"], X.offsets[:-1]
    for row in np.flatnonzero((Y != Y[starts][X.bag_of_instance]).any(axis=1)):
        bag = bag_names[row]
        raise ValueError(f"line {lines[row]}: bag {bag!r:.60} must have equal labels in all rows")
    X = Bags(X.instances, X.offsets, feature_names, [bag_names[row] for row in starts])
    return labelled_bags(X, Y[starts], [one.name for one in columns if one.kind == "label"])


def _csv(text, bag):
    delimiter = max(",;\t|", key=text.partition("\n")[0].count)  # the first of equals
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    (_, heads), *rows = rows or [(1, [""])]
    names = [_plain(head.removeprefix(LABEL_PREFIX)) for head in heads]
    kinds = ["label" if head.startswith(LABEL_PREFIX) else "numeric" for head in heads]
    columns = list(map(Column, names, kinds))
    place = 0 if bag is None else _place(columns, bag)
    if columns.pop(place).kind == "label":
        raise ValueError(f"the first column must be the bag's name, got {heads[place]!r:.60}")
    for line, row in rows:
        if len(row) != len(heads):
            raise ValueError(f"line {line}: {len(heads)} values are needed, got {len(row)}")
    return columns, ((line, _plain(row.pop(place)), row) for line, row in rows)


def _guarded(name):
    """The name, with an apostrophe if a spreadsheet would run it or if it looks like a label."""
    return f"'{name}" if GUARDED.match(name) else name


def _plain(name):
    return name[1:] if name.startswith("'") and GUARDED.match(name) else name


def _arff(text, bag):
    if bag is not None:
        raise ValueError(f"bag= is for tables, an ARFF file names its bags, got {bag!r:.60}")
    rows = enumerate(map(str.strip, text.split("\n")), 1)
    lines = ((line, row) for line, row in rows if row and not row.startswith("%"))
    outer, inner = _arff_header(lines)
    if [column.kind for column in outer + inner].count("relational") > 1:
        raise ValueError("only one relational attribute is expected")
    if inner:
        outer = [
            c if c.kind == "relational" else replace(c, kind="label" if i else "name")
            for i, c in enumerate(outer)
        ]
    columns = [column for column in outer + inner if column.kind not in ("name", "relational")]
    return columns, _arff_rows(lines, outer, inner)


def _arff_header(lines):
    outer, inner = [], []
    columns = outer
    for line, text in lines:
        keyword = text.split(maxsplit=1)[0].lower()
        if keyword == "@attribute":
            with _at(f"line {line}"):
                columns.append(_attribute(text))
            columns = inner if columns[-1].kind == "relational" else columns
        elif keyword == "@end":
            columns = outer
        elif keyword == "@data" and outer and columns is outer:
            return outer, inner
    raise ValueError("attributes, @end after those of the bag, and @data are needed")


def _attribute(text):
    match = ATTRIBUTE.fullmatch(text)
    if not match:
        raise ValueError(f"an attribute must have a name and a type, got {text!r:.60}")
    name, kind = _unquoted(match[1]), match[2]
    if kind[0] + kind[-1] == "{}":
        values = tuple(map(_unquoted, _cells(kind[1:-1])))
        return Column(name, "numeric" if set(values) == {"0", "1"} else "nominal", values)
    if kind.lower() == "relational":
        return Column(name, "relational", ("",))
    return Column(name)


def _arff_rows(lines, outer, inner):
    kinds, names = [column.kind for column in outer], set()
    for line, text in lines:
        with _at(f"line {line}"):
            row, instances = _values(text, outer), [[]]
            if inner:
                texts = row.pop(kinds.index("relational")).strip().split("\n")
                instances = [_values(text.strip(), inner) for text in texts]
            name = row.pop(0) if kinds[0] == "name" else f"bag{len(names) + 1}"
            if name in names:
                raise ValueError(f"bag {name!r:.60} was already there")
            names.add(name)
        for instance in instances:
            yield line, name, row + instance


def _values(text, columns):
    """The values of a row; a sparse row leaves out zeros and first values."""
    if text[:1] + text[-1:] != "{}":
        values = list(map(_unquoted, _cells(text)))
        if len(values) != len(columns):
            raise ValueError(f"{len(columns)} values are needed, got {len(values)}: {text!r:.60}")
        return values
    pairs = [SPARSE.fullmatch(cell) for cell in _cells(text[1:-1]) if cell]
    given = {int(pair[1]): _unquoted(pair[2]) for pair in pairs if pair}
    if len(given) < len(pairs) or max(given, default=0) >= len(columns):
        needed = f"a sparse row must hold indices from 0 to {len(columns) - 1}, none twice"
        raise ValueError(f"{needed}, got {text!r:.60}")
    return [given.get(i, (*column.values, "0")[0]) for i, column in enumerate(columns)]


def _cells(text):
    """The parts of a text between commas that are in no quotes."""
    cells = CELL.findall(text + ",")
    if ",".join(cells) != text:
        raise ValueError(f"no values can be read from {text!r:.60}; is a quote not closed?")
    return list(map(str.strip, cells))


def _unquoted(text):
    if text[:1] not in ("'", '"'):
        return text.strip()
    return re.sub(r"\\.", lambda match: ESCAPED.get(match[0], match[0][1]), text[1:-1])


def _write_csv(path, data):
    names = np.array([_guarded(name) for name in data.bag_names], dtype=object)
    labels = [LABEL_PREFIX + _guarded(name) for name in data.label_names]
    features = pd.DataFrame(
        data.X.instances, names[data.X.bag_of_instance], [*map(_guarded, data.feature_names)]
    )
    table = features.join(pd.DataFrame(1 * data.Y, names, labels))
    write_whole(path, table.to_csv(index_label="bag", lineterminator="\n", float_format=_shortest))


def _write_arff(path, data):
    names = "".join(f"  <label name={quoteattr(name)}/>\n" for name in data.label_names)
    xml = f'<labels xmlns="http://mulan.sourceforge.net/labels">\n{names}</labels>\n'
    write_whole(path.with_suffix(".xml"), xml)
    labels = [",".join(map(str, row)) for row in 1 * data.Y]
    bags = ["\\n".join(",".join(map(_shortest, row)) for row in bag) for bag in data.X]
    names = list(map(_quoted, data.bag_names))
    lines = [
        "@relation bags\n",
        f"@attribute id {{{','.join(names)}}}",
        "@attribute bag relational",
        *(f"  @attribute {_quoted(name)} numeric" for name in data.feature_names),
        "@end bag",
        *(f"@attribute {_quoted(name)} {{0,1}}" for name in data.label_names),
        "\n@data",
        *map('{},"{}",{}'.format, names, bags, labels),
    ]
    write_whole(path, "\n".join(lines) + "\n")


def _quoted(name):
    if re.fullmatch(r"[\w.-]+", name, re.ASCII):
        return name
    return "'" + re.sub(r"(['\"\\%])", r"\\\1", name) + "'"


def _shortest(number):
    """The shortest text that reads back as the same number."""
    return "?" if np.isnan(number) else repr(float(number)).removesuffix(".0")


WRITERS = {".csv": _write_csv, ".arff": _write_arff}
