"""Equal tuning: losses, groups of learners and equal numbers of them, worked by hand."""

import re

import numpy as np
import pandas as pd
import pytest

from mimlstudy.judge.equal_tuning import (
    OTHERS,
    PAPERS_LEARNERS,
    best_of_group,
    chance_to_lead,
    differences_of_groups,
    learners_by_group,
    tuned_losses,
)
from mimlstudy.report.words import bags_in_words
from tests.made_up_records import rows


def learner(dataset, method, value, held_out):
    """One record of equal tuning."""
    values = {"average_precision": [value]}
    return rows(
        "equal_tuning",
        dataset,
        method,
        values,
        held_out=held_out,
        accuracy=np.nan,
    )


@pytest.fixture(scope="module")
def learners():
    """On scenes MimlSvm reaches .9, but hold-out prefers MimlNn, which reaches .6."""
    tuned = pd.concat(
        [
            learner("scene", "MimlSvm", 0.9, "[0.6]"),
            learner("scene", "MimlNn", 0.6, "[0.5, 0.7]"),
            learner("scene", "Set kernel", 0.7, "[0.1]"),
            learner("scene", "NoisyOr", 0.4, "[0.05]"),
            learner("scene", "MlSvm", 1.0, "[1.0]"),
        ]
    )
    controls = pd.concat(
        [
            learner("scene", "MlSvm, mean", 0.5, "[0.3]"),
            learner("scene", "RankSvm, mean", 0.8, "[0.2]"),
            learner("scene", "MlSvm, bag statistics", 0.5, "[0.3]"),
            learner("scene", "RankSvm, bag statistics", 0.3, "[0.2]"),
        ]
    )
    return learners_by_group({"equal_tuning": tuned, "controls": controls}.get)


def test_losses_of_all_pages_are_one_set_and_insdif_is_its_learner():
    tuned = pd.concat(
        [
            learner("yahoo:Arts", "InsDif", 0.5, "[1.0]"),
            learner("yahoo:Health", "InsDif", 0.7, "[1.0]"),
            learner("yahoo:Arts", "InsDif_MimlSvm", 0.8, "[1.0]"),
            learner("yahoo:Health", "InsDif_MimlSvm", 0.8, "[1.0]"),
            learner("scene", "MimlNn", 0.6, "[1.0]"),
        ]
    )
    losses = tuned_losses({"equal_tuning": tuned}.get)
    assert losses.loc["web pages", "MimlNn"] == pytest.approx(0.4)
    assert losses.loc["web pages", "MimlSvm"] == pytest.approx(0.2)
    assert losses.loc["scene", "MimlNn"] == pytest.approx(0.4)


def test_a_method_without_some_sets_of_pages_has_no_loss_on_pages():
    """The sets that it has may be easy."""
    tuned = pd.concat(
        [
            learner("yahoo:Arts", "InsDif", 0.5, "[1.0]"),
            learner("yahoo:Health", "InsDif", 0.7, "[1.0]"),
            learner("yahoo:Health", "MlSvm", 0.8, "[1.0]"),
        ]
    )
    losses = tuned_losses({"equal_tuning": tuned}.get)
    assert np.isnan(losses.loc["web pages", "MlSvm"])
    assert losses.loc["web pages", "MimlNn"] == pytest.approx(0.4)


def test_learners_of_the_vectors_of_table_1_belong_to_no_group(learners):
    groups = learners.set_index("method")["group"].to_dict()
    assert groups == {
        "MimlSvm": PAPERS_LEARNERS,
        "MimlNn": PAPERS_LEARNERS,
        "Set kernel": OTHERS,
        "NoisyOr": OTHERS,
        "MlSvm, mean": "mean",
        "RankSvm, mean": "mean",
        "MlSvm, bag statistics": "bag statistics",
        "RankSvm, bag statistics": "bag statistics",
    }


def test_hold_out_chooses_the_learner_of_a_group(learners):
    chosen = best_of_group(learners).set_index("group")
    assert chosen["method"].to_dict() == {
        PAPERS_LEARNERS: "MimlNn",
        OTHERS: "Set kernel",
        "mean": "MlSvm, mean",
        "bag statistics": "MlSvm, bag statistics",
    }


def test_of_equal_held_out_values_the_first_by_name_is_chosen(learners):
    """As recorded, MimlSvm stands before MimlNn."""
    tied = learners.assign(held_out=0.5)
    chosen = best_of_group(tied).set_index("group")
    assert chosen.loc[PAPERS_LEARNERS, "method"] == "MimlNn"
    differences = differences_of_groups(tied).set_index("rival")["difference"]
    of_draws = chance_to_lead(tied, n_learners=2).set_index("rival")["difference"]
    assert differences.to_dict() == pytest.approx(of_draws.to_dict())


def test_a_chosen_learner_without_a_value_borrows_none(learners):
    lacking = learners["method"] == "MimlNn"
    chosen = best_of_group(learners.assign(value=learners["value"].mask(lacking)))
    assert np.isnan(chosen.set_index("group").loc[PAPERS_LEARNERS, "value"])


def test_differences_are_to_the_papers_learners_of_bags(learners):
    differences = differences_of_groups(learners).set_index("rival")["difference"]
    assert differences["mean"] == pytest.approx(0.1)
    assert differences[OTHERS] == pytest.approx(-0.1)
    assert differences["bag statistics"] == pytest.approx(0.1)


def test_equal_numbers_are_all_draws_of_so_many_learners(learners):
    """One of .9 and .6 against one of .5 and .8: ahead in three of four draws, by .1 on average."""
    single = chance_to_lead(learners, n_learners=1).set_index("rival")
    assert single.loc["mean", "leads"] == 0.75
    assert single.loc["mean", "difference"] == pytest.approx(0.1)
    # With two the whole groups remain, whose choices are .6 and .5.
    pairs = chance_to_lead(learners, n_learners=2).set_index("rival")
    assert pairs.loc["mean", "leads"] == 1.0
    assert pairs.loc["mean", "difference"] == pytest.approx(0.1)


def test_learners_are_compared_on_the_splits_that_all_of_them_have(learners):
    second_split = learners[learners["method"] != "MimlSvm"].assign(split=1, value=0.0)
    pairs = chance_to_lead(pd.concat([learners, second_split]), n_learners=2).set_index(
        "rival"
    )
    assert pairs.loc[OTHERS, "difference"] == pytest.approx(-0.1)
    assert pairs.loc["mean", "leads"] == 1.0
    differences = differences_of_groups(pd.concat([learners, second_split])).set_index(
        "rival"
    )
    assert differences.loc[OTHERS, "difference"] == pytest.approx(-0.1)


def test_a_group_of_one_learner_is_not_compared_with_pairs(learners):
    without = learners[learners["method"] != "NoisyOr"]
    assert OTHERS not in {*chance_to_lead(without, n_learners=2)["rival"]}


def test_the_sentence_counts_sets_with_many_labels_and_with_one_apart(learners):
    of_foxes = learners.assign(dataset="fox", kind_of_labels="one label")
    on_two_sets = pd.concat([learners, of_foxes])
    groups = {
        "all learners": differences_of_groups(on_two_sets),
        "equal numbers": chance_to_lead(on_two_sets),
    }
    words = bags_in_words(groups)
    of_means = (
        "learners of a bag's mean their mean result is better on 1 of 1 sets with many labels and "
        "1 of 1 sets with one label"
    )
    of_bags = (
        "other learners of bags their mean result is better on 0 of 1 sets with many labels and "
        "0 of 1 sets with one label"
    )
    assert f"Against {of_means}, without a test. If two " in words
    assert f"Against {of_bags}, without a test. If two " in words
    expected = re.findall(r"the paper's are ahead on (\S+) of all 2 sets", words)
    assert expected == ["2.0", "2.0", "0.0"]


def test_without_records_nothing_is_said():
    learners = learners_by_group({}.get)
    groups = {"all learners": [], "equal numbers": chance_to_lead(learners)}
    assert learners.empty
    assert bags_in_words(groups) == "Not everything is recorded yet."
