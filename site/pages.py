"""The site's own pages: the words of this folder's Markdown, filled with what is computed."""

import json
import re
from pathlib import Path

import explore
import pandas as pd
import play
from markupsafe import Markup, escape
from terms import glossary, link, slug

from mimlstudy.folders import published
from mimlstudy.judge.verdicts import IN_PRINT, VERDICT_LOOKS
from mimlstudy.paper.published import ALL_CRITERIA, published_divergences
from mimlstudy.report.status import ARTEFACTS
from mimlstudy.report.tables import (
    CLAIM_COLUMNS,
    HOW_TESTED,
    TINTED_TEXT,
    number_text,
    published_text,
)
from mimlstudy.report.words import in_words

HERE = Path(__file__).resolve().parent
FOLD = 250  # characters, beyond which a cell is folded
COLUMN = 7  # rem: the mean width of a column, at least
HEAVY = 150_000  # bytes, beyond which a page shows a figure as PNG
PAPER = "https://doi.org/10.1016/j.artint.2011.10.002"
READINGS = "how-far-the-favoured-methods-lead"  # a heading of 10_multiverse
NOTEBOOK_OF = {artefact.title: artefact.notebook for artefact in ARTEFACTS}
TINTS = VERDICT_LOOKS.set_index("in_print")["tint"].to_dict()


def filled(page, **values):
    """The words of a page, with values in the place of their names."""
    words = (HERE / f"{page}.md").read_text()
    return re.sub(r"\b[A-Z]+\b", lambda name: values.get(name[0], name[0]), words)


def home_page(readme, notebooks, figures):
    """The answer and the ways on; what the README says between its marks stands here too."""
    parts = {"NOTEBOOKS": "\n".join(f"notebooks/{name}" for name in notebooks)}
    for mark in ("problem", "answer"):
        found = re.search(rf"<!-- {mark} -->\n(.*?)\n?<!-- end -->", readme, re.DOTALL)
        if not found:
            raise ValueError(f"README.md must have <!-- {mark} --> and <!-- end --> after it")
        parts[mark.upper()] = found[1]
    return _on_site(filled("home", **parts), notebooks, figures)


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
        lambda found: found[0] if found[2] in notebooks else found[1],
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


def scorecard_page(card, profile):
    """Every cell of Tables 1 to 5 as a table to sort and to filter."""
    rows = [
        {
            "table": f"Table {cell['table']}",
            "data set": cell["dataset"],
            "algorithm": cell["algorithm"],
            "criterion": ALL_CRITERIA[cell["criterion"]].symbol,
            "published": (published_text(cell), cell["published_mean"]),
            "ours": (number_text(cell["mean"], cell["std"]), cell["mean"]),
            "verdict": IN_PRINT[cell["verdict"]],
            "runs": f"{cell['n']} of {cell['n_protocol']}",
            "state": cell["state"],
        }
        for cell in card["cells"]
    ]
    filters = {"table", "data set", "algorithm", "criterion", "verdict", "state"}
    cells = sortable_table("Every cell", rows, filters)
    count = str(len(rows))
    return filled("scorecard", OUTCOME=in_words(card), COUNT=count, PROFILE=profile, CELLS=cells)


def claims_page(card, profile, headings):
    """The paper's claims with their verdicts, each with links to all that speaks of it.

    ``headings`` maps the notebooks that there are to their headings.
    """
    places = pd.read_csv(published() / "claim_places.csv", index_col="id")
    rows = [_claim(result, places.loc[result["id"]], headings) for result in card["claims"]]
    claims = sortable_table("Claims", rows, {"where", *CLAIM_COLUMNS, "over other readings"})
    return filled("claims", HOW=HOW_TESTED, PROFILE=profile, CLAIMS=claims)


def _claim(result, place, headings):
    """A row of the claims; ``place`` has the section of its sentence, and words to find it by."""
    where, section = result["where"], place["section"]
    section = section if "App" in section else f"Section {section}"
    return {
        "claim": Markup('<a id="{0}" href="#{0}">{0}</a>').format(result["id"]),
        "where": link(f"gallery.html#{slug(where)}", where) if where in NOTEBOOK_OF else where,
        "what the paper says": result["claim"],
        **{column: result["verdicts"][column]["word"] for column in CLAIM_COLUMNS},
        "over other readings": _readings(result["multiverse"], headings),
        "its sentence": link(PAPER, section) + Markup(": <q>{}</q>").format(place["words"]),
        "see": _tested_in(result, headings),
        "in detail": result["detail"],
    }


def _readings(read, headings):
    """A claim's lead, and how often it is in the paper's direction; with the number to sort by."""
    if read is None:
        return "", None
    text = "lead {effect:+.1f} %, in the paper's direction in {in_favour:.0%} of the readings"
    shown = text.format(**read)
    if "10_multiverse" in headings:
        shown = link(f"notebooks/10_multiverse.html#{READINGS}", shown)
    return shown, read["in_favour"]


def _tested_in(result, headings):
    """Links to the cells of a claim's table, and to the paragraph of a notebook that tests it."""
    where, first = result["where"], result["id"].lstrip("S")[0]
    links = []
    if where.startswith("Table "):
        links.append(link(f"scorecard.html?table={where}", "cells"))
    own = [name for name in headings if name.startswith(f"{first}_")]
    for notebook in sorted({NOTEBOOK_OF.get(where), *own} & headings.keys()):
        named = [text for text in headings[notebook] if where in text or "claims" in text.lower()]
        anchor = f"#{slug(named[0])}" if named else ""
        links.append(link(f"notebooks/{notebook}.html{anchor}", notebook))
    return Markup(", ").join(links)


def choices_page():
    """The log of what the paper leaves open."""
    heads = {
        "id": "choice",
        "section": "section",
        "where": "where",
        "open": "what the paper leaves open",
        "choice": "what was chosen",
        "alternatives": "instead",
        "effect": "what it changes",
    }
    log = published_divergences()[[*heads]].rename(columns=heads)
    rows = log.to_dict("records")
    return filled("choices", CHOICES=sortable_table("Open choices", rows, {"section"}))


def glossary_page():
    """Every term with its meaning, in alphabetical order."""
    entry = Markup('<dt id="{}">{}</dt>\n<dd>{}</dd>')
    rows = sorted(glossary(), key=lambda row: row["term"].lower())
    terms = [entry.format(slug(row["term"]), row["term"], row["meaning"]) for row in rows]
    return "# Glossary\n\n" + _raw("\n".join(['<dl class="glossary">', *terms, "</dl>"])) + "\n"


def gallery_page(status, notebooks, profile, figures):
    """Every figure and table in the paper's order: thumbnails, then where each comes from.

    A link to one unfolds it. ``notebooks`` maps the executed ones to files of artefacts in them.
    """
    artefacts = sorted(ARTEFACTS, key=_place_in_paper)
    thumbnails = [
        f"[![{one.title}](figures/{lightest(figures, one.file)})](#{slug(one.title)})"
        for one in artefacts
        if one.shows and (figures / one.files[0]).is_file()
    ]
    shown = [_artefact(one, status[one.title], notebooks, profile, figures) for one in artefacts]
    return filled("gallery", THUMBNAILS="\n".join(thumbnails), ARTEFACTS="\n".join(shown))


def _place_in_paper(artefact):
    """Figures and tables of the paper by their numbers, then what goes beyond it."""
    numbered = re.fullmatch(r"(Fig\.|Table) (\d+)", artefact.title)
    return (0, numbered[1], int(numbered[2])) if numbered else (1, "", 0)


def _artefact(artefact, status, notebooks, profile, figures):
    notebook = artefact.notebook
    if artefact.file in notebooks.get(notebook, ()):
        notebook = link(f"notebooks/{notebook}.html#{artefact.file}", notebook)
    elif notebook in notebooks:
        notebook = f"[{notebook}](notebooks/{notebook}.ipynb)"
    files = [name for name in artefact.files if (figures / name).is_file()]
    facts = {
        "notebook": notebook,
        "made by": f"`mimlpaper run {artefact.notebook}`",
        "trials": ", ".join(f"`{name}`" for name in artefact.experiments),
        "profile": profile,
        "state": status["state"],
        "of these": status["trials"],
        "mended by": status["mend"] and f"`{status['mend']}`",
        "files": ", ".join(f"{{download}}`{name} <figures/{name}>`" for name in files),
    }
    lines = "\n".join(f"- {name}: {fact}" for name, fact in facts.items() if fact)
    opened = _raw(f"<details><summary>{escape(artefact.shows or 'the table')}</summary>")
    parts = f"## {artefact.title}", opened, _picture(artefact, figures), lines, _raw("</details>")
    return "\n\n".join(parts) + "\n"


def _picture(artefact, figures):
    if not (figures / artefact.files[0]).is_file():
        return "Not made yet."
    if artefact.shows:
        return f"![{artefact.shows}](figures/{lightest(figures, artefact.file)})"
    return f":::{{container}} scroll preview\n```{{include}} figures/{artefact.file}.md\n```\n:::"


def play_page():
    """An image's labels and the parts that bring them, computed as one plays by ``play.js``."""
    networks = [play.exported(play.trained_on_scenes(learner)) for learner in play.LEARNERS]
    given = {"networks": networks, "scenes": play.drawn_scenes()}
    data = json.dumps(given | {"learner": 0, "scene": 0, "label": 0})
    return filled("play", DATA=data, MODULE=play.MODULE.read_text())


def explore_page(read):
    """Figs. 6 to 9 from the records that ``read`` has of an experiment, with a slider."""
    return filled("explore", SLIDER=_raw(explore.fragment(explore.sweeps(read))))


def story_page(read):
    """RankSvm's early stop in steps; without records, a line that says so."""
    told = explore.early_stop(read)
    story = explore.fragment(told) if told else "<p>Its records are missing.</p>"
    return filled("story", STORY=_raw(story))


def sortable_table(label, rows, filters):
    """HTML for ``static/tables.js``: cells by their heads, ``filters`` heads to choose values of.

    A cell is a text, or a text and the number to sort it by, None for none.
    """
    head = "".join(
        f'<th scope="col"{" data-filter" if text in filters else ""}>{escape(text)}</th>'
        for text in rows[0]
    )
    body = "\n".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in rows)
    return _raw(
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">\n'
        f'<table class="sortable" aria-label="{escape(label)}" '
        f'style="min-width: {COLUMN * len(rows[0])}rem">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def _cell(text):
    number = ""
    if isinstance(text, tuple):
        text, value = text
        number = f' data-value="{"" if pd.isna(value) else value}"'
    tint = TINTS.get(text)
    style = f' style="background:{tint};color:{TINTED_TEXT}"' if tint else ""
    return f"<td{style}{number}>{_folded(text)}</td>"


def _folded(text):
    """A long list folded behind its first part."""
    first, *others = text.split("; ")
    if len(text) < FOLD or not others:
        return escape(text)
    rest = escape("; ".join(others))
    return f"<details><summary>{escape(first)}</summary>{rest}</details>"


def _raw(html):
    return f"```{{raw}} html\n{html}\n```"
