"""A table and its forms: notebook HTML, CSV, Markdown and LaTeX; files are written whole."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from mimlpaper.paths import write_whole

VERDICT_TINTS = {
    "agrees": "#d4ecd0", "differs_better": "#cfe3f6", "differs_worse": "#fbd9cf",
    "filled": "#e6e0f3", "missing": "#efefef", "synthetic": "#fbf0cc", "differs": "#fbd9cf",
    "holds": "#d4ecd0", "partly": "#fbf0cc", "fails": "#fbd9cf", "not evaluated": "#efefef",
    "not comparable": "#efefef",
}  # fmt: skip
IN_PRINT = {"differs_better": "differs (ours better)", "differs_worse": "differs (ours worse)"}
TINTED_TEXT = "#1a1a1a"  # legible on light tints in dark notebooks too
NO_TINT = "#ffffff"

STYLES = [
    {"selector": "caption", "props": "caption-side: top; text-align: left; padding: 0.5em 0"},
    {"selector": "th", "props": "text-align: left; font-weight: 600; padding: 0.3em 0.35em"},
    {"selector": "td", "props": "text-align: center; line-height: 1.35; padding: 0.3em 0.35em"},
    {"selector": "small", "props": "opacity: 0.75"},
]
FLUSH_LEFT = {"selector": "td", "props": "text-align: left; vertical-align: top"}


@dataclass(frozen=True)
class Entry:
    """One cell: lines from top to bottom, which of them are bold, and a verdict."""

    lines: tuple[str, ...] = ()
    bold: tuple[bool, ...] = ()  # empty for none
    verdict: str = ""


@dataclass(frozen=True, eq=False)
class ReportTable:
    """A table to show and to save; a notebook shows it as HTML.

    Parameters
    ----------
    caption : str
    corner : str, the head of the first column.
    columns : heads of the others.
    rows : mapping from a row's name to its entries.
    tidy : DataFrame with the same numbers, one row for each cell.
    rules_above : names of rows
        Above each a line is drawn, as the paper draws it above the compared algorithms.
    prose : bool
        Whether its entries are sentences: set flush left, in columns of one width in LaTeX.
    """

    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Entry, ...]]
    tidy: pd.DataFrame
    rules_above: tuple[str, ...] = ()
    prose: bool = False

    def to_styler(self):
        """A pandas Styler: verdicts as light tints, best values bold."""
        columns = pd.Index(self.columns, name=self.corner)
        entries = pd.DataFrame(list(self.rows.values()), list(self.rows), columns)
        tints = entries.map(_css)
        for name in self.rules_above:
            tints.loc[name] += "; border-top: 1px solid #555"
        identity = hashlib.sha256(self.to_markdown().encode()).hexdigest()[:8]
        styler = entries.map(_html).style.apply(lambda _: tints, axis=None)
        styler = styler.format_index(escape="html").set_table_styles(STYLES)
        if self.prose:
            styler.set_table_styles([FLUSH_LEFT], overwrite=False)
            styler.set_table_attributes('class="prose"')
        return styler.set_uuid(identity).set_caption(self.caption)

    def to_csv(self) -> str:
        """The tidy numbers, six significant digits."""
        return self.tidy.to_csv(index=False, float_format="%.6g", lineterminator="\n")

    def to_markdown(self) -> str:
        """A pipe table with the caption above it."""
        lines = [self.caption, "", _row(self.corner, self.columns)]
        lines.append(_row(":---", [":---:"] * len(self.columns)))
        lines += [_row(name, map(_markdown, entries)) for name, entries in self.rows.items()]
        return "\n".join(lines) + "\n"

    def to_latex(self) -> str:
        """A tabular with booktabs rules, in a table with its caption."""
        heads = " & ".join(map(_tex, (self.corner, *self.columns)))
        lines = [
            r"\begin{table}", r"\centering", r"\scriptsize",
            rf"\caption{{{_tex(self.caption)}}}",
            rf"\begin{{tabular}}{{{self._latex_columns()}}}", r"\toprule", rf"{heads} \\",
            r"\midrule",
        ]  # fmt: skip
        for name, entries in self.rows.items():
            lines += [r"\midrule"] if name in self.rules_above else []
            cells = map(_paragraph if self.prose else _shortstack, entries)
            lines.append(" & ".join([_tex(name), *cells]) + r" \tabularnewline[2pt]")
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        return "\n".join(lines) + "\n"

    def _latex_columns(self):
        n = len(self.columns)
        return "l" + rf"p{{{0.8 / n:.2f}\linewidth}}" * n if self.prose else "l" + "c" * n

    def _repr_html_(self) -> str:
        return self.to_styler().to_html()


def grid(
    names: Iterable, heads: Iterable, entry: Callable, *, caption: str, tidy: pd.DataFrame,
    corner: str = "", rules_above: tuple[str, ...] = (), prose: bool = False,
) -> ReportTable:  # fmt: skip
    """A table with ``entry(name, head)`` in each row and column.

    Parameters
    ----------
    names, heads : what rows and columns are for; a mapping has the text to show for each.
    entry : function of a name and a head
        It gives an :class:`Entry`, a text, or None for a dash.
    caption, tidy, corner, rules_above, prose : see :class:`ReportTable`.
    """

    def made(value):
        return value if isinstance(value, Entry) else Entry((str("–" if value is None else value),))

    names, heads = (
        keys if isinstance(keys, Mapping) else {key: key for key in keys} for keys in (names, heads)
    )
    rows = {text: tuple(made(entry(name, head)) for head in heads) for name, text in names.items()}
    columns = tuple(heads.values())
    return ReportTable(caption, corner, columns, rows, tidy, rules_above, prose)


def save_table(table: ReportTable, folder, name: str) -> list[Path]:
    """Write ``name``.csv, .md and .tex into ``folder``: the same table gives the same bytes."""
    forms = {".csv": table.to_csv(), ".md": table.to_markdown(), ".tex": table.to_latex()}
    return [write_whole(Path(folder) / (name + ending), text) for ending, text in forms.items()]


def _css(entry):
    return f"background-color: {VERDICT_TINTS.get(entry.verdict, NO_TINT)}; color: {TINTED_TEXT}"


def _html(entry):
    return "<br>".join(_lines(entry, "<b>{}</b>", "<small>{}</small>"))


def _markdown(entry):
    return "<br>".join(_lines(entry, "**{}**", "*{}*"))


def _shortstack(entry):
    lines = _lines(entry, r"\textbf{{{}}}", r"\textit{{{}}}", text=_tex)
    return r"\shortstack{" + r"\\".join(lines) + "}"


def _paragraph(entry):
    return r"\raggedright " + r"\newline ".join(_lines(entry, r"\textbf{{{}}}", "{}", text=_tex))


def _lines(entry, bold, verdict, text=str):
    """The entry's lines and its verdict in some mark-up, given as format strings."""
    lines = [
        bold.format(text(line)) if is_bold else text(line)
        for line, is_bold in zip_longest(entry.lines, entry.bold, fillvalue=False)
    ]
    word = IN_PRINT.get(entry.verdict, entry.verdict)
    return [*lines, verdict.format(word)] if word else lines


def _row(first, others):
    cells = [first, *others]
    return "| " + " | ".join(cell.replace("_", r"\_") for cell in cells) + " |"


def _tex(text):
    for plain, latex in (
        ("&", r"\&"), ("%", r"\%"), ("_", r"\_"), ("±", r"$\pm$"), ("↓", r"$\downarrow$"),
        ("↑", r"$\uparrow$"), ("–", "--"), ("†", r"\dag{}"),
    ):  # fmt: skip
        text = text.replace(plain, latex)
    return text
