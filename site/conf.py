"""Sphinx settings of the site; ``site/build.py`` gathers its sources and calls Sphinx."""

import os
import re
from importlib import metadata

project = "mimlpaper"
author = "The mimlpaper developers"
copyright = "the mimlpaper developers, BSD-3-Clause"
release = metadata.version("mimlpaper")

extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "term_links"]
myst_enable_extensions = [
    "amsmath",
    "attrs_inline",
    "colon_fence",
    "dollarmath",
]
myst_heading_anchors = 3
nb_execution_mode = "off"  # `mimlpaper run` has executed them
nb_output_stderr = "remove"  # progress bars
nb_merge_streams = True
exclude_patterns = ["figures/*.md"]  # parts of the gallery
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]

autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator",
}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "sphinx_book_theme"
html_title = "mimlpaper"
html_static_path = [os.environ["SITE_STATIC"]]
html_favicon = "static/icon.svg"
html_css_files = ["site.css"]
SCRIPTS = (
    "tables.js",
    "cells.js",
    "terms.js",
    "pictures.js",
    "search.js",
    "access.js",
)
html_js_files = [(name, {"defer": "defer"}) for name in SCRIPTS]
html_extra_path = [os.environ["SITE_CSV"]]
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_use_index = False
html_show_search_summary = True  # over http: see static/search.js
html_theme_options = {
    "announcement": os.environ["SITE_ANNOUNCEMENT"],
    "home_page_in_toc": True,
    "navbar_persistent": [],
    "show_navbar_depth": 1,
    "show_toc_level": 2,
    "use_fullscreen_button": False,
}

mathjax_path = "tex-svg.js"  # our own copy; as SVG, it needs no fonts
mathjax3_config = {"options": {"enableMenu": False}}

MARKS = re.compile(r"``.*?``|:\w+:`.*?`|\||(?<=\w)_(?![\w`])")
ENTRY = re.compile(r"[*\w, ]+ : ")  # of a list of parameters or attributes


def make_readable(app, what, name, thing, options, lines):
    """Docstrings are plain text: indented formulas stay as they are, |x| and x_ mean themselves."""
    first_heading = _first_heading(lines)
    readable = []
    for i, line in enumerate(lines):
        if i < first_heading and line.startswith("    "):  # a formula
            if readable and not readable[-1].strip():
                readable += ["::", ""]
            readable.append(line)
            continue
        # What names a parameter is read by numpydoc, and must stay.
        entry = ENTRY.match(line) if i > first_heading else None
        start = entry.end() if entry else 0
        readable.append(line[:start] + MARKS.sub(_escaped, line[start:]))
    lines[:] = readable  # Sphinx reads the list that it has given


def _first_heading(lines):
    """The number of the first line with a rule below it, such as Parameters; else past the end."""
    for i, line in enumerate(lines):
        if line.startswith("---"):
            return i - 1
    return len(lines)


def _escaped(match):
    """A sign that reStructuredText would take for its own; code and roles stay."""
    return f"\\{match[0]}" if len(match[0]) == 1 else match[0]


def skip_of_others(app, what, name, thing, skip, options):
    """Leave out what comes from scikit-learn."""
    module = getattr(thing, "__module__", None) or "mimlpaper"
    return skip or not module.startswith("mimlpaper") or name.endswith("_request")


def setup(app):
    app.connect("autodoc-process-docstring", make_readable, priority=100)
    app.connect("autodoc-skip-member", skip_of_others)
