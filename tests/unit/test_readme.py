"""Examples run as pasted, names exist, and CONTRIBUTING is right to the letter."""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest
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
from mimlpaper.study.tables import results_table

ROOT = Path(__file__).resolve().parents[2]
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
    for code in EXAMPLES:
        exec(compile(code, "README.md", "exec"), {})
        printed = capsys.readouterr().out
        if "my_images" in code:
            assert all(name in printed for name in ("08.png", "09.png", *SCENE_LABELS))
            assert Image.open(ten_images / "reasons.png").width > 500


def test_commands_and_targets_exist():
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


def test_the_map_of_the_readme_names_every_notebook_and_experiment():
    for artefact in ARTEFACTS:
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


def test_a_new_algorithm_runs_is_printed_and_changes_nothing_else(store, monkeypatch):
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
    table, without = (results_table(rows, 1, profile="smoke") for rows in both)
    assert list(table.entries.index) == [*without.entries.index, ("Toy", "ours")]  # not judged
    found, expected = (evaluate_claims({"table1": rows, "table2": rows}) for rows in both)
    assert found == expected
