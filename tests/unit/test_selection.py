"""Which records a reader gets: of an experiment, in a column of settings."""

import pandas as pd
import pytest

from mimlstudy.judge.selection import Selection, as_in_our_tables, runs_by, selected
from mimlstudy.paper.experiments import ROWS
from tests.made_up_records import as_in_the_paper, rows, staged, swept

MARKED = [*ROWS["table1"].fixed_where_different()]  # methods with a setting chosen by print


@pytest.fixture(scope="module")
def closest():
    return as_in_the_paper(1, n_runs=3)


@pytest.fixture(scope="module")
def in_advance(closest):
    """What is recorded of settings fixed in advance, for the marked methods alone."""
    marked = closest["method"].isin(MARKED)
    return closest[marked].assign(hamming_loss=0.5)


@pytest.fixture(scope="module")
def read(closest, in_advance):
    """The recorded experiments, whose files have their old names."""
    genes = as_in_the_paper(3)
    recorded = {
        "table1": closest,
        "fixed": pd.concat([in_advance, genes]),
        "equal_tuning": in_advance,
    }
    return recorded.get


def column_of(read, name, experiments=("table1",)):
    return selected(read, Selection(experiments, name))


def test_the_column_closest_has_the_records_of_the_table(read, closest):
    assert column_of(read, "closest").equals(closest)


def mean_losses(records):
    return records.groupby("method")["hamming_loss"].mean()


def test_a_method_with_a_choice_by_print_has_other_records_fixed_in_advance(read):
    assert "MimlSvm_mi" in MARKED
    column = column_of(read, "fixed")
    assert mean_losses(column)["MimlSvm_mi"] == 0.5


def test_a_method_without_a_choice_by_print_has_the_same_records_fixed_in_advance(
    read, closest
):
    assert "Ml-knn" not in MARKED
    column = column_of(read, "fixed")
    assert len(column) == len(closest)
    of_table = mean_losses(closest)["Ml-knn"]
    assert mean_losses(column)["Ml-knn"] == pytest.approx(of_table)


def test_only_the_data_of_the_table_are_selected(read):
    assert set(column_of(read, "fixed")["dataset"]) == {"scene"}


def test_equal_tuning_has_its_own_records_alone(read, in_advance):
    assert column_of(read, "equal").equals(in_advance)


def test_a_column_without_records_is_empty(closest):
    read = {"table1": closest}.get
    assert column_of(read, "fixed").empty
    assert column_of(read, "equal").empty


def test_figures_have_one_column(read):
    assert column_of(read, "fixed", ("figure7",)).empty


def test_further_experiments_add_rows_with_settings_closest_to_print(read, closest):
    alone = rows("alternatives", "scene", "Alone", {"coverage": [0.5]})
    experiments = ("table1", "alternatives")

    def read_more(name):
        return alone if name == "alternatives" else read(name)

    column = column_of(read_more, "closest", experiments)
    assert len(column) == len(closest) + 1
    column = column_of(read_more, "fixed", experiments)
    assert "Alone" not in set(column["method"])


def test_a_run_that_stopped_keeps_its_last_value_and_a_hole_stays_one():
    stages = staged("figure6", "MimlBoost", 4, n=2)
    is_hole = (stages["split"] == 0) & (stages["stage"] == 2)
    is_after_stop = (stages["split"] == 1) & (stages["stage"] > 2)
    values = runs_by(stages[~is_hole & ~is_after_stop], "stage", "coverage")
    is_missing = values.isna().to_numpy()
    assert is_missing.tolist() == [[False, True, False, False], [False] * 4]
    (stopped,) = set(values.iloc[1, 1:])
    assert stopped == values.iloc[1, 1]


def test_what_is_missing_of_a_sweep_is_not_filled_in():
    sweep = swept("figure8", "MimlSvm", "ratio", [0.2, 0.4], n=2)
    percent = sweep.assign(**{"%": sweep["override"]})
    is_missing = (percent["split"] == 1) & (percent["%"] == percent["%"].max())
    values = runs_by(percent[~is_missing], "%", "coverage")
    assert values.isna().to_numpy().sum() == 1


def test_published_records_are_finished_and_without_alternatives(closest):
    alternative = closest.assign(override='{"k": 1}')
    after_round_three = closest.assign(stage=3)
    records = pd.concat([closest, alternative, after_round_three])
    assert as_in_our_tables(records).equals(closest)
