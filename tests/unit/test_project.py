"""The project's own files agree: locks, floors, examples run as pasted, names exist."""

import ast
import json
import re
import tomllib
from dataclasses import replace
from importlib.metadata import distributions, metadata
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from PIL import Image

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.datasets import SCENE_LABELS, make_scenes
from mimlstudy.engine.execution import compute
from mimlstudy.judge.claims import evaluate_claims
from mimlstudy.paper import section4
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.report.command import build_parsers
from mimlstudy.report.notebooks import available_notebooks
from mimlstudy.report.status import ARTEFACTS

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
LIBRARY, STUDY = ROOT / "mimlpaper", ROOT / "mimlstudy"
EXTRAS = PROJECT["optional-dependencies"]
OLDEST_PYTHON = PROJECT["requires-python"].removeprefix(">=")


def versions(lines):
    """The version of each package in lines such as name>=1.0, or name==1.0 ; a condition."""
    parsed = (re.match(r"([\w.-]+)[>=]=([\w.]+)", line) for line in lines)
    return {match[1].lower().replace("_", "-"): Version(match[2]) for match in parsed if match}


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
    # Some locked packages are for other systems or Pythons, and not here.
    here = {package.name.lower().replace("_", "-") for package in distributions()}
    for name in MAIN.keys() & here:
        pythons = SpecifierSet(metadata(name)["Requires-Python"] or "")
        assert Version(f"{OLDEST_PYTHON}.0") in pythons, name
    for extra in EXTRAS.keys() - {"notebooks", "test"}:
        locked = pins(extra)
        needed = ranges(extra).items() - ranges().items()
        assert all((locked | MAIN)[name] >= oldest for name, oldest in needed), extra
        assert not locked.keys() & MAIN.keys(), extra


def test_every_locked_package_has_hashes():
    for lock in (ROOT / "requirements").glob("*.lock"):
        pinned = re.split(r"^(?=[\w.-]+==)", lock.read_text(), flags=re.MULTILINE)[1:]
        assert pinned, lock.name
        for package in pinned:
            assert "--hash=sha256:" in package, package


def test_notebooks_are_committed_without_outputs():
    for path in ROOT.glob("notebooks/*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None, path.name


def test_functions_fit_a_screen():
    for path in [*LIBRARY.rglob("*.py"), *STUDY.rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                documented = ast.get_docstring(node) is not None
                statements = node.body[int(documented) :] or node.body
                n_lines = node.end_lineno - statements[0].lineno + 1
                assert n_lines <= 50, f"{path.name}: {node.name}"


LIBRARY_PICTURE, STUDY_PICTURE = (ROOT / "CONTRIBUTING.md").read_text().split("```\n")[1:4:2]
# Height of every file and folder of the library.
FLOORS = {
    name: height
    for height, line in enumerate(reversed(LIBRARY_PICTURE.splitlines()))
    for name in line.split()
}
# The modules of each room of the study, the lowest room first.
ROOMS = {room: names for room, *names in map(str.split, reversed(STUDY_PICTURE.splitlines()))}

# Imports that still lead up.
LEADS_UP = {}


def imported_names(path):
    """Every dotted name that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def inner_parts(path, package):
    """The files and folders of a package that a file imports."""
    prefix = f"{package.name}."
    inner = {name.removeprefix(prefix) for name in imported_names(path) if name.startswith(prefix)}
    firsts = {name.split(".")[0] for name in inner}
    return {part for part in firsts if list(package.glob(part)) or list(package.glob(f"{part}.py"))}


def test_the_library_knows_nothing_of_the_study():
    for path in LIBRARY.rglob("*.py"):
        study = [name for name in imported_names(path) if name.split(".")[0] == "mimlstudy"]
        assert not study, path


def test_a_module_of_the_library_knows_only_its_floor_and_those_below():
    modules = set(LIBRARY.rglob("*.py")) - {LIBRARY / "__init__.py"}
    homes = {path: path.relative_to(LIBRARY).parts[0].removesuffix(".py") for path in modules}
    assert set(homes.values()) == set(FLOORS), "the picture shows the whole library"
    for path, home in homes.items():
        allowed = {name for name in FLOORS if FLOORS[name] <= FLOORS[home]}
        allowed = {"arrays", "bags", "paths", "datasets"} if home == "datasets" else allowed
        assert inner_parts(path, LIBRARY) <= allowed, f"{path.name} knows what lies above {home}"


def test_rooms_of_the_study_lead_only_down():
    in_order = list(ROOMS)
    for height, room in enumerate(in_order):
        modules = set((STUDY / room).glob("*.py"))
        assert {path.stem for path in modules} == set(ROOMS[room]), "the picture shows the room"
        for path in modules:
            above = inner_parts(path, STUDY) & set(in_order[height + 1 :])
            known = {to for name, to in LEADS_UP if name == f"{room}/{path.name}"}
            assert above == known, f"{room}/{path.name} leads to {above}"


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
            assert Image.open(ten_images / "explanations.png").width > 500


def test_commands_and_targets_exist_and_the_readme_has_every_artefact():
    """Every command, option, notebook, experiment and make target that a page names."""
    _, commands = build_parsers()
    known = {"run": available_notebooks(), "compute": EXPERIMENTS, "verify": EXPERIMENTS}
    for line in re.findall(r"(?:`|^)mimlpaper ([^`#\n]+)", ALL, re.M):
        command, *words = line.split()
        assert command in commands, line
        options = commands[command].format_help()
        assert all(word in options for word in words if word.startswith("--")), line
        if words and not words[0].startswith("--"):
            assert words[0] in known.get(command, words), line
    assert set(commands) == set(re.findall(r"\| `mimlpaper (\w+)", TEXTS["README.md"]))
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M)
    assert set(re.findall(r"(?:`|^)make (\w+)", ALL, re.M)) <= set(targets)
    for artefact in ARTEFACTS:  # and the README maps each to its notebook and experiments
        assert artefact.notebook in TEXTS["README.md"]
        if re.match(r"(Table|Fig\.) \d+$", artefact.title):
            assert all(name in TEXTS["README.md"] for name in artefact.experiments)


def words_of(page):
    """The words of a page beside its code, tables and addresses of links."""
    without_code = re.sub(r"```.*?```", "", page, flags=re.S)
    without_tables = re.sub(r"^\|.*$", "", without_code, flags=re.M)
    without_marks = re.sub(r"<!--.*?-->", "", without_tables)
    return re.sub(r"\]\([^)]*\)", "]", without_marks).split()


def test_pages_are_short_and_their_links_lead_to_files():
    """Between the marks of the README stand the problem, and the answer as last published."""
    marks = re.findall(r"^<!-- (\w+) -->$", TEXTS["README.md"], re.M)
    assert marks == ["problem", "end", "answer", "end"]
    assert len(words_of(TEXTS["README.md"])) <= 450
    assert len(TEXTS["CONTRIBUTING.md"].splitlines()) <= 95
    for page, text in TEXTS.items():
        for target in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text):
            assert ((ROOT / page).parent / target).exists(), target


class Toy(LabelFrequencies):
    """A learner that the paper does not know."""


def test_a_new_algorithm_runs_and_changes_nothing_else(store, monkeypatch):
    """Section 4 as it is with one more line in its source: no other trial, and no claim."""
    source = Path(section4.__file__).read_text()
    edited = {"__name__": section4.__name__, "Toy": Toy}
    row = 'TABLE_1 = Table({\n    "Toy": Row(Toy()),\n'
    exec(compile(source.replace("TABLE_1 = Table({\n", row), section4.__file__, "exec"), edited)
    for experiment in edited["SECTION4"]:
        experiment = replace(experiment, stand_in=CATALOGUE.stand_in)
        new = [trial for trial in experiment.trials() if trial.method == "Toy"]
        assert len(new) == (30 if experiment.name == "table1" else 0)
        rest = [trial for trial in experiment.trials() if trial not in new]
        assert rest == EXPERIMENTS[experiment.name].trials()
        monkeypatch.setitem(EXPERIMENTS, experiment.name, experiment)

    methods = ["MimlSvm", "MimlNn", "Ml-knn", "Toy"]
    records = compute(EXPERIMENTS["table1"], profile="smoke", methods=methods, jobs=1, store=store)
    assert (records["method"] == "Toy").sum() == 2 and set(records["state"]) == {"current"}
    both = records, records[records["method"] != "Toy"]
    found, expected = (evaluate_claims({"table1": rows, "table2": rows}) for rows in both)
    assert found == expected
