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
from mimlstudy.judge.choices import divergences_with_effects
from mimlstudy.judge.claims import ClaimFinding
from mimlstudy.judge.compare import compare_with_paper, round_half_up
from mimlstudy.judge.selection import Records, unmixed
from mimlstudy.judge.statistics import MARGIN
from mimlstudy.judge.tolerances import DECIMALS, RULES
from mimlstudy.judge.verdicts import agreement, wins
from mimlstudy.paper.experiments import settings_closest_to_print
from mimlstudy.paper.published import ALL_CRITERIA, TABLES, published_divergences
from mimlstudy.report.plain import markdown_text
from mimlstudy.report.verdict_looks import IN_PRINT, VERDICT_SIGNS, VERDICT_TINTS

OF_THE_PAPER = (*(table.experiment for table in TABLES.values()), "appendix_c", "blanks")
HEADS = {c.name: f"{c.symbol} {c.arrow}" for c in ALL_CRITERIA.values()}
PRINTED, OURS, FIXED = "printed", "ours", "fixed in advance"  # lines of a table
DAGGER = "†"  # behind rows with settings chosen by print
PAPERS, CORRECTED = "paper's test", "corrected test"
CLAIM_COLUMNS = (PAPERS, CORRECTED, "fixed in advance", "equal tuning")  # of claims.VIEWS
HOW_TESTED = (
    "by the paper's paired t-test and by a corrected test, with the parts that are supported. By "
    "the paper's test a tie is what is not significant. The corrected test allows for examples "
    "that splits share, or takes the ranks of independent data sets, and is adjusted by Holm for "
    f"the parts of a claim; there a tie is supported within {MARGIN:.0%} of the rival's loss. "
    "Settings fixed in advance and equal tuning have the corrected test. *Power* is how many of "
    "the printed differences the corrected test would have supported, with our spreads; if less "
    "than half, the claim is undecided. Contradicted: more parts are contradicted than supported."
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
        signs = {verdict: sign for verdict, sign in VERDICT_SIGNS.items() if verdict in signed}
        return {v: f"{sign} {IN_PRINT[v]}" for v, sign in signs.items() if sign}

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
        lines[-1] = f"{lines[-1]} {escape(VERDICT_SIGNS[entry.verdict])}".rstrip()
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
    fixed: pd.DataFrame | None = None,
    criteria: Iterable[str] = (),
    rows: Iterable[str] | None = None,
) -> ReportTable:
    """Table ``number`` of the paper: for each algorithm a line as printed, and one of ours.

    Where it differs, a third line is that of settings fixed in advance. Methods that the paper
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
    criteria, rows : iterable of str, default all
        The criteria and methods that are shown.
    """
    table = TABLES[number]
    criteria, rows = [*criteria], [*(rows or ())]
    unknown = {*criteria} - {*table.criteria}
    if unknown:
        raise ValueError(f"criteria must be among {[*table.criteria]}, got {sorted(unknown)}")
    cells = compare_with_paper(records, number)
    if criteria:
        cells = cells[cells["criterion"].isin(criteria)]
    totals = agreement(cells)  # ours may be nearest to a printed row that is not shown
    if rows:
        cells = cells[cells["algorithm"].isin(rows)]
    lines = _lines_of_methods(cells, table, pd.DataFrame() if fixed is None else fixed)
    names = _marked_names(cells, table)
    compared = [names[name] for name in table.compared if name in names]
    beyond = [names[name] for name in names if name not in table.algorithms]
    has_fixed = any(line == FIXED for _, line in lines)
    named = {(names[method], line): entries for (method, line), entries in lines.items()}
    return frame_grid(
        pd.DataFrame(named).T.rename(columns=HEADS),
        cells.assign(profile=profile),
        _results_caption(table, cells, totals, beyond, has_fixed, profile),
        corner="algorithm",
        rules_above=(*compared[:1], *beyond[:1]),
    )


def address(table: int, method: str, criterion: str, dataset: str) -> str:
    """The name of a number on the site, such as ``table1/MimlSvm/coverage/scene``."""
    return f"table{table}/{method}/{criterion}/{dataset}".replace(" ", "_")


def _addressed(entries, cells):
    """Entries with the addresses of their cells."""
    pairs = zip(entries, cells["address"], strict=True)
    addressed = [replace(entry, address=place) for entry, place in pairs]
    return pd.Series(addressed, entries.index, dtype=object)


def _marked_names(cells, table):
    """The methods that are shown, with a dagger where settings come closest to print."""
    n_settings = settings_closest_to_print(table.experiment)
    names = {}
    for method in cells["algorithm"].unique():
        names[method] = method + DAGGER * (n_settings.get(method, 0) > 0)
    return names


def _lines_of_methods(cells, table, fixed):
    """The entries of each line by (method, name of the line)."""
    keys = ["algorithm", table.columns]
    in_advance = compare_with_paper(fixed, table.number)
    in_advance = in_advance[[*keys, "mean", "std", "verdict"]]
    best = wins(cells, "mean", [table.columns])
    cells = cells.assign(is_best=best)
    cells = cells.merge(in_advance, "left", keys, suffixes=("", "_fixed"))
    places = cells[["table", "algorithm", "criterion", "dataset"]]
    cells["address"] = [address(*place) for place in places.itertuples(index=False)]
    lines = {}
    for method, rows in cells.groupby("algorithm", sort=False):
        for name, entries in _lines(rows.set_index(table.columns)).items():
            lines[method, name] = entries
    return lines


def _lines(cells):
    """The lines of one algorithm by name: entries, with the columns of the table as index."""
    lines = {}
    if cells["printed"].ne("no row").all():
        entries = []
        for _, cell in cells.iterrows():
            entries.append(Entry((published_text(cell),), (cell["published_best"],)))
        lines[PRINTED] = pd.Series(entries, cells.index)
    numbers = [cells[name] for name in ("mean", "std", "is_best", "verdict")]
    lines[OURS] = number_entries(*numbers)
    differs = cells["mean_fixed"].notna() & (cells["mean_fixed"] != cells["mean"])
    if differs.any():
        mean, std, verdict = (cells[f"{name}_fixed"] for name in ("mean", "std", "verdict"))
        lines[FIXED] = number_entries(mean, std, verdict=verdict)
    return {name: _addressed(entries, cells) for name, entries in lines.items()}


def _results_caption(table, cells, totals, beyond, has_fixed, profile):
    what = "accuracy ↑, mean ± std" if len(table.datasets) > 1 else "mean ± std"
    sentences = [
        f"Table {table.number}. {table.title}: {what}.",
        "*Printed* is the paper's value, *ours* that of the recorded trials. The best is bold.",
    ]
    if has_fixed:
        sentences.append("*Fixed in advance* is ours with settings that nobody chose by results.")
    if cells["verdict"].eq("newly_measured").any():
        sentences.append("Newly measured cells are N/A or blank in the paper.")
    if beyond:
        sentences.append("Below the last line are methods that the paper does not have.")
    sentences.append(f"Tolerance: {RULES[table.tolerance].words}.")
    if totals["match_rate"] is not None:
        sentences.append(
            f"{totals['match_rate']:.0%} of the printed cells agree with ours, and "
            f"{totals['chance_agreement']:.0%} of other algorithms' cells would; "
            f"{totals['rows_recognised']} of {totals['rows']} rows are nearest to their own."
        )
    sentences += [_dagger_in_words(cells, table), _provenance(cells, profile)]
    return " ".join(filter(None, sentences))


def _dagger_in_words(cells, table):
    shown = cells["algorithm"].unique()
    n_settings = settings_closest_to_print(table.experiment)
    marked = [n_settings[name] for name in shown if n_settings.get(name)]
    if not marked:
        return ""
    return (
        f"{DAGGER} marks {len(marked)} rows with {sum(marked)} settings that were chosen "
        "because they come closest to the printed row."
    )


def measured_table(records: pd.DataFrame, *, title: str, profile: str) -> ReportTable:
    """Mean ± std over splits of every method, in the order of the records."""
    groups = unmixed(records).groupby("method", sort=False)
    numbers = groups[list(CRITERIA)].agg(["mean", "std"]).stack(level=0, future_stack=True)
    counts = groups.agg(n=("split", "size"), state=("state", _joined), kind=("kind", _joined))
    tidy = numbers.rename_axis(["algorithm", "criterion"]).reset_index().join(counts, "algorithm")
    entries = number_entries(tidy["mean"], tidy["std"], wins(tidy, "mean", ["criterion"]))
    return frame_grid(
        crossed(tidy["algorithm"], tidy["criterion"], entries).rename(columns=HEADS),
        tidy.assign(profile=profile),
        f"{title}: mean ± std. {_provenance(tidy, profile)}",
        corner="algorithm",
    )


def claims_table(findings: list[ClaimFinding], *, detail: bool = True) -> ReportTable:
    """One row for each claim: its words, parts and power; ``detail`` adds the parts' words.

    A column in which no claim was tested is named in the caption only.
    """
    rows = []
    for finding in findings:
        named = {
            name: getattr(finding, name) for name in ("id", "where", "kind", "claim", "detail")
        }
        for view, verdict in finding.verdicts.items():
            rows.append(named | {"view": view} | asdict(verdict))
    tidy = pd.DataFrame(rows)
    shown = crossed(tidy["id"], tidy["view"], map(_words_entry, tidy.itertuples()))
    is_tested = tidy["word"] != "not tested"
    tested = {*CLAIM_COLUMNS[:2], *tidy.loc[is_tested, "view"]}
    shown = shown[[view for view in CLAIM_COLUMNS if view in tested]]
    of_view = tidy[tidy["view"] == CORRECTED].set_index("id")
    shown.insert(0, "claim", of_view["claim"])
    shown["power"] = [
        f"{row.power} of {row.n_printed}" if row.n_printed else "–" for row in of_view.itertuples()
    ]
    if detail:
        shown["in detail"] = of_view["detail"]
    caption = f"Claims, {HOW_TESTED}"
    untested = [view for view in CLAIM_COLUMNS if view not in tested]
    if untested:
        caption += f" Not tested: {' and '.join(untested)}."
    return frame_grid(shown, tidy, caption, corner="", prose=True)


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
    log = published_divergences()
    log = log[log["section"] == section] if section else log
    if get_records is not None:
        log = divergences_with_effects(log, get_records)
    caption = "Open choices, and their effects where these were measured."
    shown = log.set_index("id")[[*columns]].replace("", None)
    return frame_grid(shown, log, caption, corner="", prose=True)


def choices_table(records: pd.DataFrame, title: str) -> ReportTable:
    """What an open choice changes: means of the published settings, "", then differences."""
    groups = unmixed(records, "alternative").groupby(["method", "alternative"], sort=False)
    means = groups[[*CRITERIA]].mean()
    published = means.xs("", level="alternative", drop_level=False)
    of_method = published.droplevel("alternative")
    changes = means.drop(published.index).sub(of_method, level="method").dropna(how="all")
    texts = pd.concat([published.map("{:.3f}".format), changes.map("{:+.3f}".format)])
    texts = texts.loc[[*changes.index.unique("method")]]
    names = [f"{method}: {text}" if text else method for method, text in texts.index]
    shown = texts.set_axis(names).rename(columns=HEADS)
    n_splits = records["split"].nunique()
    caption = f"{title}: means (splits: {n_splits}), and the changes by each alternative setting."
    return frame_grid(shown, changes.reset_index(), caption, corner="settings, or their change")


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
    """Profile, runs and kinds of data, by algorithm where they differ."""
    measured = cells[cells["n"] > 0].groupby("algorithm", sort=False)
    if not len(measured):
        return f"Profile {profile}; no records yet."
    of = f" of {cells['n_protocol'].iloc[0]}" if "n_protocol" in cells else ""
    runs = _by_algorithm(measured["n"].min().map(lambda n: f"{n}{of} runs"))
    kinds = _by_algorithm(measured["kind"].agg(_joined))
    return f"Profile {profile}; {runs}; {kinds} data."


def _by_algorithm(values):
    """One value if all share it, else each value with its algorithms."""
    if values.nunique() == 1:
        return values.iloc[0]
    groups = values.groupby(values, sort=False).groups
    return ", ".join(f"{value} ({', '.join(names)})" for value, names in groups.items())


def _joined(values):
    return " and ".join(sorted(set(values)))
