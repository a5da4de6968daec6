"""The look of tables and figures, and their files, which are written whole."""

import hashlib
import html
import io
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mimlpaper.paths import write_whole

STYLE_SHEET = Path(__file__).with_name("paper.mplstyle")

# Of each verdict: the tint of a cell, the fill and the sign of a mark, the words in print. The sign
# is for readers who see no colour.
VERDICT_LOOKS = pd.read_csv(
    STYLE_SHEET.with_name("verdicts.csv"), index_col="verdict", keep_default_na=False
)
VERDICT_TINTS, IN_PRINT = (VERDICT_LOOKS[name].to_dict() for name in ("tint", "in_print"))
TINTED_TEXT = "#1a1a1a"  # legible on light tints in dark notebooks too
NO_TINT = "#ffffff"

STYLES = [
    {"selector": "caption", "props": "caption-side: top; text-align: left; padding: 0.5em 0"},
    {"selector": "th", "props": "text-align: left; font-weight: 600; padding: 0.3em 0.35em"},
    {"selector": "td", "props": "text-align: center; line-height: 1.35; padding: 0.3em 0.35em"},
    {"selector": "small", "props": "opacity: 0.75"},
]
FLUSH_LEFT = {"selector": "td", "props": "text-align: left; vertical-align: top"}
LATEX_STYLES = [
    {"selector": "scriptsize", "props": ": ;"},
    {"selector": "renewcommand", "props": r":\arraystretch{1.5};"},
]
PRINTED = ("table1", "table2", "table3", "table4", "table5", "appendix_c", "blanks")  # in the paper


@dataclass(frozen=True)
class Entry:
    """One cell: lines from top to bottom, which of them are bold, and a verdict."""

    lines: tuple[str, ...] = ()
    bold: tuple[bool, ...] = ()  # empty for none
    verdict: str = ""


@dataclass(frozen=True, eq=False)
class ReportTable:
    """A table to show and to save; a notebook shows it as HTML."""

    caption: str
    entries: pd.DataFrame  # of Entry; the name of its columns is the head of the first column
    tidy: pd.DataFrame  # the same numbers, one row for each cell
    rules_above: tuple[str, ...] = ()  # rows with a line above, as the paper's compared algorithms
    prose: bool = False  # sentences, set flush left

    @property
    def columns(self) -> tuple[str, ...]:
        """Heads of all columns but the first."""
        return tuple(self.entries.columns)

    @property
    def rows(self) -> dict[str, tuple[Entry, ...]]:
        """Entries by the name of their row."""
        return {name: tuple(row) for name, *row in self.entries.itertuples()}

    def to_styler(self):
        """A pandas Styler: verdicts as light tints, best values bold."""
        tints = self.entries.map(_css)
        tints.loc[list(self.rules_above)] += "; border-top: 1px solid #555"
        identity = hashlib.sha256(self.to_markdown().encode()).hexdigest()[:8]
        styler = self.entries.map(HTML.of).style.apply(lambda _: tints, axis=None)
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
        rows = [
            (self.entries.columns.name, *self.columns),
            (":---", *[":---:"] * len(self.columns)),
        ]
        rows += self.entries.map(MARKDOWN.of).itertuples()
        return "\n".join([self.caption, "", *map(_pipe_row, rows)]) + "\n"

    def to_latex(self) -> str:
        """A tabular with the rules of booktabs, in a table with its caption; in UTF-8."""
        names = {name: r"\midrule " * (name in self.rules_above) + _tex(name) for name in self.rows}
        shown = self.entries.map(LATEX.of).rename(index=names, columns=_tex)
        return shown.style.set_table_styles(LATEX_STYLES).to_latex(
            hrules=True, position_float="centering", caption=_tex(self.caption),
            column_format="l" + "c" * len(self.columns),
        )  # fmt: skip

    def _repr_html_(self) -> str:
        return self.to_styler().to_html()


def frame_grid(
    shown: pd.DataFrame, tidy: pd.DataFrame, caption: str, *, corner: str | None = None,
    rules_above: tuple[str, ...] = (), prose: bool = False,
) -> ReportTable:  # fmt: skip
    """A table of a frame's texts and entries, with its index as names; missing ones are dashes.

    ``corner`` is the name of the index if None; the other parameters are those of
    :class:`ReportTable`.
    """
    corner = (shown.index.name or "") if corner is None else corner
    entries = shown.astype(object).map(_entry).rename(index=str, columns=str)
    entries = entries.rename_axis(index=None, columns=corner)
    return ReportTable(caption, entries, tidy, rules_above, prose)


def _entry(value):
    """A text or a number as an entry."""
    return value if isinstance(value, Entry) else Entry(("–" if pd.isna(value) else str(value),))


def crossed(names: pd.Series, heads: pd.Series, entries: Iterable) -> pd.DataFrame:
    """A frame of entries, each in the row of its name and the column of its head."""
    rows: dict = {}
    for name, head, entry in zip(names, heads, entries, strict=True):
        rows.setdefault(name, {})[head] = entry
    return pd.DataFrame.from_dict(rows, orient="index").reindex(rows)


def save_table(table: ReportTable, folder, name: str) -> list[Path]:
    """Write ``name``.csv and .md into ``folder``, and .tex if it is one of :data:`PRINTED`.

    The same table gives the same bytes.
    """
    forms = {".csv": table.to_csv(), ".md": table.to_markdown()}
    forms |= {".tex": table.to_latex()} if name in PRINTED else {}
    return [write_whole(Path(folder) / (name + ending), text) for ending, text in forms.items()]


def _css(entry):
    return f"background-color: {VERDICT_TINTS.get(entry.verdict, NO_TINT)}; color: {TINTED_TEXT}"


def _pipe_row(cells):
    return "| " + " | ".join(cell.replace("_", r"\_") for cell in cells) + " |"


def _tex(text):
    return re.sub(r"[&%$#_{}]", r"\\\g<0>", text)


def _md(text):
    return text.replace("<", r"\<").replace("|", r"\|")


class Markup(NamedTuple):
    """How a cell is written: what joins its lines, formats of its parts, how text is escaped."""

    newline: str
    bold: str
    verdict: str
    cell: str = "{}"
    text: Callable[[str], str] = str

    def of(self, entry: Entry) -> str:
        """The entry's lines, then its verdict."""
        lines = [
            self.bold.format(self.text(line)) if is_bold else self.text(line)
            for line, is_bold in zip(
                entry.lines, (*entry.bold, *[False] * len(entry.lines)), strict=False
            )
        ]
        lines += [self.verdict.format(IN_PRINT[entry.verdict])] if entry.verdict else []
        return self.cell.format(self.newline.join(lines))


HTML = Markup("<br>", "<b>{}</b>", "<small>{}</small>", text=html.escape)
MARKDOWN = Markup("<br>", "**{}**", "*{}*", text=_md)
LATEX = Markup(r"\\", r"\textbf{{{}}}", r"\textit{{{}}}", r"\shortstack{{{}}}", _tex)


INK, LINE = "#222222", "#777777"  # of text, and of arrows and frames
VERMILION, BLUE, GREEN = "#D55E00", "#0072B2", "#009E73"  # of Okabe and Ito, as in looks.csv
RIGHT, WRONG = GREEN, VERMILION  # of reasons and predictions


class Look(NamedTuple):
    """Colour, marker and line of a method, as matplotlib takes them."""

    color: str
    marker: str
    linestyle: str = "-"


# The colour stands for the MIML learner, the marker for the way to it: a circle for MIML data, a
# square for InsDif, a diamond for SubCod. Compared methods have dashed lines.
LOOKS = pd.read_csv(STYLE_SHEET.with_name("looks.csv"))
METHOD_STYLE = {method: Look(*row) for method, *row in LOOKS.itertuples(index=False)}


def look_of(method: str) -> Look:
    """The look of a method; of a variant, such as "MlSvm, tuned", that of the method itself."""
    return METHOD_STYLE.get(method.split(",")[0], Look("#888888", ".", ":"))


def in_order(methods) -> list[str]:
    """Methods in the order of :data:`METHOD_STYLE`, others last."""
    known = list(METHOD_STYLE)
    return sorted(methods, key=lambda m: known.index(m) if m in known else len(known))


def use_style():
    """Make the style sheet the default of all figures that follow."""
    plt.style.use(STYLE_SHEET)
    warnings.filterwarnings("ignore", "The figure layout has changed to tight")  # by seaborn


def save_figure(figure: Figure, folder, name: str) -> list[Path]:
    """Write ``name``.png (200 dpi) and .svg into ``folder``: the same figure gives the same bytes.

    The layout is fixed first, since each resolution would shift it a little.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    paths = []
    for ending, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        content = io.BytesIO()
        with plt.style.context(STYLE_SHEET):
            figure.savefig(content, format=ending[1:], metadata=metadata)
        paths.append(write_whole(Path(folder) / (name + ending), content.getvalue()))
    return paths
