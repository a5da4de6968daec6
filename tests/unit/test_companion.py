import matplotlib.pyplot as plt
import pandas as pd
import pytest
from mimlpaper.study.rendering import frame_grid

from mimlpaper import paths
from mimlpaper.datasets import load
from mimlpaper.study import companion
from mimlpaper.study.companion import Companion


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


@pytest.mark.parametrize("published", [True, False])
def test_only_a_run_publishes(published, tmp_path, monkeypatch):
    """A notebook run by a user writes elsewhere."""
    monkeypatch.setattr(paths, "figures", lambda: tmp_path / "figures")
    monkeypatch.setattr(paths, "explored", lambda: tmp_path / "explored")
    if published:
        monkeypatch.setenv(paths.PUBLISH, "1")
    else:
        monkeypatch.delenv(paths.PUBLISH, raising=False)
    Companion().save_figure(plt.subplots()[0], "one")
    assert (tmp_path / "explored").exists() is not published
    assert (tmp_path / "figures").exists() is published


def test_an_experiment_that_is_not_there_has_no_records():
    assert Companion(profile="smoke").recorded("figure99").empty


def test_claims_are_chosen_by_the_beginning_of_their_id():
    ids = [result.id for result in Companion(profile="smoke").claims("B.")]
    assert ids == ["B.1", "B.2", "B.3", "B.4", "B.5"]


def test_records_that_change_while_claims_are_tested_lose_no_claim(monkeypatch):
    """Appendix C's table, for one, is a file among the records, and is written when it is read."""
    paper = Companion(profile="smoke")
    first = paper.claims("S4.1")
    tested = companion.evaluate_claims

    def changed_meanwhile(*args, **options):
        paper._files = set()
        return tested(*args, **options)

    monkeypatch.setattr(companion, "evaluate_claims", changed_meanwhile)
    ids = [claim.id for claim in paper.claims("S4.")]
    assert len(ids) > len(first) and {claim.id for claim in first} <= set(ids)


def test_a_figure_is_shown_once_with_a_text_instead(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "figures", lambda: tmp_path)
    shown = []
    monkeypatch.setattr(companion, "display", lambda *args, **options: shown.append(options))
    for name in ("figure1", "rise_and_fall"):
        figure, _ = plt.subplots()
        Companion(profile="smoke").save_figure(figure, name)
        assert not plt.fignum_exists(figure.number)
    texts = [options["metadata"]["image/png"]["alt"] for options in shown]
    assert texts[0].startswith("Fig. 1. Four frameworks of learning")
    assert texts[1] == "rise and fall"
    assert {path.name for path in (tmp_path / "smoke").iterdir()} >= {"figure1.png", "figure1.svg"}


def test_data_are_drawn_where_the_original_is_not_and_the_page_says_so(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(companion, "display", lambda note: shown.append(note.data))
    for companion_ in (Companion(profile="smoke"), Companion(data_home=str(tmp_path))):
        assert companion_.dataset("scene").name == "synthetic_scene"
    assert len(shown) == 2 and all("Drawn data" in note and "*scene*" in note for note in shown)


def test_a_stand_in_does_not_replace_the_table_of_original_data(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "figures", lambda: tmp_path)
    drawn, shown = load("synthetic_scene"), pd.DataFrame({"bags": [200]})
    table = frame_grid(shown, shown, "Sizes")
    for profile, n_files in (("paper", 0), ("smoke", 2)):
        assert Companion(profile=profile).save_table(table, "sizes", of=[drawn]) is table
        assert len(list(tmp_path.rglob("sizes.*"))) == n_files


def test_a_stand_in_does_not_replace_the_figure_of_original_data(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "figures", lambda: tmp_path)
    shown = []
    monkeypatch.setattr(
        companion, "display", lambda *args, **options: shown.append((args, options))
    )
    drawn = load("synthetic_scene")
    for profile, n_files in (("paper", 0), ("smoke", 2)):
        Companion(profile=profile).save_figure(plt.subplots()[0], "explained", of=drawn)
        assert len(list(tmp_path.rglob("explained.*"))) == n_files
        ((figure,), options) = shown[-1]
        assert figure.get_suptitle() == companion.DRAWN
        assert options["metadata"]["image/png"]["alt"].startswith(companion.DRAWN)
