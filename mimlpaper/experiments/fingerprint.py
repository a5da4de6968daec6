"""Fingerprints of code: a hash that changes when what a trial computes may have changed.

Comments, docstrings and layout do not count, nor does the Python version.
"""

from __future__ import annotations

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

from sklearn.base import BaseEstimator

from mimlpaper.paths import PACKAGE

__all__ = ["code_fingerprint"]

# What every trial passes through, whatever its method.
COMMON = ("mimlpaper.experiments.trial",)

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_fingerprint(estimator, dataset_loader) -> str:
    """Hash of an estimator's configuration and of the project's code behind a trial.

    Covers the modules of the estimator's parts, of the data set's loader and of the trial
    itself, with all ``mimlpaper`` modules that they import, and every parameter's value.
    """
    parts = [estimator, *estimator.get_params(deep=True).values()]
    modules = {type(part).__module__ for part in parts if isinstance(part, BaseEstimator)}
    modules |= {dataset_loader.__module__, *COMMON}
    digest = hashlib.sha256(_configuration(estimator).encode())
    for name in sorted(_closure(modules)):
        digest.update(f"{name} {module_hash(_path(name))}\n".encode())
    return digest.hexdigest()[:12]


def _configuration(estimator):
    """Class and parameters as text, nested estimators included; seeds do not count."""
    params = estimator.get_params(deep=True)
    chosen = {name: value for name, value in params.items() if not name.endswith("random_state")}
    return json.dumps([type(estimator).__name__, chosen], sort_keys=True, default=_name)


def _name(value):
    """Classes, functions and the classes of objects by name: their code is hashed elsewhere."""
    return getattr(value, "__qualname__", type(value).__qualname__)


def _closure(names):
    """The project's modules among ``names`` and all that they import, packages aside."""
    found, waiting = set(), [name for name in names if _path(name)]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _imports(_path(name))
    return found


def _path(name):
    """File of one of the project's modules; None for a package or anything else."""
    top, *rest = name.split(".")
    path = PACKAGE.joinpath(*rest).with_suffix(".py") if top == "mimlpaper" and rest else None
    return path if path and path.is_file() else None


@cache
def _imports(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in names if _path(name)]


@cache
def module_hash(path: Path) -> str:
    """Hash of a module's syntax tree without its docstrings."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return hashlib.sha256(_canonical(tree).encode()).hexdigest()


def _canonical(node) -> str:
    """A syntax tree as text without positions and without empty fields.

    Each Python version adds fields, and leaves them empty for code that does not use them.
    """
    if isinstance(node, list):
        return "[" + ",".join(map(_canonical, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    inner = ",".join(f"{name}={_canonical(value)}" for name, value in fields)
    return f"{type(node).__name__}({inner})"
