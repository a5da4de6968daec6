"""Multi-instance multi-label ARFF files, as Weka, Mulan and the Java library MIML have them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from mimlpaper.datasets.fetch import DataError
from mimlpaper.datasets.label_xml import read_label_names, write_label_names
from mimlpaper.datasets.labelled import LabelledBags, as_labelled
from mimlpaper.datasets.streams import MAX_BYTES, Collector, Lines, number_text, whole_file

__all__ = ["read_arff", "write_arff"]

QUOTED = r"""'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+\""""
ATTRIBUTE = re.compile(rf"@attribute\s++({QUOTED}|[^\s{{}}'\"][^\s{{}}]*+)\s*+(.+)", re.IGNORECASE)
VALUE = re.compile(rf"\s*+({QUOTED}|[^,'\"]*+)\s*+(,|\Z)")  # up to the comma, or the end
INDEX = re.compile(r"\s*(\d{1,9})\s+")
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
NUMERIC = ("numeric", "real", "integer")


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
            return _read(iter(lines), names, labels, max_bytes)
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


def _read(lines, names, source, max_bytes):
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
