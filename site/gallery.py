"""The gallery: every figure and table, and where each comes from."""

import re

from markupsafe import escape
from parts import filled, lightest, raw
from terms import link, slug

from mimlstudy.report.figures import caption_of
from mimlstudy.report.sentences import of_profile
from mimlstudy.report.status import artefacts

NUMBERED = re.compile(r"(Fig\.|Table) (\d+)")  # the title of what the paper has
# The picture says nothing that its name beside it does not say.
THUMBNAIL = "[![](figures/{file}) {title}](#{place})"


def gallery_page(status_of, notebooks, profile, figures):
    """Every figure and table in the paper's order: thumbnails, then where each comes from.

    A link to an artefact unfolds it. ``status_of`` maps its title to its row of
    :func:`~mimlstudy.report.status.artefact_status`, and ``notebooks`` the executed ones to the
    files of artefacts in them.
    """
    thumbnails, sections = [], []
    for artefact in sorted(artefacts(), key=_place_in_paper):
        if _is_drawn(artefact, figures):
            thumbnails.append(_thumbnail(artefact, figures))
        facts = _facts(artefact, status_of[artefact.title], notebooks, profile, figures)
        sections.append(_section(artefact, facts, figures))
    return filled(
        "gallery",
        THUMBNAILS="\n".join(thumbnails),
        ARTEFACTS="\n".join(sections),
    )


def _place_in_paper(artefact):
    """Figures and tables of the paper by their numbers, then what goes beyond it."""
    numbered = NUMBERED.fullmatch(artefact.title)
    if not numbered:
        return 1, "", 0
    # As a number, so that Fig. 10 comes after Fig. 9.
    kind, number = numbered.groups()
    return 0, kind, int(number)


def _is_drawn(artefact, figures):
    return artefact.kind == "figure" and (figures / artefact.files[0]).is_file()


def _thumbnail(artefact, figures):
    file = lightest(figures, artefact.file)
    return THUMBNAIL.format(place=slug(artefact.title), file=file, title=artefact.title)


def _facts(artefact, row, notebooks, profile, figures):
    """Where an artefact comes from, in words by what they are about."""
    files = [name for name in artefact.files if (figures / name).is_file()]
    downloads = [f"{{download}}`{name} <figures/{name}>`" for name in files]
    experiments = [f"`{name}`" for name in artefact.experiments]
    return {
        "notebook": _in_notebook(artefact, notebooks),
        "made by": f"`{of_profile(f'mimlpaper run {artefact.notebook}', profile)}`",
        "experiments": ", ".join(experiments),
        "profile": profile,
        "state": row["state"],
        "trials": row["trials"],
        "updated by": row["command"] and f"`{row['command']}`",
        "files": ", ".join(downloads),
    }


def _in_notebook(artefact, notebooks):
    """The notebook, with a link to the artefact in it or at least to its page."""
    notebook = artefact.notebook
    if artefact.file in notebooks.get(notebook, ()):
        return link(f"notebooks/{notebook}.html#{artefact.file}", notebook)
    if notebook in notebooks:
        return f"[{notebook}](notebooks/{notebook}.ipynb)"
    return notebook


def _section(artefact, facts, figures):
    summary = "the table"
    if artefact.kind == "figure":
        summary = caption_of(figures / artefact.files[0]) or artefact.title
    unfolded = raw(f"<details><summary>{escape(summary)}</summary>")
    lines = [f"- {name}: {fact}" for name, fact in facts.items() if fact]
    parts = [
        f"## {artefact.title}",
        unfolded,
        _picture(artefact, summary, figures),
        "\n".join(lines),
        raw("</details>"),
    ]
    return "\n\n".join(parts) + "\n"


def _picture(artefact, summary, figures):
    if not (figures / artefact.files[0]).is_file():
        return "Not made yet."
    if artefact.kind == "figure":
        return f"![{summary}](figures/{lightest(figures, artefact.file)})"
    return f":::{{container}} scroll preview\n```{{include}} figures/{artefact.file}.md\n```\n:::"
