"""Mulan's XML file of label names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from mimlpaper.datasets.fetch import DataError
from mimlpaper.datasets.labelled import checked_names

__all__ = ["read_label_names", "write_label_names"]

NAMESPACE = "http://mulan.sourceforge.net/labels"
MAX_BYTES = 2**26


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
    parser.StartElementHandler = lambda tag, attributes: names.extend(_name(tag, attributes))
    parser.StartDoctypeDeclHandler = _refuse
    with Path(path).open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        if len(content) > MAX_BYTES:
            raise ValueError(f"the file is larger than {MAX_BYTES:,} bytes")
        parser.Parse(content, True)
        if not names:
            raise ValueError("there is no label")
        return checked_names(names, "label", len(names))
    except (ValueError, LookupError, expat.ExpatError) as error:  # LookupError: its encoding
        raise DataError(f"{path}, line {parser.CurrentLineNumber}: {error}") from error


def write_label_names(file: TextIO, names: tuple[str, ...]):
    """Write the names as one flat list."""
    file.write(f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{NAMESPACE}">\n')
    file.writelines(f"  <label name={quoteattr(name)}></label>\n" for name in names)
    file.write("</labels>\n")


def _name(tag, attributes):
    """The name in a list, or an empty list for the root."""
    kind = tag.rpartition(" ")[2]  # whatever the namespace
    if kind == "labels":
        return []
    if kind != "label" or "name" not in attributes:
        raise ValueError(f'only <labels> and <label name="…"> are expected, got <{kind:.60}>')
    return [attributes["name"]]


def _refuse(*_):
    raise ValueError("a document type declaration is refused: it may declare entities")
