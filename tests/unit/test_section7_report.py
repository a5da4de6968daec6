"""Pictures and tables of Section 7: they show what the data and the records say."""

from __future__ import annotations

import json

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.datasets import make_africa
from mimlpaper.report.compare import compare_with_paper
from mimlpaper.report.diagrams import draw_label_vectors, draw_sub_concepts
from mimlpaper.report.figures import plot_m_and_theta
from mimlpaper.report.tables import accuracies_table
from tests.made_up_records import rows, spread


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def accuracies(experiment, dataset, method, mean, n_runs=2, **others):
    """Records of ``n_runs`` runs of ten folds whose means spread by .01 around ``mean``."""
    run = np.repeat(spread(mean, 0.01, n_runs, seed=1), 10)
    return rows(experiment, dataset, method, {"accuracy": run}, **others)


def test_components_are_ellipses_of_two_standard_deviations_and_points_keep_their_label():
    X, y, _ = make_africa(20)
    fitted = SubCod(n_concepts=3, kept_share=1.0, random_state=0).fit(X, y)
    ax = plt.figure().add_subplot()
    draw_sub_concepts(fitted, X, y, ax)
    ellipses = ax.patches
    assert [tuple(ellipse.center) for ellipse in ellipses] == [
        tuple(mean) for mean in fitted.mixture_.means_
    ]
    deviations = np.sqrt(fitted.mixture_.covariances_)
    assert ellipses[1].width == pytest.approx(4 * deviations[1, 0])
    assert ellipses[1].height == pytest.approx(4 * deviations[1, 1])
    full = [line for line in ax.lines if line.get_markerfacecolor() != "white"]
    assert sum(len(line.get_xdata()) for line in full) == X[y].n_instances
    assert sum(len(line.get_xdata()) for line in ax.lines) == X.n_instances


def test_label_vectors_show_the_corrected_ones_positive_bags_first():
    concepts = np.array([[True, False], [False, False], [True, True], [False, True]])
    polished = np.array([[True, False], [True, False], [True, True], [False, False]])
    y = np.array([False, True, False, True])
    ax = plt.figure().add_subplot()
    draw_label_vectors(concepts, polished, y, ax, title="some")
    assert np.array_equal(ax.images[0].get_array(), polished[[1, 3, 0, 2]])
    crosses, line = ax.lines
    assert list(zip(*crosses.get_data(), strict=True)) == [(0, 0), (1, 1)]
    assert line.get_ydata() == [1.5, 1.5]
    assert ax.get_title() == "some\n25% inverted"


def test_sweep_has_one_line_for_each_m_and_one_panel_for_each_data_set():
    parts = []
    for dataset, base in (("musk1", 0.8), ("tiger", 0.7)):
        for n_concepts in (10, 30):
            for share in (0.1, 0.5, 1.0):
                parameters = {"subcod__n_concepts": n_concepts, "subcod__kept_share": share}
                parts.append(
                    accuracies(
                        "sweep_subcod", dataset, "SubCod", base + n_concepts / 1000 - share / 10,
                        parameters=json.dumps(parameters),
                    )
                )  # fmt: skip
    axes = list(plt.figure().subplots(1, 3))
    plot_m_and_theta(pd.concat(parts, ignore_index=True), axes)
    assert [ax.get_title() for ax in axes[:2]] == ["musk1", "tiger"] and not axes[2].axison
    few, many = axes[1].lines[:2]
    assert few.get_label() == "M = 10"
    assert few.get_xdata() == pytest.approx([10, 50, 100])
    assert few.get_ydata() == pytest.approx([0.7, 0.66, 0.61])
    assert many.get_ydata() == pytest.approx([0.72, 0.68, 0.63])


def test_accuracies_by_configuration():
    minimal = json.dumps({"estimator__subcod__optimum": "minimal"})
    records = pd.concat([
        accuracies("choices_subcod", "musk1", "MimlSvm on the bag label", 0.6),
        accuracies("choices_subcod", "musk1", "SubCod", 0.75, parameters=minimal),
        accuracies("choices_subcod", "tiger", "SubCod", 0.8),
        accuracies("choices_subcod", "musk1", "SubCod", 0.7),
    ])  # fmt: skip
    table = accuracies_table(records, title="Optima", profile="quick")
    assert table.columns == ("musk1", "tiger")
    assert list(table.rows) == [
        "SubCod", "SubCod: optimum = minimal", "MimlSvm on the bag label",
    ]  # fmt: skip
    plain, other, _ = table.rows.values()
    assert [entry.lines for entry in plain] == [(".700±.010",), (".800±.010",)]
    assert [entry.lines for entry in other] == [(".750±.010",), ("–",)]
    assert [entry.bold for entry in plain] == [(False,), (True,)] and other[0].bold == (True,)
    assert table.caption == (
        "Optima: accuracy ↑, mean ± std over 2 run(s) of ten folds. Profile quick; records "
        "fresh; original data."
    )


def test_a_stand_in_has_the_first_column_of_table_5_and_the_verdict_synthetic():
    records = accuracies("table5", "synthetic_africa", "SubCod", 0.9, kind="synthetic")
    cells = compare_with_paper(records, 5)
    seen = cells[cells["n"] > 0]
    assert seen[["dataset", "algorithm", "verdict"]].to_numpy().tolist() == [
        ["musk1", "SubCod", "synthetic"]
    ]
    assert seen["mean"].item() == pytest.approx(0.9)
