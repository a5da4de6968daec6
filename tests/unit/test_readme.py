"""The README's examples run as pasted, and its names exist."""

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from PIL import Image

from mimlpaper.datasets import SCENE_LABELS, make_scenes
from mimlpaper.study.companion import Companion
from mimlpaper.study.notebooks import available_notebooks
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.scorecard import ARTEFACTS, in_words

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BOTH = README + (ROOT / "site" / "guide.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", BOTH, flags=re.DOTALL)
MOST_WORDS = 900


@pytest.fixture
def ten_images(tmp_path, monkeypatch):
    """A working folder with ``my_images``: ten of them, eight with labels."""
    folder = tmp_path / "my_images"
    folder.mkdir()
    pictures, Y, _ = make_scenes(10, random_state=7)
    names = [f"{i:02d}.png" for i in range(10)]
    for name, pixels in zip(names, pictures, strict=True):
        Image.fromarray(pixels).save(folder / name)
    table = pd.DataFrame(Y.astype(int), pd.Index(names, name="image"), SCENE_LABELS)
    table[:8].to_csv(folder / "labels.csv")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plt.close("all")


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
@pytest.mark.parametrize("code", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run(code, ten_images, capsys):
    exec(compile(code, "README.md", "exec"), {})
    if "my_images" in code:
        printed = capsys.readouterr().out
        assert all(name in printed for name in ("08.png", "09.png", *SCENE_LABELS))
        assert Image.open(ten_images / "reasons.png").width > 500


def test_the_outcome_is_that_of_the_records():
    outcome = in_words(Companion(profile="paper").scorecard())
    assert " ".join(outcome.split()) in " ".join(README.split()), "run: mimlpaper manifest"


def test_commands_name_what_exists():
    for name in re.findall(r"mimlpaper run (\w+)", BOTH):
        assert name in available_notebooks()
    for name in re.findall(r"mimlpaper compute (\w+)", BOTH):
        assert name in EXPERIMENTS


def test_every_notebook_and_every_experiment_of_the_paper_is_in_the_map():
    for artefact in ARTEFACTS:
        assert artefact.notebook in README
        if artefact.title.startswith(("Fig.", "Table")) and "," not in artefact.title:
            assert artefact.experiment is None or artefact.experiment in README


def test_readme_is_short():
    assert len(README.split()) <= MOST_WORDS


def test_links_lead_to_files():
    for page in (ROOT / "README.md", ROOT / "site" / "guide.md"):
        for target in re.findall(r"\]\(((?!https?:)[^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), target
