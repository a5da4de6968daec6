"""Sources are written so that fingerprints can follow them, and read once; the commit is safe."""

import ast
import builtins
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine import fingerprint, provenance
from mimlstudy.engine.records import Store, fingerprint_today
from mimlstudy.engine.sources import sources
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import get_experiment
from tests.made_up_study import forget_fingerprints, raising
from tests.systems import on_posix

PACKAGES = ("mimlpaper", "mimlstudy")


@pytest.fixture(scope="module")
def trees():
    """The syntax tree of each module of both packages."""
    return {module: ast.parse(source) for module, source in sources().items()}


def test_no_loop_defines_names(trees):
    for module, tree in trees.items():
        loops = [node for node in tree.body if isinstance(node, ast.For | ast.While)]
        assert not loops, module


def test_names_are_imported_from_modules_by_their_full_name(trees):
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, module
                assert node.names[0].name != "*", module
            if isinstance(node, ast.Import):
                for alias in node.names:
                    assert not alias.name.startswith(PACKAGES), module


def is_compiled(function):
    decorators = [ast.dump(decorator) for decorator in function.decorator_list]
    return any("jit" in decorator for decorator in decorators)


def names_from_our_modules(tree):
    names = set()
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    for node in imports:
        if node.module.startswith(PACKAGES):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def names_used_in(function):
    """Names that a function reads and does not define."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    assigned = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    parameters = {parameter.arg for parameter in function.args.args}
    return {name.id for name in names} - assigned - parameters


def test_compiled_functions_call_compiled_functions_of_their_file_alone(trees):
    """Numba keeps compiled code until its own file changes: other files could change unseen."""
    for module, tree in trees.items():
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        plain = {function.name for function in functions if not is_compiled(function)}
        not_callable = plain | names_from_our_modules(tree)
        for function in functions:
            if is_compiled(function):
                calls = names_used_in(function) & not_callable
                assert not calls, f"{module}.{function.name}"


def test_no_file_is_read_after_the_first_store_is_open(monkeypatch, tmp_path):
    """What is edited while trials run does not change their fingerprints."""
    Store(tmp_path, CATALOGUE)
    forget_fingerprints(monkeypatch)
    names = cache(fingerprint._names.__wrapped__)
    monkeypatch.setattr(fingerprint, "_names", names)
    refuse = raising(AssertionError("a file is read"))
    monkeypatch.setattr(Path, "read_bytes", refuse)
    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(builtins, "open", refuse)
    experiment = get_experiment("table1")
    assert fingerprint_today(experiment, CATALOGUE, "scene", "Ml-knn", "{}")


GIT = shutil.which("git")
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org")


@pytest.fixture
def git(tmp_path):
    """Runs Git in a folder of its own."""
    if GIT is None:
        pytest.skip("needs Git")

    def run(*words):
        command = [GIT, "-C", tmp_path, *IDENTITY, *words]
        subprocess.run(command, check=True, capture_output=True)

    return run


@pytest.fixture
def checkout(git, tmp_path, monkeypatch):
    """Both packages in a commit of their own: a folder with a module in each."""
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "module.py").write_text("A = 1\n")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    monkeypatch.setattr(folders, "PACKAGE", tmp_path / "mimlstudy")
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "mimlpaper")
    return tmp_path


def test_the_commit_of_changed_code_has_a_plus_and_line_ends_do_not_count(checkout):
    commit = provenance._commit()
    assert re.fullmatch("[0-9a-f]{12}", commit)
    module = checkout / "mimlpaper" / "module.py"
    module.write_bytes(b"A = 1\r\n")
    assert provenance._commit() == commit
    module.write_text("A = 2\n")
    assert provenance._commit() == commit + "+"


@on_posix
def test_the_commit_is_asked_without_starting_what_a_folder_names(checkout, git):
    """The configuration of a foreign checkout may name programs that `git status` starts."""
    started = checkout / "started"
    program = checkout / "program"
    program.write_text(f"#!/bin/sh\ntouch {started}\n")
    program.chmod(0o755)
    git("config", "core.fsmonitor", str(program))
    git("config", "core.pager", str(program))
    assert re.fullmatch("[0-9a-f]{12}", provenance._commit())
    (checkout / "mimlpaper" / "module.py").write_text("A = 2\n")
    assert provenance._commit().endswith("+")
    assert not started.exists()
    # The trap works: Git itself starts it.
    git("status")
    assert started.exists()
