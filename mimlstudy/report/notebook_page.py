"""An executed notebook as a page of HTML that asks no other host."""

import re
from pathlib import Path

from latex2mathml.converter import convert as latex_to_mathml
from nbconvert import HTMLExporter
from traitlets.config import Config

from mimlpaper import paths

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
# Identifiers of headings and links to them, which notebooks write in lower case.
HEADING = re.compile(r'<h\d id="[^"]*|class="anchor-link" href="[^"]*')
SCRIPTS = (
    "html_head_js",
    "html_head_js_mathjax",
    "html_head_js_mermaidjs",
    "jupyter_widgets",
)
WITHOUT_SCRIPTS = "".join(f"{{% block {name} %}}{{% endblock %}}" for name in SCRIPTS)
# The alternative text of a picture: its own, or that of its cell, as MyST-NB has it.
ALTERNATIVE_TEXT = """{% block data_png scoped %}
{%- set of_cell = cell.metadata.get("mystnb", {}).get("image", {}).get("alt") -%}
{%- set alt = (output | get_metadata("alt", "image/png")) or of_cell -%}
{%- set img = '<img alt="%s" ' % (alt | escape_html) if alt else "<img " -%}
{{ super() | replace("<img ", img, 1) }}
{% endblock %}"""
# JupyterLab's template shows code within an output of Markdown in the font of prose.
CODE_FONT = """{% block html_head_css %}
<style>.jp-OutputArea-output.jp-RenderedMarkdown pre {
  font-family: var(--jp-code-font-family);
}</style>
{% endblock %}"""
TEMPLATE = f"{{% extends 'lab/index.html.j2' %}}{WITHOUT_SCRIPTS}{CODE_FONT}{ALTERNATIVE_TEXT}"
WITHOUT_CELL = ["remove-cell", "hide-cell", "injected-parameters"]  # tags of MyST-NB
LEFT_OUT = {
    "enabled": True,
    "remove_input_tags": ["remove-input", "hide-input"],
    "remove_cell_tags": WITHOUT_CELL,
}
# Also without what tells how a notebook is used.
LEFT_OUT_OF_ANSWERS = LEFT_OUT | {"remove_cell_tags": [*WITHOUT_CELL, "tutorial"]}
TITLE = re.compile("^# (.+)", re.MULTILINE)


def write_page(notebook, path: Path, *, is_answer: bool = False):
    """Write an executed notebook as HTML; its formulas become MathML, which browsers draw.

    Left out are what the tags of MyST-NB remove or hide, and standard error. A page that
    ``is_answer`` to a reader's own question also lacks the tutorial. The cells of ``notebook`` are
    changed.
    """
    title = title_of(notebook) or path.stem
    left_out = LEFT_OUT_OF_ANSWERS if is_answer else LEFT_OUT
    keep_what_is_shown(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = FORMULA.sub(_mathml, cell.source)
    exporter = HTMLExporter(
        config=Config({"TagRemovePreprocessor": left_out}),
        raw_template=TEMPLATE,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    text, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": title}})
    page = HEADING.sub(_in_lower_case, text)
    paths.write_whole(path, page)


def keep_what_is_shown(notebook):
    """Take outputs from its cells that no page shows: standard error, and a notice that is over."""
    for cell in notebook.cells:
        if "outputs" in cell:
            cell.outputs = list(filter(_is_shown, cell.outputs))


def _is_shown(output):
    if "data" in output:
        return any(output.data.values())
    return output.get("name") != "stderr"


def title_of(notebook) -> str:
    """The first heading of the first level in a notebook; "" if it has none."""
    for cell in notebook.cells:
        heading = TITLE.search(cell.source) if cell.cell_type == "markdown" else None
        if heading:
            return heading[1]
    return ""


def _mathml(match):
    display, inline = match.groups()
    if display:
        return latex_to_mathml(display, display="block")
    return latex_to_mathml(inline, display="inline")


def _in_lower_case(match):
    return match[0].lower()
