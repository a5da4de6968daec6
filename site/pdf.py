"""The whole companion as one PDF: executed notebooks through pandoc and Typst, both from PyPI.

``python site/pdf.py`` writes ``build/mimlpaper.pdf`` from ``build/paper``, what ``mimlpaper run``
has executed; with ``--profile smoke`` it writes ``build/mimlpaper-smoke.pdf``.
"""

import re

import pypandoc
import typst
from executed import executed_notebooks, profile_of_command

from mimlpaper import paths
from mimlstudy import folders

TITLE = "mimlpaper, the companion of Multi-Instance Multi-Label Learning"
# Links to headings, styles, and scikit-learn's pictures of estimators up to the next cell.
LEFT_OUT = (
    r'<a class="anchor-link".*?</a>|<style.*?</style>|'
    r'<div [^>]*id="sk-container-id.*?(?=<div [^>]*class="jp-Cell|$(?!\n))'
)
CODE = r'<div class="[^"]*highlight[^"]*"><pre>.*?</pre></div>'
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
    profile, ending, note = profile_of_command(__doc__)
    folder = folders.build(f"mimlpaper{ending}-typst")
    target = folders.build(f"mimlpaper{ending}.pdf")
    pages = [file.with_suffix(".html") for file in executed_notebooks(profile).values()]
    parts = [chapter(page, folder / page.stem) for page in pages]
    text = PREAMBLE.format(title=TITLE, note=note) + "\n\n#pagebreak()\n\n".join(["", *parts])
    source = paths.write_whole(folder / f"mimlpaper{ending}.typ", text)
    print(paths.write_whole(target, typst.compile(str(source), root=str(folder))))


def chapter(page, media):
    """A page as Typst, with its pictures in a folder of their own."""
    body = page.read_text(encoding="utf-8").partition("<body")[2].partition(">")[2]
    left_out = (
        f"{LEFT_OUT}|{CODE}" if page.stem.startswith("0_") else LEFT_OUT
    )  # the scorecard is shown without its code
    body = re.sub(left_out, "", body, flags=re.DOTALL)
    text = pypandoc.convert_text(
        body,
        "typst",
        "html-native_divs-native_spans",
        extra_args=[f"--extract-media={media}", "--wrap=none"],
    )
    # Labels are unique within a chapter.
    text = re.sub(
        r"(^|link\()<(?=[\w.:-]+>)",
        rf"\g<0>{page.stem}-",
        text,
        flags=re.MULTILINE,
    )
    # Columns of long texts are as wide as they need, not all alike.
    text = re.sub(
        r"columns: \(([\d.%, ]+)\)",
        lambda match: f"columns: {match[1].count('%')}",
        text,
    )
    text = text.replace("dot.circle", "dot.o")  # pandoc writes a name that Typst no longer has
    return text.replace(f'"{media}/', f'"/{media.name}/')


if __name__ == "__main__":
    main()
