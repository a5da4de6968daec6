"""Imports follow the floors of the house that CONTRIBUTING draws."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "mimlpaper"
STUDY = PACKAGE / "study"
PICTURES = (PACKAGE.parent / "CONTRIBUTING.md").read_text().split("```\n")[1:4:2]
# Height of every file and folder of the package, and of the rooms of the study that are drawn.
HEIGHT, IN_STUDY = (
    {name: n for n, line in enumerate(reversed(one.splitlines())) for name in line.split()}
    for one in PICTURES
)  # fmt: skip


def parts(path, folder=PACKAGE):
    """The files and folders in a folder of the package that a file imports, anywhere in it."""
    prefix, found = ".".join(("mimlpaper", *folder.relative_to(PACKAGE).parts, "")), set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            names = {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
            inner = {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
            found |= {name.split(".")[0] for name in inner}
    return {name for name in found if (folder / name).is_dir() or (folder / f"{name}.py").is_file()}


def test_a_module_knows_only_its_floor_and_those_below():
    modules = set(PACKAGE.rglob("*.py")) - {PACKAGE / "__init__.py"}
    of_module = {path: path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in modules}
    assert set(of_module.values()) == set(HEIGHT), "the picture shows the whole package"
    for path, own in of_module.items():
        for name in parts(path):
            assert HEIGHT[name] <= HEIGHT[own], f"{path.name}: {name} lies above {own}"


def test_rooms_of_the_study_lead_only_down():
    known = {path.stem: parts(path, STUDY) for path in STUDY.glob("*.py")}
    assert IN_STUDY.keys() <= known.keys()
    for name, height in IN_STUDY.items():
        reached, new = set(), {name}
        while new:
            reached |= new
            new = set().union(*(known[one] for one in new)) - reached
        for other in reached & IN_STUDY.keys():
            assert IN_STUDY[other] <= height, f"{name} leads to {other}, which lies above"


def test_data_sets_know_bags_alone():
    for path in (PACKAGE / "datasets").glob("*.py"):
        assert parts(path) <= {"bags", "paths", "datasets"}, path.name
