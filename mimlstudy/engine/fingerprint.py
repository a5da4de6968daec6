"""Where a number comes from: fingerprint of the code, versions, commit, machine.

A fingerprint has two parts, ``"code.settings"``: a hash of the definitions (functions, classes,
constants) that a trial runs, and one of its configuration. The first follows every name that the
code uses to its definition in this package. So a definition may move to another file, but it may
not change. Comments, docstrings and layout do not count, nor does the Python version, nor a seed.
The sources are read when this module is imported: an edit while trials run does not count.
"""

import ast
import hashlib
import json
import os
import platform
import subprocess
from collections import Counter, defaultdict
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

import llvmlite.binding
import numpy as np
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_info

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.arithmetic import pin

PACKAGES = ("mimlpaper", "numpy", "scipy", "scikit-learn", "numba")
VERSIONS = [f"{package} {version(package)}" for package in PACKAGES]

Definition = tuple[str, str]  # module and name

# What every trial runs, and what writes its numbers.
COMMON: set[Definition] = {
    ("mimlstudy.engine.execution", "_run_batch"),
    ("mimlstudy.engine.records", "_recorded_text"),
}

# Not followed: what knows all data sets and experiments, since a trial has its own; the search for
# files, since a file's content is known by its checksum; and this module.
NOT_FOLLOWED = {
    "mimlpaper.datasets.loaders.load",
    "mimlpaper.datasets.loaders.loader_of",
    "mimlstudy.paper.experiments",
    "mimlstudy.engine.fingerprint",
    "mimlpaper.datasets.fetch",
    "mimlpaper.paths",
    "mimlstudy.folders",
}

# Parameters that are a trial's own, or that change no number.
UNCOUNTED = ("random_state", "n_splits", "verbose")

REST = ""  # stands for a module's statements that define nothing and run when it is imported
SOURCES = {
    ".".join((package.name, *path.relative_to(package).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path.read_bytes()
    for package in (paths.PACKAGE, folders.PACKAGE)
    for path in sorted(package.rglob("*.py"))
}
DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code_fingerprint(*parts) -> str:
    """Hash of all code behind the parts of a trial, a point, and a hash of their configuration.

    ``parts`` are an unfitted estimator, the data set's loader, the splits and the measure, with
    all that their parameters hold. The number of splits does not count.
    """
    configuration, definitions = _behind(*parts)
    lines = {f"{name} {_hash((module, name))}" for module, name in definitions}
    texts = "\n".join(sorted(lines)), configuration
    return ".".join(hashlib.sha256(text.encode()).hexdigest()[:12] for text in texts)


def all_sources() -> str:
    """A hash of all sources of this package, and the versions of what its trials call."""
    return hashlib.sha256(b"".join(SOURCES.values()) + repr(VERSIONS).encode()).hexdigest()


def modules_behind(*parts) -> dict[str, int]:
    """The package's modules that a fingerprint covers, with the number of definitions in use."""
    _, definitions = _behind(*parts)
    return dict(sorted(Counter(module for module, name in definitions if name != REST).items()))


def _behind(*parts):
    """The parts as JSON, and the definitions of all code that a trial with them runs."""
    found = set(COMMON)
    configuration = json.dumps(parts, default=partial(_described, found=found), sort_keys=True)
    return configuration, _closure(frozenset(found))


def _described(value, found: set[Definition]):
    """A value for JSON. Functions and classes go by name, and into ``found`` if they are ours."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if hasattr(value, "__qualname__"):  # a class or a function, with what it closes over
        found |= _resolved(value.__module__, value.__qualname__.split(".")[0])
        enclosed = (cell.cell_contents for cell in getattr(value, "__closure__", None) or ())
        return [value.__qualname__, *enclosed]
    if not hasattr(value, "__dict__"):
        return [type(value), str(value)]
    held = value.get_params(deep=False) if isinstance(value, BaseEstimator) else vars(value)
    counts = {n: v for n, v in held.items() if n not in UNCOUNTED}
    return [type(value), counts]


@cache
def _closure(found: frozenset[Definition]) -> set[Definition]:
    """The definitions and all that they use in this package."""
    closed, waiting = set(), set(found)
    while waiting:
        closed |= waiting
        waiting = set().union(*map(_uses, waiting)) - closed
    return closed


@cache
def _uses(definition: Definition) -> set[Definition]:
    """The package's definitions whose names appear in one definition."""
    module, name = definition
    used = {(module, REST)}
    for node in (node for part in _names(module)[0][name] for node in ast.walk(part)):
        if isinstance(node, ast.Name):
            used |= _resolved(module, node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            used |= _resolved(module, node.value.id, node.attr)
        elif isinstance(node, ast.ImportFrom) and node.module:
            used = used.union(*(_resolved(node.module, alias.name) for alias in node.names))
    return used


def _resolved(module: str, name: str, attribute: str = "") -> set[Definition]:
    """Where this package defines what ``name``, or ``name.attribute``, means in a module."""
    inner = f"{module}.{name}"
    if module not in SOURCES or NOT_FOLLOWED & {module, inner}:
        return set()
    defined, imported = _names(module)
    if name in defined:
        return {(module, name)}
    if name in imported:
        return _resolved(*imported[name], attribute)
    return _resolved(inner, attribute) if inner in SOURCES and attribute else set()


@cache
def _names(module: str) -> tuple[dict[str, list[ast.stmt]], dict[str, tuple[str, str]]]:
    """A module's definitions by name, without docstrings, and where it imports other names from."""
    defined: dict[str, list[ast.stmt]] = defaultdict(list, {REST: []})
    imported: dict[str, tuple[str, str]] = {}
    tree = ast.parse(SOURCES[module])
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, *DOCUMENTED))
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            origin = str(statement.module)
            imported |= {one.asname or one.name: (origin, one.name) for one in statement.names}
        elif isinstance(statement, DOCUMENTED):
            defined[statement.name].append(statement)
        elif not isinstance(statement, ast.Import):
            targets = getattr(statement, "targets", [getattr(statement, "target", ast.Pass())])
            nodes = [node for target in targets for node in ast.walk(target)]
            for name in [one.id for one in nodes if isinstance(one, ast.Name)] or [REST]:
                defined[name].append(statement)
    return dict(defined), imported


@cache
def _hash(definition: Definition) -> str:
    module, name = definition
    return hashlib.sha256(_canonical(_names(module)[0][name]).encode()).hexdigest()


def _canonical(node) -> str:
    """A syntax tree as text without positions and the empty fields that Python versions add."""
    if isinstance(node, list):
        return "[" + ",".join(map(_canonical, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    filled = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    inner = ",".join(f"{name}={_canonical(value)}" for name, value in filled)
    return f"{type(node).__name__}({inner})"


@cache
def provenance() -> dict[str, str]:
    """Columns ``versions``, ``commit`` and ``machine`` of a record made now, here."""
    processor = llvmlite.binding.get_host_cpu_name()  # compiled code is made for it
    machine = f"{platform.system()} {platform.machine()} {processor}; {os.cpu_count()} cores"
    return {
        "versions": "; ".join([f"python {platform.python_version()}", *VERSIONS]),
        "commit": _commit(),
        "machine": "; ".join([machine, pin(), *_blas_kernels()]),
    }


def _blas_kernels():
    """The BLAS that NumPy and SciPy call; not the libraries of other loaded packages."""
    folders = ((Path(pool["filepath"]).parent.name, pool) for pool in threadpool_info())
    kernels = {
        f"{pool['internal_api']} {pool.get('architecture', '')}".strip()
        for folder, pool in folders
        if pool["user_api"] == "blas"
        and (folder.startswith(("numpy", "scipy")) or not folder.endswith("libs"))
    }
    return sorted(kernels)


def _commit():
    """Short hash of the checkout's commit, with + for uncommitted changes; "" outside git."""
    git = ["git", "-C", str(paths.project_root())]
    try:
        head, changes = (
            subprocess.check_output([*git, *words.split()], text=True, stderr=subprocess.DEVNULL)
            for words in ("rev-parse --short=12 HEAD", "status --porcelain -- mimlpaper mimlstudy")
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head.strip() + "+" * bool(changes)
