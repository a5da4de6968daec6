"""RankSvm's printed values against programs: likelihoods as worked by hand, and their table."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mimlpaper.metrics import CRITERIA
from mimlstudy.report.sections.early_stop import (
    CONVERGED,
    STOPPED,
    likelihood_text,
    likelihoods,
    log_likelihood,
    programs_table,
    steps_figure,
)
from tests.made_up_records import as_in_the_paper, spread

PRINTED_RUNS = as_in_the_paper(1).query("method == @STOPPED")


def staged_runs(n_stages=3, n_splits=4):
    """RankSvm after each step: its hamming loss is .4, .3, .2, its other criteria .5."""
    of_all = {"dataset": "scene", "method": STOPPED, "override": "{}"}
    of_all |= dict.fromkeys(CRITERIA, 0.5)
    rows = []
    for split in range(n_splits):
        for stage in range(1, n_stages + 1):
            loss = 0.5 - stage / 10
            rows.append(of_all | {"split": split, "stage": stage, "hamming_loss": loss})
    return pd.DataFrame(rows)


def test_the_likelihood_is_the_density_of_the_mean_times_that_of_the_deviation():
    """The second is that of the variance, whose density is worked out by a small difference."""
    runs = pd.Series(spread(0.2, 0.01, 30, seed=0))
    step = 1e-7
    scale = 29 / 0.01**2
    below = stats.chi2.cdf(scale * (0.012 - step) ** 2, 29)
    above = stats.chi2.cdf(scale * (0.012 + step) ** 2, 29)
    of_std = np.log((above - below) / (2 * step))
    of_mean = stats.norm.logpdf(0.205, 0.2, 0.01 * np.sqrt(2 / 30))
    likelihood = log_likelihood(runs, 0.205, 0.012, 30)
    assert likelihood == pytest.approx(of_mean + of_std, abs=1e-4)


def test_printed_values_are_likeliest_under_runs_that_have_them():
    further = PRINTED_RUNS["hamming_loss"] + 0.1
    moved_runs = PRINTED_RUNS.assign(hamming_loss=further)
    as_printed = likelihoods(1, PRINTED_RUNS)["log_likelihood"]
    moved = likelihoods(1, moved_runs)["log_likelihood"]
    assert moved["hamming_loss"] < as_printed["hamming_loss"] - 10
    assert moved.drop("hamming_loss").equals(as_printed.drop("hamming_loss"))


def test_the_table_has_a_row_for_each_program_and_printed_values_without_likelihood():
    programs = {"printed": (1, PRINTED_RUNS[:0]), STOPPED: (1, PRINTED_RUNS)}
    table = programs_table(programs)
    assert table.entries.index.tolist() == ["printed", STOPPED]
    printed, ours = table.entries["hloss ↓"]
    assert printed.lines == (".210±.024",)
    assert ours.lines == (".210±.024",)
    without, likelihood = table.entries["log likelihood, mean"]
    assert without.lines == ("–",)
    (text,) = likelihood.lines
    assert float(text.replace("−", "-")) > 0


def test_large_likelihoods_have_commas_and_a_minus_sign():
    assert likelihood_text(-1253.4) == "−1,253"


def test_steps_are_drawn_as_losses_between_printed_and_converged_levels():
    converged = PRINTED_RUNS.assign(
        method=CONVERGED,
        hamming_loss=0.1,
        average_precision=0.9,
    )
    figure = steps_figure(
        staged_runs(),
        converged,
        ["hamming_loss", "average_precision"],
    )
    loss, precision = figure.axes
    curve, printed, solution = loss.get_lines()
    assert curve.get_ydata() == pytest.approx([0.4, 0.3, 0.2])
    assert printed.get_ydata()[0] == pytest.approx(0.21)
    assert solution.get_ydata()[0] == pytest.approx(0.1)
    assert precision.get_title() == "1 − average precision"
    _, _, solution = precision.get_lines()
    assert solution.get_ydata()[0] == pytest.approx(0.1)
