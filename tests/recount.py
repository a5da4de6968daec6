"""The headline numbers counted a second time, from CSV files alone: python tests/recount.py

Nothing of the study is imported, so that a fault of the judge shows. What is recounted: agreement
with print in two columns of settings, both chance agreements, both tolerances of Table 4, and the
parts of the comparisons of Tables 1 to 3 by both conventions for ties.

Run as a script, it counts every alternative in the records, also settings that the study no longer
has; the tests leave these out.

Each function takes the folder ``data``, with the subfolders ``results`` and ``printed``.
"""

from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

OF_THE_PROJECT = Path(__file__).resolve().parents[1] / "data"
LOSSES = ("hamming_loss", "one_error", "coverage", "ranking_loss")
SCORES = ("average_precision", "average_recall", "average_f1")
SEVEN = (*LOSSES, *SCORES)
EIGHT = (*SEVEN, "accuracy")
COLUMN = ["table", "dataset", "criterion"]
SETTING = ["override", "row"]
N_RUNS = {1: 30, 2: 30, 3: 10, 4: 11, 5: 10}
ROUNDING = 0.0005
GENE_PARTITIONS = 0.29  # of a half-width in Table 3: folds of the same genes move less
N_TEST_PAGES = 33000  # 11 sets of 3,000
# Alternatives that are methods of their own, and the methods of their rows.
FORM_OF = {"RankSvm, converged": "RankSvm", "MimlSvm, set kernel": "MimlSvm"}
COMPARED = ("better", "worse", "tie", "not better", "not worse")


@cache
def recorded(data, name):
    return pd.read_csv(data / "results" / f"{name}.csv", low_memory=False)


def as_in_our_tables(records):
    """Records without an override, of the first stage."""
    return records[(records["override"] == "{}") & (records["stage"] == 0)]


def printed(data):
    """Every printed value; the algorithm of its row is ``printed_row``."""
    cells = pd.read_csv(data / "printed" / "results.csv")
    with_value = cells[cells["mean"].notna()]
    return with_value.rename(columns={"algorithm": "printed_row"})


def records_closest(data, number):
    """The records behind a table's rows."""
    return as_in_our_tables(recorded(data, f"table{number}"))


def records_fixed(data, number):
    """The records behind a table's rows; with settings fixed in advance where there are such."""
    closest = records_closest(data, number)
    fixed = as_in_our_tables(recorded(data, "fixed"))
    fixed = fixed[fixed["dataset"].isin(closest["dataset"])]
    same_in_both = ~closest["method"].isin(fixed["method"])
    return pd.concat([fixed, closest[same_in_both]])


def runs(number, records, by=("method",)):
    """The mean of each run: a split, a set of web pages, or ten folds."""
    run = records["split"]
    dataset = records["dataset"]
    if number == 4:
        run, dataset = dataset, "yahoo"
    if number == 5:
        run = run // 10
    keys = ["dataset", *by, "run"]
    rows = records.assign(run=run, dataset=dataset)
    values = rows.melt(keys, [*EIGHT], "criterion").dropna(subset="value")
    of_runs = values.groupby([*keys, "criterion"])["value"].mean()
    return of_runs.reset_index().assign(table=number)


def summary(number, records, by=("method",)):
    """Mean, standard deviation and number of runs of each cell."""
    of_runs = runs(number, records, by)
    values = of_runs.groupby([*COLUMN, *by])["value"]
    return values.agg(mean="mean", std="std", n="size").reset_index()


def tolerance_of_means(pairs):
    """Half of an interval: of the difference of two means.

    In Table 3 it is less, since ten folds of the same genes move less. Where print has no
    deviation it is that of one more value beside our runs.
    """
    n_printed = pairs["table"].map(N_RUNS)
    n_ours = pairs["n"]
    printed_std = pairs["std_printed"]
    std = pairs["std"].fillna(printed_std)
    error = np.sqrt(printed_std**2 / n_printed + std**2 / n_ours)
    two_means = stats.t.ppf(0.975, n_printed + n_ours - 2) * error
    next_value = stats.t.ppf(0.975, n_ours - 1) * std * np.sqrt(1 + 1 / n_ours)
    half_width = two_means.where(printed_std.notna(), next_value)
    return half_width.where(pairs["table"] != 3, GENE_PARTITIONS * half_width)


def tolerance_of_pages(data, pairs):
    """The sampling error of a mean over all test pages, at most that of a share of 0 and 1."""
    path = data / "printed" / "yahoo_characteristics.csv"
    n_labels = pd.read_csv(path)["categories"].mean()
    criterion = pairs["criterion"]
    # Coverage lies between 0 and one less than the labels.
    highest = criterion.map({"coverage": n_labels - 1}).fillna(1.0)
    # Hamming loss decides on each label of each page.
    n_decisions = N_TEST_PAGES * criterion.map({"hamming_loss": n_labels}).fillna(1.0)
    mean = pairs["mean_printed"]
    variance = (mean * (highest - mean)).clip(lower=0)
    return 1.959964 * np.sqrt(variance / n_decisions)


def tolerance(data, pairs):
    is_table_4 = pairs["table"] == 4
    of_pages = tolerance_of_pages(data, pairs)
    half_width = tolerance_of_means(pairs).mask(is_table_4, of_pages)
    return half_width.fillna(0.0) + ROUNDING


def paired_with_print(data, ours):
    """Our cells with all printed values of their column, and whether they agree."""
    values = printed(data)[[*COLUMN, "printed_row", "mean", "std"]]
    rows_of_print = values[[*COLUMN, "printed_row"]]
    ours = ours.merge(rows_of_print.rename(columns={"printed_row": "method"}))
    pairs = ours.merge(values, on=COLUMN, suffixes=("", "_printed"))
    difference = (pairs["mean"] - pairs["mean_printed"]).abs()
    agrees = difference <= tolerance(data, pairs)
    return pairs.assign(agrees=agrees, difference=difference)


def is_same_row(pairs):
    return pairs["method"] == pairs["printed_row"]


def n_recognised(data, pairs):
    """How many of our rows lie nearest to the printed row of the same method."""
    scale = printed(data).groupby(COLUMN)["mean"].std()
    scaled = pairs.merge(scale.rename("scale").reset_index())
    scaled["square"] = (scaled["difference"] / scaled["scale"]) ** 2
    squares = scaled.groupby(["table", "method", "printed_row"])["square"]
    distances = squares.mean().reset_index()
    smallest = distances.groupby(["table", "method"])["square"].idxmin()
    nearest = distances.loc[smallest]
    return int(is_same_row(nearest).sum())


def orders(pairs):
    """Kendall's tau of each column, and whether its best method is best in print."""
    taus, has_same_winner = [], []
    for (_, _, criterion), column in pairs.groupby(COLUMN):
        means = column[["mean", "mean_printed"]].round(3)
        tau = stats.kendalltau(means["mean"], means["mean_printed"])
        taus.append(tau.statistic)
        losses = means if criterion in LOSSES else -means
        is_best = losses.eq(losses.min())
        has_same_winner.append(is_best.all(axis=1).any())
    return taus, has_same_winner


def agreement(data, records_of):
    """Numbers and shares over all five tables, of ``records_closest`` or ``records_fixed``."""
    cells = [summary(number, records_of(data, number)) for number in N_RUNS]
    pairs = paired_with_print(data, pd.concat(cells))
    same = is_same_row(pairs)
    taus, has_same_winner = orders(pairs[same])
    return {
        "measured": int(same.sum()),
        "agrees": int(pairs.loc[same, "agrees"].sum()),
        "chance_agreement": float(pairs.loc[~same, "agrees"].mean()),
        "rows_recognised": n_recognised(data, pairs),
        "tau": float(np.mean(taus)),
        "winners": int(np.sum(has_same_winner)),
    }


def table_4(data):
    """How many cells agree by the sampling error of pages, and on the same pages."""
    cells = summary(4, records_closest(data, 4))
    pairs = paired_with_print(data, cells)
    ours = pairs[is_same_row(pairs)]
    agrees_as_rounded = ours["difference"] <= ROUNDING
    return {
        "sampled pages": int(ours["agrees"].sum()),
        "same pages": int(agrees_as_rounded.sum()),
    }


def tried_settings(data, number):
    """Records of every alternative of a table, and of its rows on the same splits."""
    rows = records_closest(data, number)
    changed = recorded(data, "alternatives")
    of_table = changed["method"].isin(rows["method"])
    on_its_data = changed["dataset"].isin(rows["dataset"])
    is_changed = changed["override"] != "{}"
    changed = changed[of_table & on_its_data & is_changed]
    shared_splits = rows["split"] <= changed["split"].max()
    tried = pd.concat([rows[shared_splits], changed])
    method = tried["method"]
    row = method.where(method.isin([*FORM_OF]), "")
    return tried.assign(method=method.replace(FORM_OF), row=row)


def cells_of_alternatives(data, number):
    """Cells of every alternative: its row's mean and the difference on shared splits, in range."""
    cells = summary(
        number,
        tried_settings(data, number),
        ("method", *SETTING),
    )
    keys = [*COLUMN, "method"]
    is_row = (cells["override"] == "{}") & (cells["row"] == "")
    on_shared_splits = cells[is_row].drop(columns=[*SETTING, "std", "n"])
    on_all_splits = summary(number, records_closest(data, number))
    rows = on_shared_splits.merge(
        on_all_splits,
        on=keys,
        suffixes=("_shared", ""),
    )
    settings = cells[["method", *SETTING]].drop_duplicates()
    whole = settings.merge(rows, on="method")
    measured = cells[[*keys, *SETTING, "mean"]]
    measured = measured.rename(columns={"mean": "mean_alternative"})
    whole = whole.merge(measured, "left", [*keys, *SETTING])
    # Where an alternative was not run it has the value of its row.
    change = (whole["mean_alternative"] - whole["mean_shared"]).fillna(0.0)
    highest = np.where(whole["criterion"] == "coverage", np.inf, 1.0)
    return whole.assign(mean=(whole["mean"] + change).clip(0.0, highest))


def chance_with_choice(data):
    """Agreement of rows with print, and with others' rows, of the alternative that agrees most."""
    of_tables = []
    for number in N_RUNS:
        cells = cells_of_alternatives(data, number)
        of_tables.append(paired_with_print(data, cells))
    pairs = pd.concat(of_tables)
    rows = ["table", "method", "printed_row"]
    counts = pairs.groupby([*rows, *SETTING])["agrees"].agg(["sum", "size"])
    share = counts["sum"] / counts["size"]
    most = share.groupby(rows).idxmax()
    best = counts.loc[most].reset_index()
    same = is_same_row(best)
    of_same = best.loc[same, ["sum", "size"]].sum()
    of_rivals = best.loc[~same, ["sum", "size"]].sum()
    return {
        "own": of_same["sum"] / of_same["size"],
        "others": of_rivals["sum"] / of_rivals["size"],
    }


def words(claimed, differences, margin):
    """The words of a comparison.

    The first is by the convention that what is not significant is a tie, the second by two
    one-sided tests.
    """
    n = len(differences)
    mean = differences.mean()
    error = differences.std(ddof=1) / np.sqrt(n)

    def p_above(value):
        return stats.t.sf(value / error, n - 1)

    better = 2 * p_above(mean) < 0.05
    worse = 2 * p_above(-mean) < 0.05
    not_better = p_above(margin - mean) < 0.05
    not_worse = p_above(margin + mean) < 0.05
    much_better = 2 * p_above(mean - margin) < 0.05
    much_worse = 2 * p_above(-mean - margin) < 0.05
    tie = not_better and not_worse
    significant = better or worse
    # What supports a word, and what contradicts it.
    by_convention = {
        "better": (better, not better),
        "worse": (worse, not worse),
        "tie": (not significant, significant),
        "not better": (not better, better),
        "not worse": (not worse, worse),
    }
    by_equivalence = {
        "better": (better, worse or tie),
        "worse": (worse, better or tie),
        "tie": (tie, much_better or much_worse),
        "not better": (not_better, much_better),
        "not worse": (not_worse, much_worse),
    }
    return word_of(*by_convention[claimed]), word_of(*by_equivalence[claimed])


def word_of(supports, contradicts):
    if supports:
        return "supported"
    return "contradicted" if contradicts else "undecided"


def comparing_claims(data):
    """The rows of claims on Tables 1 to 3 that only compare two methods."""
    path = data / "printed" / "claim_tests.csv"
    tests = pd.read_csv(path, keep_default_na=False)
    on_tables = tests["experiments"].isin(["table1", "table2", "table3"])
    compares = tests["test"].isin(COMPARED) & on_tables
    whole_claim = compares.groupby(tests["id"]).transform("all")
    return tests[whole_claim]


def claims(data):
    """Parts of each claim of Tables 1 to 3 that compares two methods, by both conventions."""
    counts = {}
    for claim in comparing_claims(data).itertuples():
        records = as_in_our_tables(recorded(data, claim.experiments))
        criteria = SEVEN if claim.on == "all" else claim.on.split("; ")
        methods = claim.methods.split("; ")
        rivals = claim.rivals.split("; ")
        conventions = counts.setdefault(claim.id, (Counter(), Counter()))
        by_convention, by_equivalence = conventions
        for method, rival, criterion in product(methods, rivals, criteria):
            values = records.pivot(
                index="split",
                columns="method",
                values=criterion,
            )
            losses = values if criterion in LOSSES else 1 - values
            pairs = losses[[method, rival]].dropna()
            differences = pairs[rival] - pairs[method]
            margin = 0.05 * pairs[rival].mean()
            word, word_by_equivalence = words(
                claim.test,
                differences,
                margin,
            )
            by_convention[word] += 1
            by_equivalence[word_by_equivalence] += 1
    return counts


def recount(data=OF_THE_PROJECT):
    """Everything that is counted again."""
    return {
        "closest": agreement(data, records_closest),
        "fixed": agreement(data, records_fixed),
        "table4": table_4(data),
        "chance_with_choice": chance_with_choice(data),
        "claims": claims(data),
    }


if __name__ == "__main__":
    for name, counts in recount().items():
        print(name, counts)
