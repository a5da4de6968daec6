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


def pins(path):
    lines = (ROOT / path).read_text().splitlines()
    found = (re.fullmatch(r"([\w.-]+)==([\w.]+)", line) for line in lines)
    return {match[1].lower().replace("_", "-"): Version(match[2]) for match in found if match}


MAIN = pins("requirements/main.lock")


def test_environment_rests_on_the_locks():
    lines = (ROOT / "environment.yml").read_text().split("dependencies:")[1].splitlines()
    assert [line.strip(" -") for line in lines if line][:3] == [
        f"python={OLDEST_PYTHON}",
        "pip",
        "pip:",
    ]
    assert set(re.findall(r"requirements/\w+.lock", "".join(lines))) == {
        "requirements/main.lock",
        "requirements/lab.lock",
    }


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
