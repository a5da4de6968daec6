"""Tables for readers: in each cell the published value, ours, and the verdict."""

from __future__ import annotations

import math

import pandas as pd

from mimlpaper.report.cells import compare_with_paper
from mimlpaper.report.published import ALL_CRITERIA, TABLES, published_characteristics
from mimlpaper.report.rendering import Entry, ReportTable

__all__ = [
    "characteristics_table",
    "measured_table",
    "number_text",
    "published_text",
    "results_table",
]

UNPRINTED = {"N/A": "N/A", "blank": "–"}

CHARACTERISTICS = {  # decimals in print
    "categories": 0, "vocabulary": 0,
    "train_PMC": 2, "train_ANL": 3, "train_PRC": 2,
    "test_PMC": 2, "test_ANL": 3, "test_PRC": 2,
}  # fmt: skip


def results_table(
    records: pd.DataFrame, number: int, *, profile: str, n_runs: int | None = None
) -> ReportTable:
    """Table ``number`` of the paper beside what the records give.

    Parameters
    ----------
    records : one row for each trial and stage; may be empty
    number : 1 to 5
    profile : str, told in the caption: "smoke", "quick" or "paper"
    n_runs : the protocol's number of runs; the paper's own if None
    """
    table = TABLES[number]
    cells = compare_with_paper(records, number, n_runs)
    by_dataset = len(table.datasets) > 1
    best = _best(cells.groupby("dataset" if by_dataset else "criterion"))
    rows = {
        algorithm: tuple(
            Entry(
                (published_text(cell), number_text(cell["mean"], cell["std"])),
                (cell["published_best"], i in best),
                cell["verdict"],
            )
            for i, cell in group.to_dict("index").items()
        )
        for algorithm, group in cells.groupby("algorithm", sort=False)
    }
    columns = table.datasets if by_dataset else tuple(map(_head, table.criteria))
    measure = "accuracy ↑, mean ± std" if by_dataset else "mean ± std"
    return ReportTable(
        caption=(
            f"Table {number}. {table.title}: {measure}. In each cell the paper's value, ours, "
            f"and the verdict. {_provenance(cells, profile)}"
        ),
        corner="algorithm",
        columns=columns,
        rows=rows,
        tidy=cells.assign(profile=profile),
        rule_above=table.compared[0],
    )


def measured_table(
    records: pd.DataFrame, *, title: str, profile: str, criteria=None
) -> ReportTable:
    """Mean ± std over splits of every method in the records, for what the paper did not run.

    Methods keep the order in which they first appear. ``criteria`` are all seven if None.
    """
    criteria = tuple(criteria or TABLES[1].criteria)
    methods = records["method"].drop_duplicates()
    grouped = records.groupby("method")[list(criteria)]
    means, stds = grouped.mean().loc[methods], grouped.std().loc[methods]
    tidy = pd.DataFrame(
        {"algorithm": method, "criterion": name, "mean": means.at[method, name],
         "std": stds.at[method, name], "n": int(records["method"].eq(method).sum())}
        for method in methods
        for name in criteria
    )  # fmt: skip
    by_method = records.groupby("method")
    tidy["state"] = tidy["algorithm"].map(by_method["state"].agg(_joined))
    tidy["kind"] = tidy["algorithm"].map(by_method["kind"].agg(_joined))
    best = _best(tidy.groupby("criterion"))
    rows = {
        method: tuple(
            Entry((number_text(cell["mean"], cell["std"]),), (i in best,))
            for i, cell in group.to_dict("index").items()
        )
        for method, group in tidy.groupby("algorithm", sort=False)
    }
    caption = f"{title}: mean ± std. {_provenance(tidy, profile)}"
    tidy = tidy.assign(profile=profile)
    return ReportTable(caption, "algorithm", tuple(map(_head, criteria)), rows, tidy)


def characteristics_table(recomputed: pd.DataFrame, *, profile: str) -> ReportTable:
    """Appendix C: printed above recomputed, at printed precision.

    Parameters
    ----------
    recomputed : DataFrame
        Columns of :func:`published_characteristics`, percentages from 0 to 100; may lack sets.
    profile : str, told in the caption.
    """
    ours = recomputed.set_index("dataset") if len(recomputed) else recomputed
    rows, tidy = {}, []
    for printed in published_characteristics().to_dict("records"):
        dataset, entries = printed.pop("dataset"), []
        for name, value in printed.items():
            found = float(ours.at[dataset, name]) if dataset in ours.index else math.nan
            decimals = CHARACTERISTICS[name]
            word = _agreement(found, value, decimals)
            lines = (_decimal(value, decimals), _decimal(found, decimals))
            entries.append(Entry(lines, (False, False), word))
            tidy.append((dataset, name, value, found, word))
        rows[dataset] = tuple(entries)
    columns = ["dataset", "characteristic", "published", "recomputed", "verdict"]
    tidy = pd.DataFrame(tidy, columns=columns)
    agree = int(tidy["verdict"].eq("matches").sum())
    return ReportTable(
        caption=(
            "Appendix C. Web page data sets after term selection: the paper's value, and the one "
            "recomputed from the files. PMC is the percentage of documents in more than one "
            "category, ANL the average number of labels, PRC the percentage of categories with "
            f"under 1 % of the documents. Profile {profile}; {agree} of {len(tidy)} agree."
        ),
        corner="data set",
        columns=tuple(name.replace("_", " ") for name in CHARACTERISTICS),
        rows=rows,
        tidy=tidy.assign(profile=profile),
    )


def _best(columns):
    """Index of the cells whose mean is the best of their column."""
    best = set()
    for _, column in columns:
        means, criterion = column["mean"], ALL_CRITERIA[column["criterion"].iloc[0]]
        optimum = means.min() if criterion.lower_is_better else means.max()
        best |= set(means.index[means == optimum])
    return best


def published_text(cell) -> str:
    """What the paper prints in a cell of :func:`compare_with_paper`: a number, N/A or nothing."""
    if cell["printed"] in UNPRINTED:
        return UNPRINTED[cell["printed"]]
    return number_text(cell["published_mean"], cell["published_std"])


def number_text(mean: float, std: float) -> str:
    """``.193±.007`` as the paper prints it; a dash for nothing."""
    if math.isnan(mean):
        return "–"
    return _decimal(mean, 3) if math.isnan(std) else f"{_decimal(mean, 3)}±{_decimal(std, 3)}"


def _decimal(value, decimals):
    """Halves rounded up, no zero before the point."""
    if math.isnan(value):
        return "–"
    rounded = math.floor(value * 10**decimals + 0.5 + 1e-9) / 10**decimals
    text = f"{rounded:.{decimals}f}"
    return text.removeprefix("0") if decimals and rounded < 1 else text


def _agreement(found, value, decimals):
    if math.isnan(found):
        return "missing"
    return "matches" if _decimal(found, decimals) == _decimal(value, decimals) else "differs"


def _head(name):
    return f"{ALL_CRITERIA[name].symbol} {ALL_CRITERIA[name].arrow}"


def _provenance(cells, profile):
    """Profile, runs, freshness and kind of data, by algorithm where they differ."""
    measured = cells[cells["n"] > 0]
    told = [f"Profile {profile}"]
    if measured.empty:
        return "; ".join([*told, "no records yet"]) + "."
    of = f" of {cells['n_protocol'].iloc[0]}" if "n_protocol" in cells else ""
    runs = measured.groupby("algorithm", sort=False)["n"].min()
    told.append(_by_algorithm(runs.map(lambda n: f"{n}{of} runs")))
    for column, words in (("state", "records {}"), ("kind", "{} data")):
        values = measured.groupby("algorithm", sort=False)[column].agg(_joined)
        told.append(words.format(_by_algorithm(values)))
    return "; ".join(told) + "."


def _by_algorithm(values):
    """One value if all share it, otherwise each value and who has it."""
    if values.nunique() == 1:
        return values.iloc[0]
    groups = values.groupby(values, sort=False).groups
    return ", ".join(f"{value} ({', '.join(names)})" for value, names in groups.items())


def _joined(values):
    return " and ".join(sorted(set(values)))
