"""Every table: the paper's numbers next to ours, claims, open choices, ranks, costs."""

import json
import math
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from mimlpaper.datasets.fetch import drawn_sizes
from mimlpaper.metrics import CRITERIA
from mimlpaper.paths import published
from mimlpaper.study.claims import ClaimResult
from mimlpaper.study.compare import (
    Records,
    as_published,
    compare_with_paper,
    records_of,
    records_of_all,
    round_half_up,
)
from mimlpaper.study.costs import N_PEER_TEST, PEERS, SETS
from mimlpaper.study.holdouts import HoldOut, shares_at_ends
from mimlpaper.study.published import ALL_CRITERIA, TABLES, published_divergences
from mimlpaper.study.registry import get_experiment, settings_nearest_to_print
from mimlpaper.study.rendering import IN_PRINT, Entry, ReportTable, crossed, frame_grid
from mimlpaper.study.statistics import LEAST_MEGABYTES, MARGIN
from mimlpaper.study.verdicts import TOLERANCES, agreement

NOTHING = pd.DataFrame()
SHOWN_FLIPS = 3
SHOWN_VARIANCE = 0.05
CROWDED = 0.2  # share of fits that choose an end of a grid
HEADS = {c.name: f"{c.symbol} {c.arrow}" for c in ALL_CRITERIA.values()}


def results_table(
    records: pd.DataFrame, number: int, *, profile: str, n_runs: int | None = None,
    blind: pd.DataFrame = NOTHING,
) -> ReportTable:  # fmt: skip
    """Table ``number`` of the paper: in each cell its value, ours and the verdict.

    A third value and verdict are those of the blind column, where it differs from the matched
    one. Methods that the paper's table has no row for stand below its rows, without a verdict.
    The parameters are those of :func:`~mimlpaper.study.compare.compare_with_paper`; ``blind``
    are the records of the blind column.
    """
    table = TABLES[number]
    over = table.columns
    cells, unmatched = (compare_with_paper(rows, number, n_runs) for rows in (records, blind))
    both = cells.assign(is_best=_is_best(cells, over)).merge(
        unmatched[["algorithm", over, "mean", "std", "verdict"]], "left", ["algorithm", over],
        suffixes=("", "_blind"),
    )  # fmt: skip
    shown = crossed(both["algorithm"], both[over], map(_results_entry, both.to_dict("records")))
    marked = {m: n for m, n in settings_nearest_to_print(table.experiment).items() if n}
    names = {name: name + "†" * (name in marked) for name in shown.index}
    others = [*names][len(table.algorithms) :]
    return frame_grid(
        shown.rename(index=names, columns=HEADS), cells.assign(profile=profile),
        _results_caption(table, cells, marked, others, profile), corner="algorithm",
        rules_above=tuple(names[name] for name in (table.compared[0], *others[:1])),
    )  # fmt: skip


def _results_entry(cell):
    ours = number_text(cell["mean"], cell["std"])
    if cell["printed"] == "no row":
        return _bold_if(cell["is_best"], ours)
    lines = published_text(cell), ours
    if not math.isnan(cell["mean_blind"]) and cell["mean_blind"] != cell["mean"]:
        blind = number_text(cell["mean_blind"], cell["std_blind"])
        lines += (f"blind {blind} {IN_PRINT[cell['verdict_blind']]}",)
    return Entry(lines, (cell["published_best"], cell["is_best"]), cell["verdict"])


def _results_caption(table, cells, marked, others, profile):
    what = "accuracy ↑, mean ± std" if len(table.datasets) > 1 else "mean ± std"
    return (
        f"Table {table.number}. {table.title}: {what}. "
        "Each cell has the paper's value, ours, and the verdict. "
        + "Below the last line are methods that the paper does not have. " * bool(others)
        + f"Tolerance: {TOLERANCES[table.number]}. {_rates(agreement(cells))}"
        + f"† marks {len(marked)} rows with {sum(marked.values())} settings that were chosen "
        "because they come nearest to the printed row. "
        * bool(marked)
        + _provenance(cells, profile)
    )


def _rates(every):
    """A sentence for captions: how many cells agree, and how many would by mistake."""
    if every["match_rate"] is None:
        return ""
    return (
        f"{every['match_rate']:.0%} of the printed cells agree with ours, and "
        f"{every['false_match_rate']:.0%} of other algorithms' cells would; "
        f"{every['rows_identified']} of {every['rows']} rows are nearest to their own. "
    )


def measured_table(records: pd.DataFrame, *, title: str, profile: str) -> ReportTable:
    """Mean ± std over splits of every method, in the order of the records."""
    groups = records.groupby("method", sort=False)
    numbers = groups[list(CRITERIA)].agg(["mean", "std"]).stack(level=0, future_stack=True)
    about = groups.agg(n=("split", "size"), state=("state", _joined), kind=("kind", _joined))
    tidy = numbers.rename_axis(["algorithm", "criterion"]).reset_index().join(about, "algorithm")
    shown = crossed(tidy["algorithm"], tidy["criterion"], _number_entries(tidy, "criterion"))
    return frame_grid(
        shown.rename(columns=HEADS), tidy.assign(profile=profile),
        f"{title}: mean ± std. {_provenance(tidy, profile)}", corner="algorithm",
    )  # fmt: skip


CLAIM_VERDICTS = ("holds", "partly", "fails", "not comparable", "not evaluated")
CLAIM_COLUMNS = {"paired": "paired t-test", "matched": "matched", "blind": "blind",
                 "tuned": "tuned"}  # fmt: skip
TESTED = (
    "by the paper's paired t-test under matched settings, then by strict tests under matched, "
    "blind and tuned settings. A strict test allows for training data that splits share, or takes "
    "the ranks of independent data sets; all are adjusted by Holm for the parts of a claim, and a "
    f"tie is shown within {MARGIN:.0%} of the rival's loss."
)


def claims_table(results: list[ClaimResult], *, detail: bool = True) -> ReportTable:
    """One row for each claim and its verdicts; ``detail`` adds which parts hold and which fail."""
    tidy = pd.DataFrame(results)[["id", "where", "claim", *CLAIM_COLUMNS, "detail"]]
    shown = tidy.set_index("id").drop(columns=["where"] if detail else ["where", "detail"])
    shown[[*CLAIM_COLUMNS]] = shown[[*CLAIM_COLUMNS]].map(lambda word: Entry(verdict=word))
    return frame_grid(
        shown.rename(columns=CLAIM_COLUMNS | {"detail": "in detail"}), tidy, f"Claims, {TESTED}",
        corner="", prose=True,
    )  # fmt: skip


def divergences_table(
    section: str = "", columns: tuple[str, ...] = ("open", "choice", "alternatives", "effect")
) -> ReportTable:
    """What the paper leaves open or says in two ways, and what was chosen.

    ``section``, such as ``"4"``, selects the rows of one section. ``columns`` are columns of
    :func:`~mimlpaper.study.published.published_divergences`.
    """
    log = published_divergences()
    log = log[log["section"] == section] if section else log
    return frame_grid(
        log.set_index("id")[[*columns]].replace("", None), log,
        "Open choices, and their effects where these were measured.", corner="", prose=True,
    )  # fmt: skip


def choices_table(records: pd.DataFrame, title: str) -> ReportTable:
    """What an open choice changes: means of the configuration, then differences from them.

    The column ``reading`` of ``records`` has the changes in words, "" for the configuration itself.
    A method with no other reading is left out.
    """
    means = records.groupby(["method", "reading"], sort=False)[[*CRITERIA]].mean()
    own = means.xs("", level="reading", drop_level=False)
    changes = means.drop(own.index).sub(own.droplevel("reading"), level="method").dropna(how="all")
    texts = pd.concat([own.map("{:.3f}".format), changes.map("{:+.3f}".format)])
    texts = texts.loc[[*changes.index.unique("method")]]
    names = [f"{method}: {reading}" if reading else method for method, reading in texts.index]
    return frame_grid(
        texts.set_axis(names).rename(columns=HEADS),
        changes.reset_index(),
        f"{title}: means over {records['split'].nunique()} splits, and the changes by each other "
        "choice.", corner="configuration, or its change",
    )  # fmt: skip


def positions_table(positions: pd.DataFrame) -> ReportTable:
    """Where printed values lie among the readings of their methods.

    ``positions`` is what :func:`~mimlpaper.study.multiverse.row_positions` gives.
    """
    shown = positions[positions["criterion"].isin(["average_precision", "accuracy"])]
    names = "Table " + shown["table"].map(str) + ": " + shown["algorithm"]
    numbers = ["printed", "least", "median", "largest"]
    shown = shown.assign(
        **shown[["identified", "below"]].map("{:.0%}".format), **shown[numbers].map("{:.3f}".format)
    )
    shown = shown.set_index(names)[["n", "identified", *numbers, "below"]]
    return frame_grid(
        shown.rename(columns={"n": "readings", "below": "readings below print"}), positions,
        "Printed rows among the readings of their methods: the share of readings that are nearest "
        "to their own printed row, and where the printed average precision lies in their "
        "distribution; of Table 5 the accuracy.",
    )  # fmt: skip


def _slashed(parts):
    return " / ".join(map(str, parts))


def grid_ends_table(get_records: Records, experiments: Iterable[str]) -> ReportTable:
    """Grids where more than a fifth of the fits chose an end, and why they end there."""
    tidy = []
    for name in experiments:
        experiment = get_experiment(name)
        for method, fits in as_published(records_of(get_records, name)).groupby("method"):
            search = experiment.estimator(fits["dataset"].iloc[0], method)
            if not isinstance(search, HoldOut):
                continue
            shares = shares_at_ends(search, [json.loads(text) for text in fits["chosen"]])
            for of, share in shares.items():
                of = of.split("__")[-1]
                why = GRID_REASONS.get((_learner(method), of))
                tidy.append((f"{experiment.title}: {method}, {of}", len(fits), share, why))
    tidy = pd.DataFrame(tidy, columns=["grid", "fits", "at an end", "reason"]).set_index("grid")
    shown = tidy[tidy["at an end"] > CROWDED]
    shown = shown.assign(**{"at an end": shown["at an end"].map("{:.0%}".format)})
    return frame_grid(
        shown, tidy.reset_index(),
        f"The {len(shown)} of {len(tidy)} grids where more than {CROWDED:.0%} of the fits chose "
        "an end, and why they are not wider.", prose=True,
    )  # fmt: skip


def _learner(method):
    """The method that a name is a variant of: "SubCod" of "SubCod_MimlNn", and so on."""
    name = method.split(",")[0].removeprefix("InsDif_")
    return "SubCod" if name.startswith("SubCod") else name


def seconds_table(records: dict[str, pd.DataFrame]) -> ReportTable:
    """Mean processor seconds of a fit and a prediction, by method and by title of the records."""
    parts = ["fit_seconds", "predict_seconds"]
    means = {
        title: as_published(rows).groupby("method", sort=False)[parts].mean()
        for title, rows in records.items()
    }
    shown = pd.concat(means, axis=1).map("{:.2f}".format, na_action="ignore")
    heads = [f"{title}, {part.removesuffix('_seconds')}" for title, part in shown]
    return frame_grid(
        shown.set_axis(heads, axis=1),
        pd.concat(means, names=["experiment"]).reset_index(),
        "Processor seconds of one fit and of one prediction of the test set, means over runs.",
        corner="method",
    )  # fmt: skip


MEASURED = ["fit_seconds", "fit_megabytes", "predict_seconds", "predict_megabytes"]


def costs_table(costs: pd.DataFrame, trials: Mapping[str, pd.DataFrame], title: str) -> ReportTable:
    """Seconds in the trials, then seconds and megabytes of one fit alone, by method and set.

    ``costs`` are records of the experiment "costs". ``trials`` maps an experiment to its records,
    and selects the data sets to show.
    """
    alone = costs.set_index(["dataset", "method"])[MEASURED]
    chosen = [name for name in alone.index.unique("dataset") if SETS.get(name) in trials]
    records = as_published(records_of_all(trials, trials)).groupby(["dataset", "method"])
    means = records[["fit_seconds", "predict_seconds"]].mean()
    tidy = alone.loc[chosen].astype(float).join(means.add_prefix("trials_")).reset_index()
    tidy = tidy[[*tidy.columns.drop("dataset"), "dataset"]]
    shown = {
        f"{dataset}, {word}": rows.set_index("method").apply(_cost_entry, axis=1, part=part)
        for dataset, rows in tidy.groupby("dataset", sort=False)
        for part, word in {"fit": "fit", "predict": "scores"}.items()
    }
    return frame_grid(
        pd.DataFrame(shown, index=tidy["method"].unique()), tidy,
        f"{title}: mean processor seconds in the trials; below, the seconds of one fit alone "
        f"and the megabytes that it adds to memory. {_measured_on(costs)}", corner="method",
    )  # fmt: skip


def _cost_entry(row, part):
    seconds = (_cost(row[f"{where}{part}_seconds"], "s") for where in ("trials_", ""))
    return Entry((*seconds, _cost(row[f"{part}_megabytes"], "MB")))


def peers_table(costs: pd.DataFrame) -> ReportTable:
    """Costs of other implementations next to ours, on the same bags.

    ``costs`` are records of the experiment "costs"; a peer that was never measured has dashes.
    """
    peers = [(name, method) for name, methods in PEERS.items() for method in methods]
    keys = pd.MultiIndex.from_tuples(peers, names=["dataset", "method"])
    numbers = ["fit_seconds", "fit_megabytes", "average_precision"]
    tidy = costs.set_index(["dataset", "method"])[numbers].reindex(keys).reset_index()
    first = tidy["method"].str.split(",").str[0]
    ours = first.map(tidy.set_index("method")["fit_seconds"])
    tidy.insert(3, "ratio", tidy["fit_seconds"] / ours)
    sizes = [(n - N_PEER_TEST, each, q) for n, each, q in tidy["dataset"].map(drawn_sizes)]
    shown = pd.DataFrame({
        "data": ["{} bags of {}, {} labels".format(*size) for size in sizes],
        "fit": tidy["fit_seconds"].map(lambda value: _cost(value, "s")),
        "times ours": tidy["ratio"].map(_ratio),
        "memory": tidy["fit_megabytes"].map(lambda value: _cost(value, "MB")),
        "average precision": tidy["average_precision"].map("{:.3f}".format, na_action="ignore"),
    })  # fmt: skip
    return frame_grid(
        shown.set_axis(tidy["method"]), tidy,
        f"One fit by several implementations, on the same drawn bags. {_measured_on(costs)}",
        corner="method, implementation",
    )  # fmt: skip


# Why a grid is not widened though many fits choose an end of it, by method and parameter.
GRID_REASONS = pd.read_csv(published() / "grid_reasons.csv", index_col=[0, 1])["reason"].to_dict()


def _measured_on(costs):
    """A sentence for captions: the machines of the costs."""
    machines = sorted(set(costs["machine"]))
    return f"Measured on {' and '.join(machines)}." if machines else "Nothing is measured yet."


def _cost(value, unit):
    if np.isnan(value):
        return "–"
    if unit == "MB":
        return f"{value:.0f} MB" if value >= LEAST_MEGABYTES else "< 1 MB"
    return f"{value:.3f} s" if value < 0.1 else f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def _ratio(value):
    return "–" if np.isnan(value) else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def _number_texts(tidy):
    """Mean ± std of each row of ``tidy``."""
    return map(number_text, tidy["mean"], tidy["std"])


def _number_entries(tidy, over):
    """Mean ± std of each row of ``tidy``; the best of each value of ``over`` is bold."""
    return map(_bold_if, _is_best(tidy, over), _number_texts(tidy))


def _bold_if(is_best, text):
    return Entry((text,), (is_best,))


def _is_best(cells, over):
    """Whether each cell's mean is the best of its column."""
    signs = cells["criterion"].map(lambda name: -1 if ALL_CRITERIA[name].lower_is_better else 1)
    goodness = signs * cells["mean"]
    return goodness == goodness.groupby(cells[over]).transform("max")


def published_text(cell) -> str:
    """What the paper prints in a cell of :func:`compare_with_paper`: a number, N/A or nothing."""
    number = number_text(cell["published_mean"], cell["published_std"])
    return "N/A" if cell["printed"] == "N/A" else number


def number_text(mean: float, std: float = math.nan) -> str:
    """``.193±.007`` as the paper prints it; a dash for nothing."""
    if pd.isna(mean):
        return "–"
    return _decimal(mean, 3) if pd.isna(std) else f"{_decimal(mean, 3)}±{_decimal(std, 3)}"


def _decimal(value, decimals):
    """Halves rounded up, no zero before the point."""
    if math.isnan(value):
        return "–"
    rounded = round_half_up(value, decimals)
    text = f"{rounded:.{decimals}f}"
    return text.removeprefix("0") if decimals and rounded < 1 else text


def _provenance(cells, profile):
    """Profile, runs, freshness and kind of data, by algorithm where they differ."""
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
