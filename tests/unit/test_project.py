"""The project's own files agree with each other."""

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "mimlpaper"
TABLES = {"_parser"}  # one line an option of the command line
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pins(lines, separator):
    found = (re.fullmatch(rf"\s*-?\s*([\w.-]+){separator}([\w.]+)", line) for line in lines)
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


DECLARED = pins([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]], "==")


def test_environment_has_the_same_versions():
    conda = pins((ROOT / "environment.yml").read_text().splitlines(), "=")
    assert conda.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    assert conda == DECLARED


def test_lock_has_the_same_versions():
    locked = pins((ROOT / "requirements" / "main.lock").read_text().splitlines(), "==")
    assert DECLARED.items() <= locked.items()


@pytest.mark.parametrize("extra", ["site", "browser", "peers", "cluster", "crate"])
def test_lock_of_an_extra_has_the_same_versions_and_repeats_nothing(extra):
    locked = pins((ROOT / f"requirements/{extra}.lock").read_text().splitlines(), "==")
    assert pins(PROJECT["optional-dependencies"][extra], "==").items() <= locked.items()
    assert not locked.keys() & pins(
        (ROOT / "requirements" / "main.lock").read_text().splitlines(), "=="
    )


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
        if isinstance(node, ast.FunctionDef) and node.name not in TABLES:
            assert code_lines(node) <= 40, f"{path.name}: {node.name}"
