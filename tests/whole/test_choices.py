"""What an open choice changes, made from records."""

import pandas as pd
import pytest

from mimlstudy.judge.choices import (
    divergences_with_effects,
    effect_in_words,
    effects_of_choices,
)
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS
from mimlstudy.paper.printed import ALL_CRITERIA, choice_sweeps, listed_divergences
from tests.made_up_records import rows


def records_of_row(experiment, override, values):
    measured = dict.fromkeys(ALL_CRITERIA, values)
    return rows(
        experiment,
        "scene",
        "MimlBoost",
        measured,
        override=override,
    )


@pytest.fixture
def recorded():
    """MimlBoost on three splits, one-hot codes on two of them, and a mixture with these codes."""
    alone = '{"label_code": "onehot"}'
    mixed = '{"C": 10.0, "label_code": "onehot"}'
    onehot = records_of_row("alternatives", alone, [0.8, 0.9])
    mixture = records_of_row("alternatives", mixed, [0.1, 0.1])
    return {
        "table1": records_of_row("table1", "{}", [0.5, 0.7, 0.9]),
        "alternatives": pd.concat([onehot, mixture]),
    }


def test_an_effect_is_told_on_the_splits_that_both_have(recorded):
    (effect,) = effects_of_choices(recorded)["label-code"]
    assert effect.setting == "label_code = onehot"
    assert effect.row == pytest.approx(0.6)
    assert effect.other == pytest.approx(0.85)


def test_an_effect_in_words_names_place_criterion_and_setting(recorded):
    words = effect_in_words(effects_of_choices(recorded)["label-code"])
    place = "Table 1, average precision"
    assert words == f"{place}: MimlBoost, label_code = onehot: 0.600 → 0.850."


def test_a_choice_without_records_keeps_what_is_known_of_it():
    log = listed_divergences()
    without_records = divergences_with_effects(log, effects_of_choices({}))
    assert without_records["effect"].tolist() == log["effect"].tolist()


def test_measured_effects_stand_before_what_is_known(recorded):
    log = listed_divergences()
    of_codes = log[log["id"] == "label-code"]
    (effect,) = divergences_with_effects(of_codes, effects_of_choices(recorded))["effect"]
    assert effect.startswith("Table 1, average precision: ")
    (known,) = of_codes["effect"]
    assert effect.endswith(known)


def test_every_sweep_is_of_a_choice_a_row_and_a_criterion_that_exist():
    sweeps = choice_sweeps()
    assert {*sweeps["id"]} <= {*listed_divergences()["id"]}
    assert {*sweeps["criterion"]} <= {*ALL_CRITERIA}
    for sweep in sweeps.itertuples():
        methods = EXPERIMENTS[sweep.experiment].methods
        assert sweep.method in {"", *methods}
        if sweep.experiment in ROWS:
            varied = varied_parameters(ROWS[sweep.experiment])
            assert sweep.parameter in varied, sweep


def varied_parameters(table):
    """The parameters that some alternative of a table sets."""
    names = set()
    for row in table.values():
        for override in row.alternatives:
            names |= set(override)
    return names
