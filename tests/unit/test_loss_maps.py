"""Losses above and below others as coloured squares: shares, numerals, panels; bags or none."""

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.report.sections.ablation import bags_against_none
from mimlstudy.report.sections.loss_maps import above_and_below, numbers_map, sets_map
from tests.made_up_records import rows


def runs(method, loss, dataset="a"):
    """Two splits with the same loss in all criteria."""
    values = {}
    for name, criterion in CRITERIA.items():
        value = loss if criterion.lower_is_better else 1 - loss
        values[name] = np.full(2, value)
    return rows("table4", dataset, method, values)


ON_A = [runs("InsDif", 0.2), runs("MlSvm", 0.3)]
ON_B = [runs("InsDif", 0.4, "b"), runs("MlSvm", 0.3, "b")]
TWO_SETS = pd.concat([*ON_A, *ON_B])


def test_shares_are_percent_of_the_reference_on_the_same_set():
    shares = above_and_below(TWO_SETS, "InsDif")
    assert shares.loc[("MlSvm", "a")].to_numpy() == pytest.approx(np.full(7, 50.0))
    assert shares.loc[("MlSvm", "b")].to_numpy() == pytest.approx(np.full(7, -25.0))
    assert "InsDif" not in shares.index.unique("method")


def test_numerals_are_whole_and_white_on_dark_squares():
    changes = pd.DataFrame(
        [[19.6, -3.2, 0.1, np.nan]],
        index=["a method"],
        columns=["hamming_loss", "coverage", "one_error", "average_f1"],
    )
    brackets = changes.notna() & (changes < 0)
    figure = numbers_map(changes, "change (%)", limit=20, brackets=brackets)
    texts = {text.get_text(): text.get_color() for text in figure.axes[0].texts}
    assert list(texts) == ["+20", "(−3)", "0", "–"]
    assert texts["+20"] == "white"
    assert texts["0"] != "white"


def test_each_criterion_has_a_panel_of_methods_by_sets():
    shares = above_and_below(TWO_SETS, "InsDif")
    names = ["set a", "set b"]
    figure = sets_map(
        shares,
        "InsDif",
        limit=40,
        names=names,
        experiment="table4",
    )
    panel = figure.axes[0]
    assert panel.get_title() == "(a) hamming loss"
    (image,) = panel.images
    squares = np.asarray(image.get_array())
    assert squares == pytest.approx(np.array([[50.0, -25.0]]))
    assert [text.get_text() for text in panel.get_yticklabels()] == ["MlSvm †"]
    titled = [axis for axis in figure.axes if axis.get_title().startswith("(")]
    assert len(titled) == len(CRITERIA)


def test_bags_are_compared_with_the_same_learner_without_them():
    losses = {
        "InsDif": 0.2,
        "InsDif, no bags": 0.2,
        "InsDif, neighbours": 0.3,
        "InsDif_MimlBoost": 0.2,
        "InsDif_MimlBoost, no bags": 0.25,
    }
    records = [runs(method, loss) for method, loss in losses.items()]
    changes = bags_against_none(pd.concat(records))["coverage"]
    expected = {
        "InsDif": 0.0,
        "InsDif, neighbours": 50.0,
        "InsDif_MimlBoost": -20.0,
    }
    assert changes.to_dict() == pytest.approx(expected)
