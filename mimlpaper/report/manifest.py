"""Which file shows what, and which command makes it: ``figures/README.md``, ``codecheck.yml``."""

from __future__ import annotations

import json

from mimlpaper.report.artefacts import ARTEFACTS, Artefact

__all__ = ["codecheck_manifest", "gallery"]

GALLERY = """\
# Figures and tables

Written by `mimlpaper manifest`. Figures are PNG and SVG, tables CSV, Markdown and LaTeX, all of
the profile `paper`. `mimlpaper status` tells which are fresh, stale or missing. `make paper` makes
all of them; the commands below make one notebook's. They are in `.venv/bin`.

| artefact | files | notebook | make it anew | its trials alone |
|---|---|---|---|---|
"""

CODECHECK = """\
# Written by `mimlpaper manifest`: what a codechecker makes anew and compares.
version: https://codecheck.org.uk/spec/config/1.0/
paper:
  title: Multi-instance multi-label learning
  authors:
    - name: Zhi-Hua Zhou
    - name: Min-Ling Zhang
    - name: Sheng-Jun Huang
    - name: Yu-Feng Li
  reference: https://doi.org/10.1016/j.artint.2011.10.002
manifest:
"""


def gallery(artefacts: tuple[Artefact, ...] = ARTEFACTS) -> str:
    """``figures/README.md``: a row for each artefact, and the pictures below."""
    rows = [
        f"| {artefact.title} | {' '.join(_link(name, name) for name in artefact.files)} "
        f"| {_link(artefact.notebook, f'../notebooks/{artefact.notebook}.ipynb')} "
        f"| {_code(artefact.make)} | {_code(artefact.compute)} |\n"
        for artefact in artefacts
    ]
    pictures = [
        f"\n## {artefact.title}\n\n![{artefact.shows}]({artefact.files[0]})\n\n{artefact.shows}\n"
        for artefact in artefacts
        if artefact.is_figure
    ]
    return GALLERY + "".join(rows) + "".join(pictures)


def codecheck_manifest(artefacts: tuple[Artefact, ...] = ARTEFACTS) -> str:
    """``codecheck.yml`` of CODECHECK's specification 1.0: one file for each artefact."""
    entries = [
        f"  - file: figures/{artefact.files[0]}\n"
        f"    comment: {json.dumps(f'{artefact.title}, made by: {artefact.make}')}\n"
        for artefact in artefacts
    ]
    return CODECHECK + "".join(entries)


def _link(text, target):
    return f"[{text}]({target})"


def _code(text):
    return f"`{text}`" if text else ""
