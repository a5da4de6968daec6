"""The page of one number: each cell of Tables 1 to 5 has an address there, see static/cells.js."""

from markupsafe import Markup
from parts import filled, raw

from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.trace import traces

TEMPLATE = Markup('<template id="{name}"{origin} data-title="{title}">{html}</template>')
ORIGIN = Markup(' data-origin="{name}"')


def cells_page(get_records, store, profile):
    """Every cell as a template that the page shows when its address is asked for.

    ``get_records(name)`` gives the records of an experiment in a ``profile``, and ``store`` has the
    outcomes of verification. What cells of one method on one data set share, their origins, is a
    template of its own.
    """
    templates, names = [], {}
    for number in printed_tables():
        for cell in traces(number, get_records, store=store, profile=profile):
            origins = cell.origins_to_html()
            if origins not in names:
                names[origins] = f"origin-{len(names)}"
                templates.append(_template(names[origins], "", origins))
            origin = ORIGIN.format(name=names[origins])
            templates.append(_template(cell.address, cell.title, cell.to_html(), origin))
    return filled("cell", TEMPLATES=raw("\n".join(templates)))


def _template(name, title, html, origin=""):
    return TEMPLATE.format(name=name, title=title, html=Markup(html), origin=origin)
