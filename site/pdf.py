"""The whole companion as one PDF: executed notebooks through pandoc and Typst, both from PyPI.

``python site/pdf.py`` writes ``build/mimlpaper.pdf`` from ``build/paper``, what ``mimlpaper run``
has executed; with ``--profile smoke`` it writes ``build/mimlpaper-smoke.pdf``.
"""

import argparse
import re
import sys
from pathlib import Path

import pypandoc
import typst

from mimlpaper.paths import write_whole
from mimlpaper.study.notebooks import available_notebooks
from mimlpaper.study.trials import PROFILES

BUILD = Path(__file__).resolve().parents[1] / "build"
TITLE = "mimlpaper, the companion of Multi-Instance Multi-Label Learning"
NOTE = "Profile {}: a trial run, which says nothing about the paper's numbers."
# Links to headings, styles, and scikit-learn's pictures of estimators up to the next cell.
LEFT_OUT = (
    r'<a class="anchor-link".*?</a>|<style.*?</style>|'
    r'<div [^>]*id="sk-container-id.*?(?=<div [^>]*class="jp-Cell|$(?!\n))'
)
PREAMBLE = """\
#let horizontalrule = line(length: 100%, stroke: 0.5pt)
#set document(title: "{title}")
#set page(paper: "a4", margin: 1.8cm, numbering: "1")
#set text(size: 9.5pt)
#set par(justify: true)
#set table(stroke: none, inset: 2pt)
#show table: set text(size: 6.5pt)
#show table: set par(justify: false)
#show figure: set block(breakable: true)
#show raw.where(block: true): set text(size: 7.5pt)
#show raw.where(block: true): block.with(fill: luma(245), inset: 5pt, width: 100%)
#align(center, text(size: 20pt)[{title}])
#align(center)[{note}]
#outline(depth: 2)
"""


def main():
    """Write the PDF of one profile."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--profile", choices=PROFILES, default="paper")
    profile = parser.parse_args().profile
    pages = [BUILD / profile / f"{name}.html" for name in in_reading_order()]
    pages = [page for page in pages if page.is_file()]
    if not pages:
        sys.exit(f"nothing to show: run mimlpaper run --profile {profile} first")
    name = "mimlpaper" if profile == "paper" else f"mimlpaper-{profile}"
    folder = BUILD / f"{name}-typst"
    note = "" if profile == "paper" else NOTE.format(profile)
    parts = [chapter(page, folder / page.stem) for page in pages]
    text = PREAMBLE.format(title=TITLE, note=note) + "\n\n#pagebreak()\n\n".join(["", *parts])
    source = write_whole(folder / f"{name}.typ", text)
    print(write_whole(BUILD / f"{name}.pdf", typst.compile(str(source), root=str(folder))))


def in_reading_order():
    """Names of notebooks: numbers by size, then appendices, then the others."""
    return sorted(available_notebooks(), key=lambda name: [
        (0, int(part), "") if part.isdigit() else (1, 0, part)
        for part in name.split("_", 1)[:1]
    ])  # fmt: skip


def chapter(page, media):
    """A page as Typst, with its pictures in a folder of their own."""
    body = page.read_text().partition("<body")[2].partition(">")[2]
    body = re.sub(LEFT_OUT, "", body, flags=re.DOTALL)
    text = pypandoc.convert_text(
        body,
        "typst",
        "html-native_divs-native_spans",
        extra_args=[f"--extract-media={media}", "--wrap=none"],
    )
    text = re.sub(r"^<[\w.:-]+>$", "", text, flags=re.MULTILINE)  # labels are not unique
    text = text.replace("dot.circle", "dot.o")  # pandoc writes a name that Typst no longer has
    return text.replace(f'"{media}/', f'"/{media.name}/')


if __name__ == "__main__":
    main()
