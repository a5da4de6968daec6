"""What runs in a guest's process: it imports the method, fits it, and sends its answers.

The process gets copies of the training data and of the test bags, never the test labels. Its
answers are arrays of numbers and texts in JSON, nothing that runs code where it is read.
"""

import hashlib
import importlib
import io
import json
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import is_dataclass
from modulefinder import ModuleFinder
from pathlib import Path

import joblib
import numpy as np
from sklearn.model_selection import ParameterGrid
from threadpoolctl import threadpool_limits

from mimlpaper.arrays import check_mask
from mimlpaper.parameters import set_random_states
from mimlstudy.engine import holdouts
from mimlstudy.engine.forks import CAN_FORK, lead_group_of

# Modules that a method has no reason to change.
WATCHED = ("mimlpaper.metrics", "mimlstudy.engine.holdouts")
OF_THE_BENCH = ("mimlpaper", "mimlstudy")
BUILTINS = "__builtins__"  # a name in each module, of Python's own functions


def serve(connection, output, entry: str, folder: str, bench: int):
    """Answer requests until the bench ends this process, or has ended itself.

    A request is a tuple: "describe"; or "start" with the setting's number, the hash of the entry's
    files and a seed; then "fit" with X and Y, "decision_function" or "predict" with X.

    Parameters
    ----------
    connection : the end of a pipe for requests and answers.
    output : the end of a pipe that takes what the method prints.
    entry : str, module:Name.
    folder : str, the caller's folder, from which the module is imported.
    bench : int, the number of the process that asks.
    """
    if CAN_FORK:
        lead_group_of(bench)  # with what the method starts
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    sys.dont_write_bytecode = True
    os.chdir(folder)
    sys.path.insert(0, folder)
    before = _state()
    guest = None
    with threadpool_limits(1):  # as in all trials
        while True:
            request, *arguments = connection.recv()
            try:
                if request == "describe":
                    answer = _described(entry)
                elif request == "start":
                    guest = _started(entry, *arguments)
                    answer = {}
                else:
                    answer = _called(getattr(guest, request), request, *arguments)
                _check(before, _state(), "it changed {}")
            except BaseException as error:  # foreign code: also SystemExit
                answer = {"problem": _in_one_line(error)}
                if not isinstance(error, Misconduct):
                    _print_traceback(error)
            _send(connection, answer)


class Misconduct(Exception):
    """A method changed what is not its own."""


def load_entry(entry: str) -> tuple[object, list[dict] | None, str]:
    """What an entry stands for: the unfitted estimator, its settings or None, its files' hash.

    Settings are dicts of parameters by their full names, one for each point of its ``param_grid``.
    """
    module_name, _, name = entry.partition(":")
    module = importlib.import_module(module_name)
    named = getattr(module, name)
    estimator = named() if callable(named) else named
    code = _hash_of_files(module)
    grid = getattr(named, "param_grid", None)
    # A search of scikit-learn tries its grid itself.
    is_search = grid is not None and "param_grid" in estimator.get_params(deep=False)
    if grid is None or is_search:
        return estimator, None, code
    settings = ParameterGrid(holdouts.full_names(estimator, grid))
    return estimator, list(settings), code


def _hash_of_files(module):
    """A hash of a module's file, and of all that it has imported from the current folder, or may.

    What a fit imports is known by its statement alone.
    """
    files = {module.__name__: Path(str(module.__file__))}
    for name, imported in [*sys.modules.items()]:
        file = getattr(imported, "__file__", None)
        if file and _is_own(name, Path(file)):
            files[name] = Path(file)
    finder = ModuleFinder(list(filter(_is_in_folder, sys.path)), excludes=OF_THE_BENCH)
    for name in [*files]:
        with suppress(ImportError):  # of what lies elsewhere
            finder.import_hook(name)
    for name, found in finder.modules.items():
        if found.__file__:
            files.setdefault(name, Path(found.__file__))
    contents = [(name, file.read_bytes()) for name, file in sorted(files.items())]
    return hashlib.sha256(repr(contents).encode()).hexdigest()[:12]


def _is_own(name, file):
    """Whether a module lies in the current folder, and is not of the bench itself."""
    return _is_in_folder(file) and name.partition(".")[0] not in OF_THE_BENCH


def _is_in_folder(path):
    """Whether a path lies in the current folder, but not in a Python within it."""
    absolute = Path.cwd() / path
    is_of_python = any(map(absolute.is_relative_to, (sys.prefix, sys.base_prefix)))
    is_installed = is_of_python or "site-packages" in absolute.parts
    return absolute.is_relative_to(Path.cwd()) and not is_installed


def _described(entry):
    """The hash of an entry's files, and its settings as far as JSON can hold them."""
    _, settings, code = load_entry(entry)
    texts = json.loads(json.dumps(settings, default=lambda value: type(value).__name__))
    return {"code": code, "settings": texts}


def _started(entry, number, code, seed):
    """The unfitted, seeded estimator, with one of its settings if it has a ``number``."""
    estimator, settings, code_now = load_entry(entry)
    if code_now != code:
        raise ImportError(f"the code of {entry} has changed since the bench began; start it again")
    if number is not None:
        estimator.set_params(**settings[number])
    if hasattr(estimator, "get_params"):
        set_random_states(estimator, seed)
    return estimator


def _called(method: Callable, name: str, *data):
    """The answer of a fit or a prediction, which leaves its data as they were."""
    before = _hashes(*data)
    result = method(*data)
    _check(before, _hashes(*data), "it changed the {} that it was given")
    return {} if name == "fit" else {"array": _as_numbers(result)}


def _as_numbers(result):
    check_mask("answers", result)
    array = np.asarray(result)
    if array.dtype == object:
        array = array.astype(float)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"answers must be real numbers, got an array of {array.dtype}")
    return array


def _hashes(bags, labels=None):
    return {"bags": joblib.hash(bags), "labels": joblib.hash(labels)}


def _state():
    """Of each watched module, which objects its names, dicts and data classes hold; and code."""
    return {name: _identity(vars(importlib.import_module(name))) for name in WATCHED}


def _identity(value):
    """What changes if an object, an entry or field in it, or a function's code is replaced."""
    if isinstance(value, dict):
        entries = {name: entry for name, entry in value.items() if name != BUILTINS}
    elif is_dataclass(value) and not isinstance(value, type):
        entries = vars(value)
    else:
        return id(value), id(getattr(value, "__code__", None))
    return id(value), {name: _identity(entry) for name, entry in entries.items()}


def _check(before, after, words):
    for name, value in before.items():
        if after[name] != value:
            raise Misconduct(words.format(name))


def _in_one_line(error):
    """An exception by its kind and the first line of its text."""
    line = next(iter(str(error).splitlines()), "")
    if isinstance(error, Misconduct):
        return line
    return f"{type(error).__name__}: {line}".rstrip(": ")


def _print_traceback(error):
    """Print where an error comes from, as far as the method has left that possible."""
    with suppress(Exception):
        os.write(2, "".join(traceback.format_exception(error)).encode(errors="replace"))


def _send(connection, answer):
    """Send the part in JSON, then the array, if there is one, in NumPy's own format."""
    array = answer.pop("array", None)
    connection.send_bytes(json.dumps(answer | {"has_array": array is not None}).encode())
    if array is not None:
        content = io.BytesIO()
        np.save(content, array, allow_pickle=False)
        connection.send_bytes(content.getvalue())
