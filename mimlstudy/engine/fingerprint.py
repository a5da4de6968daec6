"""The fingerprint of a trial: hashes of the code that it runs and of its settings.

It has two parts. *code* is a hash of the definitions (functions, classes, constants)
that a trial runs; it follows every name that the code uses to its definition in these packages, or
to what is imported from another one. So a definition may move to another file, but neither it nor
what its names mean may change. ``mimlstudy.engine.normal_form`` says what does not count, such as
comments; versions of Python and of other packages do not count either. *settings* is a
hash of how the estimator, the splits and the measure are set up, as far as it differs from the
defaults of their classes.

What runs is known by the sources as they were when the first store was opened: an edit while trials
run does not count.
"""

import ast
import hashlib
import inspect
import json
from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from mimlstudy.engine.normal_form import (
    ASSIGNMENTS,
    FUNCTIONS,
    canonical,
    is_known_decorator,
    name_of,
    names_bound_in,
    normalised,
)
from mimlstudy.engine.sources import sources

Definition = tuple[str, str]  # module and name

# What every trial runs, from its arithmetic to the text and the seal of what is recorded.
COMMON: set[Definition] = {
    ("mimlstudy.engine.workers", "_run_batch"),
    ("mimlstudy.engine.arithmetic", "pin"),
}

# What matches examples, features and labels by their names: the data of trials have none.
BY_NAMES = {
    "mimlpaper.arrays.order_by_name",
    "mimlpaper.base.in_order_of_labels",
    "mimlpaper.base._named_features",
}
# Not followed: these; what knows all data sets and experiments, since a trial has its own; the
# search for files, since data are known by their content; and what reads the code itself.
NOT_FOLLOWED = {
    *BY_NAMES,
    "mimlpaper.datasets.loaders.load",
    "mimlpaper.datasets.loaders.loader_of",
    "mimlpaper.datasets.fetch",
    "mimlpaper.paths",
    "mimlstudy.folders",
    "mimlstudy.engine.fingerprint",
    "mimlstudy.engine.provenance",
    "mimlstudy.engine.sources",
}

REST = ""  # stands for a module's statements that run when it is imported, whoever uses a name
DEFINITIONS = (ast.ClassDef, *FUNCTIONS)
PATCHES = {"setattr", "delattr", "exec", "eval", "globals", "vars"}  # change what others define
# Functions by which code finds other code under a name that it computes, and the modules that may:
# a fork imports what its parent has, and a guest's process the method of somebody else, which the
# bench knows by its content.
LOOKUPS = {"eval", "exec", "globals", "import_module", "__import__"}
MAY_LOOK_UP = {"mimlstudy.engine.forks", "mimlstudy.report.guest_process"}
# Methods that change what they are called on.
CHANGING = {
    "add",
    "append",
    "clear",
    "discard",
    "extend",
    "insert",
    "pop",
    "popitem",
    "register",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "update",
}


class Fingerprint(NamedTuple):
    """What a trial's numbers depend on, beside its data, split, arithmetic and versions."""

    code: str
    settings: str


def fingerprint(estimator, loader, splits, measure) -> Fingerprint:
    """The fingerprint of the trials of an unfitted estimator; the number of splits does not count.

    All code behind the loader counts, but not what it is called with: data are known by content.
    """
    settings, used = _behind(estimator, loader, splits, measure)
    return Fingerprint(_hash_of_code(used), _short_hash(settings))


def modules_behind(estimator, loader, splits, measure) -> dict[str, int]:
    """The packages' modules that a fingerprint covers, with the number of definitions in use."""
    _, used = _behind(estimator, loader, splits, measure)
    modules = []
    for definition in _closure(used):
        module, name = definition
        if name != REST and not _is_import(definition):
            modules.append(module)
    return dict(sorted(Counter(modules).items()))


def _short_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _behind(estimator, loader, splits, measure):
    """The settings as JSON, and the definitions that a trial with them names."""
    used = set(COMMON)
    described = partial(_described, used=used)
    json.dumps(loader, default=described)  # for the definitions, which go into ``used``
    settings = [
        estimator,
        replace(splits, n_splits=0),  # more splits leave the earlier ones as they are
        [measure.rows, measure.numbers, measure.words],
    ]
    text = json.dumps(settings, default=described, sort_keys=True)
    return text, frozenset(used)


def _described(value, used: set[Definition]):
    """A value for JSON. Functions and classes go by name, and into ``used`` if they are ours."""
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, np.ndarray):
        return [value.dtype.str, value.tolist()]
    if isinstance(value, np.generic):
        return value.tolist()
    if hasattr(value, "__qualname__"):  # a class or a function, with what it closes over
        used |= _resolved(value.__module__ or "", value.__qualname__.split(".")[0])
        enclosed = [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
        return [_full_name(value), *enclosed, *_owner(value)]
    if not hasattr(value, "__dict__"):
        return [type(value), str(value)]
    held = vars(value)
    if isinstance(value, BaseEstimator):
        held = _parameters(value)
    return [type(value), _without_defaults(type(value), held)]


def _parameters(estimator):
    """As ``get_params(deep=False)``, which reads the signature each time."""
    kind = type(estimator)
    if kind.get_params is not BaseEstimator.get_params:
        return estimator.get_params(deep=False)
    return {name: getattr(estimator, name) for name in _names_of_parameters(kind)}


@cache
def _names_of_parameters(kind):
    return kind._get_param_names()


def _full_name(value) -> str:
    """The name of a function or class; of a foreign one with the public part of its module."""
    if value.__name__ == "<lambda>":
        raise ValueError(
            "a setting must be told from every other, and a lambda has no name; write a function"
        )
    module = value.__module__ or ""
    if module in sources():  # where it may move to another file
        return value.__qualname__
    parts = [part for part in module.split(".") if part[:1] != "_"]
    return ".".join([*parts, value.__qualname__])


def _owner(value) -> list:
    """The object whose method it is, if it is one."""
    owner = getattr(value, "__self__", None)
    is_method = owner is not None and not isinstance(owner, ModuleType)  # of compiled functions
    return [owner] if is_method else []


def _without_defaults(kind, held):
    """What is set otherwise than a class has it: a new parameter changes code, not settings."""
    defaults = _defaults(kind)
    return {
        name: value
        for name, value in held.items()
        if not (name in defaults and _is_same(value, defaults[name]))
    }


@cache
def _defaults(kind):
    parameters = inspect.signature(kind.__init__).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.default is not parameter.empty
    }


def _is_same(value, default):
    """Whether they are described alike: a worker has copies, which are not the same objects."""
    if value is default:
        return True
    if default is None:
        return False
    return _text_of(value) == _text_of(default)


def _text_of(value):
    return json.dumps(value, default=partial(_described, used=set()), sort_keys=True)


@cache
def _hash_of_code(used: frozenset[Definition]) -> str:
    """The hash of all code that runs with these definitions."""
    lines = set(map(_line, _closure(used)))
    return _short_hash("\n".join(sorted(lines)))


@cache
def _closure(used: frozenset[Definition]) -> set[Definition]:
    """The definitions and all that they use in these packages."""
    closed: set[Definition] = set()
    waiting = set(used)
    while waiting:
        closed |= waiting
        waiting = set().union(*map(_uses, waiting)) - closed
    return closed


@cache
def _uses(definition: Definition) -> set[Definition]:
    """The packages' definitions whose names appear in one definition."""
    module, _ = definition
    _check_followed(module)
    at_import = (module, REST)  # it ran when the module was imported
    return {at_import}.union(*_meanings(definition).values())


@cache
def _meanings(definition: Definition) -> dict[str, set[Definition]]:
    """What each name in one definition means, of those that these packages define or import."""
    module, _ = definition
    # A name may mean one thing in the module, and another where a function imports it.
    meanings: dict[str, set[Definition]] = defaultdict(set)
    for node in chain.from_iterable(map(ast.walk, _statements(definition))):
        if isinstance(node, ast.Name):
            meanings[node.id] |= _resolved(module, node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            inner = f"{node.value.id}.{node.attr}"
            meanings[inner] |= _resolved(module, node.value.id, node.attr)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                meanings[alias.name] |= _resolved(node.module, alias.name)
    return dict(meanings)


def _statements(definition: Definition) -> list[ast.stmt]:
    """The statements that make a definition, in normal form."""
    module, name = definition
    defined, _ = _names(module)
    return defined[name]


@cache
def _line(definition: Definition) -> str:
    """A definition's name, its hash, and those of what its names mean.

    With the latter, two definitions that are exchanged are seen, though both are in use.
    """
    _, name = definition
    words = [name, _hash(definition)]
    for used, meanings in sorted(_meanings(definition).items()):
        for meaning in sorted(meanings):
            _, meant = meaning
            words.append(f"{used}={meant}:{_hash(meaning)}")
    return " ".join(words)


def _resolved(module: str, name: str, attribute: str = "") -> set[Definition]:
    """Where these packages define what ``name``, or ``name.attribute``, means in a module."""
    inner = f"{module}.{name}"
    if NOT_FOLLOWED & {module, inner}:
        return set()
    if module not in sources():  # another package, or a folder of ours without __init__.py
        return _resolved(inner, attribute) if inner in sources() and attribute else set()
    defined, imported = _names(module)
    known = {(module, name)} if name in defined else set()
    if name in imported:  # and perhaps wrapped below
        known |= _resolved(*imported[name], attribute)
    if name in defined or name in imported:
        return known
    if "__getattr__" in defined and inner not in sources():
        # A package that imports what it is asked for, when it is asked.
        value = getattr(import_module(module), name, None)
        home = getattr(value, "__module__", module)
        return _resolved(home, name) if home != module else set()
    return _resolved(inner, attribute) if inner in sources() and attribute else set()


@cache
def _names(module: str) -> tuple[dict[str, list[ast.stmt]], dict[str, tuple[str, str]]]:
    """A module's definitions by name, in normal form, and where it imports other names from.

    An import from another package defines its names, whatever stands beside it in the statement.
    """
    tree = normalised(sources()[module])
    defined: dict[str, list[ast.stmt]] = defaultdict(list, {REST: []})
    imported: dict[str, tuple[str, str]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            origin = str(statement.module)
            for alias in statement.names:
                name = alias.asname or alias.name
                if _is_ours(origin):
                    imported[name] = origin, alias.name
                else:
                    defined[name] = [ast.ImportFrom(origin, [ast.alias(alias.name)], 0)]
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                # Without another name only the package gets one, and the modules that it needs.
                name = alias.asname or alias.name.partition(".")[0]
                defined[name].append(ast.Import([ast.alias(alias.name)]))
                defined[name].sort(key=ast.dump)
        else:
            for name in _names_defined_by(statement):
                defined[name].append(statement)
            if _may_change_others(statement):
                defined[REST].append(statement)
    return dict(defined), imported


def _is_ours(module: str) -> bool:
    """Whether a module is of these packages."""
    return module.partition(".")[0] in {name.partition(".")[0] for name in sources()}


def _is_import(definition: Definition) -> bool:
    """Whether a name is only imported from another package."""
    imports = ast.Import | ast.ImportFrom
    return all(isinstance(statement, imports) for statement in _statements(definition))


def _names_defined_by(statement) -> list[str]:
    """The names that a statement of a module gives to functions, classes and constants.

    Its parts may give them, such as a loop, or an import behind ``try``. A statement that changes
    an entry or attribute of a name is a part of its definition.
    """
    names = names_bound_in(statement)
    if isinstance(statement, ASSIGNMENTS):
        names += [node.id for node in _targets(statement) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(names))


def _targets(assignment) -> list[ast.AST]:
    """All nodes of what an assignment gives values to."""
    targets = getattr(assignment, "targets", None) or [assignment.target]
    return [node for target in targets for node in ast.walk(target)]


def _may_change_others(statement) -> bool:
    """Whether a statement does more than define its names, such as to patch a class."""
    if isinstance(statement, DEFINITIONS):
        if not all(map(is_known_decorator, statement.decorator_list)):
            return True
        is_class = isinstance(statement, ast.ClassDef)
        return is_class and any(map(_may_change_others, statement.body))
    if isinstance(statement, ast.Pass):
        return False
    if not isinstance(statement, ASSIGNMENTS):
        return True
    if any(isinstance(node, ast.Attribute | ast.Subscript) for node in _targets(statement)):
        return True
    return any(map(_changes_another, ast.walk(statement)))


def _changes_another(node) -> bool:
    """Whether a node of an assignment may change what is defined elsewhere."""
    match node:
        case ast.Name():
            return node.id in PATCHES
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Attribute(), attr=method)):
            return method in CHANGING
    return False


@cache
def _check_followed(module: str):
    """Raise an ImportError where a change of what a module uses would not be followed."""
    tree = ast.parse(sources()[module])
    nodes = list(ast.walk(tree))
    _check_imports(module, nodes, at_top=tree.body)
    for node in nodes:
        if isinstance(node, ast.Global):
            raise ImportError(
                f"{module}: changes in a function of the global {', '.join(node.names)} would not "
                "be followed; change it where the module defines it"
            )
        if _looks_up(node) and module not in MAY_LOOK_UP:
            raise ImportError(
                f"{module}: changes behind `{ast.unparse(node)}` would not be followed, since it "
                "finds code under a computed name; import what is needed, or hand it over"
            )
        if isinstance(node, FUNCTIONS) and node.name == "__init_subclass__":
            raise ImportError(
                f"{module}: changes in subclasses that __init_subclass__ collects would not be "
                "followed; list them where they are used"
            )


def _check_imports(module, nodes, at_top):
    for node in nodes:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if not _is_followed(node, is_at_top=node in at_top):
            names = ", ".join(alias.name for alias in node.names)
            raise ImportError(
                f"{module}: changes behind an import of {names} would not be followed; "
                "write `from package.module import name` at the top of the file"
            )
    as_values = _modules_used_as_values(nodes)
    if as_values:
        raise ImportError(
            f"{module}: changes in module {min(as_values)} would not be followed, "
            "since it is used as a value; import it from its package, and write module.name"
        )


def _looks_up(node) -> bool:
    """Whether a node finds code by a name that is computed when it runs."""
    if isinstance(node, ast.Subscript):
        return ast.unparse(node.value) == "sys.modules"
    if isinstance(node, ast.Call):
        of_modules = ast.unparse(node.func).startswith("sys.modules.")
        return of_modules or name_of(node.func) in LOOKUPS
    return False


def _is_followed(statement: ast.Import | ast.ImportFrom, is_at_top: bool) -> bool:
    """Whether it is known which definitions a statement imports, if they are of these packages."""
    if isinstance(statement, ast.Import):
        return not any(_is_ours(alias.name) for alias in statement.names)
    if statement.level:  # a relative import
        return False
    if any(alias.name == "*" for alias in statement.names):
        return False
    return is_at_top or not _modules_imported_by(statement)


def _modules_imported_by(statement: ast.ImportFrom) -> dict[str, str]:
    """The names that an import gives to modules of these packages, with the modules."""
    modules = {}
    for alias in statement.names:
        imported = f"{statement.module}.{alias.name}"
        if imported in sources():
            modules[alias.asname or alias.name] = imported
    return modules


def _modules_used_as_values(nodes: list[ast.AST]) -> set[str]:
    """The names of these packages' modules that stand without an attribute after them.

    Also those whose attribute is a module, as in ``package.module.name``.
    """
    modules: dict[str, str] = {}
    attribute_of: dict[ast.AST, str] = {}
    names = []
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            modules |= _modules_imported_by(node)
        elif isinstance(node, ast.Attribute):
            attribute_of[node.value] = node.attr
        elif isinstance(node, ast.Name):
            names.append(node)
    as_values = set()
    for node in names:
        if node.id in modules:
            attribute = attribute_of.get(node)
            if attribute is None or f"{modules[node.id]}.{attribute}" in sources():
                as_values.add(node.id)
    return as_values


@cache
def _hash(definition: Definition) -> str:
    return hashlib.sha256(canonical(_statements(definition)).encode()).hexdigest()
