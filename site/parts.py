"""What pages are made of: words with values in them, HTML, and pictures that load fast."""

import re
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
PLACEHOLDER = re.compile(r"\b[A-Z]+\b")  # of a value in a page's words
HEAVY = 150_000  # bytes, beyond which a page shows a figure as PNG
PHOTOGRAPH = 500_000  # bytes of a PNG, beyond which a page shows it as JPEG


def filled(page, **values):
    """The words of a page, or of a file of HTML, with values in the place of their names."""
    file = page if page.endswith(".html") else f"{page}.md"
    words = (HERE / file).read_text()
    return PLACEHOLDER.sub(lambda name: values.get(name[0], name[0]), words)


def raw(html):
    """HTML as a block of a page in Markdown."""
    return f"```{{raw}} html\n{html}\n```"


def lightest(figures, name):
    """The file of a figure to show in a page: SVG, unless it has too many marks, JPEG, or PNG."""
    vector, photograph = figures / f"{name}.svg", figures / f"{name}.jpg"
    if vector.is_file() and vector.stat().st_size <= HEAVY:
        return vector.name
    return photograph.name if photograph.is_file() else f"{name}.png"


def add_photographs(figures):
    """Write heavy pictures as JPEG beside them: a photograph has a fifth of the bytes then."""
    for picture in figures.glob("*.png"):
        if picture.stat().st_size > PHOTOGRAPH:
            with Image.open(picture) as image:
                image.convert("RGB").save(picture.with_suffix(".jpg"), quality=90)
