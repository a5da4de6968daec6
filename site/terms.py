"""Terms of the glossary and numbers of figures in a page's prose, as links with hover cards.

The first time that a page uses a term of ``glossary.csv`` it becomes a link to the glossary, with
its meaning as a card that ``static/terms.js`` shows. The first time that it names a figure or a
table of the paper, that becomes a link to the gallery.
"""

import csv
import re
from operator import itemgetter
from pathlib import Path

from markupsafe import Markup

GLOSSARY = Path(__file__).with_name("glossary.csv")
NUMBERED = re.compile(
    r"\b(?P<first>(?:(?P<figure>Figs?\.)|Tables?) \d+)(?:(?: and | to )(?P<last>\d+))?"
)
TERM = Markup('<a class="term" href="{}#{}" data-meaning="{}">{}</a>')
N_NUMBERED = {"fig": 10, "table": 5}  # in the paper; later tables are pseudo-code


def glossary() -> list[dict]:
    """Rows with term, origin, forms (a regular expression, empty for no links) and meaning."""
    with GLOSSARY.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def slug(text: str) -> str:
    """The anchor that Sphinx gives a heading."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def link(address: str, text: str) -> Markup:
    """HTML of a link; both are escaped."""
    return Markup('<a href="{}">{}</a>').format(address, text)


class Linker:
    """Links of one page; each term, figure and table is linked once.

    Parameters
    ----------
    glossary_address, gallery_address : of these pages, as seen from the page.
    """

    def __init__(self, glossary_address: str, gallery_address: str):
        self.glossary, self.gallery = glossary_address, gallery_address
        self.terms = [row for row in glossary() if row["forms"]]
        pattern = "|".join(f"(?P<t{i}>{row['forms']})" for i, row in enumerate(self.terms))
        self.pattern = re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)
        self.linked = set()

    def parts(self, text: str) -> list[str | Markup]:
        """A text in pieces; links are Markup."""
        # Sphinx makes apostrophes curly, and the forms have straight ones.
        plain = text.replace("’", "'")
        links = []
        for match in self.pattern.finditer(plain):
            links += self._term(match, text)
        for match in NUMBERED.finditer(plain):
            links += self._numbered(match)
        pieces, end_of_last = [], 0
        # A link that begins within the one before it is left out.
        for start, end, linked in sorted(links, key=itemgetter(0)):
            if start >= end_of_last:
                pieces += [text[end_of_last:start], linked]
                end_of_last = end
        pieces.append(text[end_of_last:])
        return [piece for piece in pieces if piece]

    def _term(self, match, text):
        row = self.terms[int(match.lastgroup[1:])]
        if row["term"] not in self.linked:
            self.linked.add(row["term"])
            start, end = match.span()
            anchor = slug(row["term"])
            yield (
                start,
                end,
                TERM.format(self.glossary, anchor, row["meaning"], text[start:end]),
            )

    def _numbered(self, match):
        """Links of "Fig. 4", or of "Figs. 4" and of "5"."""
        kind = "fig" if match["figure"] else "table"
        for group in ("first", "last"):
            if match[group] is None:
                continue
            number = int(match[group].split()[-1])
            name = f"{kind}-{number}"
            if 1 <= number <= N_NUMBERED[kind] and name not in self.linked:
                self.linked.add(name)
                yield (
                    *match.span(group),
                    link(f"{self.gallery}#{name}", match[group]),
                )
