"""Orders, means, ranks and budgets on unseen data, from made-up records."""

import numpy as np
import pandas as pd
import pytest

from mimlstudy.judge.equal_tuning import OTHERS, PAPERS_LEARNERS
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.sections import unseen_orders
from tests.made_up_records import level

# The four are better than the compared learners on birds, on one criterion as on all.
FOUR = [level("unseen", "hja", method, 0.3, 10) for method in unseen_orders.FOUR]
COMPARED = [
    level("unseen", "hja", method, 0.7, 10, seed)
    for seed, method in enumerate(unseen_orders.TABLE_1_COMPARED, start=1)
]
LOSSES_ARE_LOW = pd.concat([*FOUR, *COMPARED], ignore_index=True)


def test_the_four_and_the_compared_are_the_rows_of_table_1():
    table = printed_tables()[1]
    assert unseen_orders.FOUR == table.proposed
    assert unseen_orders.TABLE_1_COMPARED == table.compared


def as_good_on_all_criteria(records):
    """The same records, with criteria that are accuracies turned, so that low levels are good."""
    accuracies = ["average_precision", "average_recall", "average_f1"]
    turned = {name: 1 - records[name] for name in accuracies}
    return records.assign(**turned, n_train=900, n_test=100)


RECORDS = as_good_on_all_criteria(LOSSES_ARE_LOW)


def test_orders_that_hold_are_supported_and_untested_ones_left_out():
    columns = unseen_orders.with_columns({"fixed": RECORDS, "equal": RECORDS[:0]})
    tested = unseen_orders.tested_orders(columns).set_index("order")
    four = tested.loc["the four better than AdtBoost.MH"]
    assert four["word"] == "supported"
    assert four["supported"] == 28
    assert four["n_parts"] == 28
    assert four["dataset"] == "hja"
    assert four["column"] == "fixed"
    assert "D-MimlSvm better than MimlSvm and MimlSvm_mi" not in tested.index


def test_the_table_of_orders_has_a_column_for_each_set_and_way_of_tuning():
    columns = unseen_orders.with_columns({"fixed": RECORDS, "equal": RECORDS})
    table = unseen_orders.orders_table(unseen_orders.tested_orders(columns))
    assert table.entries.columns.tolist() == ["hja, equal tuning", "hja, fixed in advance"]
    assert table.entries.iloc[0, 0].lines == ("28 of 28",)


def test_our_own_questions_are_the_last_orders_whichever_verdict_comes_first():
    own = level("unseen", "hja", "Label frequencies", 0.7, 10)
    records = as_good_on_all_criteria(pd.concat([LOSSES_ARE_LOW, own]))
    columns = unseen_orders.with_columns({"fixed": records, "equal": records[:0]})
    tested = unseen_orders.tested_orders(columns)
    table = unseen_orders.orders_table(tested[::-1])
    names = table.entries.index.tolist()
    assert names[-1] == "the four better than label frequencies"
    assert len(names) == 6
    assert "Of 6 rows the first 5 are orders like the paper's" in table.caption


def test_a_method_of_one_column_has_a_dash_in_the_line_of_the_other():
    both = RECORDS[RECORDS["method"] == "MimlNn"]
    equal = RECORDS[RECORDS["method"].isin(["MimlNn", "MlSvm"])]
    columns = unseen_orders.with_columns({"fixed": both, "equal": equal})
    table = unseen_orders.precision_table(columns)
    entry = table.entries.loc["MlSvm", "hja"]
    assert entry.lines == ("–", ".300±.010")
    assert entry.bold == (False, False)


def test_precision_stands_in_two_lines_with_the_best_of_each_bold():
    fixed = RECORDS[RECORDS["method"].isin(["MimlNn", "MlSvm"])]
    equal = fixed.assign(average_precision=fixed["average_precision"] + 0.1)
    columns = unseen_orders.with_columns({"fixed": fixed, "equal": equal})
    table = unseen_orders.precision_table(columns)
    lines = table.entries.loc["MlSvm", "hja"].lines
    assert [line.split("±")[0] for line in lines] == [".300", ".400"]
    n_bold = np.sum([entry.bold for entry in table.entries["hja"]], axis=0)
    assert n_bold.tolist() == [1, 1]


def test_ranks_leave_out_methods_without_a_loss_and_kinds_of_one_set():
    losses = pd.DataFrame(
        {
            "MimlNn": [0.1, 0.2, 0.1],
            "MlSvm": [0.2, 0.3, 0.2],
            "Ml-knn": [0.3, 0.4, 0.3],
        },
        ["scene", "reuters", "dbpedia"],
    ).assign(Cnmf=[0.5, 0.5, None])
    ranks = unseen_orders.ranks_by_kind(losses)
    assert {*ranks} == {"All data sets", "The authors' sets", "Without NoisyOr's own"}
    assert "Cnmf" not in ranks["All data sets"].table.index
    assert ranks["The authors' sets"].table.loc["Cnmf", "rank"] == 4


def test_each_group_has_the_learner_that_hold_out_chose():
    columns = {
        "dataset": "scene",
        "split": [0, 0, 0],
        "group": [PAPERS_LEARNERS, PAPERS_LEARNERS, OTHERS],
        "method": ["MimlNn", "MimlSvm", "Set kernel"],
        "held_out": [0.8, 0.9, 0.7],
        "value": [0.85, 0.75, 0.8],
        "kind_of_labels": "many labels",
    }
    table = unseen_orders.groups_table(pd.DataFrame(columns))
    assert table.entries.loc[PAPERS_LEARNERS, "scene"].lines == (".750",)
    assert table.entries.loc[OTHERS, "scene"].bold == (True,)


def made_up_budgets():
    """Methods gain .01 with each budget; one has no record on texts."""
    records = []
    for method, start in (("MimlNn", 0.7), ("NoisyOr", 0.8), ("MlSvm, mean", 0.6)):
        sets = ("scene", "reuters") if method != "MlSvm, mean" else ("scene",)
        for dataset in sets:
            for place, n_settings in enumerate((1, 4, 16)):
                record = dict(
                    dataset=dataset,
                    method=method,
                    split=0,
                    n_settings=n_settings,
                )
                records.append(record | dict(average_precision=start + 0.01 * place))
    return pd.DataFrame(records)


def test_precision_by_budget_is_over_the_sets_that_all_have():
    curves = unseen_orders.precision_by_budget(made_up_budgets())
    assert curves.columns.tolist() == ["MimlNn", "NoisyOr"]
    assert curves["NoisyOr"].tolist() == pytest.approx([0.8, 0.81, 0.82])


def test_budgets_without_the_sets_of_mimlnn_are_refused_with_the_remedy():
    records = made_up_budgets()
    with pytest.raises(ValueError, match="must have rows of MimlNn"):
        unseen_orders.precision_by_budget(records[records["method"] != "MimlNn"])


def test_the_figure_of_budgets_has_a_line_for_each_method_with_its_name():
    curves = unseen_orders.precision_by_budget(made_up_budgets())
    figure = unseen_orders.budgets_figure(curves)
    (ax,) = figure.axes
    assert len(ax.get_lines()) == 2
    assert [text.get_text() for text in ax.texts] == ["MimlNn", "NoisyOr"]
