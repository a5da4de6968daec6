"""Tables that several notebooks show: the paper's numbers next to ours, claims, open choices.

A table is shown as HTML, and saved as CSV and Markdown, the paper's own also as LaTeX.
"""

import hashlib
import html
import math
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlpaper.paths import write_whole
from mimlstudy.engine.rows import guarded
from mimlstudy.judge.claims import ClaimResult
from mimlstudy.judge.compare import compare_with_paper, round_half_up, unmixed
from mimlstudy.judge.statistics import MARGIN
from mimlstudy.judge.verdicts import (
    DECIMALS,
    IN_PRINT,
    SIGNS,
    TOLERANCES,
    VERDICT_TINTS,
    agreement,
    wins,
)
from mimlstudy.paper.experiments import settings_nearest_to_print
from mimlstudy.paper.published import ALL_CRITERIA, TABLES, published_divergences
from mimlstudy.report.plain import markdown_text

OF_THE_PAPER = (*(table.experiment for table in TABLES.values()), "appendix_c", "blanks")
HEADS = {c.name: f"{c.symbol} {c.arrow}" for c in ALL_CRITERIA.values()}
CLAIM_COLUMNS = ("paper's test", "strict test", "blind", "tuned")  # of claims.VIEWS
HOW_TESTED = (
    "by the paper's paired t-test and by a strict test, with the parts that are shown. The strict "
    "test allows for examples that splits share, or takes the ranks of independent data sets, and "
    "is adjusted by Holm for the parts of a claim; blind and tuned settings have the strict test. "
    f"A tie is shown within {MARGIN:.0%} of the rival's loss. *Control* is how many of the printed "
    "leads the strict test would have shown, with our spreads; if less than half, the claim is "
    "undecided. Contradicted: more parts are contradicted than shown."
)
TINTED_TEXT = "#1a1a1a"  # legible on light tints in dark notebooks too
THIN, THICK = "border-top: 1px solid #cccccc", "border-top: 1px solid #555555"
CSS = [
    {"selector": "", "props": "border-collapse: collapse"},
    {"selector": "caption", "props": "caption-side: top; text-align: left; padding: 0.5em 0"},
    {"selector": "th", "props": "text-align: left; font-weight: 600; padding: 0.3em 0.35em"},
    {"selector": "td", "props": "text-align: center; line-height: 1.35; padding: 0.3em 0.35em"},
    {"selector": "small", "props": "opacity: 0.75"},
]
FLUSH_LEFT = [
    {"selector": "td", "props": "text-align: left; vertical-align: top"},
    {"selector": "tbody th", "props": "vertical-align: top"},
]
IN_LINES = [
    {"selector": "tbody tr", "props": "background: none"},
    {"selector": "td", "props": "padding: 0.1em 0.4em; white-space: nowrap; vertical-align: top"},
    {"selector": "tbody th", "props": "padding: 0.1em 0.4em; vertical-align: top"},
    {"selector": "tbody th.level1", "props": "font-weight: 400; font-style: italic"},
]
LATEX_STYLES = [
    {"selector": "scriptsize", "props": ": ;"},
    {"selector": "renewcommand", "props": r":\arraystretch{1.2};"},
    # Tints are shown where the document loads the package colortbl.
    {"selector": "providecommand", "props": r":\cellcolor[2][]{};"},
]
ITALIC = re.compile(r"\*([^*]+)\*")  # in captions


@dataclass(frozen=True)
class Entry:
    """One cell: lines from top to bottom, which of them are bold, and a verdict.

    The verdict is a line in words; if ``signed``, it is a sign behind the last line. The address is
    that of the number on the site, empty if it has none.
    """

    lines: tuple[str, ...] = ()
    bold: tuple[bool, ...] = ()  # empty for none
    verdict: str = ""
    signed: bool = False
    address: str = ""


@dataclass(frozen=True, eq=False)
class ReportTable:
    """A table to show and to save; a notebook shows it as HTML.

    A row has one name, or two; rows with the same first name stand together.
    """

    caption: str
    entries: pd.DataFrame  # of Entry; the name of its columns is the head of the first column
    tidy: pd.DataFrame  # the same numbers, a row for each cell
    rules_above: tuple[str, ...] = ()  # rows with a line above, as the paper's compared algorithms
    prose: bool = False  # sentences, set flush left

    @property
    def key(self) -> dict[str, str]:
        """Of each verdict that a sign shows: the sign and its meaning."""
        signed = {one.verdict for one in self.entries.to_numpy().ravel() if one.signed}
        return {v: f"{sign} {IN_PRINT[v]}" for v, sign in SIGNS.items() if sign and v in signed}

    def to_styler(self):
        """A pandas Styler: verdicts as light tints, best values bold."""
        firsts, grouped = self._names().iloc[:, 0], self.entries.index.nlevels > 1
        rules = firsts.map(lambda name: THIN if grouped and name else "")
        rules = rules.mask(firsts.isin(self.rules_above), THICK).to_numpy()
        looks = self.entries.map(lambda one: _tint(one.verdict)).add(rules, axis=0)
        styler = self.entries.map(_html_cell).style.apply(lambda _: looks, axis=None)
        if len(rules):  # pandas fails on none
            styler.apply_index(lambda _: rules)
        key = [f'<span style="{_tint(one)}">{text}</span>' for one, text in self.key.items()]
        return (
            styler.format_index(escape="html")
            .format_index(escape="html", axis="columns")
            .set_table_styles(CSS + IN_LINES * grouped + FLUSH_LEFT * self.prose)
            .set_table_attributes('class="prose"' * self.prose)
            .set_uuid(hashlib.sha256(self.to_markdown().encode()).hexdigest()[:8])
            .set_caption(" ".join([ITALIC.sub(r"<i>\1</i>", self.caption), *key]))
        )

    def to_csv(self) -> str:
        """The tidy numbers, six significant digits."""
        return self.tidy.map(guarded).to_csv(index=False, float_format="%.6g", lineterminator="\n")

    def to_markdown(self) -> str:
        """A pipe table with the caption above it."""
        names = self._names().map(markdown_text)
        cells = self.entries.map(MARKDOWN_CELL).reset_index(drop=True)
        texts = pd.concat([names, cells], axis=1)
        heads = [markdown_text(head) for head in texts.columns]
        rules = [":---"] * names.shape[1] + [":---:"] * len(self.entries.columns)
        rows = [heads, rules, *texts.itertuples(index=False)]
        lines = ("| " + " | ".join(row) + " |" for row in rows)
        return "\n".join([self._caption_with_key(), "", *lines]) + "\n"

    def to_latex(self) -> str:
        """A tabular with the rules of booktabs, in a table with its caption; in UTF-8."""
        texts, n_names = self._texts(LATEX_CELL), self.entries.index.nlevels
        firsts = texts.iloc[:, 0]
        above = firsts.map(lambda name: r"\addlinespace " if n_names > 1 and name else "")
        above = above.mask(firsts.isin(self.rules_above), r"\midrule ")
        texts.isetitem(0, above + firsts.map(_tex))
        shown = texts.rename(columns=_tex).style.hide(axis="index")
        return shown.set_table_styles(LATEX_STYLES).to_latex(
            hrules=True,
            position_float="centering",
            caption=ITALIC.sub(r"\\emph{\1}", _tex(self._caption_with_key())),
            column_format="l" * n_names + "c" * len(self.entries.columns),
        )

    def _names(self):
        """The names of the rows, a column or two; a first name only where its rows begin."""
        names = self.entries.index.to_frame(index=False)
        if names.shape[1] > 1:
            names[0] = names[0].mask(names[0].duplicated(), "")
        return names.set_axis([self.entries.columns.name, ""][: names.shape[1]], axis="columns")

    def _texts(self, cell):
        """All that is shown, as texts: the names and the cells."""
        return pd.concat([self._names(), self.entries.map(cell).reset_index(drop=True)], axis=1)

    def _caption_with_key(self):
        return f"{self.caption} {', '.join(self.key.values())}." if self.key else self.caption

    def _repr_html_(self) -> str:
        return self.to_styler().to_html()


def frame_grid(
    shown: pd.DataFrame,
    tidy: pd.DataFrame,
    caption: str,
    *,
    corner: str | None = None,
    rules_above: tuple[str, ...] = (),
    prose: bool = False,
) -> ReportTable:
    """A table of a frame's texts and entries; ``corner`` heads its index, dashes are missing."""
    corner = (shown.index.name or "") if corner is None else corner
    texts = shown.astype(object).where(shown.notna(), "–").rename(index=str, columns=str)
    entries = texts.map(lambda one: one if isinstance(one, Entry) else Entry((str(one),)))
    entries = entries.rename_axis(index=[None] * shown.index.nlevels, columns=corner)
    return ReportTable(caption, entries, tidy, rules_above, prose)


def crossed(names: Iterable, heads: Iterable, entries: Iterable) -> pd.DataFrame:
    """A frame of entries, each in the row of its name and the column of its head."""
    places = pd.MultiIndex.from_arrays([[*names], [*heads]])
    rows, columns = (places.get_level_values(level).unique() for level in (0, 1))
    return pd.Series([*entries], places).unstack().reindex(rows, columns=columns)


def save_table(table: ReportTable, folder, name: str) -> list[Path]:
    """Write ``name``.csv and .md into ``folder``, and .tex if it is one of the paper's own."""
    forms = {".csv": table.to_csv(), ".md": table.to_markdown()}
    forms |= {".tex": table.to_latex()} if name in OF_THE_PAPER else {}
    return [write_whole(Path(folder) / (name + ending), text) for ending, text in forms.items()]


def _tex(text):
    return re.sub(r"[&%$#_{}]", r"\\\g<0>", text).replace("○", r"$\circ$")


def _tint(verdict):
    color = VERDICT_TINTS.get(verdict)
    return f"background-color: {color}; color: {TINTED_TEXT}; " if color else ""


def _cell(entry, *, escape, newline="<br>", bold, verdict, stack="{}", tint=""):
    lines = [
        bold.format(escape(line)) if is_bold else escape(line)
        for line, is_bold in zip_longest(entry.lines, entry.bold, fillvalue=False)
    ]
    if entry.signed:
        lines[-1] = f"{lines[-1]} {escape(SIGNS[entry.verdict])}".rstrip()
    elif entry.verdict:
        lines.append(verdict.format(IN_PRINT[entry.verdict]))
    color = VERDICT_TINTS.get(entry.verdict, "").upper()
    text = stack.format(newline.join(lines)) if len(lines) > 1 else "".join(lines)
    return tint.format(color[1:]) * bool(color) + text


HTML_CELL = partial(_cell, escape=html.escape, bold="<b>{}</b>", verdict="<small>{}</small>")


def _html_cell(entry):
    text = HTML_CELL(entry)
    # The site makes links of these marks; in a notebook there is no page to lead to.
    if entry.address:
        return f'<span data-address="{html.escape(entry.address)}">{text}</span>'
    return text


MARKDOWN_CELL = partial(_cell, escape=markdown_text, bold="**{}**", verdict="*{}*")
LATEX_CELL = partial(
    _cell,
    escape=_tex,
    newline=r"\\",
    bold=r"\textbf{{{}}}",
    verdict=r"\textit{{{}}}",
    stack=r"\shortstack{{{}}}",
    tint=r"\cellcolor[HTML]{{{}}}",
)


def results_table(
    records: pd.DataFrame,
    number: int,
    *,
    profile: str,
    blind: pd.DataFrame | None = None,
    criteria: Iterable[str] = (),
    rows: Iterable[str] | None = None,
) -> ReportTable:
    """Table ``number`` of the paper: for each algorithm a line as printed, and one of ours.

    ``criteria`` and ``rows`` are the criteria and methods that are shown, all if empty. Where it
    differs, a third line is that of ``blind``, the records of the blind column. Methods that the
    paper does not have stand below, without a verdict.
    """
    table, blind = TABLES[number], pd.DataFrame() if blind is None else blind
    if unknown := {*criteria} - {*table.criteria}:
        raise ValueError(f"criteria must be among {[*table.criteria]}, got {sorted(unknown)}")
    over = table.columns
    cells, unmatched = (compare_with_paper(found, number) for found in (records, blind))
    cells = cells[cells["criterion"].isin([*criteria])] if criteria else cells
    every = agreement(cells)  # ours may be nearest to a printed row that is not shown
    cells = cells[cells["algorithm"].isin([*rows])] if rows else cells
    both = cells.assign(is_best=wins(cells, "mean", [over])).merge(
        unmatched[["algorithm", over, "mean", "std", "verdict"]],
        "left",
        ["algorithm", over],
        suffixes=("", "_blind"),
    )
    places = both[["table", "algorithm", "criterion", "dataset"]]
    both["address"] = [address(*place) for place in places.itertuples(index=False)]
    shown = both["algorithm"].unique()
    nearest = settings_nearest_to_print(table.experiment)
    marked = {name: nearest[name] for name in shown if nearest.get(name)}
    names = {name: name + "†" * (name in marked) for name in shown}
    lines = {
        (names[name], line): entries
        for name, own in both.groupby("algorithm", sort=False)
        for line, entries in _lines(own.set_index(over)).items()
    }
    has_blind = any(line == "blind" for _, line in lines)
    compared = [names[name] for name in table.compared if name in names]
    others = [names[name] for name in names if name not in table.algorithms]
    return frame_grid(
        pd.DataFrame(lines).T.rename(columns=HEADS),
        cells.assign(profile=profile),
        _results_caption(table, cells, every, marked, others, has_blind, profile),
        corner="algorithm",
        rules_above=(*compared[:1], *others[:1]),
    )


def address(table: int, method: str, criterion: str, dataset: str) -> str:
    """The name of a number on the site, such as ``table1/MimlSvm/coverage/scene``."""
    return f"table{table}/{method}/{criterion}/{dataset}".replace(" ", "_")


def _addressed(entries, cells):
    """Entries with the addresses of their cells."""
    pairs = zip(entries, cells["address"], strict=True)
    addressed = [replace(entry, address=place) for entry, place in pairs]
    return pd.Series(addressed, entries.index, dtype=object)


def _lines(cells):
    """The lines of one algorithm by name: entries, with the columns of the table as index."""
    lines = {}
    if cells["printed"].ne("no row").all():
        texts, bold = cells.apply(published_text, axis=1), cells["published_best"]
        entries = (Entry((text,), (best,)) for text, best in zip(texts, bold, strict=True))
        lines["printed"] = pd.Series([*entries], cells.index)
    lines["ours"] = number_entries(*(cells[name] for name in ("mean", "std", "is_best", "verdict")))
    if (cells["mean_blind"].notna() & (cells["mean_blind"] != cells["mean"])).any():
        mean, std, verdict = (cells[f"{name}_blind"] for name in ("mean", "std", "verdict"))
        lines["blind"] = number_entries(mean, std, verdict=verdict)
    return {name: _addressed(entries, cells) for name, entries in lines.items()}


def _results_caption(table, cells, every, marked, others, has_blind, profile):
    what = "accuracy ↑, mean ± std" if len(table.datasets) > 1 else "mean ± std"
    agree = every["match_rate"] is not None and (
        f"{every['match_rate']:.0%} of the printed cells agree with ours, and "
        f"{every['false_match_rate']:.0%} of other algorithms' cells would; "
        f"{every['rows_identified']} of {every['rows']} rows are nearest to their own."
    )
    dagger = marked and (
        f"† marks {len(marked)} rows with {sum(marked.values())} settings that were chosen "
        "because they come nearest to the printed row."
    )
    sentences = [
        f"Table {table.number}. {table.title}: {what}.",
        "*Printed* is the paper's value, *ours* that of the recorded trials. The best is bold.",
        has_blind and "*Blind* is ours without settings chosen because they come nearest to print.",
        cells["verdict"].eq("filled").any() and "Filled cells are N/A or blank in print.",
        others and "Below the last line are methods that the paper does not have.",
        f"Tolerance: {TOLERANCES[table.number]}.",
        agree,
        dagger,
        _provenance(cells, profile),
    ]
    return " ".join(filter(None, sentences))


def measured_table(records: pd.DataFrame, *, title: str, profile: str) -> ReportTable:
    """Mean ± std over splits of every method, in the order of the records."""
    groups = unmixed(records).groupby("method", sort=False)
    numbers = groups[list(CRITERIA)].agg(["mean", "std"]).stack(level=0, future_stack=True)
    about = groups.agg(n=("split", "size"), state=("state", _joined), kind=("kind", _joined))
    tidy = numbers.rename_axis(["algorithm", "criterion"]).reset_index().join(about, "algorithm")
    entries = number_entries(tidy["mean"], tidy["std"], wins(tidy, "mean", ["criterion"]))
    return frame_grid(
        crossed(tidy["algorithm"], tidy["criterion"], entries).rename(columns=HEADS),
        tidy.assign(profile=profile),
        f"{title}: mean ± std. {_provenance(tidy, profile)}",
        corner="algorithm",
    )


def claims_table(results: list[ClaimResult], *, detail: bool = True) -> ReportTable:
    """One row for each claim: its words, parts and control; ``detail`` adds the parts' words.

    A column in which no claim was tested is named in the caption only.
    """
    tidy = pd.DataFrame(
        {"id": one.id, "where": one.where, "claim": one.claim, "detail": one.detail, "view": view}
        | asdict(verdict)
        for one in results
        for view, verdict in one.verdicts.items()
    )
    tested = {*CLAIM_COLUMNS[:2], *tidy.loc[tidy["word"] != "not tested", "view"]}
    columns = [view for view in CLAIM_COLUMNS if view in tested]
    untested = " and ".join(view for view in CLAIM_COLUMNS if view not in tested)
    entries = [
        Entry((f"{v.shown} of {v.n_parts}",) if v.n_parts > v.not_tested else (), (), v.word)
        for v in tidy.itertuples()
    ]
    shown = crossed(tidy["id"], tidy["view"], entries)[columns]
    strict = tidy[tidy["view"] == "strict test"].set_index("id")
    shown.insert(0, "claim", strict["claim"])
    shown["control"] = [
        f"{v.control} of {v.n_control}" if v.n_control else "–" for v in strict.itertuples()
    ]
    if detail:
        shown["in detail"] = strict["detail"]
    caption = f"Claims, {HOW_TESTED}" + f" Not tested: {untested} settings." * bool(untested)
    return frame_grid(shown, tidy, caption, corner="", prose=True)


def divergences_table(
    section: str = "", columns: tuple[str, ...] = ("open", "choice", "alternatives", "effect")
) -> ReportTable:
    """Open choices of a section such as ``"4"``, or of all."""
    log = published_divergences()
    log = log[log["section"] == section] if section else log
    caption = "Open choices, and their effects where these were measured."
    shown = log.set_index("id")[[*columns]].replace("", None)
    return frame_grid(shown, log, caption, corner="", prose=True)


def choices_table(records: pd.DataFrame, title: str) -> ReportTable:
    """What an open choice changes: means of the configuration, reading "", then differences."""
    groups = unmixed(records, "reading").groupby(["method", "reading"], sort=False)
    means = groups[[*CRITERIA]].mean()
    own = means.xs("", level="reading", drop_level=False)
    changes = means.drop(own.index).sub(own.droplevel("reading"), level="method").dropna(how="all")
    texts = pd.concat([own.map("{:.3f}".format), changes.map("{:+.3f}".format)])
    texts = texts.loc[[*changes.index.unique("method")]]
    names = [f"{method}: {reading}" if reading else method for method, reading in texts.index]
    shown, n_splits = texts.set_axis(names).rename(columns=HEADS), records["split"].nunique()
    caption = f"{title}: means (splits: {n_splits}), and the changes by each other choice."
    return frame_grid(shown, changes.reset_index(), caption, corner="configuration, or its change")


def published_text(cell) -> str:
    """What the paper prints in a cell of ``compare_with_paper``: a number, N/A or nothing."""
    number = number_text(cell["published_mean"], cell["published_std"])
    return "N/A" if cell["printed"] == "N/A" else number


def number_entries(mean: pd.Series, std: pd.Series, is_best=False, verdict="") -> pd.Series:
    """Entries of numbers as :func:`number_text`: the best bold, a sign for each verdict, if any."""
    cells = pd.DataFrame({"mean": mean, "std": std, "is_best": is_best, "verdict": verdict})
    entries = [
        Entry((number_text(c.mean, c.std),), (c.is_best,), c.verdict, signed=c.verdict != "")
        for c in cells.itertuples()
    ]
    return pd.Series(entries, mean.index, dtype=object)


def number_text(mean: float, std: float = math.nan) -> str:
    """``.193±.007`` as the paper prints it, halves rounded up; a dash for nothing."""
    if pd.isna(mean):
        return "–"
    numbers = [round_half_up(number, DECIMALS) for number in (mean, std) if not pd.isna(number)]
    texts = (f"{number:.{DECIMALS}f}" for number in numbers)
    return "±".join(text.removeprefix("0") for text in texts)


def _provenance(cells, profile):
    """Profile, runs, states and kinds of data, by algorithm where they differ."""
    measured = cells[cells["n"] > 0].groupby("algorithm", sort=False)
    if not len(measured):
        return f"Profile {profile}; no records yet."
    of = f" of {cells['n_protocol'].iloc[0]}" if "n_protocol" in cells else ""
    runs = _by_algorithm(measured["n"].min().map(lambda n: f"{n}{of} runs"))
    states, kinds = (_by_algorithm(measured[name].agg(_joined)) for name in ("state", "kind"))
    return f"Profile {profile}; {runs}; records {states}; {kinds} data."


def _by_algorithm(values):
    """One value if all share it, otherwise each value with its algorithms."""
    if values.nunique() == 1:
        return values.iloc[0]
    groups = values.groupby(values, sort=False).groups
    return ", ".join(f"{value} ({', '.join(names)})" for value, names in groups.items())


def _joined(values):
    return " and ".join(sorted(set(values)))
