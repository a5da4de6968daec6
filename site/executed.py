"""Executed notebooks: which there are, and each as a page of the site.

A page has alternative texts, captions, figures as SVG, links to tables as CSV, and names to link
to.
"""

import argparse
import re
import sys

import nbformat
from markupsafe import Markup
from parts import lightest
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
PICTURES = {f"{shown.title}. {shown.shows}": shown.file for shown in ARTEFACTS if shown.shows}
# A head without words is no head to a screen reader.
EMPTY_HEAD = re.compile(r"<th((?:\s[^>]*)?)>(?:\s|&nbsp;)*</th>")
# The mark of a number that has an address, see mimlstudy.report.tables.
ADDRESS = re.compile(r'<span data-address="([^"]*)">(.*?)</span>', re.DOTALL)
CAPTION = Markup('<p class="named" id="{file}">{title}{words}{csv}</p>')
CAPTION_OF_PICTURE = Markup('<p class="named">{words}</p>')


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
    executed = {}
    for name in available_notebooks():
        file = folders.build(profile) / f"{name}.ipynb"
        if file.is_file():
            executed[name] = file
        else:
            command = f"mimlpaper run {name} --profile {profile}"
            print(f"left out: {name} ({command})", file=sys.stderr)
    if not executed:
        sys.exit(f"nothing to show: run mimlpaper run --profile {profile} first")
    return executed


def page_of(notebook, name, figures):
    """Make a page of the executed notebook ``name``, in place; the files of what it shows.

    MyST-NB takes alternative texts from the cells' metadata. ``figures`` is the folder of figures.
    Code of several lines is folded behind a click, but for the parameters.
    """
    notebook.metadata.pop("widgets", None)  # they would ask another host for scripts
    cells, shown = [], []
    for cell in notebook.cells:
        cells.append(cell)
        _fold(cell)
        texts = [_readable(cell, output, figures) for output in cell.get("outputs", ())]
        artefacts = [
            artefact
            for artefact in artefacts_in(cell)
            if artefact.notebook == name and artefact.file not in shown
        ]
        captions = [_caption(artefact, figures) for artefact in artefacts]
        captions += [CAPTION_OF_PICTURE.format(words=text) for text in texts if _is_own(text)]
        if captions:
            cells.append(nbformat.v4.new_markdown_cell("\n".join(captions)))
        shown += [artefact.file for artefact in artefacts]
    notebook.cells = cells
    return shown


def _fold(cell):
    """Set the tags that fold a cell's code, or leave the cell out."""
    tags = cell.metadata.setdefault("tags", [])
    if "injected-parameters" in tags:
        tags.append("remove-cell")
    is_long = cell.cell_type == "code" and "\n" in cell.source
    if is_long and not UNFOLDED & set(tags):
        tags.append("hide-input")


def _readable(cell, output, figures):
    """Make an output readable to all, and light; the words of its picture, if it has any."""
    data = output.get("data", {})
    html = data.get("text/html", "")
    if "sk-container" in html:
        del data["text/html"]  # scikit-learn's picture of an estimator: its text says as much
    elif html:
        html = ADDRESS.sub(r'<a class="number" href="../cell.html#\1">\2</a>', html)
        data["text/html"] = EMPTY_HEAD.sub(r"<td\1></td>", html)
    text = output.get("metadata", {}).get("image/png", {}).get("alt", "")
    if text:
        cell.metadata["mystnb"] = {"image": {"alt": text}}
    file = PICTURES.get(text)
    if file and lightest(figures, file) == f"{file}.svg":
        output.data = {"image/svg+xml": (figures / f"{file}.svg").read_text()}
        output.metadata = {}
    return text


def _is_own(text):
    """Whether a picture has words and is no artefact, which has a caption of its own."""
    return bool(text) and text not in PICTURES


def artefacts_in(cell):
    """The artefacts that a cell shows."""
    if not cell.get("outputs"):
        return []
    names = NAMED.findall(cell.source) + DRAWN_BY.findall(cell.source)
    names += [f"table{number}" for number in TABLE.findall(cell.source)]
    patterns = [re.sub(r"\{\w+\}", r"\\w+", name) for name in names]
    return [
        artefact
        for pattern in patterns
        for artefact in ARTEFACTS
        if re.fullmatch(pattern, artefact.file)
    ]


def _caption(artefact, figures):
    """The artefact's title, which leads to the gallery, and its words; of a table its CSV."""
    title = link(f"../gallery.html#{slug(artefact.title)}", artefact.title)
    words = f". {artefact.shows}" if artefact.shows else ""
    csv = ""
    if (figures / f"{artefact.file}.csv").is_file():
        csv = Markup(" ({})").format(link(f"../csv/{artefact.file}.csv", "CSV"))
    return CAPTION.format(file=artefact.file, title=title, words=words, csv=csv)
