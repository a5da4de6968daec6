"""An executed notebook as a page: alternative texts, figures as SVG, names to link to."""

import re

import nbformat
from markupsafe import Markup
from pages import HEAVY
from terms import slug

from mimlpaper.study.companion import DRAWN
from mimlpaper.study.scorecard import ARTEFACTS
from mimlpaper.study.trials import PROFILES

# The last argument of save_table and save_figure, which may name several in a loop.
NAMED = re.compile(r',\s*f?"([\w{}]+)"(?:,\s*of=\w+)?,?\s*\)')
# The first argument of a notebook's own function that draws and saves.
DRAWN_BY = re.compile(r'\b(?:curves|draw\w*|show\w*)\(f?"([\w{}]+)"')
TABLE = re.compile(r"(?:\.table|as_asked)\((\d)[,)]")


def page_of(notebook, name, figures):
    """Make a page of the executed notebook ``name``, in place; the files of what it shows.

    MyST-NB takes alternative texts from the cells' metadata. ``figures`` is the folder of figures.
    """
    notebook.metadata.pop("widgets", None)  # they would ask another host for scripts
    cells, shown = [], []
    for cell in notebook.cells:
        cells.append(cell)
        if "injected-parameters" in cell.metadata.get("tags", ()):
            cell.metadata["tags"].append("remove-cell")
        for output in cell.get("outputs", ()):
            text = output.get("metadata", {}).get("image/png", {}).get("alt")
            if text:
                cell.metadata["mystnb"] = {"image": {"alt": text}}
                _as_svg(output, text, figures)
        own = [
            artefact for artefact in artefacts_in(cell)
            if artefact.notebook == name and artefact.file not in shown
        ]  # fmt: skip
        if own:
            fold(cell)
            cells.append(nbformat.v4.new_markdown_cell("\n".join(map(_caption, own))))
            shown += [artefact.file for artefact in own]
    notebook.cells = cells
    return shown


def fold(cell):
    """Hide the code of a figure or a table behind a click; what comes of it stays open."""
    tags = cell.metadata.setdefault("tags", [])
    if cell.source.count("\n") > 0 and not {"remove-input", "hide-input"} & set(tags):
        tags.append("hide-input")


def artefacts_in(cell):
    """The artefacts that a cell shows."""
    if not cell.get("outputs"):
        return []
    names = NAMED.findall(cell.source) + DRAWN_BY.findall(cell.source)
    names += [f"table{n}" for n in TABLE.findall(cell.source)]
    patterns = [re.sub(r"\{\w+\}", r"\\w+", name) for name in names]
    return [
        artefact for pattern in patterns for artefact in ARTEFACTS
        if re.fullmatch(pattern, artefact.file)
    ]  # fmt: skip


def _caption(artefact):
    caption = Markup('<p class="named" id="{}"><a href="../gallery.html#{}">{}</a></p>')
    return caption.format(artefact.file, slug(artefact.title), artefact.title)


def _as_svg(output, text, figures):
    """Show the published SVG in place of the PNG, unless it is of other data, or heavy."""
    for artefact in ARTEFACTS:
        vector = figures / f"{artefact.file}.svg"
        same = text.removeprefix(DRAWN).strip() == f"{artefact.title}. {artefact.shows}"
        published = DRAWN not in text or figures.name in PROFILES
        if same and published and vector.is_file() and vector.stat().st_size <= HEAVY:
            output.data = {"image/svg+xml": vector.read_text()}
            output.metadata = {}
