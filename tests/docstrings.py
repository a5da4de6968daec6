"""The entries of docstrings in numpydoc's form."""

import inspect
import re


def section_of(kind, heading):
    """The lines of a docstring below a heading, up to the next one."""
    underlined = f"{heading}\n{'-' * len(heading)}\n"
    _, _, rest = inspect.getdoc(kind).partition(underlined)
    section, *_ = re.split(r"\n\n\w[\w ]*\n---", rest)
    return section


def entries(kind, heading="Parameters"):
    """Type and default of each parameter, from the docstring: "name : type, default value"."""
    entries = {}
    for line in section_of(kind, heading).splitlines():
        # The meaning of a parameter is indented.
        if line and not line.startswith(" "):
            name, entry = line.split(" : ", 1)
            entries[name] = entry
    return entries
