"""Tables to sort and to filter: HTML to which ``static/tables.js`` adds sorting and filters."""

import pandas as pd
from markupsafe import Markup

from mimlstudy.report.tables import TINTED_TEXT
from mimlstudy.report.verdict_looks import VERDICT_TINTS, VERDICT_WORDS

WIDTH = 7  # rem: the mean width of a column, at least
TINTS = {VERDICT_WORDS[verdict]: tint for verdict, tint in VERDICT_TINTS.items()}

TABLE = Markup("""\
<div class="scroll" tabindex="0" role="region" aria-label="{label}">
<table class="sortable" aria-label="{label}" style="min-width: {width}rem">
<thead><tr>{heads}</tr></thead>
{records}
</table>
</div>
{link}""")
HEAD = Markup('<th scope="col"{mark}>{text}</th>')
# Each record is a body of its own: a row, and below it, folded, what else there is to say.
RECORD = Markup("<tbody>\n<tr>{cells}</tr>{folded}\n</tbody>")
FOLDED = Markup('\n<tr class="folded" hidden><td colspan="{n_columns}">{details}</td></tr>')
CELL = Markup("<td{attributes}>{text}</td>")
TINT = Markup(' style="background:{tint};color:{text}"')
NUMBER = Markup(' data-value="{value}"')
LINK = Markup('<p class="csv"><a href="{file}" download>This table as CSV</a></p>')


def sortable_table(label, rows, filters, *, details=(), file=""):
    """HTML of a table.

    Parameters
    ----------
    label : str, what a screen reader says of the table.
    rows : list of dict, cells by their heads. A cell is a text, or a text and the number to sort
        it by, None for none.
    filters : set of str, the heads of the columns whose values can be chosen.
    details : sequence of Markup, what stands folded below each row; nothing if empty.
    file : str, the address of the same table as CSV; no link if empty.
    """
    heads = [_head(text, text in filters) for text in rows[0]]
    folded = details or [""] * len(rows)
    records = map(_record, rows, folded)
    return TABLE.format(
        label=label,
        width=WIDTH * len(heads),
        heads=Markup("").join(heads),
        records=Markup("\n").join(records),
        link=LINK.format(file=file) if file else "",
    )


def _head(text, is_filter):
    mark = Markup(" data-filter") if is_filter else ""
    return HEAD.format(mark=mark, text=text)


def _record(row, details):
    folded = FOLDED.format(n_columns=len(row), details=details)
    cells = Markup("").join(map(_cell, row.values()))
    return RECORD.format(cells=cells, folded=folded if details else "")


def _cell(cell):
    text, number = cell if isinstance(cell, tuple) else (cell, None)
    attributes = Markup("")
    if text in TINTS:
        attributes += TINT.format(tint=TINTS[text], text=TINTED_TEXT)
    if isinstance(cell, tuple):
        attributes += NUMBER.format(value="" if pd.isna(number) else number)
    return CELL.format(attributes=attributes, text=text)
