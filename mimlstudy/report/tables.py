"""Tables that several notebooks show: the paper's numbers next to ours, claims, open choices.

A table is shown as HTML, and saved as CSV and Markdown, the paper's own also as LaTeX.
"""

import hashlib
import html
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from mimlpaper.kernels import MUCH, LowRankWarning
from mimlpaper.metrics import CRITERIA
from mimlpaper.paths import write_whole
from mimlstudy.counts import number_and_noun
from mimlstudy.engine.rows import guarded
from mimlstudy.judge.choices import divergences_with_effects, effects_of_choices
from mimlstudy.judge.claim_parts import NOT_TESTED
from mimlstudy.judge.claims import CORRECTED, PAPERS, SHOWN_VIEWS, ClaimFinding
from mimlstudy.judge.compare import compare_with_paper
from mimlstudy.judge.selection import Records, checked_for_means
from mimlstudy.judge.statistics import MARGIN
from mimlstudy.judge.tolerances import PRINTED_DECIMALS, TOLERANCE_RULES, round_half_up
from mimlstudy.judge.verdicts import agreement, wins
from mimlstudy.paper.printed import ALL_CRITERIA, listed_divergences, printed_tables
from mimlstudy.report.marks import marked_names, marks_in_words
from mimlstudy.report.plain import markdown_in_line
from mimlstudy.report.sentences import listed, paragraph
from mimlstudy.report.verdict_looks import VERDICT_SIGNS, VERDICT_TINTS, VERDICT_WORDS

HEADS = {c.name: f"{c.symbol} {c.arrow}" for c in ALL_CRITERIA.values()}
PRINTED, OURS, FIXED = "printed", "ours", "fixed in advance"  # lines of a table
HOW_TESTED = (
    "by the paper's paired t-test and by a corrected test, with the parts that are supported. By "
    "the paper's test a difference that is not significant is a tie. The corrected test allows for "
    "examples that splits share, or uses ranks over independent data sets, and is adjusted by Holm "
    "for the parts of a claim, but not for percentages of cases, nor for choosing the best or the "
    "worst of several methods; with it a tie is supported within "
    f"{MARGIN:.0%} of the rival's loss. Settings fixed in advance and equal tuning are judged by "
    "the corrected test. *Power* is the share of the printed differences that the corrected test "
    "would have supported, with our standard deviations. Below one half the claim is undecided. A "
    "claim is contradicted if more of its parts are contradicted than supported."
)
FEW_SETS = 3  # which a sentence names one by one
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
    tidy: pd.DataFrame  # what the CSV holds; often a row for each cell
    rules_above: tuple[str, ...] = ()  # rows with a line above, as the first compared algorithm
    prose: bool = False  # sentences, set flush left

    @property
    def key(self) -> dict[str, str]:
        """Of each verdict that a sign shows: the sign and its meaning."""
        shown = {entry.verdict for entry in self.entries.to_numpy().ravel() if entry.signed}
        key = {}
        # In the order of the looks, not of the cells: tables side by side have equal keys.
        for verdict, sign in VERDICT_SIGNS.items():
            if sign and verdict in shown:
                key[verdict] = f"{sign} {VERDICT_WORDS[verdict]}"
        return key

    @property
    def _is_grouped(self):
        """Whether a row has two names."""
        return self.entries.index.nlevels > 1

    def to_styler(self):
        """A pandas Styler: verdicts as light tints, best values bold."""
        rules = self._rules(THIN, THICK)
        tints = self.entries.map(lambda entry: _tint(entry.verdict))
        looks = tints.add(rules.to_numpy(), axis=0)
        styler = self.entries.map(_html_cell).style
        styler = styler.apply(lambda _: looks, axis=None)
        if len(rules):  # pandas fails on none
            styler.apply_index(lambda _: rules.to_numpy())
        styles = list(CSS)
        if self._is_grouped:
            styles += IN_LINES
        if self.prose:
            styles += FLUSH_LEFT
        # The same table has the same id, so that what is published does not change.
        digest = hashlib.sha256(self.to_markdown().encode()).hexdigest()
        return (
            styler.format_index(escape="html")
            .format_index(escape="html", axis="columns")
            .set_table_styles(styles)
            .set_table_attributes('class="prose"' if self.prose else "")
            .set_uuid(digest[:8])
            .set_caption(self._html_caption())
        )

    def _rules(self, between_groups, above_named):
        """For each row what draws a line above it; "" for none."""
        first_names = self._names().iloc[:, 0]
        begins_group = (first_names != "") & self._is_grouped
        rules = pd.Series("", first_names.index).mask(begins_group, between_groups)
        return rules.mask(first_names.isin(self.rules_above), above_named)

    def _html_caption(self):
        caption = ITALIC.sub(r"<i>\1</i>", self.caption)
        key = []
        for verdict, meaning in self.key.items():
            key.append(f'<span style="{_tint(verdict)}">{meaning}</span>')
        return " ".join([caption, *key])

    def to_csv(self) -> str:
        """The tidy numbers, six significant digits."""
        # A text that begins like a formula is none to a spreadsheet.
        safe = self.tidy.map(guarded)
        return safe.to_csv(index=False, float_format="%.6g", lineterminator="\n")

    def to_markdown(self) -> str:
        """A pipe table with the caption above it."""
        names = self._names().map(markdown_in_line)
        cells = self.entries.map(MARKDOWN_CELL).reset_index(drop=True)
        texts = pd.concat([names, cells], axis=1)
        heads = [markdown_in_line(head) for head in texts.columns]
        aligned = [":---"] * names.shape[1] + [":---:"] * cells.shape[1]
        rows = [heads, aligned, *texts.itertuples(index=False)]
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return "\n".join([self._caption_with_key(), "", *lines]) + "\n"

    def to_latex(self) -> str:
        """A tabular with the rules of booktabs, in a table with its caption; in UTF-8."""
        names = self._names()
        cells = self.entries.map(LATEX_CELL).reset_index(drop=True)
        texts = pd.concat([names, cells], axis=1)
        rules = self._rules(r"\addlinespace ", r"\midrule ")
        # By place: both columns of names may have the same head.
        texts.isetitem(0, rules + names.iloc[:, 0].map(_tex))
        shown = texts.rename(columns=_tex).style.hide(axis="index")
        caption = _tex(self._caption_with_key())
        return shown.set_table_styles(LATEX_STYLES).to_latex(
            hrules=True,
            position_float="centering",
            caption=ITALIC.sub(r"\\emph{\1}", caption),
            column_format="l" * names.shape[1] + "c" * cells.shape[1],
        )

    def _names(self):
        """The names of the rows, a column or two; a first name only where its rows begin."""
        names = self.entries.index.to_frame(index=False)
        corner = self.entries.columns.name
        if not self._is_grouped:
            return names.set_axis([corner], axis="columns")
        names[0] = names[0].mask(names[0].duplicated(), "")
        return names.set_axis([corner, ""], axis="columns")

    def _caption_with_key(self):
        if not self.key:
            return self.caption
        return f"{self.caption} {', '.join(self.key.values())}."

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
    """A table of a frame's texts and entries; ``corner`` heads its index. A missing entry is –."""
    if corner is None:
        corner = shown.index.name or ""
    filled = shown.astype(object).where(shown.notna(), "–")
    entries = filled.rename(index=str, columns=str).map(_as_entry)
    no_names = [None] * shown.index.nlevels
    entries = entries.rename_axis(index=no_names, columns=corner)
    return ReportTable(caption, entries, tidy, rules_above, prose)


def _as_entry(content):
    return content if isinstance(content, Entry) else Entry((str(content),))


def crossed(names: Iterable, heads: Iterable, entries: Iterable) -> pd.DataFrame:
    """A frame of entries, each in the row of its name and the column of its head."""
    places = pd.MultiIndex.from_arrays([[*names], [*heads]])
    rows = places.get_level_values(0).unique()
    columns = places.get_level_values(1).unique()
    # unstack sorts both, which is not the order of the entries.
    frame = pd.Series([*entries], places).unstack()
    return frame.reindex(rows, columns=columns)


def is_of_the_paper(name: str) -> bool:
    """Whether a table of this name stands in the paper, or adds to one that does."""
    own = {table.experiment for table in printed_tables().values()}
    return name in {*own, "appendix_c", "blanks"}


def save_table(table: ReportTable, folder, name: str) -> list[Path]:
    """Write ``name``.csv and .md into ``folder``, and .tex if it is one of the paper's own."""
    texts = {".csv": table.to_csv(), ".md": table.to_markdown()}
    if is_of_the_paper(name):
        texts[".tex"] = table.to_latex()
    paths = []
    for ending, text in texts.items():
        path = Path(folder) / f"{name}{ending}"
        paths.append(write_whole(path, text))
    return paths


def _tex(text):
    escaped = re.sub(r"[&%$#_{}]", r"\\\g<0>", text)
    return escaped.replace("○", r"$\circ$")


def _tint(verdict):
    color = VERDICT_TINTS.get(verdict)
    return f"background-color: {color}; color: {TINTED_TEXT}; " if color else ""


@dataclass(frozen=True)
class CellForm:
    """How a form of text, such as Markdown, writes an entry; braces stand for what is put in."""

    escape: Callable[[str], str]
    bold: str
    verdict: str
    newline: str = "<br>"
    stack: str = "{}"  # around two lines or more
    tint: str = ""  # before all, with the six digits of a colour

    def __call__(self, entry: Entry) -> str:
        lines = self._lines(entry)
        text = self.newline.join(lines)
        if len(lines) > 1:
            text = self.stack.format(text)
        color = VERDICT_TINTS.get(entry.verdict)
        if not color:
            return text
        digits = color.upper().removeprefix("#")
        return self.tint.format(digits) + text

    def _lines(self, entry):
        lines = []
        for line, is_bold in zip_longest(entry.lines, entry.bold, fillvalue=False):
            escaped = self.escape(line)
            lines.append(self.bold.format(escaped) if is_bold else escaped)
        if entry.signed:
            sign = self.escape(VERDICT_SIGNS[entry.verdict])
            lines[-1] = f"{lines[-1]} {sign}".rstrip()
        elif entry.verdict:
            lines.append(self.verdict.format(VERDICT_WORDS[entry.verdict]))
        return lines


HTML_CELL = CellForm(html.escape, "<b>{}</b>", "<small>{}</small>")
MARKDOWN_CELL = CellForm(markdown_in_line, "**{}**", "*{}*")
LATEX_CELL = CellForm(
    _tex,
    bold=r"\textbf{{{}}}",
    verdict=r"\textit{{{}}}",
    newline=r"\\",
    stack=r"\shortstack{{{}}}",
    tint=r"\cellcolor[HTML]{{{}}}",
)


def _html_cell(entry):
    text = HTML_CELL(entry)
    # The site makes links of these marks; in a notebook there is no page to lead to.
    if entry.address:
        return f'<span data-address="{html.escape(entry.address)}">{text}</span>'
    return text


def results_table(
    records: pd.DataFrame,
    number: int,
    *,
    profile: str,
    fixed: pd.DataFrame | None = None,
    criteria: Iterable[str] = (),
    methods: Iterable[str] = (),
) -> ReportTable:
    """Table ``number`` of the paper: for each algorithm a line as printed, and one of ours.

    Where settings fixed in advance give another mean, a third line has it. Methods that the paper
    does not have stand below, without a verdict.

    Parameters
    ----------
    records : DataFrame
        Records with settings closest to print.
    number : int
        1 to 5.
    profile : str
        Stands in the caption.
    fixed : DataFrame or None, default None
        Records with settings fixed in advance.
    criteria, methods : iterable of str, default all
        The criteria and methods that are shown.
    """
    table = printed_tables()[number]
    criteria = [*criteria]
    unknown = {*criteria} - {*table.criteria}
    if unknown:
        raise ValueError(f"criteria must be among {[*table.criteria]}, got {sorted(unknown)}")
    fixed = pd.DataFrame() if fixed is None else fixed
    cells = compare_with_paper(records, number)
    if criteria:
        cells = cells[cells["criterion"].isin(criteria)]
    # Before rows are left out: ours may be nearest to a printed row that is not shown.
    totals = agreement(cells)
    methods = [*methods]
    if methods:
        cells = cells[cells["algorithm"].isin(methods)]
    lines = _lines_of_methods(cells, table, fixed)
    names = marked_names(cells["algorithm"].unique(), table.experiment)
    shown = {(names[method], line): entries for (method, line), entries in lines.items()}
    compared = [names[name] for name in table.compared if name in names]
    beyond = [names[name] for name in names if name not in table.algorithms]
    has_fixed = any(line == FIXED for _, line in lines)
    sentences = [_results_caption(table, cells, totals, bool(beyond), has_fixed, profile)]
    for runs, settings in ((records, ""), (fixed, ", fixed in advance")):
        if len(runs):
            of_table = runs[runs["method"].isin(cells["algorithm"])]
            sentences.append(low_rank_in_words(of_table, settings))
    return frame_grid(
        pd.DataFrame(shown).T.rename(columns=HEADS),
        cells.assign(profile=profile),
        paragraph(*sentences),
        corner="algorithm",
        # A line above the first row of each group.
        rules_above=(*compared[:1], *beyond[:1]),
    )


def address(table: int, method: str, criterion: str, dataset: str) -> str:
    """The name of a number on the site, such as ``table1/MimlSvm/coverage/scene``."""
    return f"table{table}/{method}/{criterion}/{dataset}".replace(" ", "_")


def addressed(entries: pd.Series, addresses: Iterable[str]) -> pd.Series:
    """Entries with the addresses of their numbers."""
    pairs = zip(entries, addresses, strict=True)
    with_address = [replace(entry, address=place) for entry, place in pairs]
    return pd.Series(with_address, entries.index, dtype=object)


def _lines_of_methods(cells, table, fixed):
    """The entries of each line by (method, name of the line)."""
    keys = ["algorithm", table.columns]
    in_advance = compare_with_paper(fixed, table.number)
    in_advance = in_advance[[*keys, "mean", "std", "verdict"]]
    cells = cells.assign(is_best=wins(cells, "mean", [table.columns]))
    cells = cells.merge(in_advance, "left", keys, suffixes=("", "_fixed"))
    places = cells[["table", "algorithm", "criterion", "dataset"]]
    cells["address"] = [address(*place) for place in places.itertuples(index=False)]
    lines = {}
    for method, rows in cells.groupby("algorithm", sort=False):
        of_method = _lines(rows.set_index(table.columns))
        for name, entries in of_method.items():
            lines[method, name] = entries
    return lines


def _lines(cells):
    """The lines of one algorithm by name: entries, with the columns of the table as index."""
    lines = {}
    if cells["printed"].ne("no row").all():
        entries = []
        for _, cell in cells.iterrows():
            text = printed_text(cell)
            entries.append(Entry((text,), (cell["printed_best"],)))
        lines[PRINTED] = pd.Series(entries, cells.index)
    lines[OURS] = number_entries(
        cells["mean"],
        cells["std"],
        cells["is_best"],
        cells["verdict"],
    )
    has_fixed = cells["mean_fixed"].notna()
    differs = has_fixed & (cells["mean_fixed"] != cells["mean"])
    if differs.any():
        lines[FIXED] = number_entries(
            cells["mean_fixed"],
            cells["std_fixed"],
            verdict=cells["verdict_fixed"],
        )
    return {name: addressed(entries, cells["address"]) for name, entries in lines.items()}


def _results_caption(table, cells, totals, has_beyond, has_fixed, profile):
    # A table whose columns are data sets has no head that names the criterion.
    criterion = "accuracy ↑, " if len(table.datasets) > 1 else ""
    sentences = [
        f"Table {table.number}. {table.title}: {criterion}mean ± std.",
        "*Printed* is the paper's value, *ours* that of the recorded trials. The best is bold.",
    ]
    if has_fixed:
        sentences.append(
            "*Fixed in advance* is ours with settings chosen without the printed results."
        )
    if cells["verdict"].eq("newly_measured").any():
        sentences.append("Newly measured cells are N/A or blank in the paper.")
    if cells["verdict"].eq("no_tolerance").any():
        unknown = TOLERANCE_RULES[table.tolerance].unknown
        sentences.append(f"For cells without a tolerance {unknown}.")
    if has_beyond:
        sentences.append("Below the last line are methods that the paper does not have.")
    sentences.append(f"Tolerance: {TOLERANCE_RULES[table.tolerance].words}.")
    if totals["match_rate"] is not None:
        sentences.append(
            f"{totals['match_rate']:.0%} of the printed cells agree with ours, and "
            f"{totals['chance_agreement']:.0%} of other algorithms' cells would; "
            f"{totals['rows_recognised']} of {totals['rows']} rows are nearest to their own "
            "printed row."
        )
    sentences.append(marks_in_words(cells["algorithm"].unique(), table.experiment))
    sentences.append(_runs_and_data(cells, profile))
    return paragraph(*sentences)


def has_low_rank(runs: pd.DataFrame) -> pd.Series:
    """Whether a fit warned that its kernel's factor misses much of the kernel."""
    return runs["warnings"].astype(str).str.contains(LowRankWarning.__name__)


def low_rank_in_words(runs: pd.DataFrame, settings: str = "") -> str:
    """A sentence on the fits whose kernel's factor misses much of the kernel; empty without any.

    ``settings`` says of the fits which they are, such as ``", fixed in advance"``.
    """
    warned = runs[has_low_rank(runs)]
    if warned.empty:
        return ""
    n_sets = runs["dataset"].nunique()
    methods = []
    for method, names in warned.groupby("method", sort=False)["dataset"]:
        sets = names.unique()
        is_everywhere = n_sets > FEW_SETS and len(sets) == n_sets
        where = f"all {n_sets} sets" if is_everywhere else ", ".join(sets)
        methods.append(f"{method} on {where}")
    return (
        f"The approximate kernel misses more than {MUCH:.0%} of the exact one, by its trace, in "
        f"fits of {'; '.join(methods)}{settings}: see notebook 8."
    )


def measured_table(
    records: pd.DataFrame,
    *,
    title: str,
    profile: str,
    settings_of: str = "",
    column_of: int | None = None,
) -> ReportTable:
    """Mean ± std over splits of every method, in the order of the records.

    ``settings_of`` is the experiment of a printed table whose settings the methods have, if any.
    ``column_of`` is the number of the printed table whose column of settings this is, if any: each
    number then has an address.
    """
    groups = checked_for_means(records).groupby("method", sort=False)
    by_criterion = groups[list(CRITERIA)].agg(["mean", "std"])
    numbers = by_criterion.stack(level=0, future_stack=True)
    numbers = numbers.rename_axis(["algorithm", "criterion"]).reset_index()
    counts = groups.agg(
        n=("split", "size"),
        state=("state", _joined),
        kind=("kind", _joined),
    )
    tidy = numbers.join(counts, "algorithm")
    best = wins(tidy, "mean", ["criterion"])
    entries = number_entries(tidy["mean"], tidy["std"], best)
    if column_of is not None:
        (dataset,) = printed_tables()[column_of].datasets
        places = zip(tidy["algorithm"], tidy["criterion"], strict=True)
        addresses = [address(column_of, *place, dataset) for place in places]
        entries = addressed(entries, addresses)
    shown = crossed(tidy["algorithm"], tidy["criterion"], entries)
    sentences = [f"{title}: mean ± std.", _runs_and_data(tidy, profile), low_rank_in_words(records)]
    if settings_of:
        methods = [*shown.index]
        shown = shown.rename(index=marked_names(methods, settings_of))
        sentences.append(marks_in_words(methods, settings_of))
    return frame_grid(
        shown.rename(columns=HEADS),
        tidy.assign(profile=profile),
        paragraph(*sentences),
        corner="algorithm",
    )


def claims_table(findings: list[ClaimFinding], *, detail: bool = True) -> ReportTable:
    """One row for each claim: its words, parts and power; ``detail`` adds the parts' words.

    A column in which no claim was tested is named in the caption only.
    """
    tidy = _tidy_claims(findings)
    is_tested = tidy["word"] != NOT_TESTED
    # The two tests of our own settings are shown always.
    views = {PAPERS, CORRECTED, *tidy.loc[is_tested, "view"]}
    words = crossed(tidy["id"], tidy["view"], map(_words_entry, tidy.itertuples()))
    shown = words[[view for view in SHOWN_VIEWS if view in views]]
    of_view = tidy[tidy["view"] == CORRECTED].set_index("id")
    shown.insert(0, "claim", of_view["claim"])
    shown["power"] = [power_text(row) for row in of_view.itertuples()]
    if detail:
        shown["in detail"] = of_view["detail"]
    caption = f"Claims, {HOW_TESTED}"
    untested = [view for view in SHOWN_VIEWS if view not in views]
    if untested:
        caption += f" Not tested: {' and '.join(untested)}."
    return frame_grid(shown, tidy, caption, corner="", prose=True)


def _tidy_claims(findings):
    """A row for each claim and view."""
    rows = []
    for finding in findings:
        claim = {
            "id": finding.id,
            "where": finding.where,
            "kind": finding.kind,
            "claim": finding.claim,
            "detail": "; ".join(finding.detail),
        }
        for view, verdict in finding.verdicts.items():
            rows.append(claim | {"view": view} | asdict(verdict))
    return pd.DataFrame(rows)


def power_text(verdict) -> str:
    """How many printed differences a test would detect; a dash if none is printed."""
    return f"{verdict.n_detected} of {verdict.n_printed}" if verdict.n_printed else "–"


def _words_entry(row):
    """The word of a claim, and how many of its parts are supported."""
    is_tested = row.n_parts > row.not_tested
    counts = (f"{row.supported} of {row.n_parts}",) if is_tested else ()
    return Entry(counts, (), row.word)


def divergences_table(
    section: str = "",
    get_records: Records | None = None,
    columns: tuple[str, ...] = ("open", "choice", "alternatives", "effect"),
) -> ReportTable:
    """Open choices of a section such as ``"4"``, or of all; effects are measured on records."""
    log = listed_divergences()
    if section:
        log = log[log["section"] == section]
    if get_records is not None:
        log = divergences_with_effects(log, effects_of_choices(get_records))
    caption = "Open choices, and their effects where these were measured."
    shown = log.set_index("id")[[*columns]].replace("", None)
    return frame_grid(shown, log, caption, corner="", prose=True)


def choices_table(records: pd.DataFrame, title: str) -> ReportTable:
    """What an open choice changes: means of our settings (no alternative), then differences."""
    rows = checked_for_means(records, "alternative")
    groups = rows.groupby(["method", "alternative"], sort=False)
    means = groups[[*CRITERIA]].mean()
    ours = means.xs("", level="alternative", drop_level=False)
    alternatives = means.drop(ours.index)
    # Without a row of ours there is nothing to differ from.
    of_method = ours.droplevel("alternative")
    changes = alternatives.sub(of_method, level="method").dropna(how="all")
    texts = pd.concat([ours.map(number_text), changes.map(signed_text)])
    # Each method's changes stand below its means.
    texts = texts.loc[[*changes.index.unique("method")]]
    (experiment,) = records.loc[records["alternative"] == "", "experiment"].unique()
    marked = marked_names(texts.index.unique("method"), experiment)
    names = [
        f"{marked[method]}: {text}" if text else marked[method] for method, text in texts.index
    ]
    shown = texts.set_axis(names).rename(columns=HEADS)
    n_splits = records["split"].nunique()
    caption = f"{title}: means (splits: {n_splits}), and the changes by each alternative setting."
    return frame_grid(
        shown,
        changes.reset_index(),
        caption,
        corner="settings, or their change",
    )


def printed_text(cell) -> str:
    """What the paper prints in a cell of ``compare_with_paper``: a number, N/A or nothing."""
    number = number_text(cell["printed_mean"], cell["printed_std"])
    return "N/A" if cell["printed"] == "N/A" else number


def number_entries(mean: pd.Series, std: pd.Series, is_best=False, verdict="") -> pd.Series:
    """Entries of numbers as :func:`number_text`: the best bold, a sign for each verdict, if any."""
    columns = {"mean": mean, "std": std, "is_best": is_best, "verdict": verdict}
    entries = []
    for cell in pd.DataFrame(columns).itertuples():
        text = number_text(cell.mean, cell.std)
        has_verdict = cell.verdict != ""
        entries.append(Entry((text,), (cell.is_best,), cell.verdict, signed=has_verdict))
    return pd.Series(entries, mean.index, dtype=object)


def number_text(mean: float, std: float = math.nan) -> str:
    """``.193±.007`` as the paper prints it, halves rounded up; a dash for nothing."""
    if pd.isna(mean):
        return "–"
    texts = []
    for number in (mean, std):
        if not pd.isna(number):
            text = f"{round_half_up(number, PRINTED_DECIMALS):.{PRINTED_DECIMALS}f}"
            texts.append(text.removeprefix("0"))
    return "±".join(texts)


def signed_text(difference: float) -> str:
    """``+.046`` or ``−.005``, of a difference."""
    sign = "−" if difference < 0 else "+"
    return sign + number_text(abs(difference))


def _runs_and_data(cells, profile):
    """The number of runs; also the profile and the kind of data, where they are not the paper's."""
    parts = [] if profile == "paper" else [f"profile {profile}"]
    recorded = cells[cells["n"] > 0]
    if recorded.empty:
        parts.append("no records yet")
    else:
        measured = recorded.groupby("algorithm", sort=False)
        n_protocol = cells["n_protocol"].iloc[0] if "n_protocol" in cells else None
        parts.append(_runs_in_words(measured["n"].min(), n_protocol))
        parts += _lacking_folds(recorded)
        kinds = _by_algorithm(measured["kind"].agg(_joined))
        if kinds != "original":
            parts.append(f"{kinds} data")
    words = "; ".join(parts)
    return f"{words[0].upper()}{words[1:]}."


def _runs_in_words(n_runs, n_protocol):
    """Such as "30 runs", or "3 of 30 runs", by algorithm where they differ."""
    is_whole = n_protocol is None or (n_runs == n_protocol).all()
    if is_whole:
        return _by_algorithm(n_runs.map(lambda n: number_and_noun(n, "run")))
    return _by_algorithm(n_runs.map(lambda n: f"{n} of {n_protocol} runs"))


def _lacking_folds(recorded):
    """The least number of a run's folds, where a cross-validation lacks some; or nothing."""
    if "n_trials" not in recorded:  # the table has no runs of folds
        return []
    n_folds = printed_tables()[recorded["table"].iloc[0]].n_folds
    n_recorded = recorded.groupby("algorithm", sort=False)["n_trials"].min()
    if (n_recorded >= n_folds).all():
        return []
    return [_by_algorithm(n_recorded.map(lambda n: f"{n} of {n_folds} folds of a run"))]


def _by_algorithm(values):
    """One value if all share it, else each value with its algorithms."""
    if values.nunique() == 1:
        return values.iloc[0]
    algorithms = values.groupby(values, sort=False).groups
    texts = [f"{value} ({', '.join(names)})" for value, names in algorithms.items()]
    return ", ".join(texts)


def _joined(values):
    return listed(sorted({*values}))
