"""The site's own pages: this folder's Markdown templates, filled with what is computed."""

import json
import re
from functools import cache

import pandas as pd
from markupsafe import Markup
from parts import filled, lightest, passage, raw
from sortable import sortable_table
from terms import glossary, link, slug

from mimlpaper.metrics import CRITERIA
from mimlstudy.folders import printed_data
from mimlstudy.judge.choices import divergences_with_effects, effects_of_choices
from mimlstudy.judge.claims import CORRECTED, SHOWN_VIEWS, WORDS
from mimlstudy.judge.rules import DEFAULT_RULES
from mimlstudy.paper.printed import ALL_CRITERIA, listed_divergences, printed_tables
from mimlstudy.report import first_page
from mimlstudy.report.companion import Companion
from mimlstudy.report.sections import explore, gaps, play
from mimlstudy.report.sections.curves import Sensitivity, largest_changes
from mimlstudy.report.status import artefacts
from mimlstudy.report.tables import (
    HOW_TESTED,
    TINTED_TEXT,
    address,
    number_text,
    printed_text,
)
from mimlstudy.report.verdict_looks import VERDICT_TINTS, VERDICT_WORDS
from mimlstudy.report.words import in_words

YOURS = "by your rules"  # the last column of the claims
DETAILS = Markup('<div class="forest"></div><dl class="facts">{}</dl>')
CRITERION = Markup('<label><input type="checkbox" name="criteria" value="{name}"> {title}</label>')
PAPER = "https://doi.org/10.1016/j.artint.2011.10.002"
OF_SYNTHETIC_DATA = "Synthetic data say nothing of the paper's claims about methods."
AHEAD_ANCHOR = "how-far-the-favoured-methods-are-ahead"  # of a heading of 10_multiverse
TITLES_OF_TERMS = {  # by the origin of a term
    "companion": "Terms of this companion",
    "paper": "Terms of the paper",
    "field": "Terms of the field",
}


def home_page(readme, notebooks, figures):
    """The home page: the passages that the README marks, and the pages to go on with."""
    toctree = "\n".join(f"notebooks/{name}" for name in notebooks)
    word, _, facts = _marked(readme, "answer").partition("\n\n")
    words = filled(
        "home",
        PROBLEM=_marked(readme, "problem"),
        PHOTOGRAPH=_marked(readme, "photograph"),
        WORD=word,
        FACTS=facts,
        USE=_marked(readme, "use"),
        CHECK=_marked(readme, "check"),
        NOTEBOOKS=toctree,
    )
    return _on_site(words, notebooks, figures)


def _marked(readme, mark):
    """What the README says between a mark and the next end."""
    marked = passage(mark).search(readme)
    if not marked:
        raise ValueError(f"README.md must have <!-- {mark} --> and <!-- end --> after it")
    return marked[2].removesuffix("\n")


def readme_page(readme, notebooks, figures):
    """The README with the site's links and its lightest pictures."""
    text = _on_site(readme, notebooks, figures)
    for name in notebooks:
        text = text.replace(f"| `{name}` |", f"| [{name}](notebooks/{name}.ipynb) |")
    return text


def _on_site(text, notebooks, figures):
    """A text with links as the site has them: to notebooks that are there, to light pictures."""
    text = re.sub(r"figures/pages/(\w+)\.md", r"notebooks/\1.ipynb", text)
    text = text.replace("(figures/README.md)", "(gallery.md)").replace("(site/", "(")

    def to_notebook(match):
        return match[0] if match[2] in notebooks else match[1]

    def to_picture(match):
        return lightest(figures, match[1])

    text = re.sub(r"\[([^]]*)\]\(notebooks/(\w+)\.ipynb(?:#[\w-]+)?\)", to_notebook, text)
    return re.sub(r"(?<=\]\(figures/)(\w+)\.png", to_picture, text)


def scorecard_page(card, profile):
    """Every cell of Tables 1 to 5 as a table to sort and to filter."""
    rows = [_row_of_cell(cell) for cell in card["cells"]]
    filters = {
        "table",
        "data set",
        "algorithm",
        "criterion",
        "verdict",
        "state",
    }
    cells = sortable_table("Every cell", rows, filters, file="csv/cells.csv")
    return filled(
        "scorecard",
        OUTCOME=in_words(card),
        COUNT=str(len(rows)),
        PROFILE=profile,
        CELLS=raw(cells),
    )


def _row_of_cell(cell):
    place = (cell[name] for name in ("table", "algorithm", "criterion", "dataset"))
    origin = f"cell.html#{address(*place)}"
    return {
        "table": f"Table {cell['table']}",
        "data set": cell["dataset"],
        "algorithm": cell["algorithm"],
        "criterion": ALL_CRITERIA[cell["criterion"]].symbol,
        "printed": (
            link(origin, printed_text(cell)),
            cell["printed_mean"],
        ),
        "ours": (
            link(origin, number_text(cell["mean"], cell["std"])),
            cell["mean"],
        ),
        "verdict": VERDICT_WORDS[cell["verdict"]],
        "runs": f"{cell['n']} of {cell['n_protocol']}",
        "state": cell["state"],
    }


def claims_page(card, profile, headings):
    """The paper's claims with their verdicts, each with links to all that speaks of it.

    ``headings`` maps the notebooks that there are to their headings.
    """
    places = pd.read_csv(printed_data() / "claim_places.csv", index_col="id")
    claims = card["claims"]
    rows = [_row_of_claim(claim) for claim in claims]
    details = [_claim_details(claim, places.loc[claim["id"]], headings) for claim in claims]
    table = sortable_table(
        "Claims",
        rows,
        {"where", *SHOWN_VIEWS},
        details=details,
        file="csv/claims_by_view.csv",
    )
    return filled(
        "claims",
        ANSWER=first_page.claims(card) if profile == "paper" else OF_SYNTHETIC_DATA,
        HOW=HOW_TESTED,
        PROFILE=profile,
        RULES=raw(rules_form()),
        CLAIMS=raw(table),
    )


def rules_form():
    """The form in which a reader chooses rules; it starts with the project's own."""
    tints = {word: VERDICT_TINTS[word] for word in WORDS}
    boxes = [
        CRITERION.format(name=name, title=criterion.title) for name, criterion in CRITERIA.items()
    ]
    return filled(
        "rules.html",
        TINTS=json.dumps(tints | {"text": TINTED_TEXT}),
        LEVEL=f"{DEFAULT_RULES.level:g}",
        MARGIN=f"{100 * DEFAULT_RULES.margin:g}",
        POWER=f"{100 * DEFAULT_RULES.power:g}",
        CRITERIA="\n".join(boxes),
    )


def _row_of_claim(claim):
    where = claim["where"]
    is_shown = any(artefact.title == where for artefact in artefacts())
    verdicts = {view: claim["verdicts"][view]["word"] for view in SHOWN_VIEWS}
    return {
        "claim": Markup('<a id="{0}" href="#{0}">{0}</a>').format(claim["id"]),
        "where": link(f"gallery.html#{slug(where)}", where) if is_shown else where,
        "what the paper says": claim["claim"],
        **verdicts,
        YOURS: verdicts[CORRECTED],
    }


def _claim_details(claim, place, headings):
    """What is folded below a claim; ``place`` has the section of its sentence, and its words."""
    section = place["section"]
    section = section if "App" in section else f"Section {section}"
    sentence = Markup("<q>{}</q>, {}").format(place["words"], link(PAPER, section))
    facts = {
        "the paper's sentence": sentence,
        "with alternative settings": _alternatives(claim["multiverse"], headings),
        "see": _tested_in(claim, headings),
        "part by part, by the rules of this project": Markup("<br>").join(claim["detail"]),
    }
    entry = Markup("<dt>{}</dt><dd>{}</dd>")
    entries = [entry.format(head, fact) for head, fact in facts.items() if fact]
    return DETAILS.format(Markup("").join(entries))


def _alternatives(effects, headings):
    """How far the favoured methods are ahead with alternative settings, and how often."""
    if effects is None:
        return ""
    effect = effects["effect"]
    side = "ahead" if effect >= 0 else "behind"
    text = (
        f"The favoured methods are {side} by {abs(effect):.1f}% of the rival's loss. They are "
        f"ahead in {effects['in_favour']:.0%} of random mixtures of alternative settings."
    )
    if "10_multiverse" in headings:
        return link(f"notebooks/10_multiverse.html#{AHEAD_ANCHOR}", text)
    return text


def _tested_in(claim, headings):
    """Links to the cells of a claim's table, and to the notebooks of its section and its table."""
    # "S4.10" belongs to the notebook named 4_…, and "B.1" to the one named B_….
    where, section = claim["where"], claim["id"].lstrip("S")[0]
    links = []
    if where in {f"Table {number}" for number in printed_tables()}:
        links.append(link(f"scorecard.html?table={where}", "cells"))
    of_section = {name for name in headings if name.startswith(f"{section}_")}
    of_table = {artefact.notebook for artefact in artefacts() if artefact.title == where}
    for notebook in sorted((of_section | of_table) & headings.keys()):
        named = [text for text in headings[notebook] if where in text or "claims" in text.lower()]
        anchor = f"#{slug(named[0])}" if named else ""
        links.append(link(f"notebooks/{notebook}.html{anchor}", notebook))
    return Markup(", ").join(links)


def choices_log():
    """What the paper leaves open, a row for each choice, with the effects that were measured."""
    return divergences_with_effects(listed_divergences(), measured_effects())


@cache
def measured_effects():
    """What the settings of other choices change, by the names of the choices."""
    return effects_of_choices(Companion.published().recorded)


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
    log = choices_log()[[*heads]].rename(columns=heads)
    rows = log.to_dict("records")
    table = sortable_table("Open choices", rows, {"section"}, file="csv/open_choices.csv")
    return filled(
        "choices",
        ANSWER=gaps.choices_in_words(len(log), gaps.largest_effects(measured_effects())),
        CHOICES=raw(table),
    )


def glossary_page():
    """Every term with its meaning, in alphabetical order, by where it comes from."""
    entry = Markup('<dt id="{}">{}</dt>\n<dd>{}</dd>')
    rows = sorted(glossary(), key=lambda row: row["term"].lower())
    page = ["# Glossary"]
    for origin, title in TITLES_OF_TERMS.items():
        terms = [
            entry.format(slug(row["term"]), row["term"], row["meaning"])
            for row in rows
            if row["origin"] == origin
        ]
        page += [f"## {title}", raw("\n".join(['<dl class="glossary">', *terms, "</dl>"]))]
    return "\n\n".join(page) + "\n"


def play_page():
    """A player: the reader covers parts of an image, and ``play.js`` scores the rest at once."""
    models = [play.trained_on_scenes(learner) for learner in play.LEARNERS]
    given = {
        "networks": [play.exported(model) for model in models],
        "scenes": play.drawn_scenes(),
        "learner": 0,
        "scene": 0,
        "label": 0,
    }
    return filled("play", DATA=json.dumps(given), MODULE=play.MODULE.read_text(encoding="utf-8"))


def explore_page(get_records):
    """Figs. 6 to 9 with a slider; ``get_records`` returns an experiment's records by its name."""
    changes = largest_changes(Companion.published().recorded)
    return filled(
        "explore",
        ANSWER=Sensitivity.of(changes).in_words(),
        SLIDER=raw(explore.fragment(explore.sweeps(get_records))),
    )


def story_page(get_records):
    """RankSvm's early stop in steps; without records, a line that says so."""
    story = explore.early_stop(get_records)
    if story is None:
        return filled("story", ANSWER="", STORY=raw("<p>Its records are missing.</p>"))
    return filled("story", ANSWER=story.pop("answer"), STORY=raw(explore.fragment(story)))
