"""The project's own files agree: locks, floors, examples run as pasted, names exist."""

import ast
import json
import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from PIL import Image

from mimlpaper.baselines.binary_relevance import Guess
from mimlpaper.cli import COMMANDS
from mimlpaper.datasets import SCENE_LABELS, make_scenes
from mimlpaper.study import section4
from mimlpaper.study.claims import evaluate_claims
from mimlpaper.study.notebooks import available_notebooks
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.runner import compute
from mimlpaper.study.scorecard import ARTEFACTS

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


def test_locks_are_within_the_ranges_and_install_on_the_oldest_python():
    """Locks of extras repeat nothing of the main one."""
    assert all(MAIN[name] >= oldest for name, oldest in ranges("notebooks", "test").items())
    for name in MAIN:
        pythons = SpecifierSet(metadata(name)["Requires-Python"] or "")
        assert Version(f"{OLDEST_PYTHON}.0") in pythons, name
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


PAGES = ("README.md", "CONTRIBUTING.md", "site/guide.md", "data/README.md")
TEXTS = {page: (ROOT / page).read_text() for page in PAGES}
ALL = "\n".join(TEXTS.values())
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXTS["README.md"] + TEXTS["site/guide.md"], re.S)


@pytest.fixture
def ten_images(tmp_path, monkeypatch):
    """A working folder with ``my_images``: ten of them, eight with labels."""
    (folder := tmp_path / "my_images").mkdir()
    pictures, Y, _ = make_scenes(10, random_state=7)
    names = pd.Index([f"{i:02d}.png" for i in range(10)], name="image")
    for name, pixels in zip(names, pictures, strict=True):
        Image.fromarray(pixels).save(folder / name)
    pd.DataFrame(Y.astype(int), names, SCENE_LABELS)[:8].to_csv(folder / "labels.csv")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plt.close("all")


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
def test_examples_run(ten_images, capsys):
    for code in EXAMPLES:  # on fewer bags, by fewer fits
        shorter = re.sub(r"(?<=MimlClassifier\()", "n_folds=2, ", code)
        exec(compile(shorter.replace("[:150]", "[:50]"), "README.md", "exec"), {})
        printed = capsys.readouterr().out
        if "my_images" in code:
            assert all(name in printed for name in ("08.png", "09.png", *SCENE_LABELS))
            assert Image.open(ten_images / "reasons.png").width > 500


def test_commands_and_targets_exist_and_the_readme_has_every_artefact():
    """Every command, option, notebook, experiment and make target that a page names."""
    known = {"run": available_notebooks(), "compute": EXPERIMENTS, "verify": EXPERIMENTS}
    for line in re.findall(r"(?:`|^)mimlpaper ([^`#\n]+)", ALL, re.M):
        command, *words = line.split()
        assert command in COMMANDS.choices, line
        options = COMMANDS.choices[command].format_help()
        assert all(word in options for word in words if word.startswith("--")), line
        if words and not words[0].startswith("--"):
            assert words[0] in known.get(command, words), line
    assert set(COMMANDS.choices) == set(re.findall(r"\| `mimlpaper (\w+)", TEXTS["README.md"]))
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M)
    assert set(re.findall(r"(?:`|^)make (\w+)", ALL, re.M)) <= set(targets)
    for artefact in ARTEFACTS:  # and the README maps each to its notebook and experiments
        assert artefact.notebook in TEXTS["README.md"]
        if re.match(r"(Table|Fig\.) \d+$", artefact.title):
            assert all(name in TEXTS["README.md"] for name in artefact.experiments)


def test_pages_are_short_and_their_links_lead_to_files():
    """Between the marks of the README stand the problem, and the answer as last published."""
    marks = re.findall(r"^<!-- (\w+) -->$", TEXTS["README.md"], re.M)
    assert marks == ["problem", "end", "answer", "end"]
    assert len(TEXTS["README.md"].split()) <= 700
    assert len(TEXTS["CONTRIBUTING.md"].splitlines()) <= 80
    for page, text in TEXTS.items():
        for target in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text):
            assert ((ROOT / page).parent / target).exists(), target


class Toy(Guess):
    """A learner that the paper does not know."""


def test_a_new_algorithm_runs_and_changes_nothing_else(store, monkeypatch):
    """Section 4 as it is with one more line in its source: no other trial, and no claim."""
    source = Path(section4.__file__).read_text()
    edited = {"__name__": section4.__name__, "Toy": Toy}
    row = 'TABLE_1 = Table({\n    "Toy": Row(Toy()),\n'
    exec(compile(source.replace("TABLE_1 = Table({\n", row), section4.__file__, "exec"), edited)
    for experiment in edited["SECTION4"]:
        new = [trial for trial in experiment.trials() if trial.method == "Toy"]
        assert len(new) == (30 if experiment.name == "table1" else 0)
        rest = [trial for trial in experiment.trials() if trial not in new]
        assert rest == EXPERIMENTS[experiment.name].trials()
        monkeypatch.setitem(EXPERIMENTS, experiment.name, experiment)

    methods = ["MimlSvm", "MimlNn", "Ml-knn", "Toy"]
    records = compute("table1", profile="smoke", methods=methods, jobs=1, store=store)
    assert (records["method"] == "Toy").sum() == 2 and set(records["state"]) == {"fresh"}
    both = records, records[records["method"] != "Toy"]
    found, expected = (evaluate_claims({"table1": rows, "table2": rows}) for rows in both)
    assert found == expected
