"""What pages are made of: words with values in them, HTML, and pictures that load fast."""

import re
import shutil
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
PLACEHOLDER = re.compile(r"\b[A-Z]+\b")  # of a value in a page's words
# A link of a notebook to another one, which is a page beside it.
TO_NOTEBOOK = re.compile(r"\]\((\w+)\.ipynb")
HEAVIEST_SVG = 150_000  # bytes
HEAVIEST_PNG = 500_000  # bytes


def passage(mark):
    """What finds the words between ``<!-- mark -->`` and the next end: its second group."""
    return re.compile(rf"(<!-- {mark} -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def filled(page, **values):
    """The words of a page, or of a file of HTML, with values in the place of their names.

    ValueError if a value has no place there.
    """
    file = page if page.endswith(".html") else f"{page}.md"
    words = (HERE / file).read_text(encoding="utf-8")
    left_over = sorted({*values} - {*PLACEHOLDER.findall(words)})
    if left_over:
        raise ValueError(f"{file} has no place for {', '.join(left_over)}")
    return PLACEHOLDER.sub(lambda name: values.get(name[0], name[0]), words)


def raw(html):
    """HTML as a block of a page in Markdown."""
    return f"```{{raw}} html\n{html}\n```"


def lightest(figures, name):
    """The file of a figure that a page shows: SVG if it is light, else JPEG if any, else PNG."""
    vector, jpeg = figures / f"{name}.svg", figures / f"{name}.jpg"
    if vector.is_file() and vector.stat().st_size <= HEAVIEST_SVG:
        return vector.name
    return jpeg.name if jpeg.is_file() else f"{name}.png"


def add_jpegs(figures):
    """Write heavy pictures as JPEG beside them: a photograph has a fifth of the bytes then."""
    for picture in figures.glob("*.png"):
        if picture.stat().st_size > HEAVIEST_PNG:
            with Image.open(picture) as image:
                image.convert("RGB").save(picture.with_suffix(".jpg"), quality=90)


def copy_figures(folder: Path, target: Path) -> Path:
    """Copy a run's figures and tables, without the Markdown pages that ``make paper`` compares."""
    return shutil.copytree(folder, target, ignore=shutil.ignore_patterns("pages"))
