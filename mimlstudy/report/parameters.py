"""A notebook's parameters: the names that its cell of parameters declares, and their values.

A declaration is a line such as ``n_splits: int = 0``. Types are read from the source of the cell:
Python 3.14 no longer puts the annotations of a cell among its globals, and IPython compiles each
line on its own, so that only the last annotation could be asked for.
"""

import ast
import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from operator import eq
from pathlib import Path
from typing import get_args, get_origin

from mimlpaper.datasets.tables import NUMBER
from mimlstudy import folders
from mimlstudy.engine.trials import PROFILES

HOW_TO_RUN = ("profile", "jobs", "data_home", "recompute")  # parameters of every notebook
# Types of parameters by their names in a notebook.
TYPES = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list[str]": list[str],
    "list[int]": list[int],
    "list[float]": list[float],
}
# What one writes for a parameter of these types on a command line.
EXAMPLES = {
    "int": "3",
    "float": "0.01",
    "bool": "true",
    "list[str]": """'["MimlSvm"]'""",
    "list[int]": "'[1, 2]'",
    "list[float]": "'[0.1, 0.4]'",
}
CALLER = "MIMLPAPER_CALLER"  # the environment variable that names the caller's folder in JupyterLab
# Parameters that name a file or folder of the reader's own.
PATHS = ("file", "new_file", "folder", "data_home")
INJECTED = "# Parameters\n"  # how the cell begins that papermill puts in


class ParameterError(ValueError):
    """A parameter that a notebook does not have, or a value of another type."""


def check_among(name: str, values: Iterable, known: Iterable, *, begin: bool = False):
    """Raise a ParameterError unless a parameter's values are known, or ``begin`` what is known."""
    known = list(known)
    fits = str.startswith if begin else eq
    unknown = [value for value in values if not any(fits(text, value) for text in known)]
    if unknown:
        needed = "begin one of" if begin else "be among"
        raise ParameterError(f"{name} must {needed} {known}, got {unknown}")


def check_between(name: str, values: Iterable[float], least: float, most: float = math.inf):
    """Raise a ParameterError unless a parameter's values are from ``least`` to ``most``."""
    beyond = [value for value in values if not least <= value <= most]
    if beyond:
        needed = f"from {least} to {most}" if most < math.inf else f"at least {least}"
        raise ParameterError(f"{name} must be {needed}, got {beyond}")


def notebook_parameters(cells: Mapping) -> dict:
    """The checked parameters of a running notebook, by name, in the order of their declaration.

    Parameters
    ----------
    cells : mapping, the notebook's globals, which stay as they are. IPython keeps the sources of
        executed cells in their entry ``In``. A list may be given as JSON, as ``papermill -p`` does.

    Raises
    ------
    ParameterError
        If papermill set a parameter that the notebook does not have, or one of another type.
    """
    types: dict[str, type] = {}
    given: set[str] = set()
    for source in cells.get("In", ()):
        if source.startswith(INJECTED):
            given |= assigned(source)
        elif "profile" in (declared := declared_types(source)):
            # A cell that is run again replaces what it declared before.
            types, given = declared, set()
    values = {name: cells.get(name) for name in [*types, *sorted(given - types.keys())]}
    return checked(values, types)


def declared_types(source: str) -> dict[str, type]:
    """Names that the source of a cell annotates by one of :data:`TYPES`, with the type of each."""
    types = {}
    for node in _statements(source):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            type_name = ast.unparse(node.annotation)
            if type_name in TYPES:
                types[node.target.id] = TYPES[type_name]
    return types


def assigned(source: str) -> set[str]:
    """Names that the source of a cell sets."""
    names = set()
    for node in _statements(source):
        if isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _statements(source):
    try:
        return ast.parse(source).body
    except SyntaxError:  # such as a cell with a line magic
        return []


def checked(values: Mapping, types: Mapping[str, type], notebook: str = "") -> dict:
    """Parameters by name, each of its type; a text of a list or number is read as JSON.

    A relative path begins at :func:`caller_folder`, and becomes absolute.

    Parameters
    ----------
    values : mapping, what was given, by name.
    types : mapping, the type of each parameter that there is, one of :data:`TYPES`.
    notebook : str, default ""
        The name of the notebook, for messages.

    Raises
    ------
    ParameterError
        It names the parameter, what was given and what is needed.
    """
    of = f" of {notebook}" if notebook else ""
    for name in values:
        if name not in types:
            alike = get_close_matches(name, types, n=1)
            hint = f"; did you mean {alike[0]!r}?" if alike else ""
            raise ParameterError(f"parameters{of} must be among {list(types)}, got {name!r}{hint}")
    return {name: _typed(name, value, types[name], of) for name, value in values.items()}


def _typed(name, value, kind, of):
    if isinstance(value, str) and kind is not str:
        with suppress(ValueError):
            value = json.loads(value)
    if kind is str and type(value) in (int, float):
        value = str(value)  # papermill makes a number of what looks like one
    if not _is_of_type(value, kind):
        type_name = next(text for text, known in TYPES.items() if known == kind)
        example = f", such as {EXAMPLES[type_name]}" if type_name in EXAMPLES else ""
        raise ParameterError(f"parameter {name}{of} must be {type_name}{example}, got {value!r}")
    if name in PATHS and value:
        path = Path(value)
        with suppress(RuntimeError):  # of a name such as ~backup.csv, which is no user's
            path = path.expanduser()
        return str(caller_folder() / path)
    return value


def check_protocol(profile: str, jobs: int):
    """Raise a ParameterError for another profile, and for ``jobs`` of 0 or below -1."""
    if profile not in PROFILES:
        raise ParameterError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
    if not isinstance(jobs, int) or jobs < -1 or jobs == 0:
        raise ParameterError(f"jobs must be -1, one a core, or at least 1, got {jobs!r}")


def number_in(name: str, text: str) -> float:
    """The number in a parameter of type str; a ParameterError if it is no finite number.

    Such parameters are texts so that 0 can be asked: an empty text asks nothing.
    """
    # Stricter than float(), which reads "1_0" as 10.
    number = float(text) if NUMBER.fullmatch(text.strip()) else math.nan
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be a number, such as 0 or 0.1, got {text!r}")
    return number


def _is_of_type(value, kind):
    if get_origin(kind) is list:
        (item,) = get_args(kind)
        return isinstance(value, list) and all(_is_of_type(entry, item) for entry in value)
    if kind is float:
        return type(value) is int or (type(value) is float and math.isfinite(value))
    return type(value) is kind  # True is no int here


def caller_folder() -> Path:
    """Where relative paths begin: the current folder, and in ``make lab`` the project's."""
    return Path(os.environ.get(CALLER) or Path.cwd())


def output_folder(profile: str, questions: Mapping) -> Path:
    """Where a run's notebooks and pages go, and in ``figures`` its tables and figures.

    That is ``build/<profile>``, or for questions a folder of their own in ``build/explored``,
    named by the question. ``questions`` are the notebook's own parameters; what is empty or 0 asks
    nothing.
    """
    asked = {name: value for name, value in questions.items() if value}
    if not asked:
        return folders.build(profile)
    if profile != "paper":
        asked["profile"] = profile
    exact = json.dumps(asked, sort_keys=True)
    words = ",".join(f"{name}={value}" for name, value in sorted(asked.items()))
    readable = re.sub(r"[^\w.=,-]+", "", words)[:60]
    # The digest keeps two questions apart that read alike.
    digest = hashlib.sha256(exact.encode()).hexdigest()[:8]
    return folders.build("explored", f"{readable}-{digest}")
