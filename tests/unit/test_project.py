"""The project's own files agree with each other."""

import ast
import json
import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
OLDEST_PYTHON = PROJECT["requires-python"].removeprefix(">=")


def ranges(*extras):
    """The oldest version of each package that the core, or one of the extras, needs."""
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]
    found = (re.fullmatch(r"([\w.-]+)>=([\w.]+)", line) for line in lines)
    return {match[1]: Version(match[2]) for match in found if match}


def pins(path, separator="=="):
    found = (
        re.fullmatch(rf"\s*-?\s*([\w.-]+){separator}([\w.]+)", line)
        for line in (ROOT / path).read_text().splitlines()
    )
    return {match[1].lower().replace("_", "-"): Version(match[2]) for match in found if match}


MAIN = pins("requirements/main.lock")


def test_environment_has_the_locked_versions():
    conda = pins("environment.yml", "=")
    assert conda.pop("python") == Version(OLDEST_PYTHON)
    assert conda.keys() == ranges("notebooks", "test", "lab").keys()
    assert conda.items() <= (MAIN | pins("requirements/lab.lock")).items()


def test_main_lock_is_within_the_ranges_and_installs_on_the_oldest_python():
    assert all(MAIN[name] >= oldest for name, oldest in ranges("notebooks", "test").items())
    for name in MAIN:
        pythons = SpecifierSet(metadata(name)["Requires-Python"] or "")
        assert Version(f"{OLDEST_PYTHON}.0") in pythons, name


def test_locks_of_extras_are_within_their_ranges_and_repeat_nothing():
    for extra in EXTRAS.keys() - {"notebooks", "test"}:
        locked = pins(f"requirements/{extra}.lock")
        needed = ranges(extra).items() - ranges().items()
        assert all((locked | MAIN)[name] >= oldest for name, oldest in needed), extra
        assert not locked.keys() & MAIN.keys(), extra


def test_notebooks_are_committed_without_outputs():
    for path in ROOT.glob("notebooks/*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None, path.name


def test_functions_fit_a_screen():
    for path in (ROOT / "mimlpaper").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                documented = ast.get_docstring(node) is not None
                n_lines = node.end_lineno - node.body[int(documented)].lineno + 1
                assert n_lines <= 40, f"{path.name}: {node.name}"
