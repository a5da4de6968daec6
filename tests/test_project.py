"""The project's own files agree with each other."""

import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
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
    locked = pins((ROOT / "requirements.lock").read_text().splitlines(), "==")
    assert DECLARED.items() <= locked.items()


@pytest.mark.parametrize("extra", ["site", "browser", "peers", "cluster"])
def test_lock_of_an_extra_has_the_same_versions_and_repeats_nothing(extra):
    locked = pins((ROOT / f"requirements-{extra}.lock").read_text().splitlines(), "==")
    assert pins(PROJECT["optional-dependencies"][extra], "==").items() <= locked.items()
    assert not locked.keys() & pins((ROOT / "requirements.lock").read_text().splitlines(), "==")


@pytest.mark.parametrize("path", sorted(ROOT.glob("notebooks/*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_are_committed_without_outputs(path):
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None


def test_files_and_functions_stay_short():
    for path in (ROOT / "mimlpaper").rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 330, path
