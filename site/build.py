"""Build the site: gather executed notebooks, figures and pages, then run Sphinx.

``python site/build.py`` writes ``build/site`` from ``build/paper``, what ``mimlpaper run`` has
executed; with ``--profile smoke`` it writes ``build/site-smoke`` from ``build/smoke``.
"""

import importlib.metadata
import json
import os
import re
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import gallery
import nbformat
import pages
import pandas as pd
from api import api_pages
from argument import argument
from cells import cells_page
from executed import executed_notebooks, page_of, profile_of_command
from parts import HERE, add_jpegs, copy_figures
from sphinx.cmd.build import main as sphinx

from mimlstudy import folders
from mimlstudy.report.companion import Companion
from mimlstudy.report.status import artefact_status

ROOT = folders.project_root()
MATHJAX = "sphinx-mathjax-offline/static/mathjax/tex-svg.js"
FIGURE = re.compile(r"\]\(figures/(\w+)\.png\)")  # a figure in a Markdown text
HEADING = re.compile(r"^#+ (.*)", re.MULTILINE)
OWN_TEXTS = (
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "codecheck.yml",
    "data/README.md",
    "data/divergences.csv",
)


def main():
    """Build the site of one profile; the exit status is Sphinx's."""
    profile, ending, note = profile_of_command(__doc__)
    sources = folders.build(f"site{ending}-sources")
    target = folders.build(f"site{ending}")
    for folder in (sources, target):
        shutil.rmtree(folder, ignore_errors=True)
    # A second process runs the examples and trains the learners, while this one reads records.
    with ProcessPoolExecutor(1, get_context("spawn")) as beside:
        computed = {
            "api": beside.submit(api_pages),
            "play": beside.submit(pages.play_page),
        }
        gather(sources, profile, computed)
    # Sphinx reads its settings from conf.py, which knows no profile.
    os.environ["SITE_STATIC"] = str(sources / "static")
    os.environ["SITE_CSV"] = str(sources / "extra")
    os.environ["SITE_ANNOUNCEMENT"] = note
    settings = [
        "-Wq",
        "--keep-going",
        "-j",
        "auto",
        "-c",
        HERE,
        "-d",
        f"{sources}-doctrees",
    ]
    exit_status = sphinx([*map(str, settings), str(sources), str(target)])
    if exit_status == 0:
        print(f"{target / 'index.html'} opens in a browser as it is")
    return exit_status


def gather(sources, profile, computed):
    """Copy the parts of the project that pages refer to, and write the generated pages.

    ``computed`` are futures of the API's pages, "api", and of the page "play".
    """
    paper = Companion(profile=profile)
    shown_by_notebook, headings = gather_notebooks(sources / "notebooks", profile, paper.folder)
    gather_static(sources / "static")
    figures = copy_figures(paper.folder, sources / "figures")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    add_figures(figures, readme + (HERE / "home.md").read_text(encoding="utf-8"))
    add_jpegs(figures)
    gather_texts(sources)
    write_argument(sources / "static", paper.recorded)
    card = paper.scorecard()
    write_tables(sources / "extra" / "csv", figures, card)
    status_of = {row["artefact"]: row for row in artefact_status(profile)}
    texts = {
        "index": pages.home_page(readme, shown_by_notebook, figures),
        "readme": pages.readme_page(readme, shown_by_notebook, figures),
        "guide": (HERE / "guide.md").read_text(encoding="utf-8").replace("](../", "]("),
        "scorecard": pages.scorecard_page(card, profile),
        "cell": cells_page(paper.in_any_state, paper.store, profile),
        "claims": pages.claims_page(card, profile, headings),
        "glossary": pages.glossary_page(),
        "choices": pages.choices_page(),
        "gallery": gallery.gallery_page(status_of, shown_by_notebook, profile, figures),
        "explore": pages.explore_page(paper.recorded),
        "story": pages.story_page(paper.recorded),
        "play": computed["play"].result(),
    }
    (sources / "api").mkdir()
    texts |= computed["api"].result()
    for name, text in texts.items():
        (sources / f"{name}.md").write_text(text, encoding="utf-8")


def gather_notebooks(folder, profile, figures):
    """Write the executed notebooks as pages; return the artefacts that each shows, and headings."""
    folder.mkdir(parents=True)
    shown, headings = {}, {}
    for name, path in executed_notebooks(profile).items():
        notebook = nbformat.read(path, as_version=4)
        shown[name] = page_of(notebook, name, figures)
        words = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
        headings[name] = HEADING.findall("\n".join(words))
        nbformat.write(notebook, folder / path.name)
    return shown, headings


def gather_static(folder):
    """Copy the site's scripts and looks, and MathJax."""
    shutil.copytree(HERE / "static", folder)
    package = importlib.metadata.distribution("sphinx-mathjax-offline")
    shutil.copy(package.locate_file(MATHJAX), folder)


def gather_texts(sources):
    """Copy the project's own texts, with links as the site has them."""
    for file in OWN_TEXTS:
        (sources / file).parent.mkdir(exist_ok=True)
        text = (ROOT / file).read_text(encoding="utf-8")
        (sources / file).write_text(text.replace("](site/", "]("), encoding="utf-8")


def add_figures(folder, text):
    """Copy the repository's figures that a text shows and this profile lacks."""
    for name in FIGURE.findall(text):
        for file in (f"{name}.png", f"{name}.svg"):
            target = folder / file
            if not target.exists():
                shutil.copy(ROOT / "figures" / file, target)


def write_argument(folder, get_records):
    """Write what the page of claims judges: as a script, since a page from disk cannot fetch."""
    data = json.dumps(argument(get_records))
    (folder / "argument.js").write_text(f"const ARGUMENT = {data};\n", encoding="utf-8")


def write_tables(folder, figures, card):
    """Write the CSV files that the site's tables offer."""
    folder.mkdir(parents=True)
    for file in figures.glob("*.csv"):
        shutil.copy(file, folder)
    pages.choices_log().to_csv(folder / "open_choices.csv", index=False)
    pd.DataFrame(card["cells"]).to_csv(folder / "cells.csv", index=False)
    rows = [claim_row(claim) for claim in card["claims"]]
    pd.DataFrame(rows).to_csv(folder / "claims_by_view.csv", index=False)


def claim_row(claim):
    """A row of claims_by_view.csv: the claim, and its verdict by each view."""
    words = {view: verdict["word"] for view, verdict in claim["verdicts"].items()}
    return {
        "id": claim["id"],
        "where": claim["where"],
        "claim": claim["claim"],
        **words,
    }


if __name__ == "__main__":
    sys.exit(main())
