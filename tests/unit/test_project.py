"""The project's own files agree, and imports follow the floors that CONTRIBUTING draws."""

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
PACKAGE = ROOT / "mimlpaper"
EXTRAS = PROJECT["optional-dependencies"]
OLDEST_PYTHON = PROJECT["requires-python"].removeprefix(">=")


def versions(lines):
    """The version of each package in lines such as name>=1.0 or name==1.0."""
    found = (re.fullmatch(r"([\w.-]+)[>=]=([\w.]+)", line) for line in lines)
    return {match[1].lower().replace("_", "-"): Version(match[2]) for match in found if match}


def ranges(*extras):
    """The oldest version of each package that the core, or one of the extras, needs."""
    return versions(sum((EXTRAS[extra] for extra in extras), PROJECT["dependencies"]))


def pins(name):
    return versions((ROOT / "requirements" / f"{name}.lock").read_text().splitlines())


MAIN = pins("main")


def test_environment_rests_on_the_locks():
    text = (ROOT / "environment.yml").read_text().split("dependencies:")[1]
    assert re.findall(r"[^\s-]\S*", text)[:3] == [f"python={OLDEST_PYTHON}", "pip", "pip:"]
    locks = {f"requirements/{name}.lock" for name in ("main", "lab")}
    assert {*re.findall(r"requirements/\w+.lock", text)} == locks


def test_main_lock_is_within_the_ranges_and_installs_on_the_oldest_python():
    assert all(MAIN[name] >= oldest for name, oldest in ranges("notebooks", "test").items())
    for name in MAIN:
        pythons = SpecifierSet(metadata(name)["Requires-Python"] or "")
        assert Version(f"{OLDEST_PYTHON}.0") in pythons, name


def test_locks_of_extras_are_within_their_ranges_and_repeat_nothing():
    for extra in EXTRAS.keys() - {"notebooks", "test"}:
        locked = pins(extra)
        needed = ranges(extra).items() - ranges().items()
        assert all((locked | MAIN)[name] >= oldest for name, oldest in needed), extra
        assert not locked.keys() & MAIN.keys(), extra


def test_notebooks_are_committed_without_outputs():
    for path in ROOT.glob("notebooks/*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None, path.name


def test_functions_fit_a_screen():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                documented = ast.get_docstring(node) is not None
                n_lines = node.end_lineno - node.body[int(documented)].lineno + 1
                assert n_lines <= 40, f"{path.name}: {node.name}"


PICTURES = (ROOT / "CONTRIBUTING.md").read_text().split("```\n")[1:4:2]
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
        allowed = {name for name in HEIGHT if HEIGHT[name] <= HEIGHT[own]}
        allowed = {"bags", "paths", "datasets"} if own == "datasets" else allowed
        assert parts(path) <= allowed, f"{path.name} knows what lies above {own}"


def test_rooms_of_the_study_lead_only_down():
    known = {path.stem: parts(path, PACKAGE / "study") for path in PACKAGE.glob("study/*.py")}
    assert IN_STUDY.keys() <= known.keys()
    for name, height in IN_STUDY.items():
        reached, new = set(), {name}
        while new:
            reached |= new
            new = set().union(*(known[one] for one in new)) - reached
        for other in reached & IN_STUDY.keys():
            assert IN_STUDY[other] <= height, f"{name} leads to {other}, which lies above"
