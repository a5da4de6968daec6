import pytest

from mimlpaper import paths
from mimlpaper.companion import Companion


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"profile": "fast"}, r"profile must be one of \['smoke', 'quick', 'paper'\], got 'fast'"),
        ({"jobs": "2"}, "jobs must be int, got '2'"),
        ({"recompute": "true"}, "recompute must be bool, got 'true'"),
        ({"data_home": None}, "data_home must be str, got None"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        Companion(**parameters)


def test_only_the_full_protocol_writes_where_figures_are_kept():
    assert Companion().folder == paths.figures()
    assert Companion(profile="smoke").folder == paths.figures() / "smoke"
    assert Companion(profile="quick").folder == paths.figures() / "quick"


def test_an_experiment_that_is_not_there_has_no_records():
    assert Companion(profile="smoke").recorded("figure99").empty


def test_claims_are_chosen_by_the_beginning_of_their_id():
    ids = [result.id for result in Companion(profile="smoke").claims("B.")]
    assert ids == ["B.1", "B.2", "B.3", "B.4"]
