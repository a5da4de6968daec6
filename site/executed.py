"""Executed notebooks: which there are, and each as a page of the site.

A page has alternative texts, captions, figures as SVG, links to tables as CSV, and names to link
to.
"""

import argparse
import re
import sys

import nbformat
from markupsafe import Markup
from parts import TO_NOTEBOOK, lightest
from terms import link, slug

from mimlstudy import folders
from mimlstudy.engine.trials import PROFILES
from mimlstudy.report.notebooks import available_notebooks
from mimlstudy.report.status import artefacts

# A head without words is no head to a screen reader.
EMPTY_HEAD = re.compile(r"<th((?:\s[^>]*)?)>(?:\s|&nbsp;)*</th>")
# The mark of a number that has an address, see mimlstudy.report.tables.
ADDRESS = re.compile(r'<span data-address="([^"]*)">(.*?)</span>', re.DOTALL)
CAPTION = Markup('<p class="named" id="{file}">{title}{words}{csv}</p>')
CAPTION_OF_PICTURE = Markup('<p class="named">{words}</p>')


def profile_of_command(about):
    """The profile that the command line names, and two texts that are empty for "paper".

    They are what ends the names of its folders, and a note for readers.
    """
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--profile", choices=PROFILES, default="paper")
    profile = parser.parse_args().profile
    if profile == "paper":
        return profile, "", ""
    note = f"Profile {profile}: a trial run, which says nothing about the paper's numbers."
    return profile, f"-{profile}", note


def executed_notebooks(profile):
    """Files of executed notebooks by name; those that are missing are listed as left out.

    Ends the command if there are none.
    """
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
    """Make a page of the executed notebook ``name``, in place; return the files of its artefacts.

    MyST-NB takes alternative texts from the cells' metadata. ``figures`` is the folder of figures.
    Below each picture and table stands its caption. Each output says which artefact it is: see
    :meth:`~mimlstudy.report.companion.Companion.save_figure`.
    """
    notebook.metadata.pop("widgets", None)  # they would ask another host for scripts
    by_file = {artefact.file: artefact for artefact in artefacts()}
    cells, shown = [], []
    for cell in notebook.cells:
        cells.append(cell)
        if "injected-parameters" in cell.metadata.get("tags", ()):
            cell.metadata["tags"].append("remove-cell")
        captions = []
        for output in cell.get("outputs", ()):
            artefact = by_file.get(output.get("metadata", {}).get("artefact"))
            # An artefact is named once: of two places with one name a browser finds the first.
            is_named = artefact and artefact.notebook == name and artefact.file not in shown
            text = _made_readable(cell, output, figures)
            if is_named:
                shown.append(artefact.file)
                captions.append(_caption(artefact, output, figures))
            elif text:
                captions.append(CAPTION_OF_PICTURE.format(words=text))
        if captions:
            cells.append(nbformat.v4.new_markdown_cell("\n".join(captions)))
    notebook.cells = cells
    return shown


def _made_readable(cell, output, figures):
    """Make an output readable to all, and light; return the words of its picture, or ""."""
    data = output.get("data", {})
    html = data.get("text/html", "")
    if "sk-container" in html:
        del data["text/html"]  # scikit-learn's picture of an estimator: its text says as much
    elif html:
        html = ADDRESS.sub(r'<a class="number" href="../cell.html#\1">\2</a>', html)
        data["text/html"] = EMPTY_HEAD.sub(r"<td\1></td>", html)
    if "text/markdown" in data:  # whose links Sphinx leaves as they are
        data["text/markdown"] = TO_NOTEBOOK.sub(r"](\1.html", data["text/markdown"])
    text = output.get("metadata", {}).get("image/png", {}).get("alt", "")
    if text:
        cell.metadata["mystnb"] = {"image": {"alt": text}}
    file = output.get("metadata", {}).get("artefact")
    if text and file and lightest(figures, file) == f"{file}.svg":
        output.data = {"image/svg+xml": (figures / f"{file}.svg").read_text(encoding="utf-8")}
        del output.metadata["image/png"]
    return text


def _caption(artefact, output, figures):
    """The artefact's title, which leads to the gallery, and its words; of a table its CSV."""
    title = link(f"../gallery.html#{slug(artefact.title)}", artefact.title)
    caption = output.metadata.get("caption")
    words = f". {caption}" if caption else ""
    csv = ""
    if (figures / f"{artefact.file}.csv").is_file():
        csv = Markup(" ({})").format(link(f"../csv/{artefact.file}.csv", "CSV"))
    return CAPTION.format(file=artefact.file, title=title, words=words, csv=csv)
