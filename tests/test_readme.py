"""What the README shows works as pasted, and names what exists."""

import re
from pathlib import Path

import pytest

from mimlpaper.experiments import EXPERIMENTS
from mimlpaper.notebooks import available_notebooks
from mimlpaper.report import ARTEFACTS

README = (Path(__file__).resolve().parent.parent / "README.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


@pytest.mark.parametrize("code", EXAMPLES, ids=range(len(EXAMPLES)))
def test_examples_run(code):
    exec(compile(code, "README.md", "exec"), {})


def test_commands_name_what_exists():
    for name in re.findall(r"mimlpaper run (\w+)", README):
        assert name in available_notebooks()
    for name in re.findall(r"mimlpaper compute (\w+)", README):
        assert name in EXPERIMENTS


def test_every_notebook_and_every_experiment_of_the_paper_is_in_the_map():
    for artefact in ARTEFACTS:
        assert artefact.notebook in README
        if artefact.title.startswith(("Fig.", "Table")) and "," not in artefact.title:
            assert artefact.experiment is None or artefact.experiment in README
