"""ARFF files of Weka, Mulan and Meka: with a relational attribute for the bag, or without."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np
import pandas as pd

from mimlpaper.arrays import text_of_name
from mimlpaper.datasets.frames import QUOTED
from mimlpaper.datasets.labelled import LabelledBags
from mimlpaper.datasets.tables import (
    ABSENT,
    NUMBER,
    Column,
    Table,
    check_size,
    check_values,
    located,
    with_labels,
)
from mimlpaper.paths import write_whole

# With possessive quantifiers no file can make a search long. What follows an unclosed quote is one
# match, so that no search begins in it.
CELL = re.compile(rf"((?:{QUOTED}|[^,'\"])*+),|(.++)", re.DOTALL)
SPARSE_CELL = re.compile(r"(\d++)\s++(.++)", re.ASCII | re.DOTALL)
ATTRIBUTE = re.compile(
    rf"@attribute\s++({QUOTED}|[^\s{{}}'\"][^\s{{}}]*+)\s*+(.++)",
    re.IGNORECASE,
)
# Weka writes weights in braces, behind a row and a comma, and behind the type of an attribute.
WEIGHT = rf"\s*+\{{\s*+{NUMBER.pattern}\s*+\}}"
WEIGHT_OF_ROW = re.compile(rf",{WEIGHT}$", re.ASCII)
WEIGHT_OF_ATTRIBUTE = re.compile(rf"(?<=\}}){WEIGHT}$", re.ASCII)
# A row whose first cell is missing; in quotes it is a name.
WITHOUT_NAME = re.compile(r"(?:\{\s*+0\s++)?+\?\s*+,", re.ASCII)
# A row with a bag whose one instance is one missing number; without quotes the bag is missing.
WITH_UNKNOWN = re.compile(r"""(['"])\s*\?\s*\1""")
WORD = re.compile(r"\w+")
LINE_END = re.compile(r"\r\n?|\n")
MEKA = re.compile(r"[\s:'\"]-C\s++(-?\d++)(?=[\s'\"]|$)", re.ASCII)
# A filter of Weka leaves its name in the relation. After it the columns may stand elsewhere.
FILTER = re.compile(r"weka\.filters\.\w++\.attribute\.")
ESCAPED = {r"\n": "\n", r"\r": "\r", r"\t": "\t"}
KINDS = {
    **dict.fromkeys(("numeric", "real", "integer"), "number"),
    **dict.fromkeys(("string", "date"), "text"),
    "relational": "relational",
}
# KEEL also names inputs and outputs, which are known by their places here.
IN_HEADER = {"@relation", "@attribute", "@end", "@data", "@inputs", "@input", "@outputs", "@output"}
NAMESPACE = "http://mulan.sourceforge.net/labels"


@dataclass(frozen=True)
class Attribute:
    """What a line of the header declares."""

    name: str
    kind: str  # number, nominal, text or relational
    values: tuple[str, ...] = ()

    @property
    def default(self) -> str:
        """The cell that a sparse row leaves out."""
        return self.values[0] if self.values else "0"

    def column(self, kind: str | None = None) -> Column:
        """The column, of the kind that is declared, or of another, such as label."""
        if kind is not None:
            return Column(self.name, kind, {value: i for i, value in enumerate(self.values)})
        if self.kind == "text":
            raise ValueError(
                f"{self.name!r:.60} must hold numbers, got texts or dates; delete the attribute, "
                "or declare its values, as {a,b}"
            )
        check_values(self.name, self.values)
        if self.kind == "number":
            return Column(self.name, values={value: int(value) for value in self.values})
        places = {value: place for place, value in enumerate(self.values)}
        return Column(self.name, "nominal", places)


@dataclass(frozen=True)
class ArffFile:
    """The header of a file, and its rows with their lines."""

    outer: Sequence[Attribute]
    inner: Sequence[Attribute]  # of the relational attribute; none in a plain file
    n_labels: int  # of Meka: so many first attributes are labels; if negative, last ones
    is_filtered: bool  # whether a filter may have moved the labels since they were counted
    rows: Iterator[tuple[int, str]]


def parse_arff(text: str) -> ArffFile:
    """The header of an ARFF file; its rows are read later. A ValueError has the line at fault."""
    numbered = enumerate(map(str.strip, LINE_END.split(text)), 1)
    lines = ((line, row) for line, row in numbered if row and not row.startswith("%"))
    outer: list[Attribute] = []
    inner: list[Attribute] = []
    attributes, n_labels, is_filtered = outer, 0, False
    for line, row in lines:
        keyword = row.split(maxsplit=1)[0].lower()
        if keyword == "@relation":
            # Meka's options follow the first colon, or are all of the name.
            option = MEKA.search(row, max(row.find(":"), 0))
            n_labels = int(option[1]) if option else 0
            is_filtered = FILTER.search(row) is not None
        elif keyword == "@attribute":
            with located(f"line {line}"):
                attribute = _attribute(row)
            attributes.append(attribute)
            # What follows, up to @end, belongs to the instances of a bag.
            if attribute.kind == "relational":
                attributes = inner
        elif keyword == "@end":
            attributes = outer
        elif keyword == "@data" and outer and attributes is outer:
            kinds = [attribute.kind for attribute in outer + inner]
            if kinds.count("relational") > 1:
                raise ValueError("only one relational attribute is expected")
            return ArffFile(outer, inner, n_labels, is_filtered, lines)
        elif not keyword.startswith("@"):
            break
        elif keyword not in IN_HEADER:
            raise ValueError(
                f"line {line}: a line of the header must begin with @attribute, @end, @data or "
                f"@relation, got {row!r:.60}"
            )
    raise ValueError(
        "attributes, @end after those of the bag, and @data are needed, got a file that begins "
        f"with {text[:60]!r}"
    )


def _attribute(text):
    match = ATTRIBUTE.fullmatch(text)
    if not match:
        raise ValueError(f"an attribute must have a name and a type, got {text!r:.60}")
    name, kind = _unquoted(match[1]), WEIGHT_OF_ATTRIBUTE.sub("", match[2])
    if _is_in_braces(kind):
        values = tuple(map(_unquoted, _cells(kind[1:-1])))
        is_number = set(values) == {"0", "1"}
        return Attribute(name, "number" if is_number else "nominal", values)
    word = WORD.match(kind)
    if not word or word[0].lower() not in KINDS:
        raise ValueError(
            f"{name!r:.60} must have the type {', '.join(KINDS)}, or values such as {{a,b}}, got "
            f"{kind!r:.60}"
        )
    return Attribute(name, KINDS[word[0].lower()])


def _is_in_braces(text):
    return text.startswith("{") and text.endswith("}")


def table_of_arff(
    arff: ArffFile, labels: Collection[str] | None, max_bytes: int, *, is_new: bool
) -> Table:
    """The table of a file of at most ``max_bytes``; of new bags no label is read.

    A ValueError has the line that does not follow the format, or from which on its numbers are too
    many.
    """
    if arff.inner:
        columns, rows = _relational(arff, is_new)
        # A second list of labels must say the same.
        with_labels(columns, [] if is_new else labels)
    else:
        columns, rows = _plain(arff, labels, is_new)
    numbers, names, lines = [], [], []
    for line, name, row in rows:
        numbers.append(row)
        names.append(name)
        lines.append(line)
        with located(f"line {line}"):
            check_size(len(numbers), len(columns), max_bytes)
    all_numbers = np.reshape(numbers, (len(numbers), len(columns)))
    is_read = [column.kind != "unread" for column in columns]
    return Table(
        columns=list(compress(columns, is_read)),
        numbers=all_numbers[:, is_read],
        bag_names=np.array(names, dtype=object),
        line_or_row=pd.Index(lines, name="line"),
    )


def _plain(arff, labels, is_new):
    """Columns and rows of a file where each row is a bag of one instance."""
    labels = _labels_of_plain(arff, labels)
    if not labels:
        labels = [] if is_new else None
    label_kind = "unread" if is_new else "label"
    named = with_labels([Column(attribute.name) for attribute in arff.outer], labels)
    columns = []
    for attribute, column in zip(arff.outer, named, strict=True):
        columns.append(attribute.column(label_kind if column.kind == "label" else None))
    return columns, _plain_rows(arff, columns)


def _labels_of_plain(arff, labels):
    """The names of the labels: the given ones, or as Meka's -C counts them; empty if none does.

    A filter makes the count doubtful; otherwise both must say the same.
    """
    n_labels, n = arff.n_labels, len(arff.outer)
    if arff.is_filtered and n_labels and not labels:
        raise ValueError(
            f"-C {n_labels} counts the labels, but a filter of Weka, named in the relation, may "
            "have moved them since; name them by labels=, or, for new bags, delete -C from the "
            "relation"
        )
    if arff.is_filtered:
        return labels
    if abs(n_labels) > n:
        raise ValueError(f"-C {n_labels} needs as many attributes, got {n}")
    marked = arff.outer[n_labels:] if n_labels < 0 else arff.outer[:n_labels]
    counted = {attribute.name for attribute in marked}
    named = set(map(text_of_name, labels or ()))
    if named and counted and named != counted:
        raise ValueError(
            f"-C {n_labels} in the relation marks the labels {sorted(counted)!s:.200}, but labels= "
            f"or an .xml file names {sorted(named)!s:.200}; correct one of them"
        )
    return labels or counted


def _plain_rows(arff, columns):
    defaults = _defaults(arff.outer, columns)
    for bag, (line, text) in enumerate(arff.rows, 1):
        with located(f"line {line}"):
            given = _given(text, len(columns))
            row = _numbers(given, columns, defaults)
        yield line, f"bag{bag}", row


def _relational(arff, is_new):
    """Columns and rows of a file with bags: the attributes of the bag's instances, then labels."""
    features = [attribute.column() for attribute in arff.inner]
    kinds = [attribute.kind for attribute in arff.outer]
    bag_place = kinds.index("relational")
    label_places = [i for i in range(len(kinds)) if i not in (0, bag_place)]
    name_place = 0 if bag_place > 0 else None
    label_kind = "unread" if is_new else "label"
    labels = {i: arff.outer[i].column(label_kind) for i in label_places}
    rows = _bag_rows(arff, features, labels, name_place, bag_place)
    return [*features, *labels.values()], rows


def _bag_rows(arff, features, labels, name_place, bag_place):
    feature_defaults = _defaults(arff.inner, features)
    label_defaults = _defaults([arff.outer[i] for i in labels], labels.values())
    places = {place: i for i, place in enumerate(labels)}
    label_columns = list(labels.values())
    names = set()
    for line, text in arff.rows:
        with located(f"line {line}"):
            given = _given(text, len(arff.outer))
            bag = given.pop(bag_place, "").strip()
            if bag in ABSENT and not WITH_UNKNOWN.search(text):
                raise ValueError("the bag must have an instance, got none")
            instances = list(map(str.strip, bag.split("\n")))
            if "" in instances:
                raise ValueError("each line of the bag must hold an instance, got an empty one")
            name = f"bag{len(names) + 1}"
            if name_place is not None:
                if WITHOUT_NAME.match(text):
                    raise ValueError("the bag must have a name, got a missing value, ?")
                name = given.pop(name_place, arff.outer[name_place].default)
            if name in names:
                raise ValueError(f"each bag must have one row, got a second of {name!r:.60}")
            names.add(name)
            in_order = {places[place]: cell for place, cell in given.items()}
            truths = _numbers(in_order, label_columns, label_defaults)
            for instance in instances:
                cells = _given(instance, len(features))
                row = _numbers(cells, features, feature_defaults)
                yield line, name, np.concatenate([row, truths])


def _defaults(attributes: Iterable[Attribute], columns: Iterable[Column]) -> np.ndarray:
    """The numbers of the cells that sparse rows leave out."""
    defaults = []
    for attribute, column in zip(attributes, columns, strict=True):
        number = column.number(attribute.default)
        if number is None:
            raise column.misfit(f"the values {', '.join(attribute.values)!s:.60}")
        defaults.append(number)
    return np.array(defaults)


def _numbers(given: Mapping[int, str], columns: Sequence[Column], defaults: np.ndarray):
    """The numbers of a row, of which cells are given by their places."""
    row = defaults.copy()  # a sparse row costs one copy, and then what it holds
    for place, cell in given.items():
        number = columns[place].number(cell)
        if number is None:
            raise columns[place].misfit(f"{cell!r:.60}")
        row[place] = number
    return row


def _given(text, n):
    """The cells of a row by their places; a sparse row leaves some out."""
    text = WEIGHT_OF_ROW.sub("", text)
    if not _is_in_braces(text):
        cells = _cells(text)
        if len(cells) != n:
            raise ValueError(f"{n} values are needed, got {len(cells)}: {text!r:.60}")
        return {place: _unquoted(cell) for place, cell in enumerate(cells)}
    cells = filter(None, _cells(text[1:-1]))
    pairs = [SPARSE_CELL.fullmatch(cell) for cell in cells]
    given = {int(pair[1]): _unquoted(pair[2]) for pair in pairs if pair}
    if len(given) < len(pairs) or max(given, default=0) >= n:
        needed = f"a sparse row must hold indices from 0 to {n - 1}, none twice"
        raise ValueError(f"{needed}, got {text!r:.60}")
    return given


def _cells(text):
    """The parts of a text between commas that are in no quotes."""
    found = CELL.findall(text + ",")
    _, unread = found[-1]
    if unread:
        raise ValueError(f"no values can be read from {text!r:.60}; is a quote not closed?")
    return [cell.strip() for cell, _ in found]


def _unquoted(text):
    if not text.startswith(("'", '"')):
        return text.strip()
    within = text[1:-1]
    return re.sub(r"\\.", _unescaped, within)


def _unescaped(match):
    """What a backslash and a character stand for, which is mostly the character."""
    escape = match[0]
    return ESCAPED.get(escape, escape[1])


def labels_of_xml(text: str) -> list[str]:
    """The names of the labels in an XML file of Mulan, also those below other labels."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"an XML file of labels is needed, got {error}") from error
    names = [element.get("name") for element in root.iterfind(".//{*}label")]
    if not names or None in names:
        raise ValueError("an XML file of labels must hold <label name=...>")
    return [str(name) for name in names]


def write_arff(path: Path, data: LabelledBags):
    """Write bags and labels; an .xml file beside it gets the names of the labels, afterwards."""
    bag_names = list(map(_quoted, data.bag_names))
    features = [f"  @attribute {_quoted(name)} numeric" for name in data.feature_names]
    labels = [f"@attribute {_quoted(name)} {{0,1}}" for name in data.label_names]
    rows = []
    label_sets = 1 * data.Y  # 0 and 1
    for name, bag, label_set in zip(bag_names, data.X, label_sets, strict=True):
        instances = [",".join(map(shortest, instance)) for instance in bag]
        # A backslash and an n: the relation is one line of the file.
        relation = "\\n".join(instances)
        rows.append(",".join([name, f'"{relation}"', *map(str, label_set)]))
    lines = [
        "@relation bags\n",
        f"@attribute id {{{','.join(bag_names)}}}",
        "@attribute bag relational",
        *features,
        "@end bag",
        *labels,
        "\n@data",
        *rows,
    ]
    write_whole(path, "\n".join(lines) + "\n")
    _write_label_names(path.with_suffix(".xml"), data.label_names)


def _write_label_names(path, names):
    """An XML file of Mulan, as :func:`labels_of_xml` reads it."""
    lines = [f'<labels xmlns="{NAMESPACE}">']
    for name in names:
        lines.append(f"  <label name={quoteattr(name)}/>")
    lines.append("</labels>\n")
    write_whole(path, "\n".join(lines))


def _quoted(name):
    if re.fullmatch(r"[\w.-]+", name, re.ASCII):
        return name
    return "'" + re.sub(r"(['\"\\%])", r"\\\1", name) + "'"


def shortest(number: float) -> str:
    """The shortest text that reads back as the same number."""
    return "?" if np.isnan(number) else repr(float(number)).removesuffix(".0")
