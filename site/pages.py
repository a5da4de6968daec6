"""The site's own pages as Markdown: home, scorecard, claims, open choices, gallery, play."""

import json
import math
import re
from pathlib import Path

import explore
import pandas as pd
import play
from markupsafe import Markup, escape
from terms import slug

from mimlpaper.paths import published
from mimlpaper.study.published import ALL_CRITERIA, published_divergences
from mimlpaper.study.scorecard import ARTEFACTS, in_words
from mimlpaper.study.tables import (
    CLAIM_COLUMNS,
    HOW_TESTED,
    TINTED_TEXT,
    number_text,
    published_text,
)
from mimlpaper.study.verdicts import IN_PRINT, VERDICT_TINTS

HERE = Path(__file__).resolve().parent
HOME = HERE / "home.md"
FOLD = 250  # characters, beyond which a cell is folded
COLUMN = 7  # rem: the mean width of a column, at least
HEAVY = 150_000  # bytes, beyond which a page shows a figure as PNG
PAPER = "https://doi.org/10.1016/j.artint.2011.10.002"
READINGS = "how-far-the-favoured-methods-lead"  # a heading of 10_multiverse

WIDE = """\
---
html_theme.sidebar_secondary.remove: true
---

"""


def home_page(readme, notebooks, figures):
    """The answer and the ways on; what the README says between its marks stands here too."""
    lines = [line for line in HOME.read_text().splitlines() if _is_there(line, notebooks)]
    text = "\n".join(lines)
    for mark in ("problem", "answer"):
        part = readme.partition(f"<!-- {mark} -->\n")[2].partition("\n<!-- end -->")[0]
        if not part:
            raise ValueError(f"README.md must have <!-- {mark} --> and <!-- end --> after it")
        text = text.replace(mark.upper(), part)
    text = _on_site(text, notebooks, figures)
    return text.replace("NOTEBOOKS", "\n".join(f"notebooks/{name}" for name in notebooks))


def readme_page(readme, notebooks, figures):
    """The README with the site's links and its lightest pictures."""
    text = _on_site(readme, notebooks, figures)
    for name in notebooks:
        text = text.replace(f"| `{name}` |", f"| [{name}](notebooks/{name}.ipynb) |")
    return text


def _on_site(text, notebooks, figures):
    """Links to the site's pages, to the notebooks that there are, and to the lightest pictures."""
    text = re.sub(r"figures/pages/(\w+)\.md", r"notebooks/\1.ipynb", text)
    text = text.replace("(figures/README.md)", "(gallery.md)").replace("(site/", "(")
    text = re.sub(
        r"\[([^]]*)\]\(notebooks/(\w+)\.ipynb(?:#[\w-]+)?\)",
        lambda link: link[0] if link[2] in notebooks else link[1],
        text,
    )
    return re.sub(
        r"(?<=\]\(figures/)(\w+)\.png", lambda picture: lightest(figures, picture[1]), text
    )


def lightest(figures, name):
    """The file of a figure to show in a page: SVG, unless it has too many marks."""
    vector = figures / f"{name}.svg"
    light = vector.is_file() and vector.stat().st_size <= HEAVY
    return f"{name}.{'svg' if light else 'png'}"


def _is_there(line, notebooks):
    """Whether the notebook that a line links, if any, was executed."""
    linked = re.search(r"notebooks/(\w+)\.ipynb", line)
    return linked is None or linked[1] in notebooks


def scorecard_page(card, profile):
    """Every cell of Tables 1 to 5 as a table to sort and to filter."""
    numbers = ("published_mean", "published_std", "mean", "std")
    cells = pd.DataFrame(card["cells"]).astype(dict.fromkeys(numbers, float))
    rows = [
        [
            f"Table {cell['table']}", cell["dataset"], cell["algorithm"],
            ALL_CRITERIA[cell["criterion"]].symbol,
            (published_text(cell), cell["published_mean"]),
            (number_text(cell["mean"], cell["std"]), cell["mean"]),
            IN_PRINT.get(cell["verdict"], cell["verdict"]),
            f"{cell['n']} of {cell['n_protocol']}", cell["state"],
        ]
        for cell in cells.to_dict("records")
    ]  # fmt: skip
    heads = {
        "table": True, "data set": True, "algorithm": True, "criterion": True,
        "published": False, "ours": False, "verdict": True, "runs": False, "state": True,
    }  # fmt: skip
    return f"""{WIDE}# Scorecard: every cell

{in_words(card)}

All {len(cells)} cells of the paper's Tables 1 to 5, blank cells included. Profile `{profile}`. The
notebook *The scorecard* explains the verdicts and has a picture of all cells.

{sortable_table("Every cell", heads, rows)}
"""


def claims_page(card, profile, headings):
    """The paper's claims with their verdicts, each with links to all that speaks of it.

    ``headings`` maps the notebooks that there are to their headings.
    """
    places = pd.read_csv(published() / "claim_places.csv", index_col="id")
    rows = [
        [_anchored(result["id"]), _linked(result["where"]),
         result["claim"], *(result["verdicts"][name]["word"] for name in CLAIM_COLUMNS),
         _readings(result["multiverse"], headings),
         _sentence(places.loc[result["id"]]), _claim_links(result, headings),
         result["detail"]]
        for result in card["claims"]
    ]  # fmt: skip
    heads = {"claim": False, "where": True, "what the paper says": False}
    heads |= dict.fromkeys(CLAIM_COLUMNS, True)
    heads |= {"over other readings": True}
    heads |= {"its sentence": False, "see": False, "in detail": False}
    return f"""{WIDE}# Claims

Each claim of the paper, tested on the records: {HOW_TESTED} Profile `{profile}`.

{sortable_table("Claims", heads, rows)}
"""


def _anchored(name):
    return Markup('<a id="{0}" href="#{0}">{0}</a>').format(name)


def _linked(where):
    """The name of an artefact, with a link to the gallery; other places as they are."""
    if where not in {artefact.title for artefact in ARTEFACTS}:
        return where
    return Markup('<a href="gallery.html#{}">{}</a>').format(slug(where), where)


def _sentence(place):
    """The section of a claim's sentence, and words to find it by."""
    section = place["section"] if "App" in place["section"] else f"Section {place['section']}"
    link = Markup('<a href="{}">{}</a>: <q>{}</q>')
    return link.format(PAPER, section, place["words"])


def _readings(read, headings):
    """A claim's lead, and how often it is in the paper's direction; with the number to sort by."""
    if read is None:
        return "", math.nan
    text = "lead {effect:+.1f} %, in the paper's direction in {in_favour:.0%} of the readings"
    shown = escape(text.format(**read))
    if "10_multiverse" in headings:
        link = Markup('<a href="notebooks/10_multiverse.html#{}">{}</a>')
        shown = link.format(READINGS, shown)
    return shown, read["in_favour"]


def _claim_links(result, headings):
    """Links to the cells of a claim's table, and to the paragraph of a notebook that tests it."""
    where, first = result["where"], result["id"].lstrip("S")[0]
    links = []
    if where.startswith("Table "):
        links.append(Markup('<a href="scorecard.html?table={}">cells</a>').format(where))
    titles = {artefact.title: artefact.notebook for artefact in ARTEFACTS}
    own = [name for name in headings if name.startswith(f"{first}_")]
    for notebook in sorted({titles.get(where), *own} & headings.keys()):
        named = [text for text in headings[notebook] if where in text or "claims" in text.lower()]
        anchor = f"#{slug(named[0])}" if named else ""
        link = Markup('<a href="notebooks/{}.html{}">{}</a>')
        links.append(link.format(notebook, anchor, notebook))
    return Markup(", ").join(links)


def choices_page():
    """The log of what the paper leaves open."""
    log = published_divergences()
    heads = {"choice": False, "section": True, "where": False, "what the paper leaves open": False,
             "what was chosen": False, "instead": False, "what it changes": False}  # fmt: skip
    columns = ["id", "section", "where", "open", "choice", "alternatives", "effect"]
    return f"""{WIDE}# Open choices

What the paper does not say, or says in two ways; what was chosen here; and the measured effect of
other choices. As a file: [divergences.csv](data/divergences.csv).

{sortable_table("Open choices", heads, log[columns].fillna("").to_numpy().tolist())}
"""


def gallery_page(status, notebooks, profile, figures):
    """Every figure and table in the paper's order: thumbnails, then where each comes from.

    ``notebooks`` maps the executed ones to the files of the artefacts that they show.
    """
    artefacts = sorted(ARTEFACTS, key=_place_in_paper)
    pictures = "\n".join(
        f"[![{artefact.title}](figures/{lightest(figures, artefact.file)})]"
        f"(#{slug(artefact.title)})"
        for artefact in artefacts
        if artefact.shows and (figures / artefact.files[0]).is_file()
    )
    shown = "\n".join(
        _artefact(artefact, status[artefact.title], notebooks, profile, figures)
        for artefact in artefacts
    )
    heading = "# Figures and tables\n\n:::{container} thumbnails"
    return f"{heading}\n{pictures}\n:::\n\n{shown}\n{UNFOLD}"


# A link to a figure opens it.
UNFOLD = """```{raw} html
<script>
const unfold = () => document.getElementById(location.hash.slice(1))
  ?.querySelector("details")?.setAttribute("open", "");
window.addEventListener("hashchange", unfold);
document.addEventListener("DOMContentLoaded", unfold);
</script>
```
"""


def _place_in_paper(artefact):
    """Figures and tables of the paper by their numbers, then what goes beyond it."""
    kind, _, number = artefact.title.partition(" ")
    of_paper = kind in ("Fig.", "Table") and number.isdigit()
    return (not of_paper, kind if of_paper else "", int(number) if of_paper else 0)


def play_page():
    """An image's labels and the parts that bring them, computed as one plays by ``play.js``."""
    networks = [play.exported(play.trained_on_scenes(learner)) for learner in play.LEARNERS]
    given = {"networks": networks, "scenes": play.drawn_scenes()}
    data = json.dumps(given | {"learner": 0, "scene": 0, "label": 0})
    page = (HERE / "play.md").read_text()
    return page.replace("DATA", data).replace("MODULE", play.MODULE.read_text())


def explore_page(read):
    """Figs. 6 to 9 from the records that ``read`` has of an experiment, with a slider."""
    return EXPLORE.format(explore.fragment(explore.sweeps(read)))


EXPLORE = f"""{WIDE}# Explore: how much a parameter matters

The paper fixed the rounds of boosting and the number of medoids, and its Appendix B shows what
other values do. **Drag the slider**: each panel has the mean ± std of our recorded runs at that
value. The paper's own value is dashed. Appendix B's notebook tests what the paper says of it.

```{{{{raw}}}} html
{{}}
```
"""


def story_page(read):
    """RankSvm's early stop in steps; without records, a line that says so."""
    told = explore.early_stop(read)
    return STORY.format(explore.fragment(told) if told else "<p>Its records are missing.</p>")


STORY = f"""{WIDE}# A story: RankSvm, stopped early

How much of RankSvm's row in the paper's Table 1 does an early stop explain? Five steps answer it.
The notebook of Section 4 has the table behind them.

```{{{{raw}}}} html
{{}}
```
"""


def sortable_table(label, heads, rows):
    """HTML for ``static/tables.js``. A head maps to whether its values are a filter.

    A cell is a text, or a text and the number to sort it by.
    """
    head = "".join(
        f'<th scope="col"{" data-filter" if by_value else ""}>{escape(text)}</th>'
        for text, by_value in heads.items()
    )
    body = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return (
        f"```{{raw}} html\n"
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">\n'
        f'<table class="sortable" aria-label="{escape(label)}" '
        f'style="min-width: {COLUMN * len(heads)}rem">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>\n```"
    )


def _cell(content):
    text, value = content if isinstance(content, tuple) else (content, None)
    tint = VERDICT_TINTS.get({word: name for name, word in IN_PRINT.items()}.get(text, text))
    style = f' style="background:{tint};color:{TINTED_TEXT}"' if tint else ""
    number = "" if value is None else f' data-value="{"" if math.isnan(value) else value}"'
    return f"<td{style}{number}>{_folded(text if isinstance(text, str) else str(text))}</td>"


def _folded(text):
    """A long list folded behind its first part."""
    first, *others = text.split("; ")
    if len(text) < FOLD or not others:
        return escape(text)
    rest = escape("; ".join(others))
    return f"<details><summary>{escape(first)}</summary>{rest}</details>"


def _artefact(artefact, status, notebooks, profile, figures):
    notebook = artefact.notebook
    if artefact.file in notebooks.get(notebook, ()):
        notebook = f'<a href="notebooks/{notebook}.html#{artefact.file}">{notebook}</a>'
    elif notebook in notebooks:
        notebook = f"[{notebook}](notebooks/{notebook}.ipynb)"
    facts = {
        "notebook": notebook,
        "made by": f"`mimlpaper run {artefact.notebook}`",
        "trials": ", ".join(f"`{name}`" for name in artefact.experiments),
        "profile": profile,
        "state": status["state"],
        "of these": status["trials"],
        "mended by": status["mend"] and f"`{status['mend']}`",
        "files": ", ".join(
            f"{{download}}`{name} <figures/{name}>`"
            for name in artefact.files
            if (figures / name).is_file()
        ),
    }
    lines = [f"- {name}: {fact}" for name, fact in facts.items() if fact]
    shown = f"{_picture(artefact, figures)}\n\n" + "\n".join(lines)
    summary = escape(artefact.shows or "the table")
    opened = _raw(f"<details><summary>{summary}</summary>")
    closed = _raw("</details>")
    return f"## {artefact.title}\n\n{opened}\n\n{shown}\n\n{closed}\n"


def _raw(tags):
    return f"```{{raw}} html\n{tags}\n```"


def _picture(artefact, figures):
    if not (figures / artefact.files[0]).is_file():
        return "Not made yet."
    if artefact.shows:
        shown = lightest(figures, artefact.file)
        return f"![{artefact.shows}](figures/{shown})"
    return f":::{{container}} scroll preview\n```{{include}} figures/{artefact.file}.md\n```\n:::"
