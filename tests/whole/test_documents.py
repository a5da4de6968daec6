"""README, CONTRIBUTING, the guide and the page of data: what they name exists, examples run."""

import re
from pathlib import Path

import numpy as np
import pages
import pandas as pd
import pytest
from PIL import Image

from mimlpaper.datasets import (
    SCENE_LABELS,
    labelled_bags,
    load_synthetic_scene,
    make_scenes,
    write_bags,
)
from mimlstudy import folders
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.report.command import build_parsers
from mimlstudy.report.notebooks import available_notebooks
from mimlstudy.report.status import artefacts

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "CONTRIBUTING.md", "site/guide.md", "data/README.md")

each_page = pytest.mark.parametrize("page", PAGES)


def text_of(page):
    return (ROOT / page).read_text()


def examples():
    """The Python code of the README and of the guide."""
    code = []
    for page in ("README.md", "site/guide.md"):
        code += re.findall(r"```python\n(.*?)```", text_of(page), re.S)
    return code


@pytest.fixture
def own_files(tmp_path, monkeypatch):
    """A working folder with the files of the guide: bags, and ten images, eight with labels."""
    write_bags(tmp_path / "my_bags.csv", load_synthetic_scene(n_images=40))
    few = load_synthetic_scene(n_images=5)
    new = labelled_bags(
        few.X,
        np.zeros((5, 0)),
        feature_names=few.feature_names,
    )
    write_bags(tmp_path / "new_bags.csv", new)
    code = re.search(
        r"`my_method.py`:\n\n```python\n(.*?)```",
        text_of("site/guide.md"),
        re.S,
    )
    (tmp_path / "my_method.py").write_text(code[1])
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "my_images"
    folder.mkdir()
    pictures, Y, _ = make_scenes(10, random_state=7)
    names = [f"{i:02d}.png" for i in range(10)]
    for name, pixels in zip(names, pictures, strict=True):
        Image.fromarray(pixels).save(folder / name)
    index = pd.Index(names, name="image")
    labels = pd.DataFrame(Y.astype(int), index, SCENE_LABELS)
    labels[:8].to_csv(folder / "labels.csv")
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def shortened(code):
    """An example on fewer bags, by fewer fits."""
    fewer_fits = re.sub(r"(?<=MimlClassifier\()", "n_folds=2, ", code)
    return fewer_fits.replace("[:150]", "[:50]")


@pytest.mark.parametrize("code", examples())
@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
def test_examples_run(own_files, capsys, code):
    exec(compile(shortened(code), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    if "my_images" in code:
        for name in ("08.png", "09.png", *SCENE_LABELS):
            assert name in printed
        assert Image.open(own_files / "explanations.png").width > 500


def commands_on(page):
    """The commands that a page names: their name, and their words."""
    lines = re.findall(
        r"(?:`|^)mimlpaper ([^`#\n]+)",
        text_of(page),
        re.M,
    )
    return [line.split() for line in lines]


def split_by_kind(words):
    options = [word for word in words if word.startswith("--")]
    subject = words[:1] if words and words[0] not in options else []
    return options, subject


@each_page
def test_commands_that_a_page_names_exist_with_their_options_and_subjects(page):
    """A subject is a notebook or an experiment."""
    _, parsers = build_parsers()
    subjects = {
        "run": available_notebooks(),
        "compute": EXPERIMENTS,
        "verify": EXPERIMENTS,
    }
    for name, *words in commands_on(page):
        assert name in parsers
        options, subject = split_by_kind(words)
        for option in options:
            assert option in parsers[name].format_help(), f"{name} {option}"
        if name in subjects:
            assert set(subject) <= set(subjects[name]), f"{name} {subject}"


def test_the_readme_lists_every_command():
    _, parsers = build_parsers()
    listed = re.findall(r"\| `mimlpaper (\w+)", text_of("README.md"))
    assert set(listed) == set(parsers)


@each_page
def test_targets_of_make_that_a_page_names_exist(page):
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"^([a-z]+):", makefile, re.M)
    named = re.findall(r"(?:`|^)make (\w+)", text_of(page), re.M)
    assert set(named) <= set(targets)


def test_the_readme_maps_each_artefact_of_the_paper_to_its_notebook_and_experiments():
    readme = text_of("README.md")
    for artefact in artefacts():
        assert artefact.notebook in readme
        if re.match(r"(Table|Fig\.) \d+$", artefact.title):
            for name in artefact.experiments:
                assert name in readme


def words_of(text):
    """The words of a page beside its code, tables, texts of pictures and addresses of links."""
    without_head = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    without_boxes = re.sub(r"^:::.*$", "", without_head, flags=re.M)
    without_pictures = re.sub(r"!\[[^]]*\]", "", without_boxes)
    without_code = re.sub(
        r"```.*?```",
        "",
        without_pictures,
        flags=re.S,
    )
    without_tables = re.sub(r"^\|.*$", "", without_code, flags=re.M)
    without_marks = re.sub(r"<!--.*?-->", "", without_tables)
    without_addresses = re.sub(r"\]\([^)]*\)", "]", without_marks)
    return re.findall(r"\S*\w\S*", without_addresses)


def test_the_first_pages_are_short():
    readme = text_of("README.md")
    assert len(words_of(readme)) <= 450
    home = pages.home_page(readme, [], folders.figures())
    without_lists_of_pages = home.partition("```{toctree}")[0]
    assert len(words_of(without_lists_of_pages)) <= 450


def test_between_marks_of_the_readme_stand_what_the_home_page_shows_too():
    marks = re.findall(r"^<!-- (\w+) -->$", text_of("README.md"), re.M)
    names = ["problem", "photograph", "answer", "use", "check"]
    assert marks == [mark for name in names for mark in (name, "end")]


@each_page
def test_links_of_a_page_lead_to_files(page):
    folder = (ROOT / page).parent
    for target in re.findall(r"\]\(((?!https?:)[^)#]+)\)", text_of(page)):
        assert (folder / target).exists(), target
