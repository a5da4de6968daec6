"""Imports follow the layers of the package that CONTRIBUTING draws."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "mimlpaper"

PICTURE = (PACKAGE.parent / "CONTRIBUTING.md").read_text().split("```\n")[1]
LAYERS = [line.split() for line in reversed(PICTURE.splitlines())]
LAYER = {name: height for height, names in enumerate(LAYERS) for name in names}
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


def part(path):
    """The file or folder of the top level that a module belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name.startswith("mimlpaper."):
                yield name.split(".")[1]


def test_the_picture_shows_the_whole_package():
    assert set(map(part, MODULES)) == set(LAYER)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_knows_only_what_lies_below_or_beside_it(path):
    own = LAYER[part(path)]
    for name in imported(path):
        assert LAYER[name] <= own, f"{name} lies above {part(path)}"


def test_data_sets_know_bags_alone():
    for path in (PACKAGE / "datasets").glob("*.py"):
        assert set(imported(path)) <= {"bags", "paths", "datasets"}
