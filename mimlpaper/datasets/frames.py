"""DataFrames of instances: what their index, types and cells mean."""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain
from numbers import Real

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray
from pandas.api.types import is_hashable
from sklearn.preprocessing import MultiLabelBinarizer

from mimlpaper.arrays import WHOLE_OR_REAL, check_integers, shown, text_of_name
from mimlpaper.datasets.labelled import is_missing
from mimlpaper.datasets.tables import (
    LABEL_PREFIX,
    LIKE_LABEL_PREFIX,
    MISSING,
    NEARLY_LABEL,
    Column,
    Table,
    check_size,
    check_values,
    located,
    number_of,
    place_of,
    truth_of,
    where,
    with_labels,
)

BAG, INSTANCE = "bag", "instance"  # heads of columns: names of bags, numbers of instances
QUOTED = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
# A name as Python shows it, and as it shows one of NumPy: np.str_('sea'), np.int64(1).
ITEM = rf"(?:{QUOTED}|-?\d++)"
SHOWN_ITEM = rf"(?:{ITEM}|np\.\w++\({ITEM}\))"
NUMPY_OR_PLAIN = re.compile(rf"np\.\w++\(({ITEM})\)|({ITEM})", re.ASCII)
# Names as Python shows a list, tuple or set of them, and as pandas writes it into a CSV file.
# A comma stands between two names: Python joins strings that stand side by side.
PYTHON_LIST = re.compile(
    rf"[\[({{]\s*+(?:{SHOWN_ITEM}\s*+(?:,\s*+{SHOWN_ITEM}\s*+)*+,?+\s*+)?+[\])}}]", re.ASCII
)
# Signs of a broken list, a missing value or two names in the name of a label, or how Python shows
# it: b'sea'.
UNCLEAR = re.compile(r"""[\[\]{}"?]|><|^(?:[bru]|np\.\w+\()'.*'\)?$""")
# A text with one of these is refused unless separator= is given: they may belong to a name.
STRANGE_SEPARATORS = ",，、；｜•،؛"
BARE_LIST = re.compile(r"[\[({][\w ]+(?:,[\w ]+)*[\])}]")  # such as [sea, trees]
HASHTAGS = re.compile(r"#.*\s#")  # two, such as "#sea #trees"
ANGLED = re.compile(r"<([^<>]+)>")  # names as Stack Overflow writes them: "<sea><trees>"
# What a column holds that names no bags, by the kind of its type.
KINDS_WITHOUT_NAMES = {
    "f": "floats",
    "c": "complex numbers",
    "b": "booleans",
    "M": "dates",
    "m": "durations",
}
# The head of an index without a name: pandas writes none, and reads it as the first of these; it
# writes the second into Parquet, and reset_index() gives the others.
WITHOUT_NAME = r"Unnamed: [0-9]+(?:\.[0-9]+)?"
UNNAMED = re.compile(f"(?:{WITHOUT_NAME})?")
LEFT_OF_INDEX = re.compile(rf"{WITHOUT_NAME}|__index_level_[0-9]+__|index|level_0")
LISTS = list | tuple | set | frozenset | np.ndarray | pd.Series | pd.Index | ExtensionArray
LIKE_INSTANCE = re.compile(r"instance(?:[ _-]?(?:id|no|number|index))?", re.IGNORECASE)
LIKE_BAG = re.compile(r"bags?(?:[ _-]?(?:id|name|no|number))?", re.IGNORECASE)
# By these it is noticed that sets were not split. The first are common within names, too.
WITHIN_NAMES = (" ", "-", "_", ".", ":")
BETWEEN_NAMES = ("/", "&", "+", "~", "·")
MARKS = re.compile(r"[^\w\s]+|_+")  # what else may stand between names, such as ^ or //
NUMBERS = re.compile(r"[0-9]+(?: +[0-9]+)*")  # one, or several with spaces between them
EMPTY_SETS = ("set()", "frozenset()")  # how Python shows a set without names


def frame_of_rows(source, bag: str | None) -> pd.DataFrame:
    """A table of pandas, polars or pyarrow as a frame whose index, ``row``, numbers its rows.

    Levels of its index that have names, such as bag and instance, become its first columns.
    """
    frame = _as_pandas(source)
    if isinstance(frame.columns, pd.MultiIndex):
        raise ValueError(
            f"the columns must have names of one level, got {frame.columns.nlevels} levels; join "
            "them: table.columns = [' '.join(map(str, names)).strip() for names in table.columns]"
        )
    levels = list(frame.index.names)
    if levels == [None] and pd.api.types.is_integer_dtype(frame.index):
        if bag is None and BAG not in frame.columns:
            _check_numbers_of_rows(frame)
        return frame.reset_index(drop=True).rename_axis("row")
    if None in levels:
        raise ValueError(
            f"the index has no name; if these are the names of bags, {_with_names(levels)}, "
            "and if they mean nothing, table.reset_index(drop=True)"
        )
    if bag is None:
        bag = _level_of_bags(frame)
    unclear = [level for level in levels if level not in (bag, INSTANCE)]
    if unclear:
        raise ValueError(
            f"the index may hold only the bags and {INSTANCE!r}, got also {unclear}; for features, "
            f"table.reset_index({unclear}), and if they mean nothing, "
            f"table.reset_index({unclear}, drop=True)"
        )
    for level in levels:
        if level in frame.columns:
            raise ValueError(
                f"the index and a column are both named {level!r}; keep one, by "
                f"table.reset_index({level!r}, drop=True) or table.drop(columns={level!r})"
            )
    return frame.reset_index().rename_axis("row")


def _level_of_bags(frame):
    """The level or column named bag, else the first level that is not the instances'.

    That of the instances, if it is alone: then a column names the bags. Raises ValueError for an
    index that counts rows.
    """
    levels = list(frame.index.names)
    if BAG in [*levels, *frame.columns]:
        return BAG
    if levels == [INSTANCE]:
        return INSTANCE
    if isinstance(frame.index, pd.RangeIndex):
        (level,) = levels
        raise ValueError(
            f"the index {level!r} counts the rows; if it names the bags, give bag={level!r}, and "
            "if it means nothing, table.reset_index(drop=True)"
        )
    level = next(level for level in levels if level != INSTANCE)
    if len(levels) == 1:
        _check_filtered_numbers(frame, level)
    return level


def _check_filtered_numbers(frame, level):
    """Refuse an index of different numbers beside a first column that may name the bags, too.

    Rows that are left of a table keep the numbers that they had in it.
    """
    if not pd.api.types.is_integer_dtype(frame.index) or frame.index.has_duplicates:
        return
    if not len(frame.columns):
        return
    first_column = frame.columns[0]
    dtype = frame.dtypes.iloc[0]
    may_name = pd.api.types.is_integer_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype)
    if may_name or LIKE_BAG.fullmatch(str(first_column)):
        raise ValueError(
            f"the index {level!r} and the first column, {first_column!r:.60}, may both name the "
            f"bags; give bag={level!r} or bag={first_column!r:.60}, and if the index means "
            "nothing, table.reset_index(drop=True)"
        )


def _with_names(levels):
    """What gives names to the levels of an index that have none."""
    if len(levels) == 1:
        return f"table.rename_axis({BAG!r})"
    further = [f"level{place}" for place in range(2, len(levels))]
    names = [BAG, INSTANCE, *further]
    free = [name for name in names if name not in levels]
    named = []
    for level, name in zip(levels, names, strict=True):
        if level is None:
            level = name if name in free else free[0]
            free.remove(level)
        named.append(level)
    return f"table.rename_axis({named})"


def _check_numbers_of_rows(frame):
    """Refuse numbers that may name bags: as numbers of rows they would be dropped.

    Numbers may name bags if they repeat, or if the first column, which else names the bags, has
    numbers, too.
    """
    index = frame.index
    if index.has_duplicates:
        number = index[index.duplicated()][0]
        raise ValueError(
            f"the index repeats {number}; if it names the bags, table.rename_axis('bag'), and if "
            "it means nothing, table.reset_index(drop=True)"
        )
    first_column = frame.columns[0] if len(frame.columns) else ""
    if index.equals(pd.RangeIndex(len(index))) or LIKE_BAG.fullmatch(str(first_column)):
        return
    if len(frame.columns) and pd.api.types.is_integer_dtype(frame.dtypes.iloc[0]):
        raise ValueError(
            f"the index and the first column, {first_column!r:.60}, both hold numbers; if the "
            "index names the bags, table.rename_axis('bag'), and if the column does, "
            f"bag={first_column!r:.60}"
        )


def _as_pandas(source):
    frame = source if isinstance(source, pd.DataFrame) else _from_other(source)
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"source must be a table or a path, got {type(source).__name__}")
    return _with_categories(frame)


def _with_categories(frame):
    """The frame with the dictionaries of pyarrow as columns of categories."""
    frame = frame.copy(deep=False)
    for place, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, pd.ArrowDtype) and dtype.type is pd.CategoricalDtype.type:
            dictionary = frame.iloc[:, place].array.__arrow_array__()
            frame.isetitem(place, dictionary.to_pandas().array)
    return frame


def _from_other(source):
    """The frame that another library makes of its own table."""
    # pandas' own reading of other libraries' tables, __dataframe__, refuses columns of lists.
    try:
        # Integers beside a missing one stay integers: as floats some would be rounded.
        return source.to_pandas(integer_object_nulls=True)
    except ImportError:  # polars needs pyarrow for this
        return pd.DataFrame(source.to_dict(as_series=False), dtype=object)
    except TypeError:  # the option is pyarrow's; another library has others
        return source.to_pandas()


def columns_of_heads(heads: Sequence) -> list[Column]:
    """The column of each head; the head of a label begins with ``label:``."""
    missing = [place for place, head in enumerate(heads, 1) if is_missing(head)]
    if missing:
        raise ValueError(f"each column must have a head, got none for column {missing[0]}")
    in_bytes = [head for head in heads if isinstance(head, bytes)]
    if in_bytes:
        raise ValueError(
            f"heads must be texts or numbers, got {in_bytes[0]!r:.60}; decode them, as "
            "table.columns.str.decode('utf-8') does"
        )
    columns = []
    for head in map(text_of_name, heads):
        name = head.removeprefix(LABEL_PREFIX)
        if name != head and name == name.strip():
            columns.append(Column(name, "label"))
        elif begin := re.match(LIKE_LABEL_PREFIX, head):
            rest = head.removeprefix(begin[0]).strip()
            raise ValueError(
                f"the head of a label begins with {LABEL_PREFIX!r}, got {head!r:.60}; write "
                f"{LABEL_PREFIX + rest!r:.60}, or give a feature another name"
            )
        elif head == INSTANCE:
            columns.append(Column(head, INSTANCE))
        else:
            columns.append(Column(head, _kind_of_head(head)))
    _refuse_nearly_labels(columns)
    return columns


def _refuse_nearly_labels(columns):
    """Refuse what is called like a label beside labels: it would be a feature that tells them."""
    if all(column.kind != "label" for column in columns):
        return
    for column in columns:
        if column.kind != "label" and re.match(NEARLY_LABEL, column.name):
            raise ValueError(
                f"the head of a label begins with {LABEL_PREFIX!r}, as others do, got "
                f"{column.name!r:.60}; write it so, or give a feature another name"
            )


def _kind_of_head(head):
    """ "unclear" if it may number the instances, "index" if it may be left of one, or "number"."""
    if LIKE_INSTANCE.fullmatch(head):
        return "unclear"
    return "index" if LEFT_OF_INDEX.fullmatch(head) else "number"


def table_of_frame(
    frame: pd.DataFrame,
    columns: Sequence[Column],
    *,
    bag: str | None,
    labels: Sequence[str] | str | None,
    separator: str | None,
    max_bytes: int,
) -> Table:
    """A frame as a Table. Its index says in which line or row each instance stands.

    The options are as :func:`~mimlpaper.datasets.read_bags` takes them.
    """
    bag_place = place_of_bag(columns, bag)
    column = columns[bag_place]
    is_chosen = bag is not None or column.name == BAG
    if column.kind == "index" and not is_chosen and _may_number_rows(frame.iloc[:, bag_place]):
        raise ValueError(
            f"the first column must name the bags, got {column.name!r}, which counts the rows; "
            f"leave it out, or, if it names the bags, give bag={column.name!r}"
        )
    bag_names = _bag_names(frame.iloc[:, bag_place], column, is_chosen)
    _refuse_twin(frame, columns, bag_place)
    _refuse_repeated_instances(frame, columns, bag_names)
    if isinstance(labels, list) and column.name in map(text_of_name, labels):
        raise ValueError(
            f"labels= must not have {column.name!r:.60}, which names the bags; give bag= if "
            "another column does"
        )
    left_out = {INSTANCE}
    if labels is not None and not len(labels):  # labels=[]: new bags, whose labels are not read
        left_out.add("label")
    _refuse_swallowed_rows(frame, columns, left_out)
    # By place, since a feature may have the name of the bags' column.
    kept = [i for i in range(len(columns)) if i != bag_place and columns[i].kind not in left_out]
    frame, columns = frame.iloc[:, kept], [columns[i] for i in kept]
    if isinstance(labels, str):  # the name of a column of sets
        frame, columns = _with_sets(frame, columns, labels, separator, max_bytes)
    else:
        columns = with_labels(columns, labels)
    _refuse_like_instance(columns)
    columns = _without_left_index(frame, columns)
    columns = list(map(_typed, columns, frame.dtypes))
    return Table(columns, _numbers(frame, columns), bag_names, frame.index)


def _refuse_swallowed_rows(frame, columns, left_out):
    """Refuse a cell of several lines in a column that is not read: it may hold rows of a file.

    An opening quote takes them into its cell, up to the next quote.
    """
    for place, column in enumerate(columns):
        if column.kind not in left_out:
            continue
        cells = frame.iloc[:, place]
        has_lines = [isinstance(cell, str) and "\n" in cell for cell in cells]
        if any(has_lines):
            row = has_lines.index(True)
            raise ValueError(
                f"{where(frame.index, row)}: {column.name!r} must stand in one line, got "
                f"{shown(cells.iloc[row])}; close each quote"
            )


def _refuse_twin(frame, columns, bag_place):
    """Refuse a second column of the bags' names, which a merge leaves: it would be a feature."""
    names = frame.iloc[:, bag_place]
    for place, column in enumerate(columns):
        is_other = place != bag_place and column.name == columns[bag_place].name
        if is_other and frame.iloc[:, place].equals(names):
            raise ValueError(f"2 columns are named {column.name!r:.60} and equal; one is needed")


def _refuse_repeated_instances(frame, columns, bag_names):
    """Refuse a number that two instances of a bag have, as a merge of tables leaves it."""
    for place, column in enumerate(columns):
        if column.kind == INSTANCE:
            numbers = frame.iloc[:, place].map(text_of_name).to_numpy()
            pairs = pd.DataFrame({BAG: bag_names, INSTANCE: numbers})
            repeats = pairs.duplicated().to_numpy()
            if repeats.any():
                row = repeats.argmax()
                raise ValueError(
                    f"{where(frame.index, row)}: bag {bag_names[row]!r:.60} has instance "
                    f"{numbers[row]!s:.60} twice; drop one row, or the column {column.name!r}"
                )


def _without_left_index(frame, columns):
    """The columns, after a check that none is left of an index: it would be a feature."""
    known = []
    for place, column in enumerate(columns):
        if column.kind == "index":
            if _may_number_rows(frame.iloc[:, place]):
                raise ValueError(
                    f"the column {column.name!r} counts the rows, as what is left of an index of "
                    "pandas; leave it out, or give a feature another name"
                )
            column = replace(column, kind="number")
        known.append(column)
    return known


def _may_number_rows(cells):
    """Whether cells are whole numbers that differ, such as those left of an index of pandas."""
    numbers = pd.to_numeric(cells.astype(object), errors="coerce")
    return bool(numbers.notna().all() and (numbers % 1 == 0).all() and numbers.is_unique)


def _refuse_like_instance(columns):
    """Refuse a column that seems to number the instances: it would be a feature."""
    for column in columns:
        if column.kind == "unclear":
            raise ValueError(
                f"a column that numbers the instances is named {INSTANCE!r}, got {column.name!r}; "
                f"rename it to {INSTANCE!r}, or give a feature another name"
            )


def place_of_bag(columns: Sequence[Column], bag: str | None) -> int:
    """The column named by ``bag``, else the one named bag, else the first other than instances."""
    names = [column.name for column in columns]
    wanted = None if bag is None else text_of_name(bag)
    if names and UNNAMED.fullmatch(names[0]) and wanted != names[0]:
        raise ValueError(
            f"the first column must have a name, got {names[0]!r}, as of the index of a table of "
            "pandas; save the table by to_csv(index=False), or, if this column names the bags, "
            f"give bag={names[0]!r}"
        )
    if wanted is not None:
        return place_of(wanted, names)
    if Column(BAG) in columns:
        return columns.index(Column(BAG))
    for place, column in enumerate(columns):
        if column.kind == "label":  # labels stand last: no column before them names the bags
            break
        if column.kind != INSTANCE:
            _refuse_later_names(names, place)
            return place
    raise ValueError(f"the first column must name the bags, got {', '.join(names)!r:.60}")


def _refuse_later_names(names, place):
    """Refuse the first column as that of the bags if a later one is called like a bag's."""
    later = [name for name in names[place + 1 :] if LIKE_BAG.fullmatch(name)]
    if later and not LIKE_BAG.fullmatch(names[place]):
        raise ValueError(
            f"bag= must say which column names the bags: {names[place]!r:.60}, the first, or "
            f"{later[0]!r}"
        )


def _bag_names(cells, column, is_chosen):
    """The bags' names as texts, one for each row."""
    is_blank = [isinstance(cell, str) and not cell.strip() for cell in cells]
    missing = cells.isna().to_numpy() | np.array(is_blank, dtype=bool)
    if missing.any():
        place = where(cells.index, missing.argmax())
        raise ValueError(
            f"{place}: {column.name!r} must name a bag, got a missing value; if cells are merged, "
            "write the name into each row of the bag"
        )
    kind = None if is_chosen else _kind_without_names(cells)
    if kind is not None:
        raise ValueError(
            f"the first column, {column.name!r:.60}, must name the bags, got {kind}; name the "
            "column of the bags by bag="
        )
    for row, cell in enumerate(cells):
        if isinstance(cell, bytes):
            raise ValueError(
                f"{where(cells.index, row)}: {column.name!r} must hold texts, got bytes; "
                "decode them, as table.bag.str.decode('utf-8') does"
            )
        if not is_hashable(cell):  # such as a list or a vector
            raise ValueError(
                f"{where(cells.index, row)}: {column.name!r} must name a bag, by a text or a "
                f"number, got {shown(cell)}"
            )
    return np.array(list(map(text_of_name, cells)), dtype=object)


def _kind_without_names(cells):
    """What the cells hold, such as floats, where it is a feature; None where it names bags."""
    if isinstance(cells.dtype, pd.CategoricalDtype):
        return _kind_without_names(cells.cat.categories)
    if cells.dtype.kind in KINDS_WITHOUT_NAMES:
        return KINDS_WITHOUT_NAMES[cells.dtype.kind]
    if cells.dtype.kind not in "OU":  # integers, which may be names
        return None
    if any(isinstance(cell, date | pd.Period) for cell in cells):
        return KINDS_WITHOUT_NAMES["M"]
    if None in map(number_of, cells):
        return None
    # All read as numbers, truths or missing values. They may be names if all are whole.
    is_whole = all(re.fullmatch(r"[+-]?[0-9]+", str(cell).strip()) for cell in cells)
    if is_whole:
        return None
    are_truths = all(truth_of(cell) is not None for cell in cells)
    return KINDS_WITHOUT_NAMES["b" if are_truths else "f"]


def _typed(column, dtype):
    """The column, as a nominal one with its categories if its type is categorical."""
    if column.kind == "label" or not isinstance(dtype, pd.CategoricalDtype):
        return column
    names = list(map(text_of_name, dtype.categories))
    check_values(column.name, names)
    values = {name: place for place, name in enumerate(names)}
    return Column(column.name, "nominal", values)


def _numbers(frame, columns):
    """The numbers of all columns: (n_rows, n_columns)."""
    numbers = np.empty(frame.shape)
    kinds = np.array([column.kind for column in columns], dtype=object)
    is_real = np.array([dtype.kind in WHOLE_OR_REAL for dtype in frame.dtypes], dtype=bool)
    for place in np.flatnonzero(kinds == "nominal"):
        codes = frame.iloc[:, place].cat.codes.to_numpy()
        numbers[:, place] = np.where(codes < 0, np.nan, codes)
    real = frame.loc[:, is_real]
    check_integers("columns", real)
    numbers[:, is_real] = real.to_numpy(dtype=np.float64, na_value=np.nan)
    _check_truths(numbers, columns, is_real & (kinds == "label"), frame.index)
    # All cells of a kind at once: a loop over a million columns would take minutes.
    for kind, convert in (("label", truth_of), ("number", number_of)):
        places = np.flatnonzero(~is_real & (kinds == kind))
        cells = frame.iloc[:, places].to_numpy(dtype=object)
        converted = list(map(convert, cells.ravel()))
        if None in converted:
            row, place = divmod(converted.index(None), len(places))
            misfit = columns[places[place]].misfit(shown(cells[row, place]))
            raise ValueError(f"{where(frame.index, row)}: {misfit}")
        numbers[:, places] = np.reshape(converted, cells.shape)
    return numbers


def _check_truths(numbers, columns, is_label, rows):
    """Refuse a number of a label that is not 1, 0 or -1."""
    labels = numbers[:, is_label]
    strange = ~np.isin(labels, (-1, 0, 1))
    if strange.any():
        row, place = np.unravel_index(strange.argmax(), strange.shape)
        column = columns[np.flatnonzero(is_label)[place]]
        raise ValueError(f"{where(rows, row)}: {column.misfit(f'{labels[row, place]:g}')}")


def _with_sets(frame, columns, name, separator, max_bytes):
    """The frame with a label for each name in the sets of one column."""
    place = place_of(name, [column.name for column in columns])
    marked = [column.name for column in columns if column.kind == "label"]
    if marked:
        raise ValueError(
            f"labels= must be None, as heads mark the labels {marked!s:.200}, got {name!r:.60}; to "
            "read its sets alone, leave the marked columns out"
        )
    sets = []
    for row, cell in enumerate(frame.iloc[:, place]):
        names = names_in(cell, separator)
        if names is None:
            hint = _hint_of_set(name, cell, separator)
            misfit = Column(name, "set").misfit(shown(cell) + hint)
            raise ValueError(f"{where(frame.index, row)}: {misfit}")
        sets.append(names)
    if not separator:
        all_names = set(chain.from_iterable(sets))
        _check_separated(name, all_names)
        _check_numbers_apart(name, all_names)
    with located(repr(name)):
        check_size(len(sets), len(set(chain.from_iterable(sets))), max_bytes)
    binarizer = MultiLabelBinarizer()
    labels = pd.DataFrame(binarizer.fit_transform(sets), frame.index, binarizer.classes_)
    # Also no name at all.
    if all(truth_of(label) is not None for label in labels):
        raise ValueError(
            f"{name!r} must hold sets of names, got {list(labels) or 'no name'}{_of_truths(name)}"
        )
    kept = [i for i in range(len(columns)) if i != place]
    columns = [columns[i] for i in kept] + [Column(label, "label") for label in labels]
    return pd.concat([frame.iloc[:, kept], labels], axis=1), columns


def _check_separated(column, names):
    """Raise a ValueError if names may be sets of others, as "sea sky" beside "sea" and "sky".

    With a separator that is rare within names, one part that another name has says as much. With
    others it may be chance: "semi-detached" beside "detached".
    """
    for separator in WITHIN_NAMES:
        for name, parts in _divided(names, separator):
            if names.issuperset(parts):
                raise _unseparated(column, separator, name, parts[0])
    for name, mark, parts in _divided_by_marks(names):
        if names.issuperset(parts):
            raise _unseparated(column, mark, name, parts[0])
    for separator in BETWEEN_NAMES:
        name_of_part = {name: name for name in names}
        for name, parts in _divided(names, separator):
            for part in parts:
                other = name_of_part.setdefault(part, name)
                if other != name:
                    raise _unseparated(column, separator, name, other)


def _check_numbers_apart(column, names):
    """Raise a ValueError if names are whole numbers with spaces between them, such as "7 1 2"."""
    if all(map(NUMBERS.fullmatch, names)):
        for name in sorted(names):
            if " " in name:
                raise ValueError(
                    f"{column!r:.60} has the name {name!r:.60}; give separator=' ', or "
                    "separator=';' if it is one name"
                )


def _divided(names, separator):
    """The names with text on both sides of a separator, and their parts."""
    for name in sorted(names):
        parts = [part.strip() for part in name.split(separator)]
        if len(parts) > 1 and all(parts):
            yield name, parts


def _divided_by_marks(names):
    """The names with text on both sides of a mark, the mark, and their parts.

    Each name is divided by its own marks alone, since those of all names may be many.
    """
    for name in sorted(names):
        for mark in MARKS.findall(name):
            for _, parts in _divided([name], mark):
                yield name, mark, parts


def _unseparated(column, separator, name, other):
    return ValueError(
        f"{column!r:.60} has the name {name!r:.60} beside {other!r:.60}; give "
        f"separator={separator!r}, or separator=';' if each is one name"
    )


def names_in(cell, separator: str | None) -> list[str] | None:
    """The names in a cell of a set: [] for an empty text.

    None if it cannot be read, or if it may say that the set is missing, such as NaN or the text NA.
    A set is a list, a list in JSON, one as Python shows it, or names with a separator between them:
    the given one, or semicolons and bars.
    """
    if isinstance(cell, str):
        return _names_in_text(cell.strip(), separator)
    if isinstance(cell, LISTS):
        return _texts(cell)
    return None


def _hint_of_set(column, cell, separator):
    """Advice for an error: how to write a cell that is no set as one."""
    if isinstance(cell, str) and cell.strip().lower() in MISSING:
        name = cell.strip()
        return f"; {name!r} may mean a missing value: give [], or [{name!r}] if it is a name"
    if isinstance(cell, str) and (missing := _missing_parts(_parts(cell, separator))):
        return (
            f"; {missing[0]!r} may mean a missing value: leave it out, or give a list such as "
            f"['sea', {missing[0]!r}] if it is a name"
        )
    if isinstance(cell, str) and BARE_LIST.fullmatch(cell.strip()):
        return "; quote each name in brackets, as in ['sea', 'trees']"
    if isinstance(cell, str) and not separator:
        for mark in _strange_separators(cell.strip()):
            if names_in(cell, mark) is not None:
                return f"; if {mark!r} stands between names, give separator={mark!r}"
    if isinstance(cell, str) and len(ANGLED.findall(cell)) > 1:
        return f"; give a list of the names, as re.findall({ANGLED.pattern!r}, cell)"
    if not isinstance(cell, str | LISTS) and is_missing(cell):
        return "; a missing value is no set: give [], or '', where no label is right"
    if isinstance(cell, LISTS):
        strange = next(name for name in cell if not _is_name(name))
        is_number = isinstance(strange, Real) and strange == strange  # not NaN
        hint = "; give list(map(str, cell))" if is_number else ""
        return f"; a name is a text or a whole number, got {shown(strange)}{hint}"
    if isinstance(cell, Mapping):
        return "; give the names in it, as [name for name in cell if cell[name]]"
    if not isinstance(cell, str) and truth_of(cell) is not None:
        return _of_truths(column)
    return "; give names as texts, by .astype(str)" if isinstance(cell, Real) else ""


def _of_truths(column):
    return f"; of a column of 0 and 1, or of no and yes, give a list: labels=[{column!r}]"


def _names_in_text(text, separator):
    if text in EMPTY_SETS:
        return []
    if text.startswith(("[", "(", "{")):
        return _names_in_list(text)
    if text and text.lower() in MISSING:
        return None  # a missing value, or a name
    names = _parts(text, separator)
    if _missing_parts(names):
        return None
    # A quote begins a list whose brackets are gone, or a name that a CSV reader left quoted.
    has_quote = any(name.startswith(("'", '"')) for name in names)
    unclear = has_quote or any(map(UNCLEAR.search, names))
    if not separator and _strange_separators(text):
        unclear = True
    return None if unclear else names


def _parts(text, separator):
    """The texts between separators that are not empty."""
    parts = text.split(separator) if separator else re.split("[;|]", text)
    return [part.strip() for part in parts if part.strip()]


def _missing_parts(parts):
    """Those that may mean a missing value."""
    return [part for part in parts if part.lower() in MISSING]


def _strange_separators(text):
    """What may stand between names in a text, or belong to a name."""
    marks = [mark for mark in STRANGE_SEPARATORS if mark in text]
    return [*marks, "#"] if HASHTAGS.match(text) else marks


def _names_in_list(text):
    """The names in a list as JSON or Python write it."""
    try:
        is_python = PYTHON_LIST.fullmatch(text)
        names = ast.literal_eval(_without_numpy(text)) if is_python else json.loads(text)
    except (ValueError, SyntaxError, RecursionError):  # another text, or brackets that do not match
        return None
    return _texts(names) if isinstance(names, list | tuple | set) else None


def _without_numpy(text):
    """The text of a list with np.str_('sea') as 'sea'."""
    return NUMPY_OR_PLAIN.sub(lambda item: item[1] or item[2], text)


def _texts(names):
    """Names as texts; whole numbers are names, too. None if anything else is there."""
    return list(map(str, names)) if all(map(_is_name, names)) else None


def _is_name(name):
    return isinstance(name, str | int | np.integer) and not isinstance(name, bool)
