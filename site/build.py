"""Build the site: gather executed notebooks, figures and pages, then run Sphinx.

``python site/build.py`` writes ``build/site`` from ``build/paper``, what ``mimlpaper run`` has
executed; with ``--profile smoke`` it writes ``build/site-smoke`` from ``build/smoke``.
"""

import importlib.metadata
import os
import re
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import nbformat
import pages
from api import api_pages
from executed import asked, executed_notebooks, page_of
from sphinx.cmd.build import main as sphinx

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.report.companion import Companion
from mimlstudy.report.status import artefact_status

ROOT = paths.project_root()
MATHJAX = "sphinx-mathjax-offline/static/mathjax/tex-svg.js"
ALONGSIDE = (
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "codecheck.yml",
    "data/README.md",
    "data/divergences.csv",
)


def main():
    """Build the site of one profile; the exit status is Sphinx's."""
    profile, ending, note = asked(__doc__)
    sources, target = folders.build(f"site{ending}-sources"), folders.build(f"site{ending}")
    for folder in (sources, target):
        shutil.rmtree(folder, ignore_errors=True)
    # Beside the records, which are read here, a second process runs the examples and the learners.
    with ProcessPoolExecutor(1, get_context("spawn")) as beside:
        computed = [beside.submit(make) for make in (api_pages, pages.play_page)]
        gather(sources, profile, computed)
    os.environ |= {"SITE_STATIC": str(sources / "static"), "SITE_ANNOUNCEMENT": note}
    settings = ["-Wq", "--keep-going", "-j", "auto", "-c", pages.HERE, "-d", f"{sources}-doctrees"]
    status = sphinx([*map(str, settings), str(sources), str(target)])
    if status == 0:
        print(f"{target / 'index.html'} opens in a browser as it is")
    return status


def gather(sources, profile, computed):
    """Copy the parts of the project that pages refer to, and write the generated pages.

    ``computed`` are futures of the API's pages and of the page that plays.
    """
    paper, executed, headings = Companion(profile=profile), {}, {}
    (sources / "notebooks").mkdir(parents=True)
    for name, path in executed_notebooks(profile).items():
        notebook = nbformat.read(path, as_version=4)
        executed[name] = page_of(notebook, name, paper.folder)
        words = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
        headings[name] = re.findall(r"^#+ (.*)", "\n".join(words), re.MULTILINE)
        nbformat.write(notebook, sources / "notebooks" / path.name)
    shutil.copytree(pages.HERE / "static", sources / "static")
    mathjax = importlib.metadata.distribution("sphinx-mathjax-offline").locate_file(MATHJAX)
    shutil.copy(mathjax, sources / "static")
    figures = shutil.copytree(paper.folder, sources / "figures")
    readme = (ROOT / "README.md").read_text()
    add_figures(figures, readme + (pages.HERE / "home.md").read_text())
    for file in ALONGSIDE:
        (sources / file).parent.mkdir(exist_ok=True)
        (sources / file).write_text((ROOT / file).read_text().replace("](site/", "]("))
    card = paper.scorecard()
    status = {row["artefact"]: row for row in artefact_status(profile)}
    texts = {
        "index": pages.home_page(readme, executed, figures),
        "readme": pages.readme_page(readme, executed, figures),
        "guide": (pages.HERE / "guide.md").read_text().replace("](../", "]("),
        "scorecard": pages.scorecard_page(card, profile),
        "claims": pages.claims_page(card, profile, headings),
        "glossary": pages.glossary_page(),
        "choices": pages.choices_page(),
        "gallery": pages.gallery_page(status, executed, profile, figures),
        "explore": pages.explore_page(paper.recorded),
        "story": pages.story_page(paper.recorded),
    }
    api, texts["play"] = (future.result() for future in computed)
    (sources / "api").mkdir()
    for name, text in (texts | api).items():
        (sources / f"{name}.md").write_text(text)


def add_figures(folder, text):
    """The repository's figures that a text shows and another profile lacks."""
    for name in re.findall(r"\]\(figures/(\w+)\.png\)", text):
        for file in (f"{name}.png", f"{name}.svg"):
            if not (folder / file).exists():
                shutil.copy(ROOT / "figures" / file, folder / file)


if __name__ == "__main__":
    sys.exit(main())
