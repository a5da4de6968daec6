"""Sphinx settings of the site; ``site/build.py`` gathers its sources and calls Sphinx."""

import os
from importlib import metadata

project = "mimlpaper"
author = "The mimlpaper developers"
copyright = "the mimlpaper developers, BSD-3-Clause"
release = metadata.version("mimlpaper")

extensions = ["myst_nb"]
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # `mimlpaper run` has executed them
nb_output_stderr = "remove"  # progress bars
nb_merge_streams = True
exclude_patterns = ["figures/*.md"]  # parts of the gallery
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]

html_theme = "sphinx_book_theme"
html_title = "mimlpaper"
html_static_path = [os.environ["SITE_STATIC"]]
html_favicon = "static/icon.svg"
html_css_files = ["site.css"]
html_js_files = [("tables.js", {"defer": "defer"})]
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_use_index = False
html_show_search_summary = False  # it would fetch pages, which a file system refuses
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
