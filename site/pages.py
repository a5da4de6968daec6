"""The site's own pages as Markdown: home, scorecard, claims, open choices, gallery."""

import json
import math
from html import escape

import pandas as pd

from mimlpaper.report import play
from mimlpaper.report.artefacts import ARTEFACTS
from mimlpaper.report.published import ALL_CRITERIA, published_divergences
from mimlpaper.report.rendering import IN_PRINT, TINTED_TEXT, VERDICT_TINTS
from mimlpaper.report.scorecard import in_words
from mimlpaper.report.tables import CLAIM_COLUMNS, TESTED, number_text, published_text

FOLD = 250  # characters, beyond which a cell is folded

WIDE = """\
---
html_theme.sidebar_secondary.remove: true
---

"""

TREE = """

```{toctree}
:hidden:
:caption: Results
scorecard
claims
choices
gallery
play
```

```{toctree}
:hidden:
:caption: Notebooks
NOTEBOOKS
```

```{toctree}
:hidden:
:caption: Project
guide
api/index
data/README
CONTRIBUTING
CHANGELOG
```
"""

PLAY = """\
---
html_theme.sidebar_secondary.remove: true
---

# Play: which part brings the label?

Choose an image and a label. The nine squares are the **instances** of the image; the bag is all
that the learner knows. The larger a disc, the more probable it is that this instance shows the
label; the frame marks the highest. **Click a part to cover it**: does the label go?

```{raw} html
<div id="play"></div>
<noscript>This needs JavaScript.</noscript>
<script type="application/json" id="play-data">DATA</script>
<script type="module">
MODULE
const given = JSON.parse(document.getElementById("play-data").textContent);
const get = (name) => given[name];
const set = (name, value) => { given[name] = value; };
render({ model: { get, set, save_changes() {}, on() {} }, el: document.getElementById("play") });
</script>
```

The learner is `NoisyOr`: an image lacks a label if none of its instances shows it, so that
$P(y\\mid X) = 1 - \\prod_{x \\in X} (1 - p_y(x))$. It was trained on 400 drawn scenes and has
seen no photograph, so on yours it is often wrong, and shows why. Features and scores are computed
in this page as `ImageBags` and `NoisyOr` compute them, and nothing leaves it. In JupyterLab the
same module plays in the notebooks `3_framework` and `own_data`.
"""


def home_page(readme, notebooks):
    """The README, with the site's contents."""
    text = readme.replace("(figures/README.md)", "(gallery.md)").replace("(site/", "(")
    for name in notebooks:
        text = text.replace(f"| `{name}` |", f"| [{name}](notebooks/{name}.ipynb) |")
    return text + TREE.replace("NOTEBOOKS", "\n".join(f"notebooks/{name}" for name in notebooks))


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


def claims_page(card, profile):
    """The paper's claims with their verdicts."""
    rows = [
        [*(result[name] for name in ("id", "where", "claim", *CLAIM_COLUMNS, "detail")),
         result["state"] or ""]
        for result in card["claims"]
    ]  # fmt: skip
    heads = {"claim": False, "where": True, "what the paper says": False}
    heads |= dict.fromkeys(CLAIM_COLUMNS.values(), True) | {"in detail": False, "state": True}
    return f"""{WIDE}# Claims

Each claim of the paper, tested on the records: {TESTED} Profile `{profile}`.

{sortable_table("Claims", heads, rows)}
"""


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
    """Every figure and table: picture, notebook, commands, profile, freshness."""
    return "# Figures and tables\n\n" + "\n".join(
        _artefact(artefact, status[artefact.title], notebooks, profile, figures)
        for artefact in ARTEFACTS
    )


def play_page():
    """An image's labels and the parts that bring them, computed as one plays by ``play.js``."""
    given = {"network": play.exported(play.trained_on_scenes()), "scenes": play.drawn_scenes()}
    data = json.dumps(given | {"scene": 0, "label": 0})
    return PLAY.replace("DATA", data).replace("MODULE", play.MODULE.read_text())


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
        f'<table class="sortable" aria-label="{escape(label)}">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>\n```"
    )


def _cell(content):
    text, value = content if isinstance(content, tuple) else (content, None)
    tint = VERDICT_TINTS.get({word: name for name, word in IN_PRINT.items()}.get(text, text))
    style = f' style="background:{tint};color:{TINTED_TEXT}"' if tint else ""
    number = "" if value is None else f' data-value="{"" if math.isnan(value) else value}"'
    return f"<td{style}{number}>{_folded(str(text))}</td>"


def _folded(text):
    """A long list folded behind its first part."""
    first, *others = text.split("; ")
    if len(text) < FOLD or not others:
        return escape(text)
    rest = escape("; ".join(others))
    return f"<details><summary>{escape(first)}</summary>{rest}</details>"


def _artefact(artefact, status, notebooks, profile, figures):
    notebook = artefact.notebook
    if notebook in notebooks:
        notebook = f"[{notebook}](notebooks/{notebook}.ipynb)"
    facts = {
        "notebook": notebook,
        "made by": f"`{artefact.make}`",
        "trials by": artefact.compute and f"`{artefact.compute}`",
        "profile": profile,
        "state": status["state"],
        "trials": status["trials"],
        "mended by": status["mend"] and f"`{status['mend']}`",
        "files": ", ".join(
            f"{{download}}`{name} <figures/{name}>`"
            for name in artefact.files
            if (figures / name).is_file()
        ),
    }
    lines = [f"- {name}: {fact}" for name, fact in facts.items() if fact]
    return f"## {artefact.title}\n\n{_picture(artefact, figures)}\n\n" + "\n".join(lines) + "\n"


def _picture(artefact, figures):
    if not (figures / artefact.files[0]).is_file():
        return "Not made yet."
    if artefact.is_figure:
        return f"![{artefact.shows}](figures/{artefact.files[0]})\n\n{artefact.shows}"
    return f":::{{container}} scroll preview\n```{{include}} figures/{artefact.file}.md\n```\n:::"
