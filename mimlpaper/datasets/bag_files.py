"""Files of labelled bags: which format a file has, its limits, and how it is read and written."""

import codecs
import csv
import gzip
import json
import os
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from io import BytesIO, StringIO
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from pandas.api.types import is_scalar
from scipy.io import loadmat

from mimlpaper.arrays import label_array, shown, text_of_name
from mimlpaper.bags import LARGEST
from mimlpaper.datasets.arff import labels_of_xml, parse_arff, shortest, table_of_arff, write_arff
from mimlpaper.datasets.fetch import DataError
from mimlpaper.datasets.frames import (
    BAG,
    LEFT_OF_INDEX,
    LIKE_INSTANCE,
    columns_of_heads,
    frame_of_rows,
    place_of_bag,
    table_of_frame,
)
from mimlpaper.datasets.labelled import LabelledBags, checked_names, labelled_bags
from mimlpaper.datasets.tables import (
    LABEL_PREFIX,
    LIKE_LABEL_PREFIX,
    MOST_DIGITS,
    NEARLY_LABEL,
    Column,
    check_size,
    label_sets_of,
    labelled_of_table,
    marked_as_labels,
    number_of,
)
from mimlpaper.paths import check_file, write_whole

TEXTS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".arff")  # also compressed: .csv.gz
READABLE = (*TEXTS, *(f"{ending}.gz" for ending in TEXTS), ".parquet", ".mat")
LABEL_TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
GZIP = b"\x1f\x8b"  # how compressed files begin
DELIMITERS = ",;\t|"  # between the cells of CSV
ANY_DELIMITER = re.compile(f"[{DELIMITERS}]")
HEAD = re.compile(r"(?: *+[\r\n]++)*+([^\r\n]*)")
# First lines before the head, also as a spreadsheet saves them: in quotes, with empty cells.
KDIS = re.compile(rf'\s*"?(\d++)"?[{DELIMITERS} ]*+(?:\r\n?|\n)', re.ASCII)
EXCEL = re.compile(rf'"?sep=([{DELIMITERS}])"?[{DELIMITERS} ]*+(?:\r\n?|\n)')
# Windows has letters, such as the sign of the euro, where Latin-1 has controls, and a few gaps.
WINDOWS, NOT_WINDOWS = re.compile(rb"[\x80-\x9f]"), re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
RECORD = re.compile(r"\{.*\}")  # a line of JSON lines
URL = re.compile(r"[a-z][a-z0-9+]+://", re.IGNORECASE)
# A .mat file has a header, then variables, each behind a tag with its type and size.
MAT_HEADER, MAT_TAG = 128, 8  # bytes
MAT_ORDERS = {b"\x00\x01IM": "<II", b"\x01\x00MI": ">II"}  # by what ends the header
MAT_COMPRESSED = 15  # the type of a compressed variable
# In CSV an apostrophe stands before names that a spreadsheet would run, or a reader take for
# something else.
LIKE_OTHERS = rf"(?i:{LIKE_INSTANCE.pattern})|{LEFT_OF_INDEX.pattern}"
GUARDED = re.compile(rf"'*(?:[=+\-@]|{LIKE_LABEL_PREFIX}|{NEARLY_LABEL}|(?:{LIKE_OTHERS})$)")


class Options(NamedTuple):
    """How to read a table, as :func:`read_bags` says."""

    bag: str | None = None
    labels: Sequence[str] | str | os.PathLike | None = None
    separator: str | None = None
    missing: float | None = None
    encoding: str = "utf-8-sig"
    max_bytes: int = 2**28
    unread: frozenset[str] = frozenset()  # columns that are not read: labels, in a file of new bags


def read_bags(
    source: str | os.PathLike | pd.DataFrame,
    *,
    bag: str | None = None,
    labels: Sequence[str] | str | os.PathLike | None = None,
    separator: str | None = None,
    missing: float | None = None,
    encoding: str = "utf-8-sig",
    max_bytes: int = 2**28,
) -> LabelledBags:
    """Bags, labels and names from a table in memory, or from a file.

    A table has a row for each instance: the bag's name, then features and labels. Rows of a bag
    follow each other and repeat its labels, 0 and 1 or no and yes. The head of a label begins with
    ``label:``. Names may stand in the index of a DataFrame; a column or level named ``instance``
    numbers the instances and is no feature; rows keep their order, and the numbers are not kept.
    Booleans are 0 and 1, and a column of categories is a feature 0 or 1 for each of its values,
    after all numbers. ::

        bag,f1,f2,label:sea,label:trees
        beach,5,-20,1,0
        beach,4.5,-1,1,0
        forest,10,-8,0,1

    ARFF has a row for each bag. One attribute is relational and holds the instances; the first, if
    it is another one, is the bag's name; the rest are labels. Without a relational attribute, each
    row is a bag of one instance, and the labels are those of ``labels``, of Mulan's .xml file
    beside it, or of Meka's ``-C`` in the relation's name. Rows may be sparse: ``{1 -20}``.
    Weka's weights of instances and attributes are left out. ::

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

    JSON is a list of records. A comma, semicolon, tab or bar separates the cells of CSV. Its first
    line may count the labels, the last columns, as KDIS writes it. A .mat file has LAMDA's
    variables: cells ``bags``, and ``targets`` or ``target`` (n_labels, n_bags) of 1, and -1 or 0.
    ``class_name``, if present, names the labels.

    Parameters
    ----------
    source : DataFrame of pandas or polars, Table of pyarrow, or path
        A path ends in .csv, .tsv, .json, .jsonl, .ndjson, .arff (each also with .gz behind it),
        .parquet or .mat.
    bag : str or None, default None
        The column, or level of the index, that names the bags; None for ``bag``, else the first,
        unless it holds floats, booleans or dates.
    labels : sequence of str, str, path or None, default None
        Names of the labels, which keep the order of the columns; an .xml file of Mulan that lists
        them; or, as a str, the column that holds sets of labels, such as "sea;trees" or a list.
        None if the table marks its labels; an empty sequence for new bags, whose labels are to be
        predicted: what the table marks as a label is not read.
    separator : str or None, default None
        What stands between the labels of a set; None for a semicolon or bar.
    missing : float or None, default None
        Replaces missing numbers, which are "?", empty cells or NaN; ``math.nan`` leaves them to an
        imputer. A missing category is 0 in all its features. None refuses both.
    encoding : str, default "utf-8-sig"
        Of text files, a codec of Python; the default is UTF-8, with or without a mark before it.
    max_bytes : int, default 256 MiB
        The largest size of the file, also after decompression. The numbers that are read from it,
        of which sets and categories may make many, may take four times as much memory.

    Raises DataError with the file, and its line or bag that does not follow the format;
    FileNotFoundError if there is no such file; ValueError if the source is no table and no path, or
    an argument is of another type.
    """
    options = Options(
        bag=bag,
        labels=_names_or_path(labels),
        separator=separator,
        missing=missing,
        encoding=encoding,
        max_bytes=max_bytes,
    )
    return _labelled(source, _checked(options))


def read_new_bags(
    source: str | os.PathLike | pd.DataFrame,
    labels: Iterable[str],
    *,
    bag: str | None = None,
    missing: float | None = None,
    encoding: str = "utf-8-sig",
    max_bytes: int = 2**28,
) -> LabelledBags:
    """Bags whose labels are to be predicted, by :func:`read_bags` with ``labels=[]``.

    The columns ``labels`` are not read, whatever their cells hold; a source need not have them.
    """
    labels = _names_or_path(labels)
    if labels is None or isinstance(labels, str | os.PathLike):
        raise ValueError(f"labels must be a list of names, such as ['sea'], got {labels!r:.60}")
    options = Options(
        bag=bag,
        labels=[],
        missing=missing,
        encoding=encoding,
        max_bytes=max_bytes,
        unread=frozenset(map(text_of_name, labels)),
    )
    return _labelled(source, _checked(options))


def _labelled(source, options):
    if not isinstance(source, str | os.PathLike):
        if not isinstance(source, pd.DataFrame) and not hasattr(source, "to_pandas"):
            hint = "; give its .collect()" if hasattr(source, "collect") else ""
            if isinstance(source, dict | list):
                hint = "; give pd.DataFrame(source)"
            kind = type(source).__name__
            raise ValueError(f"source must be a table or a path, got {kind}{hint}")
        return _read("the table", _read_table, source, options)
    if URL.match(str(source)):
        raise ValueError(f"source must be a file of this machine, got {str(source)!r}; download it")
    read = READ_BY_ENDING[_ending(source, READABLE).removesuffix(".gz")]
    return _read(source, read, Path(source), options)


def _names_or_path(labels):
    if labels is None or isinstance(labels, str | os.PathLike | set | frozenset):
        return labels
    try:
        return list(labels)
    except TypeError:
        raise ValueError(
            f"labels= must be a list of names, such as [{labels!r:.60}], got {labels!r:.60}"
        ) from None


def _checked(options: Options) -> Options:
    if not isinstance(options.separator, str | None):
        raise ValueError(f"separator= must be a text, or None, got {options.separator!r:.60}")
    missing = options.missing
    is_number = isinstance(missing, Real) and (abs(missing) <= LARGEST or missing != missing)
    if missing is not None and (not is_number or isinstance(missing, bool)):
        raise ValueError(
            f"missing= must be a number that replaces missing ones, math.nan, which leaves them, "
            f"or None, which refuses them, got {shown(missing)}"
        )
    try:
        codecs.lookup(options.encoding)
    except (LookupError, TypeError):
        raise ValueError(
            f"encoding= must be a codec of Python, such as 'utf-8' or 'latin-1', got "
            f"{options.encoding!r:.60}"
        ) from None
    max_bytes = options.max_bytes
    if not isinstance(max_bytes, Integral) or max_bytes < 1:
        raise ValueError(f"max_bytes= must be a number of bytes, got {max_bytes!r:.60}")
    return options


def read_labels(
    path: str | os.PathLike, *, encoding: str = "utf-8-sig", max_bytes: int = 2**28
) -> pd.DataFrame:
    """The label sets of a .csv file, as booleans: a row for each bag, under its name.

    The first column has the names of the bags, as texts. Each other column is a label, whose cells
    are 0 and 1, or no and yes. ::

        image,sea,trees
        beach.png,1,0
        forest.png,0,1

    Parameters
    ----------
    path : str or path
    encoding : str, default "utf-8-sig"
        A codec of Python; the default is UTF-8, with or without a mark before it.
    max_bytes : int, default 256 MiB
        The largest size of the file.

    Raises DataError with the file, and its line that does not follow the format;
    FileNotFoundError if there is no such file; ValueError if an option is of another type.
    """
    options = _checked(Options(encoding=encoding, max_bytes=max_bytes))
    _ending(path, LABEL_TABLES)
    return _read(path, _label_sets, Path(path), options)


def _label_sets(path, options):
    text = _text(path, options)
    delimiter = _delimiter(text)
    frame, columns = _frame_of_cells(_rows_of_csv(text, delimiter), delimiter)
    column_of_bags, *labels = columns
    if not labels:
        raise ValueError(
            f"a column for each label is needed, got {column_of_bags.name!r:.60} alone"
        )
    _check_heads_of_labels(labels)
    labels = [replace(column, kind="label") for column in labels]
    # A head such as "instance" has no meaning here.
    columns = [Column(BAG), *labels]
    table = table_of_frame(
        frame,
        columns,
        bag=None,
        labels=None,
        separator=None,
        max_bytes=options.max_bytes,
    )
    label_names = checked_names([label.name for label in labels], "label", len(labels))
    bag_names = checked_names(
        map(_unguarded_name, table.bag_names),
        "bag",
        len(table.bag_names),
    )
    return pd.DataFrame(label_sets_of(table), list(bag_names), list(label_names))


def _check_heads_of_labels(columns):
    """Refuse 0 and 1, the cells of a first row, in place of heads."""
    if all(column.kind != "label" and number_of(column.name) in (0, 1) for column in columns):
        names = ", ".join(column.name for column in columns)
        raise ValueError(
            f"the heads must name the labels, got {names!r:.60}; is there no line of heads?"
        )


def _read(place, read, source, options):
    try:
        return read(source, options)
    except FileNotFoundError:
        raise
    except Exception as error:  # the readers of JSON, Parquet and MATLAB raise many types
        raise DataError(f"{place}: {error}") from error


def _ending(path, known):
    """The ending of a path; the longest known one, such as .csv.gz."""
    name = Path(path).name.lower()
    endings = [ending for ending in known if name.endswith(ending)]
    if not endings:
        if os.path.isdir(path):
            raise ValueError(
                f"path must be a file, got the folder {str(path)!r}; name a file in it"
            )
        raise ValueError(f"path must end in {' or '.join(known)}, got {str(path)!r}")
    return max(endings, key=len)


def _read_table(source, options):
    frame = frame_of_rows(source, options.bag)
    table = _table(frame, columns_of_heads(frame.columns), options)
    return labelled_of_table(table, options.missing, options.max_bytes)


def _table(frame, columns, options):
    # With labels=[] no column of a label is read; a label may be called as the bags' column is.
    if options.unread:
        bag_place = place_of_bag(columns, options.bag)
        column_of_bags = columns[bag_place]
        columns = marked_as_labels(columns, options.unread)
        columns[bag_place] = column_of_bags
    labels = options.labels
    if _is_xml(labels):
        labels = _labels_in(labels, options)
    return table_of_frame(
        frame,
        columns,
        bag=options.bag,
        labels=labels,
        separator=options.separator,
        max_bytes=options.max_bytes,
    )


def _is_xml(labels):
    if isinstance(labels, str):
        return labels.lower().endswith(".xml")
    return isinstance(labels, os.PathLike)


def _labels_in(path, options):
    try:
        return labels_of_xml(_text(path, options))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _text(path, options):
    """The text of a file, also of a compressed one."""
    check_file(path, options.max_bytes)
    content = Path(path).read_bytes()
    if str(path).lower().endswith(".gz"):
        content = gzip.GzipFile(fileobj=BytesIO(content)).read(options.max_bytes + 1)
        _check_decompressed(len(content), options.max_bytes)
    elif content.startswith(GZIP):
        raise ValueError(f"text is needed, got a compressed file; name it {Path(path).name}.gz")
    try:
        text = content.decode(options.encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"line {line}: text in {options.encoding.removesuffix('-sig')} is needed, got byte "
            f"{content[error.start]:#x}; save the file as UTF-8, or give "
            f"encoding={_likely_encoding(content)!r}"
        ) from error
    if "\0" in text:
        raise ValueError(
            "text is needed, got bytes of zero; save the file as UTF-8, or of UTF-16 give "
            "encoding='utf-16'"
        )
    return text.removeprefix("\ufeff")  # the mark of UTF-8, where encoding= leaves it


def _likely_encoding(content):
    """The encoding of a text, where another one fails."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    is_of_windows = WINDOWS.search(content) and not NOT_WINDOWS.search(content)
    return "cp1252" if is_of_windows else "latin-1"


def _check_decompressed(n_bytes, max_bytes):
    if n_bytes > max_bytes:
        limit = f"max_bytes={max_bytes:,}"
        raise ValueError(f"the file must have at most {limit} bytes after decompression")


def _read_csv(path, options):
    text = _text(path, options)
    kdis = KDIS.match(text)
    is_tsv = _ending(path, READABLE).startswith(".tsv")
    delimiter = "\t" if is_tsv else _delimiter(text, kdis.end() if kdis else 0)
    rows = _rows_of_csv(text, delimiter)
    if kdis:
        del rows[0]
    _check_cells(rows, delimiter if is_tsv or EXCEL.match(text) else DELIMITERS)
    frame, columns = _frame_of_cells(rows, delimiter)
    if kdis:
        columns = _with_last_as_labels(columns, kdis[1])
    table = _table(frame, columns, options)
    return labelled_of_table(
        replace(table, bag_names=_unguarded_names(table.bag_names)),
        options.missing,
        options.max_bytes,
    )


def _head(text, begin=0):
    """The first line from a place on that is not empty."""
    return HEAD.match(text, begin)[1]


def _delimiter(text, begin=0):
    """What stands between cells: a first line names it, or it is most often in the head."""
    excel = EXCEL.match(text)
    if excel:
        return excel[1]
    unquoted = re.sub(r'"[^"]*"', "", _head(text, begin))
    return max(DELIMITERS, key=unquoted.count)  # the first of equals


def _rows_of_csv(text, delimiter):
    """The line and the cells of each row; lines without text in a cell are no rows.

    Left out are a first line that names the delimiter, and columns at the end that are empty in all
    rows; spreadsheets may add both.
    """
    try:
        rows = _strictly_read(text, delimiter)
    except ValueError:
        # Spaces behind a closing quote, which the strict reader refuses, are usual by hand.
        space = " " if delimiter == "\t" else r"[ \t]"
        behind_quote = rf'"{space}+(?={re.escape(delimiter)}|\r|$)'
        rows = _strictly_read(re.sub(behind_quote, '"', text, flags=re.MULTILINE), delimiter)
    if EXCEL.match(text):
        del rows[0]
    width = max((_width(cells) for _, cells in rows), default=0)
    return [(line, cells[:width]) for line, cells in rows]


def _strictly_read(text, delimiter):
    """The last line and the cells of each row that has text in a cell."""
    reader = csv.reader(
        StringIO(text, newline=""),
        delimiter=delimiter,
        skipinitialspace=True,
        # Otherwise a quote that nothing closes takes the rows behind it into its cell.
        strict=True,
    )
    rows, n_lines = [], 0
    try:
        for row in reader:
            n_lines = reader.line_num
            cells = list(map(str.strip, row))
            if any(cells):
                rows.append((n_lines, cells))
    except csv.Error as error:  # also a cell beyond its limit, which the rest of a file can be
        remedy = "close each quote, and shorten longer cells"
        if '\\"' in text:
            remedy += '; a quote within quotes is written "", not \\"'
        raise ValueError(f"line {n_lines + 1}: {error}; {remedy}") from error
    return rows


def _width(cells):
    """The number of cells up to the last with text."""
    n_empty = next(place for place, cell in enumerate(reversed(cells)) if cell)
    return len(cells) - n_empty


def _check_cells(rows, delimiters):
    """Refuse a head of one cell, such as one with another character between its columns."""
    if rows and len(rows[0][1]) == 1:
        line, (head,) = rows[0]
        needed = " or ".join(map(repr, delimiters))
        raise ValueError(
            f"line {line}: the heads of a bag and a feature are needed, with {needed} between "
            f"them, got {head!r:.60}"
        )


def _frame_of_cells(rows, delimiter):
    """A frame of texts whose index holds lines, and its columns, which the first row names."""
    if not rows:
        raise ValueError("the file is empty; a line of heads is needed")
    (line_of_heads, heads), *rows = rows
    if "" in heads[1:]:
        place = heads.index("", 1)
        raise ValueError(
            f"line {line_of_heads}: each column must have a head, got none for column {place + 1}"
        )
    if not rows:
        raise ValueError("rows below the line of heads are needed, got none")
    for line, cells in rows:
        if len(cells) != len(heads):
            raise ValueError(
                f"line {line}: {len(heads)} values are needed, got {len(cells)}, with "
                f"{delimiter!r} between them; if another character stands between the cells, name "
                "it in a first line such as sep=;"
            )
    lines = pd.Index([line for line, _ in rows], name="line")
    cells = np.array([cells for _, cells in rows], dtype=object).reshape(-1, len(heads))
    columns = list(map(_unguarded_column, columns_of_heads(heads)))
    return pd.DataFrame(cells, lines, dtype=object), columns  # one block, however wide


def _with_last_as_labels(columns, digits):
    """The columns, of which KDIS's first line counts the labels at the end."""
    is_count = len(digits) <= len(str(len(columns)))  # Python refuses to read thousands of digits
    n_labels = int(digits) if is_count else 0
    if not 0 < n_labels < len(columns) - 1:
        raise ValueError(
            f"line 1: the number of labels must leave columns for a bag and a feature, got "
            f"{digits:.60} of {len(columns)}; without labels the first line must be the head"
        )
    features, labels = columns[:-n_labels], columns[-n_labels:]
    _check_heads_of_labels(labels)
    marked = [column.name for column in features if column.kind == "label"]
    if marked:
        raise ValueError(
            f"line 1: {n_labels} labels at the end are counted, but {marked[0]!r:.60}, before "
            "them, is marked as a label, too; leave out the count, or the mark"
        )
    return [*features, *(replace(column, kind="label") for column in labels)]


def _guarded(name):
    """The name with an apostrophe where it could be taken for something else."""
    return f"'{name}" if GUARDED.match(name) else name


def _unguarded_column(column):
    return replace(column, name=_unguarded_name(column.name))


def _unguarded_names(names):
    """Names of bags without the apostrophes that guard some; two names may not become equal."""
    unguarded = np.array(list(map(_unguarded_name, names)), dtype=object)
    written_of: dict[str, str] = {}
    for written, name in zip(names, unguarded, strict=True):
        if written_of.setdefault(name, written) != written:
            raise ValueError(
                f"{written_of[name]!r:.60} and {written!r:.60} are one name, since an apostrophe "
                "before it only guards it; give one bag another name"
            )
    return unguarded


def _unguarded_name(name):
    return name.removeprefix("'") if GUARDED.match(name) else name


def _read_json(path, options):
    text = _text(path, options)
    try:
        records = _records_of_json(text)
    except RecursionError as error:
        raise ValueError(
            "JSON must be a list of records with numbers and texts, got lists in lists in lists"
        ) from error
    if isinstance(records, dict) and any(map(is_scalar, records.values())):
        records = [records]  # of one row
    is_table = isinstance(records, list) and all(isinstance(record, dict) for record in records)
    if not is_table or not records:
        raise ValueError(
            'JSON must be a list of records, such as [{"bag": "beach", "f1": 5, "label:sea": 1}], '
            f"as table.to_json(path, orient='records') writes it, got {shown(records)}"
        )
    keys = set(chain.from_iterable(records))
    check_size(len(records), len(keys), options.max_bytes)
    # As objects: beside null or a float pandas would round large integers.
    return _read_table(pd.DataFrame(records, dtype=object), options)


def _records_of_json(text):
    """A list of records, or the records of JSON lines."""
    read = partial(json.loads, object_pairs_hook=_record, parse_int=_integer)
    numbered = enumerate(map(str.strip, text.split("\n")), 1)
    lines = [(number, line) for number, line in numbered if line]
    if len(lines) < 2 or not RECORD.fullmatch(lines[0][1]):
        return read(text)
    records = []
    for number, line in lines:
        try:
            records.append(read(line))
        except ValueError as error:
            reason = getattr(error, "msg", error)  # without the place within this line
            raise ValueError(f"line {number}: {reason}, got {line!r:.60}") from error
    return records


def _integer(digits):
    """The integer; its text if it is too long: it is refused later, and int() may not read it."""
    return int(digits) if len(digits) <= MOST_DIGITS else digits


def _record(pairs):
    """A record, of which no key is given twice."""
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
        raise ValueError(f"a record must have each key once, got {twice[0]!r:.60} twice")
    return record


def _read_parquet(path, options):
    check_file(path, options.max_bytes)
    try:
        from pyarrow.parquet import read_metadata, read_table
    except ImportError as error:
        raise ValueError("Parquet needs pyarrow: pip install pyarrow") from error
    metadata = read_metadata(path)
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    _check_decompressed(sum(group.total_byte_size for group in groups), options.max_bytes)
    check_size(metadata.num_rows, metadata.num_columns, options.max_bytes)
    return _read_table(read_table(path), options)


def _read_arff(path, options):
    _refuse_of_tables(options, "an ARFF file names its bags and labels")
    arff = parse_arff(_text(path, options))
    labels = _list_of_labels(options.labels, options)
    is_new = labels is not None and not len(labels)
    if is_new:
        labels = [attribute.name for attribute in arff.outer if attribute.name in options.unread]
    is_compressed = path.suffix.lower() == ".gz"
    beside = (path.with_suffix("") if is_compressed else path).with_suffix(".xml")
    if not labels and not arff.inner and beside.is_file():
        labels = _labels_in(beside, options)
        attributes = {attribute.name for attribute in arff.outer}
        if is_new:
            labels = [name for name in labels if name in attributes]
        absent = [name for name in labels if name not in attributes]
        if absent:
            raise ValueError(
                f"{beside.name} must name attributes of the file, got {absent!s:.60}; correct or "
                "remove it, or name the labels by labels="
            )
    table = table_of_arff(arff, labels, options.max_bytes, is_new=is_new)
    return labelled_of_table(table, options.missing, options.max_bytes)


def _refuse_of_tables(options, reason):
    """Refuse ``bag=`` and ``separator=`` for a file that is no table."""
    for name in ("bag", "separator"):
        given = getattr(options, name)
        if given is not None:
            raise ValueError(f"{name}= is for tables, {reason}, got {given!r:.60}")


def _list_of_labels(labels, options):
    """The names in an .xml file, or the list as it is; no column of a table is meant."""
    if _is_xml(labels):
        return _labels_in(labels, options)
    if isinstance(labels, str):
        raise ValueError(
            f"labels= must be an .xml file or a list of names, such as [{labels!r:.60}], got "
            f"{labels!r:.60}"
        )
    return labels


def _read_mat(path, options):
    _refuse_of_tables(options, "a .mat file has no columns")
    check_file(path, options.max_bytes)
    content = path.read_bytes()
    _check_variables(content, options.max_bytes)
    try:
        variables = loadmat(BytesIO(content))
    except NotImplementedError as error:  # such a file is of another format, HDF5
        raise ValueError("save it by MATLAB's -v7; the format of version 7.3 is another") from error
    except Exception as error:  # SciPy raises many types
        raise ValueError(f"a whole file of MATLAB is needed; SciPy says: {error}") from error
    bags, targets = variables.get("bags"), variables.get("targets", variables.get("target"))
    wanted = _list_of_labels(options.labels, options)
    is_new = wanted is not None and not len(wanted)  # bags whose labels nobody knows
    if bags is None or (targets is None and not is_new):
        in_file = variables.keys() - {"__header__", "__version__", "__globals__"}
        raise ValueError(
            f"variables 'bags' and 'targets' are needed, got {', '.join(sorted(in_file)) or 'none'}"
        )
    bags = _bags_in_cells(bags, options.max_bytes)
    if is_new:
        data = labelled_bags(bags, np.zeros((len(bags), 0)))
    else:
        labels = _labels_of_targets(targets, len(bags), options.max_bytes)
        data = labelled_bags(bags, labels, _names_of_classes(variables, wanted))
    return replace(data, X=_filled(data.X, options.missing))


def _check_variables(content, max_bytes):
    """Raise a ValueError if the compressed variables of a .mat file would take too many bytes.

    They are decompressed as far as they may go; a size that a file declares could be wrong.
    """
    order = MAT_ORDERS.get(content[MAT_HEADER - 4 : MAT_HEADER])
    if order is None:  # a format without compression, or one that is not read
        return
    n_bytes, start = 0, MAT_HEADER
    while start + MAT_TAG <= len(content):
        kind, size = struct.unpack_from(order, content, start)
        start += MAT_TAG
        if kind == MAT_COMPRESSED:
            variable = content[start : start + size]
            n_bytes += len(zlib.decompressobj().decompress(variable, max_bytes + 1 - n_bytes))
            _check_decompressed(n_bytes, max_bytes)
        start += size


def _bags_in_cells(cells, max_bytes):
    """The bags in LAMDA's cells as arrays (n_instances, n_features), also of sparse matrices."""
    if cells.dtype != object:
        raise ValueError(
            f"bags must be cells, one for each bag, got {cells.dtype} {np.shape(cells)}"
        )
    bags = []
    n_instances = 0
    for bag in cells.ravel(order="F"):  # as MATLAB counts them
        n_instances += bag.shape[0]
        check_size(n_instances, bag.shape[-1], max_bytes)
        bags.append(_dense(bag, max_bytes))
    return bags


def _dense(matrix, max_bytes):
    """The matrix as an array, also if it is sparse."""
    if not hasattr(matrix, "toarray"):
        return matrix
    check_size(*matrix.shape, max_bytes)
    return matrix.toarray()


def _labels_of_targets(targets, n_bags, max_bytes):
    """Booleans (n_bags, n_labels) of LAMDA's targets, which have a row for each label."""
    targets = _dense(targets, max_bytes)
    if targets.dtype.kind in "OV" or np.shape(targets)[1:] != (n_bags,):  # cells, or a struct
        raise ValueError(
            f"targets must be numbers (n_labels, n_bags), with {n_bags} bags, got "
            f"{targets.dtype} {np.shape(targets)}"
        )
    if (targets == -1).any() and (targets == 0).any():
        raise ValueError("targets must be 0 and 1, or -1 and 1, got 0 and -1")
    labels = np.where(targets == -1, 0, targets).T
    return label_array("targets", labels) if labels.size else labels


def _names_of_classes(variables, wanted):
    """The names of the labels in the file, or else the wanted ones."""
    if "class_name" not in variables:
        if isinstance(wanted, set | frozenset):
            raise ValueError(
                "labels= must have an order, as in a list, since the file does not name them; got "
                f"{wanted!r:.60}"
            )
        return wanted
    names = [_name_of_class(cell) for cell in variables["class_name"].ravel(order="F")]
    if wanted is not None and sorted(map(text_of_name, wanted)) != sorted(names):
        raise ValueError(
            f"labels= must be None or the labels that are named, {sorted(names)!s:.200}, "
            f"got {list(wanted)!s:.200}"
        )
    return names


def _name_of_class(cell):
    """The name in a cell of MATLAB, which may hold another cell; a char array has spaces after."""
    while isinstance(cell, np.ndarray) and cell.size == 1:
        cell = cell.item()
    if not isinstance(cell, str | Real):
        raise ValueError(f"class_name must hold one text for each label, got {shown(cell)}")
    return text_of_name(cell).strip()


def _filled(bags, missing):
    """The bags with ``missing`` in the place of NaN; None refuses these."""
    is_missing = np.isnan(bags.instances)
    if not is_missing.any():
        return bags
    if missing is None:
        bag = bags.bag_of_instance[is_missing.any(axis=1)][0]
        raise ValueError(
            f"bag {bag} must have finite numbers, got a missing value; give missing= to replace it"
        )
    return bags.with_instances(np.where(is_missing, missing, bags.instances))


READ_BY_ENDING = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".json": _read_json,
    ".jsonl": _read_json,
    ".ndjson": _read_json,
    ".parquet": _read_parquet,
    ".arff": _read_arff,
    ".mat": _read_mat,
}


def write_bags(path: str | os.PathLike, data):
    """Write bags with labels into a file that ends in .csv or .arff, whole or not at all.

    ``data`` is a :class:`LabelledBags`, or a :class:`~mimlpaper.datasets.Dataset` of bags; reading
    gives the same numbers and names. An .arff file gets an .xml file with the names of the labels.
    In a .csv file an apostrophe stands before names that a spreadsheet would run, as they begin
    with =, +, - or @, or that a reader would take for something else.
    """
    if not hasattr(data, "label_names"):
        raise ValueError(
            f"data must be bags with labels, as labelled_bags(X, Y) gives them, got "
            f"{type(data).__name__}"
        )
    write = WRITE_BY_ENDING[_ending(path, WRITE_BY_ENDING)]
    y = getattr(data, "y", None)  # of a data set with one label
    Y = data.Y if y is None else y[:, None]
    labelled = labelled_bags(
        data.X,
        Y,
        data.label_names,
        feature_names=data.feature_names,
        bag_names=getattr(data, "bag_names", None),
    )
    write(Path(path), labelled)


def _write_csv(path, data):
    names = np.array([_guarded(name) for name in data.bag_names], dtype=object)
    heads = [_guarded(name) for name in data.feature_names]
    label_heads = [LABEL_PREFIX + _guarded(name) for name in data.label_names]
    instances = pd.DataFrame(data.X.instances, names[data.X.bag_of_instance], heads)
    label_sets = pd.DataFrame(1 * data.Y, names, label_heads)
    table = instances.join(label_sets)  # repeats a bag's labels in each of its rows
    # A reader guesses the delimiter from what stands between heads that are not quoted.
    is_unclear = any(ANY_DELIMITER.search(head) for head in table.columns)
    text = table.to_csv(
        index_label="bag",
        lineterminator="\n",
        float_format=shortest,
        quoting=csv.QUOTE_NONNUMERIC if is_unclear else csv.QUOTE_MINIMAL,
    )
    write_whole(path, text)


WRITE_BY_ENDING = {".csv": _write_csv, ".arff": write_arff}
