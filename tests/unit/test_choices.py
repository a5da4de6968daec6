"""What an open choice changes, made from records."""

import pandas as pd
import pytest

from mimlstudy.judge.choices import (
    divergences_with_effects,
    effect_in_words,
    effects_of_choices,
)
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS
from mimlstudy.paper.published import ALL_CRITERIA, published_divergences, published_sweeps
from tests.made_up_records import rows


def records_of_row(experiment, override, values):
    measured = dict.fromkeys(ALL_CRITERIA, values)
    return rows(experiment, "scene", "MimlBoost", measured, override=override)


@pytest.fixture
def recorded():
    """MimlBoost on three splits, one-hot codes on two of them, and a mixture with these codes."""
    row = records_of_row("table1", "{}", [0.5, 0.7, 0.9])
    onehot = records_of_row("alternatives", '{"label_code": "onehot"}', [0.8, 0.9])
    mixture = records_of_row("alternatives", '{"C": 10.0, "label_code": "onehot"}', [0.1, 0.1])
    return {"table1": row, "alternatives": pd.concat([onehot, mixture])}


def test_an_effect_is_told_on_the_splits_that_both_have(recorded):
    (effect,) = effects_of_choices(recorded)["label-code"]
    assert effect.setting == "label_code = onehot"
    assert effect.row == pytest.approx(0.6)
    assert effect.other == pytest.approx(0.85)


def test_an_effect_in_words_names_place_criterion_and_setting(recorded):
    words = effect_in_words(effects_of_choices(recorded)["label-code"])
    assert words == ("Table 1, average precision: MimlBoost, label_code = onehot: 0.600 → 0.850.")


def test_a_choice_without_records_keeps_what_is_known_of_it():
    log = published_divergences()
    assert divergences_with_effects(log, {})["effect"].tolist() == log["effect"].tolist()


def test_measured_effects_stand_before_what_is_known(recorded):
    log = published_divergences().set_index("id").loc[["label-code"]].reset_index()
    (effect,) = divergences_with_effects(log, recorded)["effect"]
    assert effect.startswith("Table 1, average precision: ")
    assert effect.endswith(log["effect"][0])


def test_every_sweep_is_of_a_choice_a_row_and_a_criterion_that_exist():
    sweeps = published_sweeps()
    assert {*sweeps["id"]} <= {*published_divergences()["id"]}
    assert {*sweeps["criterion"]} <= {*ALL_CRITERIA}
    for sweep in sweeps.to_dict("records"):
        methods = EXPERIMENTS[sweep["experiment"]].methods
        assert sweep["method"] == "" or sweep["method"] in methods
        if sweep["experiment"] in ROWS:
            table = ROWS[sweep["experiment"]].values()
            varied = {name for row in table for override in row.alternatives for name in override}
            assert sweep["parameter"] in varied, sweep
