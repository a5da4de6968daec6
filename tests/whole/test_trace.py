"""The trace of a number: what stands behind a cell of Tables 1 to 5, as data, text and picture."""

import re

import pandas as pd
import pytest

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.records import SETTINGS_CHANGED
from mimlstudy.engine.verify import with_groups
from mimlstudy.paper import section6
from mimlstudy.paper.catalogue import default_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.dots import dots
from mimlstudy.report.trace import _verified, trace, traces
from tests.made_up_records import as_in_the_paper, rows, spread


@pytest.fixture(scope="module")
def of_scenes():
    return trace("table1", "MimlSvm", "hamming_loss")


def test_a_text_says_what_is_printed_and_what_is_ours(of_scenes):
    text = str(of_scenes)
    assert "printed   .189±.009" in text
    assert "; tolerance " in text
    assert "30 with settings closest to print: mean " in text


def test_a_part_of_a_cross_validation_is_called_so():
    text = str(trace(5, "SubCod", "accuracy"))
    assert "1 with equal tuning (cross-validation 0, 5 of 10 folds): mean " in text


def test_a_text_says_seeds_settings_with_reasons_code_and_the_command(of_scenes):
    text = str(of_scenes)
    assert text.count("\n") < 160  # three ways of choosing settings
    assert "seeds 0 to 29" in text
    assert "data/results/table1.csv" in text
    assert re.search(r"ratio = 0\.2 +stated, 4\.3\.2", text)
    assert "RandomSplits(n_splits=30, train=0.75); table1 in mimlstudy/paper" in text
    assert "run again mimlpaper compute table1 --methods MimlSvm --recompute" in text


def test_verification_with_earlier_code_is_not_forgotten():
    store = default_store()
    rows = with_groups(store.load(EXPERIMENTS["table1"]).assign(code_today="other"))
    lines = _verified(rows.query("method == 'MimlBoost'"), store.outcomes())
    assert lines[0] == "not with today's code; with earlier code"
    assert len(lines) > 1
    of_nobody = rows.assign(recorded_code="of nobody")
    assert _verified(of_nobody, store.outcomes()) == ("never",)


def test_a_setting_chosen_by_print_is_marked():
    origin = trace(1, "MimlSvm_mi", "coverage").origins["closest"]
    assert any(setting.by_print for setting in origin.settings)
    for setting in origin.settings:
        is_marked = "†" in str(setting)
        assert is_marked == setting.by_print
    legend = "† chosen because it comes closest to print"
    assert legend in origin.facts()["settings"]
    in_advance = trace(1, "MimlSvm_mi", "coverage").origins["fixed"]
    assert legend not in in_advance.facts()["settings"]


def test_every_named_file_of_code_exists():
    lines = trace(5, "Em-dd", "accuracy", "musk2").origins["closest"].code
    files = [line.split()[0] for line in lines if line.endswith("in use")]
    assert len(files) > 5
    for file in files:
        assert (paths.PACKAGE.parent / file).is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((6, "MimlSvm", "coverage"), r"table must be one of \[1, 2, 3, 4, 5\], got 6"),
        (("six", "MimlSvm", "coverage"), "got 'six'"),
        ((1, "SubCod", "coverage"), "method must be one of .*got 'SubCod'"),
        ((1, "MimlSvm", "accuracy"), "criterion must be one of .*got 'accuracy'"),
        ((5, "SubCod", "accuracy", "scene"), "dataset must be one of .*got 'scene'"),
    ],
)
def test_an_unknown_name_is_refused_with_those_that_exist(arguments, message):
    with pytest.raises(ValueError, match=message):
        trace(*arguments)


def test_a_row_beyond_print_without_records_names_the_command_that_makes_them(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(folders, "results", lambda: tmp_path)
    remedy = "mimlpaper compute table1 --methods 'RankSvm, converged' makes its records"
    with pytest.raises(ValueError, match=remedy):
        trace(1, "RankSvm, converged", "coverage")


@pytest.fixture(scope="module")
def made_up():
    """The traces of Table 1 whose records have the printed means."""
    records = {"table1": as_in_the_paper(1, seconds=1.0)}
    return {cell.address: cell for cell in traces(1, records.get)}


def top_left_cell(number, recorded):
    """The trace of the cell in which a table begins."""
    return next(traces(number, recorded.get))


def test_numbers_of_other_settings_have_no_verdict():
    """Settings and code are shown as they are today, and would not be those of the numbers."""
    records = as_in_the_paper(1, seconds=1.0)
    changed = records.assign(state=SETTINGS_CHANGED)
    cell = top_left_cell(1, {"table1": changed})
    assert cell.verdict == "none: its trials are not current (settings changed)"
    assert cell.ours != "–"


@pytest.mark.parametrize(("number", "kind"), [(1, "split"), (5, "cross-validation")])
def test_runs_are_named_by_what_they_are(number, kind):
    name = printed_tables()[number].experiment
    records = as_in_the_paper(number, seconds=1.0)
    cell = top_left_cell(number, {name: records})
    assert f"settings closest to print, by {kind}:" in cell.to_html()


def test_runs_on_web_pages_are_data_sets():
    runs = as_in_the_paper(4, seconds=1.0)
    pages = dict(zip(runs["dataset"].unique(), section6.YAHOO, strict=False))
    records = runs.replace({"dataset": pages})
    cell = top_left_cell(4, {"table4": records})
    assert "settings closest to print, by data set:" in cell.to_html()


def test_every_cell_of_a_table_has_an_address_of_its_own(made_up):
    table = printed_tables()[1]
    assert len(made_up) == len(table.algorithms) * len(table.criteria)
    assert "table1/MimlSvm/coverage/scene" in made_up
    assert not any(" " in address for address in made_up)


def test_the_runs_are_those_that_the_mean_is_taken_of(made_up):
    cell = made_up["table1/MimlSvm/hamming_loss/scene"]
    values = [*cell.runs["closest"].values()]
    assert len(values) == 30
    assert sum(values) / 30 == pytest.approx(0.189)
    assert cell.ours == ".189±.009"
    assert cell.verdict == "agrees"


def test_cells_of_one_method_share_their_origin(made_up):
    coverage = made_up["table1/MimlSvm/coverage/scene"]
    loss = made_up["table1/MimlSvm/hamming_loss/scene"]
    assert coverage.origins is loss.origins


def test_each_way_of_choosing_settings_has_an_origin_of_its_own(of_scenes):
    """The command, seeds and settings of one way would not give the numbers of another."""
    origins = of_scenes.origins
    assert origins.keys() == {"closest", "fixed", "equal"}
    assert "compute table1 " in origins["closest"].command
    assert "compute fixed " in origins["fixed"].command
    assert "compute equal_tuning " in origins["equal"].command
    assert "seeds 0 to 4" in origins["equal"].trials[0]
    assert not any(setting.by_print for setting in origins["fixed"].settings)
    for name in ("settings closest to print", "settings fixed in advance", "equal tuning"):
        assert f"\n{name}\n" in str(of_scenes)
        assert f"<h3>{name}</h3>" in of_scenes.origins_to_html()


def test_a_row_without_a_choice_by_print_has_the_same_origin_in_advance():
    cell = trace(1, "AdtBoost.MH", "coverage")
    assert cell.origins["fixed"] == cell.origins["closest"]
    heading = "<h3>settings closest to print, settings fixed in advance</h3>"
    assert heading in cell.origins_to_html()


def test_a_method_of_equal_tuning_alone_has_an_address():
    cell = trace(1, "NoisyOr", "coverage")
    assert (cell.printed, cell.ours) == ("–", "–")
    assert [*cell.origins] == ["equal"]
    assert len(cell.runs["equal"]) == 5


def test_an_origin_is_that_of_its_data_set_alone():
    tiger, fox = rows_of_two_sets()
    records = {"table5": pd.concat([tiger, fox])}
    cells = {cell.dataset: cell for cell in traces(5, records.get, methods=["SubCod"])}
    assert cells["tiger"].origins["closest"].trials[0].startswith("10: ")
    assert cells["fox"].origins["closest"].trials[0].startswith("20: ")
    without_tiger = {"table5": fox}
    cells = {cell.dataset: cell for cell in traces(5, without_tiger.get, methods=["SubCod"])}
    assert cells["tiger"].origins["closest"].trials[0].startswith("none; ")


def rows_of_two_sets():
    """Ten folds of SubCod on tiger, and twenty on fox."""
    for dataset, n_folds in (("tiger", 10), ("fox", 20)):
        values = {"accuracy": spread(0.8, 0.01, n_folds, seed=0)}
        yield rows("table5", dataset, "SubCod", values, seconds=1.0)


def test_html_holds_a_dot_for_each_run_and_all_facts(of_scenes):
    html = of_scenes.to_html() + of_scenes.origins_to_html()
    n_runs = sum(len(runs) for runs in of_scenes.runs.values())
    assert html.count("<circle") == n_runs
    facts = of_scenes.facts() | of_scenes.origins["closest"].facts()
    for name in facts:
        assert f"<dt>{name}</dt>" in html


def test_dots_lie_at_their_values_and_say_what_they_show():
    runs = {"settings fixed in advance": [0.1, 0.3]}
    picture = dots(runs, 0.2, 0.05)
    # From edge to edge, and the printed value halfway.
    assert re.findall(r'<circle cx="([\d.]+)"', picture) == ["8.0", "392.0"]
    assert '<line x1="200.0" x2="200.0" y1="0"' in picture
    assert 'aria-label="printed .200; 2 runs with settings fixed in advance from' in picture


def test_dots_without_values_or_print():
    not_printed = float("nan")
    assert dots({}, not_printed, 0.0) == ""
    picture = dots({"equal tuning": [0.5]}, not_printed, 0.0)
    assert "printed" not in picture
    assert "1 run with equal tuning from" in picture


def test_a_trace_of_another_profile_names_it_in_its_command():
    """The command would else run the trials of the paper."""
    read = {}.get
    cells = traces(1, read, methods=["MimlSvm"], profile="smoke")
    origin = next(iter(cells)).origins["closest"]
    assert origin.trials == ("none; mimlpaper compute table1 --profile smoke",)
    assert origin.command.startswith(
        "mimlpaper compute table1 --profile smoke --methods MimlSvm"
    )
