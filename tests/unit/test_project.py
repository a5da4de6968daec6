"""The project's own files agree with each other."""

import ast
import json
import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "mimlpaper"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


EXTRAS = PROJECT["optional-dependencies"]


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
    assert conda.pop("python") == Version(PROJECT["requires-python"].removeprefix(">="))
    assert conda.keys() == ranges("notebooks", "test", "lab").keys()
    assert conda.items() <= (MAIN | pins("requirements/lab.lock")).items()


@pytest.mark.parametrize("name", MAIN)
def test_main_lock_installs_on_the_oldest_python(name):
    oldest = Version(f"{PROJECT['requires-python'].removeprefix('>=')}.0")
    assert oldest in SpecifierSet(metadata(name)["Requires-Python"] or "")


@pytest.mark.parametrize("extra", ["notebooks", "test"])
def test_main_lock_is_within_the_ranges(extra):
    assert all(MAIN[name] >= oldest for name, oldest in ranges(extra).items())


@pytest.mark.parametrize("extra", ["lab", "site", "browser", "pdf", "peers", "cluster"])
def test_lock_of_an_extra_is_within_its_ranges_and_repeats_nothing(extra):
    locked = pins(f"requirements/{extra}.lock")
    needed = ranges(extra).items() - ranges().items()
    assert all(locked[name] >= oldest for name, oldest in needed)
    assert not locked.keys() & MAIN.keys()


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_are_committed_without_outputs(path):
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None


def code_lines(function):
    """Lines of a function's body; its docstring does not count."""
    documented = ast.get_docstring(function) is not None
    return function.end_lineno - function.body[int(documented)].lineno + 1


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: p.stem)
def test_functions_fit_a_screen(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            assert code_lines(node) <= 40, f"{path.name}: {node.name}"
