"""Build the site: gather executed notebooks, figures and pages, then run Sphinx.

``python site/build.py`` writes ``build/site`` from ``build/paper``, what ``mimlpaper run`` has
executed; with ``--profile smoke`` it writes ``build/site-smoke`` from ``build/smoke``.
"""

import argparse
import importlib.metadata
import os
import re
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import nbformat
from api import api_pages
from executed import page_of
from pages import (
    HOME,
    choices_page,
    claims_page,
    explore_page,
    gallery_page,
    home_page,
    play_page,
    readme_page,
    scorecard_page,
    story_page,
)
from sphinx.cmd.build import main as sphinx
from terms import glossary_page

from mimlpaper.study.companion import Companion
from mimlpaper.study.notebooks import available_notebooks
from mimlpaper.study.scorecard import artefact_status
from mimlpaper.study.trials import PROFILES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
MATHJAX = "sphinx-mathjax-offline/static/mathjax/tex-svg.js"
ALONGSIDE = ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "codecheck.yml", "data/README.md",
             "data/divergences.csv")  # fmt: skip
NOTE = "Profile {}: a trial run, which says nothing about the paper's numbers."


def main():
    """Build the site of one profile; the exit status is Sphinx's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", choices=PROFILES, default="paper")
    profile = parser.parse_args().profile
    name = "site" if profile == "paper" else f"site-{profile}"
    sources, target = ROOT / "build" / f"{name}-sources", ROOT / "build" / name
    for folder in (sources, target):
        shutil.rmtree(folder, ignore_errors=True)
    # Beside the records, which are read here, a second process runs the examples and the learners.
    with ProcessPoolExecutor(1, get_context("spawn")) as beside:
        computed = [beside.submit(api_pages), beside.submit(play_page)]
        gather(sources, profile, computed)
    os.environ["SITE_STATIC"] = str(sources / "static")
    os.environ["SITE_ANNOUNCEMENT"] = "" if profile == "paper" else NOTE.format(profile)
    settings = ["-Wq", "--keep-going", "-j", "auto", "-c", HERE, "-d", f"{sources}-doctrees"]
    status = sphinx([*map(str, settings), str(sources), str(target)])
    if status == 0:
        print(f"{target / 'index.html'} opens in a browser as it is")
    return status


def gather(sources, profile, computed):
    """Copy the parts of the project that pages refer to, and write the generated pages.

    ``computed`` are futures of the API's pages and of the page that plays.
    """
    paper = Companion(profile=profile)
    shown = {
        name: copy_notebook(name, sources, profile, paper.folder) for name in available_notebooks()
    }
    executed = {name: files for name, files in shown.items() if files is not None}
    if not executed:
        sys.exit(f"nothing to show: run mimlpaper run --profile {profile} first")
    shutil.copytree(HERE / "static", sources / "static")
    mathjax = importlib.metadata.distribution("sphinx-mathjax-offline").locate_file(MATHJAX)
    shutil.copy(mathjax, sources / "static")
    shutil.copytree(paper.folder, sources / "figures", ignore=only_own_files)
    readme = (ROOT / "README.md").read_text()
    add_figures(sources / "figures", readme + HOME.read_text())
    for file in ALONGSIDE:
        (sources / file).parent.mkdir(exist_ok=True)
        (sources / file).write_text((ROOT / file).read_text().replace("](site/", "]("))
    card = paper.scorecard()
    status = {row["artefact"]: row for row in artefact_status(profile)}
    pages = {
        "index": home_page(readme, executed, sources / "figures"),
        "readme": readme_page(readme, executed, sources / "figures"),
        "guide": (HERE / "guide.md").read_text().replace("](../", "]("),
        "scorecard": scorecard_page(card, profile),
        "claims": claims_page(card, profile, headings(sources, executed)),
        "glossary": glossary_page(),
        "choices": choices_page(),
        "gallery": gallery_page(status, executed, profile, sources / "figures"),
        "explore": explore_page(paper.recorded),
        "story": story_page(paper.recorded),
    }
    api, pages["play"] = (future.result() for future in computed)
    (sources / "api").mkdir()
    for name, text in (pages | api).items():
        (sources / f"{name}.md").write_text(text)


def headings(sources, names):
    """Headings of the executed notebooks, by notebook."""
    read = {name: nbformat.read(sources / "notebooks" / f"{name}.ipynb", 4) for name in names}
    words = {
        name: "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
        for name, notebook in read.items()
    }
    return {name: re.findall(r"^#+ (.*)", text, re.MULTILINE) for name, text in words.items()}


def only_own_files(folder, names):
    """Names to leave out: other profiles' folders, and the repository's own gallery."""
    return [name for name in names if name == "README.md" or (Path(folder) / name).is_dir()]


def copy_notebook(name, sources, profile, figures):
    """Copy an executed notebook; the files of what it shows, or None if it was not run."""
    path = ROOT / "build" / profile / f"{name}.ipynb"
    if not path.is_file():
        print(f"left out: {name} (mimlpaper run {name} --profile {profile})", file=sys.stderr)
        return None
    notebook = nbformat.read(path, as_version=4)
    shown = page_of(notebook, name, figures)
    (sources / "notebooks").mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, sources / "notebooks" / path.name)
    return shown


def add_figures(folder, text):
    """The repository's figures that a text shows and another profile lacks."""
    for name in re.findall(r"\]\(figures/(\w+)\.png\)", text):
        for file in (f"{name}.png", f"{name}.svg"):
            if not (folder / file).exists():
                shutil.copy(ROOT / "figures" / file, folder / file)


if __name__ == "__main__":
    sys.exit(main())
