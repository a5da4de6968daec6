"""Totals and two claims recomputed from the files by plain pandas and SciPy."""

import numpy as np
import pandas as pd
from scipy import stats

from mimlpaper import paths
from mimlpaper.study.claims import evaluate_claims
from mimlpaper.study.published import TABLES
from mimlpaper.study.scorecard import scorecard_cells
from mimlpaper.study.verdicts import agreement

PRINTED = pd.read_csv(paths.published() / "results.csv")
LOSSES = ("hamming_loss", "one_error", "coverage", "ranking_loss")
SCORES = ("average_precision", "average_recall", "average_f1")


def recorded(name):
    """A file of records as it is, of which every line counts."""
    return pd.read_csv(paths.results() / f"{name}.csv").assign(state="fresh")


def plain(name):
    rows = recorded(name)
    return rows[(rows["parameters"] == "{}") & (rows["stage"] == 0)]


def test_totals_of_tables_1_to_3():
    """Cells within Student's interval of two means over independent runs, plus rounding."""
    agrees = measured = 0
    for number, n_runs, factor in ((1, 30, 1.0), (2, 30, 1.0), (3, 10, 0.62)):
        ours = plain(f"table{number}").groupby("method")[[*LOSSES, *SCORES]].agg(["mean", "std"])
        for cell in PRINTED[(PRINTED["table"] == number) & PRINTED["mean"].notna()].itertuples():
            mean, std = ours.loc[cell.algorithm, cell.criterion]
            error = np.sqrt((cell.std**2 + std**2) / n_runs) * stats.t.ppf(0.975, 2 * n_runs - 2)
            agrees += abs(mean - cell.mean) <= factor * error + 0.0005
            measured += 1
    get = {f"table{number}": recorded(f"table{number}") for number in TABLES}
    totals = [agreement(scorecard_cells(get, numbers=[number])) for number in (1, 2, 3)]
    assert sum(total["agrees"] for total in totals) == agrees
    words = "agrees", "differs_better", "differs_worse"
    assert sum(total[word] for total in totals for word in words) == measured


def leads(rows, a, b, criterion):
    values = rows.pivot(index="split", columns="method", values=criterion)
    return (values[b] - values[a]) * (1 if criterion in LOSSES else -1)


def test_claim_s4_5_parts_by_both_tests_and_its_control():
    """MimlNn against Ml-knn on seven criteria; 500 test images for 1,500 of training."""
    rows, printed = plain("table1"), PRINTED[PRINTED["table"] == 1]
    printed = printed.set_index(["algorithm", "criterion"])["mean"]
    paired, strict, control = [], [], []
    for name in (*LOSSES, *SCORES):
        d = leads(rows, "MimlNn", "Ml-knn", name)
        theirs = printed["Ml-knn", name] - printed["MimlNn", name]
        error = d.std() * np.sqrt(1 / 30 + 1 / 3)
        paired.append(stats.ttest_1samp(d, 0).pvalue < 0.05 and d.mean() > 0)
        strict.append(2 * stats.t.sf(d.mean() / error, 29))
        control.append(2 * stats.t.sf(theirs * (1 if name in LOSSES else -1) / error, 29))
    (claim,) = evaluate_claims({"table1": recorded("table1")}, ("S4.5",))
    assert claim.verdicts["paper's test"].shown == sum(paired)
    for p_values, shown in ((strict, "shown"), (control, "control")):
        first, n = sorted(p_values), 0
        while n < 7 and first[n] * (7 - n) < 0.05:  # Holm
            n += 1
        assert getattr(claim.verdicts["strict test"], shown) == n


def test_claim_s5_1_counts_cases():
    """D-MimlSvm against MimlSvm in 35 cases by the paired t-test, and by the calibrated one."""
    rows = plain("figure4")
    shown = {"paper's test": 0, "strict test": 0}
    for _, own in rows.groupby("dataset"):
        for name in (*LOSSES, *SCORES):
            d = leads(own, "D-MimlSvm", "MimlSvm", name)
            for test, variance in (("paper's test", 1 / 30), ("strict test", 1 / 30 + 0.45 / 0.55)):
                shown[test] += d.mean() > stats.t.ppf(0.975, 29) * d.std() * np.sqrt(variance)
    (claim,) = evaluate_claims({"figure4": recorded("figure4")}, ("S5.1",))
    better = claim.parts[0].note
    assert better.startswith(f"of 35 cases {shown['strict test'] / 35:.0%} shown")
    by_paper = shown["paper's test"] / 35
    assert f"by the paper's test {by_paper:.0%} shown" in better
