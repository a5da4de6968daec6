"""Data that the authors never saw: claims, means and ranks there, and what bags are worth."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import NamedTuple

import matplotlib.pyplot as plt
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claim_parts import NOT_TESTED, parts_of
from mimlstudy.judge.claim_tests import ClaimTest
from mimlstudy.judge.claims import ClaimVerdict, verdict_of
from mimlstudy.judge.equal_tuning import best_of_group
from mimlstudy.judge.selection import as_in_our_tables, checked_for_means
from mimlstudy.judge.statistics import Ranks, rank_methods
from mimlstudy.paper.unseen import BAGS, OWN_CHOSEN_ON
from mimlstudy.paper.variants import VARIED
from mimlstudy.report.figures import label_ends, look_of
from mimlstudy.report.sentences import paragraph
from mimlstudy.report.tables import (
    Entry,
    ReportTable,
    crossed,
    frame_grid,
    low_rank_in_words,
    number_entries,
    number_text,
)

SETS = (*BAGS, "dbpedia")
AUTHORS_SETS = ("scene", "reuters", "yeast", "web pages")
# The rows of Table 1: the paper's learners, and the compared ones.
FOUR = ("MimlBoost", "MimlSvm", "MimlSvm_mi", "MimlNn")
TABLE_1_COMPARED = ("AdtBoost.MH", "RankSvm", "MlSvm", "Ml-knn")
COLUMN_NAMES = {"fixed": "fixed in advance", "equal": "equal tuning"}
METHODS_OF_BUDGETS = (*FOUR, "MlSvm, mean", "NoisyOr")


class Order(NamedTuple):
    """A claim that some methods are better than others, on all seven criteria."""

    words: str
    better: tuple[str, ...]
    worse: tuple[str, ...]
    is_papers: bool = True


ORDERS = (
    Order("the four better than AdtBoost.MH", FOUR, ("AdtBoost.MH",)),
    Order("the four better than MlSvm", FOUR, ("MlSvm",)),
    Order("the four better than RankSvm", FOUR, ("RankSvm",)),
    Order("MimlNn better than Ml-knn", ("MimlNn",), ("Ml-knn",)),
    Order(
        "MimlSvm and MimlSvm_mi better than the four compared",
        ("MimlSvm", "MimlSvm_mi"),
        TABLE_1_COMPARED,
    ),
    Order(
        "D-MimlSvm better than MimlSvm and MimlSvm_mi",
        ("D-MimlSvm",),
        ("MimlSvm", "MimlSvm_mi"),
    ),
    Order("the four better than label frequencies", FOUR, ("Label frequencies",), False),
    Order("the four better than the set kernel", FOUR, ("Set kernel",), False),
    Order(
        "MimlSvm_mi better than its first step",
        ("MimlSvm_mi",),
        ("mi-SVM, first step",),
        False,
    ),
)


def with_columns(columns: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The finished fits of both columns, "fixed" and "equal", one below the other.

    ``column`` says which.
    """
    parts = [as_in_our_tables(records).assign(column=name) for name, records in columns.items()]
    return pd.concat(parts, ignore_index=True)


def tested_orders(records: pd.DataFrame) -> pd.DataFrame:
    """The verdict of the corrected test on each order, by data set of bags and column.

    ``records`` are those of :func:`with_columns`. Columns: order, is_papers, dataset, column, and
    the fields of a ClaimVerdict; orders that could not be tested are left out.
    """
    verdicts = [field.name for field in fields(ClaimVerdict)]
    columns = ["order", "is_papers", "dataset", "column", *verdicts]
    tested = pd.DataFrame(_verdicts(records), columns=columns)
    return tested[tested["word"] != NOT_TESTED].reset_index(drop=True)


def _verdicts(records) -> Iterator[dict]:
    on_bags = records[records["dataset"].isin(BAGS)]
    for (column, dataset), of_set in on_bags.groupby(["column", "dataset"]):
        for order in ORDERS:
            verdict = _verdict(order, of_set)
            place = {
                "order": order.words,
                "is_papers": order.is_papers,
                "dataset": dataset,
                "column": column,
            }
            yield place | asdict(verdict)


def _verdict(order, records):
    """The verdict on one order, by all criteria."""
    test = ClaimTest("better", order.better, order.worse, tuple(CRITERIA))

    def records_of_test(_):
        return records

    return verdict_of(parts_of([test], records_of_test))


def orders_table(tested: pd.DataFrame) -> ReportTable:
    """A row for each order, a column for each data set and column: supported parts, verdict."""
    entries = []
    for row in tested.itertuples():
        counts = f"{row.supported} of {row.n_parts}"
        entries.append(Entry((counts,), (), row.word))
    columns = tested["column"].map(COLUMN_NAMES)
    heads = tested["dataset"] + ", " + columns
    shown = crossed(tested["order"], heads, entries)
    # Our own questions come last; both columns of a data set stand together.
    names = [order.words for order in ORDERS if order.words in shown.index]
    in_order = shown.loc[names, sorted(shown)]
    n_papers = sum(order.is_papers for order in ORDERS if order.words in shown.index)
    caption = (
        "Orders of methods on unseen data: how many comparisons the corrected test supports, of "
        f"all pairs on seven criteria. The four are {', '.join(FOUR)}. Of {len(names)} rows the "
        f"first {n_papers} are orders like the paper's, but on all criteria; the others are our "
        "own questions."
    )
    return frame_grid(in_order, tested, caption, corner="order")


def precision_table(records: pd.DataFrame) -> ReportTable:
    """Average precision: fixed in advance above equal tuning, the best of each line bold."""
    keys = ["method", "dataset", "column"]
    groups = checked_for_means(records, "column").groupby(keys, sort=False)
    precision = groups["average_precision"]
    tidy = precision.agg(["mean", "std", "size"]).reset_index()
    highest = tidy.groupby(["dataset", "column"])["mean"].transform("max")
    lines = tidy.assign(
        text=[*map(number_text, tidy["mean"], tidy["std"])],
        best=tidy["mean"] == highest,
    )
    cells = {}
    for place, rows in lines.groupby(["method", "dataset"], sort=False):
        # A line for each column, so that the place of a line says which column it is.
        by_column = rows.set_index("column").reindex([*COLUMN_NAMES])
        texts = by_column["text"].fillna("–")
        cells[place] = Entry((*texts,), (*by_column["best"].eq(True),))
    names = [method for method, _ in cells]
    sets = [dataset for _, dataset in cells]
    shown = crossed(names, sets, cells.values())
    in_order = [name for name in SETS if name in shown]
    caption = "Average precision on unseen data, mean ± std: fixed in advance, then equal tuning."
    caption = paragraph(caption, low_rank_in_words(records))
    return frame_grid(shown[in_order], tidy, caption, corner="method")


def ranks_by_kind(losses: pd.DataFrame) -> dict[str, Ranks]:
    """Ranks over kinds of independent data sets; a method without a row on each has none.

    ``losses`` have a row for each data set, a column for each method. Kinds with fewer than two
    data sets are left out.
    """
    kinds = {
        "All data sets": losses,
        "The authors' sets": losses[losses.index.isin(AUTHORS_SETS)],
        "Unseen sets": losses[losses.index.isin(SETS)],
        "Without NoisyOr's own": losses[~losses.index.isin(OWN_CHOSEN_ON)],
    }
    ranks = {}
    for name, table in kinds.items():
        # Ranks of one data set are no sample of others.
        if len(table) > 1:
            complete = table.dropna(axis="columns")
            ranks[name] = rank_methods(complete)
    return ranks


def groups_table(learners: pd.DataFrame) -> ReportTable:
    """What is seen of a bag: the best held-out learner of each group, by data set."""
    chosen = best_of_group(learners)
    values = chosen.groupby(["group", "dataset"])["value"]
    tidy = values.agg(["mean", "std", "size"]).reset_index()
    best = tidy.groupby("dataset")["mean"].transform("max")
    entries = number_entries(tidy["mean"], tidy["std"], tidy["mean"] == best)
    caption = (
        "Results by what a learner sees of a bag, with sixteen settings for each learner: average "
        "precision, and accuracy on the five sets with one label; mean ± std over splits. The "
        "learner of a row is chosen by hold-out."
    )
    shown = crossed(tidy["group"], tidy["dataset"], entries)
    return frame_grid(shown, tidy, caption, corner="seen")


def precision_by_budget(records: pd.DataFrame) -> pd.DataFrame:
    """Mean average precision over the sets of bags with many labels: a row for each budget.

    ``records`` have stages that are budgets; methods without all of these sets are left out.
    """
    rows = records.dropna(subset=["average_precision", "n_settings"])
    sets = rows.groupby("method")["dataset"].agg(set)
    # MimlNn stands for the sets: it takes bags, with many labels.
    if "MimlNn" not in sets:
        raise ValueError(
            "records must have rows of MimlNn, whose sets count, got none; `mimlpaper status` "
            "names the command that runs the trials"
        )
    of_bags = sets["MimlNn"]
    # A mean over other sets would not be comparable.
    complete = [method for method, known in sets.items() if of_bags <= known]
    rows = rows[rows["dataset"].isin(of_bags)]
    rows = rows[rows["method"].isin(complete)]
    groups = checked_for_means(rows, "n_settings").groupby(["n_settings", "method"])
    return groups["average_precision"].mean().unstack()


def budgets_figure(curves: pd.DataFrame) -> plt.Figure:
    """A line for each of six methods of :func:`precision_by_budget`."""
    figure, ax = plt.subplots(figsize=(5.6, 2.8))
    shown = curves[[name for name in METHODS_OF_BUDGETS if name in curves]]
    ends = {}
    for name, curve in shown.items():
        # A variant has the colour of its method.
        dashes = (4, 2) if name in VARIED else ()
        ax.plot(curve, color=look_of(name).color, marker=".", dashes=dashes)
        ends[name] = curve.index[-1], curve.iloc[-1]
    ax.set_xscale("log", base=2)
    ax.set(xlabel="settings tried", ylabel="average precision ↑")
    ax.set_xticks([*curves.index], [f"{n:g}" for n in curves.index])
    label_ends(ax, ends, least=0.09)
    return figure
