"""Costs of fits: texts, powers of growth, and the tables and figure of notebook 9."""

import math

import pandas as pd
import pytest

from mimlstudy.paper.costs import PEERS
from mimlstudy.report.sections import cost_report
from tests.made_up_records import as_in_the_paper

MACHINE = "Linux; 2 cores"


def fit_of(dataset, method, seconds, megabytes=10.0, n_train=1500, n_labels=5, **columns):
    """A record of one fit alone."""
    row = dict(
        dataset=dataset,
        method=method,
        machine=MACHINE,
        n_train=n_train,
        n_test=500,
    )
    costs = dict(
        fit_seconds=seconds,
        fit_megabytes=megabytes,
        predict_seconds=0.01,
    )
    sizes = dict(
        n_instances=8.0,
        n_labels=n_labels,
        predict_megabytes=0.5,
        average_precision=0.9,
    )
    return row | costs | sizes | columns


def test_hours_are_counted_once_a_trial_and_the_longest_method_is_named():
    columns = ["method", "split", "stage", "seconds"]
    of_boosting = [("Boost", 0, 1, 3600.0), ("Boost", 0, 2, 3600.0)]
    of_networks = [("Nn", 0, 0, 360.0), ("Nn", 1, 0, 360.0)]
    trials = pd.DataFrame([*of_boosting, *of_networks], columns=columns)
    trials = trials.assign(experiment="tests", dataset="a", override="{}")
    of_methods = cost_report.hours_by_method({"Tests": trials})
    assert of_methods["hours"].to_dict() == {("Tests", "Boost"): 1.0, ("Tests", "Nn"): 0.2}
    table = cost_report.hours_table(of_methods)
    cells = table.entries.loc["Tests"]
    assert [cell.lines[0] for cell in cells] == ["3", "1.20", "Boost (1.00)"]


def grown(method="MimlNn", exponent=2.0):
    """Fits of 200 to 800 bags whose seconds grow with a power, and of 400 with more labels."""
    rows = []
    for n_bags in (200, 400, 800):
        seconds = (n_bags / 200) ** exponent
        name = f"drawn:{n_bags}x8x8"
        rows.append(fit_of(name, method, seconds, n_bags / 300, n_bags, 8, n_test=0))
    seconds = rows[1]["fit_seconds"]
    rows.append(fit_of("drawn:400x8x16", method, seconds, 1.0, 400, 16, n_test=0))
    return rows


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.0312, "s", "0.031 s"),
        (1.234, "s", "1.23 s"),
        (12.34, "s", "12.3 s"),
        (0.4, "MB", "< 1 MB"),
        (45.2, "MB", "45 MB"),
        (math.nan, "s", "–"),
    ],
)
def test_amounts_have_as_many_digits_as_they_can_bear(value, unit, text):
    assert cost_report.amount(value, unit) == text


def test_growth_is_over_the_size_that_varies_alone():
    costs = pd.DataFrame(grown())
    by_bags = cost_report.growth(
        costs,
        "MimlNn",
        "fit_seconds",
        "bags",
    )
    assert by_bags.to_dict() == {200: 1, 400: 4, 800: 16}
    by_labels = cost_report.growth(
        costs,
        "MimlNn",
        "fit_seconds",
        "labels",
    )
    assert by_labels.to_dict() == {8: 4, 16: 4}
    assert cost_report.growth(costs, "MlSvm", "fit_seconds", "bags").empty


def test_less_than_a_megabyte_is_no_growth():
    megabytes = cost_report.growth(
        pd.DataFrame(grown()),
        "MimlNn",
        "fit_megabytes",
        "bags",
    )
    assert megabytes.index.tolist() == [400, 800]


def test_powers_are_those_of_the_two_largest_sizes_and_dashes_where_there_are_fewer():
    table = cost_report.powers(pd.DataFrame(grown()), ["MimlNn", "MlSvm"])
    assert table.loc["MimlNn", "seconds, bags"] == pytest.approx(2)
    assert table.loc["MimlNn", "seconds, labels"] == pytest.approx(0)
    assert table.loc["MlSvm"].isna().all()
    shown = cost_report.powers_table(table)
    assert shown.entries.loc["MimlNn", "seconds, bags"].lines == ("2.0",)
    assert shown.entries.loc["MlSvm", "seconds, bags"].lines == ("–",)


def test_the_figure_of_growth_names_the_lines_of_each_family():
    costs = pd.DataFrame(grown("MimlNn") + grown("MlSvm", 1.0))
    families = {"bags": ["MimlNn", "MimlSvm"], "vectors": ["MlSvm"]}
    figure = cost_report.growth_figure(costs, families)
    names = [[text.get_text() for text in ax.texts] for ax in figure.axes]
    assert names == [["MimlNn"], ["MlSvm"]]
    assert figure.axes[1].get_lines()[0].get_ydata().tolist() == [1, 2, 4]


def test_a_cell_of_costs_has_the_trials_above_one_fit_alone():
    fits = as_in_the_paper(1, n_runs=2)
    costs = pd.DataFrame([fit_of("scene", "MlSvm", 2.0), fit_of("musk2", "SubCod", 3.0)])
    table = cost_report.costs_table(costs, "Costs", {"table1": fits})
    assert table.entries.index.tolist() == ["MlSvm"]
    assert table.entries.loc["MlSvm", "scene, fit"].lines == ("1.00 s", "2.00 s", "10 MB")
    assert table.entries.loc["MlSvm", "scene, scores"].lines == (
        "0.10 s",
        "0.010 s",
        "< 1 MB",
    )
    assert table.caption.endswith(f"Measured on {MACHINE}.")


def test_the_longest_fit_comes_first_with_its_table_and_data():
    fits = as_in_the_paper(1, n_runs=2)
    slow = fits.assign(fit_seconds=fits["fit_seconds"].where(fits["method"] != "MlSvm", 9.0))
    longest = cost_report.longest_fits({"table1": slow})
    assert longest.index[0] == ("table1", "scene", "MlSvm")
    assert longest.iloc[0] == 9


def test_peers_are_compared_with_our_implementation_of_the_same_method():
    name = "drawn:1800x8x8"
    ours, theirs = [*PEERS[name]][:2]
    costs = pd.DataFrame([fit_of(name, ours, 0.1), fit_of(name, theirs, 0.25)])
    table = cost_report.peers_table(costs)
    assert table.entries.loc[ours, "times ours"].lines == ("1",)
    assert table.entries.loc[theirs, "times ours"].lines == ("2.5",)
    assert table.entries.loc[theirs, "data"].lines == ("1600 bags of 8, 8 labels",)
    assert table.entries.loc["MimlNn", "times ours"].lines == ("–",)
