"""Executed notebooks: which there are, and each as a page of the site.

A page has alternative texts, figures as SVG, and names to link to.
"""

import argparse
import re
import sys

import nbformat
from markupsafe import Markup
from pages import lightest
from terms import link, slug

from mimlstudy import folders
from mimlstudy.engine.trials import PROFILES
from mimlstudy.report.notebooks import available_notebooks
from mimlstudy.report.status import ARTEFACTS

# Tags of cells whose code is shown or left out anyway.
UNFOLDED = {"parameters", "remove-input", "hide-input", "hide-cell", "remove-cell"}
# The last argument of save_table and save_figure, which may name several in a loop.
NAMED = re.compile(r',\s*f?"([\w{}]+)"(?:,\s*of=\w+)?,?\s*\)')
# The first argument of a notebook's own function that draws and saves.
DRAWN_BY = re.compile(r'\b(?:curves|draw\w*|show\w*)\(f?"([\w{}]+)"')
TABLE = re.compile(r"(?:\.table|as_asked)\((\d)[,)]")
PICTURES = {f"{one.title}. {one.shows}": one.file for one in ARTEFACTS if one.shows}


def asked(about):
    """The profile of the command line, and for all but the paper's an ending and a note."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--profile", choices=PROFILES, default="paper")
    profile = parser.parse_args().profile
    if profile == "paper":
        return profile, "", ""
    note = f"Profile {profile}: a trial run, which says nothing about the paper's numbers."
    return profile, f"-{profile}", note


def executed_notebooks(profile):
    """Files of executed notebooks by name; those that are missing are listed as left out."""
    files = {name: folders.build(profile) / f"{name}.ipynb" for name in available_notebooks()}
    for name, file in files.items():
        if not file.is_file():
            print(f"left out: {name} (mimlpaper run {name} --profile {profile})", file=sys.stderr)
    found = {name: file for name, file in files.items() if file.is_file()}
    return found or sys.exit(f"nothing to show: run mimlpaper run --profile {profile} first")


def page_of(notebook, name, figures):
    """Make a page of the executed notebook ``name``, in place; the files of what it shows.

    MyST-NB takes alternative texts from the cells' metadata. ``figures`` is the folder of figures.
    Code of several lines is folded behind a click, but for the parameters.
    """
    notebook.metadata.pop("widgets", None)  # they would ask another host for scripts
    cells, shown = [], []
    for cell in notebook.cells:
        cells.append(cell)
        tags = cell.metadata.setdefault("tags", [])
        if "injected-parameters" in tags:
            tags.append("remove-cell")
        if cell.cell_type == "code" and "\n" in cell.source and not UNFOLDED & set(tags):
            tags.append("hide-input")
        for output in cell.get("outputs", ()):
            text = output.get("metadata", {}).get("image/png", {}).get("alt")
            if text:
                cell.metadata["mystnb"] = {"image": {"alt": text}}
            file = PICTURES.get(text)
            if file and lightest(figures, file) == f"{file}.svg":
                output.data = {"image/svg+xml": (figures / f"{file}.svg").read_text()}
                output.metadata = {}
        own = [
            artefact
            for artefact in artefacts_in(cell)
            if artefact.notebook == name and artefact.file not in shown
        ]
        if own:
            cells.append(nbformat.v4.new_markdown_cell("\n".join(map(_caption, own))))
            shown += [artefact.file for artefact in own]
    notebook.cells = cells
    return shown


def artefacts_in(cell):
    """The artefacts that a cell shows."""
    if not cell.get("outputs"):
        return []
    names = NAMED.findall(cell.source) + DRAWN_BY.findall(cell.source)
    names += [f"table{n}" for n in TABLE.findall(cell.source)]
    patterns = [re.sub(r"\{\w+\}", r"\\w+", name) for name in names]
    return [
        artefact
        for pattern in patterns
        for artefact in ARTEFACTS
        if re.fullmatch(pattern, artefact.file)
    ]


def _caption(artefact):
    shown = link(f"../gallery.html#{slug(artefact.title)}", artefact.title)
    return Markup('<p class="named" id="{}">{}</p>').format(artefact.file, shown)
