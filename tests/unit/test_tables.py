"""Tables on made-up records: which rows and values they show, and their captions."""

import pandas as pd
import pytest

from mimlstudy.judge.claims import VIEWS, evaluate_claims
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report import marks, tables
from tests.made_up_records import as_in_the_paper, rows


@pytest.fixture(autouse=True)
def no_row_is_marked(monkeypatch):
    monkeypatch.setattr(
        marks,
        "settings_closest_to_print",
        lambda name: {},
    )


def of_paper(records, number=1, **options):
    return tables.results_table(
        records,
        number,
        profile="paper",
        **options,
    )


def methods_of(table):
    return list(table.entries.index.unique(0))


def first_lines(entries):
    return [entry.lines[0] for entry in entries]


@pytest.fixture
def with_fixed(monkeypatch):
    """Table 1 beside settings fixed in advance, whose hamming loss is worse on half the splits."""
    records = as_in_the_paper(1)
    worse = 0.1 * (records["split"] < 15)
    fixed = records.assign(hamming_loss=records["hamming_loss"] + worse)
    marked = {"AdtBoost.MH": 3}
    monkeypatch.setattr(
        marks,
        "settings_closest_to_print",
        lambda name: marked,
    )
    return of_paper(records, fixed=fixed)


def test_the_value_fixed_in_advance_stands_where_it_differs(with_fixed):
    losses = with_fixed.entries.loc["MimlNn", "fixed in advance"]
    assert losses.iloc[0].lines == (".235±.052",)
    assert losses.iloc[0].verdict == "differs_worse"
    assert losses.iloc[1].verdict == "agrees"
    assert "− differs (ours worse)" in with_fixed.to_styler().caption


def test_a_row_with_settings_closest_to_print_is_marked(with_fixed):
    assert "AdtBoost.MH †" in with_fixed.entries.index
    assert with_fixed.rules_above == ("AdtBoost.MH †",)
    assert "† marks 1 row with 3 settings" in with_fixed.caption


@pytest.mark.parametrize("is_given", [True, False])
def test_the_same_value_fixed_in_advance_has_no_line(is_given):
    records = as_in_the_paper(1)
    table = of_paper(records, fixed=records if is_given else None)
    lines = table.entries.index.get_level_values(1)
    assert set(lines) == {"printed", "ours"}


def test_only_what_is_asked_is_shown():
    table = of_paper(
        as_in_the_paper(1),
        criteria=["coverage"],
        methods=["MimlNn", "RankSvm"],
    )
    assert methods_of(table) == ["MimlNn", "RankSvm"]
    assert table.entries.shape == (4, 1)
    assert table.rules_above == ("RankSvm",)
    assert "does not have" not in table.caption


def test_an_unknown_criterion_is_refused():
    with pytest.raises(ValueError, match="criteria must be among"):
        of_paper(as_in_the_paper(1), criteria=["accuracy"])


@pytest.fixture
def without_cnmf():
    records = as_in_the_paper(3)
    return of_paper(records[records["method"] != "Cnmf"], 3)


def test_a_row_without_records_is_missing(without_cnmf):
    verdicts = {entry.verdict for entry in without_cnmf.entries.loc["Cnmf", "ours"]}
    assert verdicts == {"missing"}
    printed_and_ours = without_cnmf.entries.loc["Cnmf"].iloc[:, 1]
    assert first_lines(printed_and_ours) == [".354±.184", "–"]
    states = without_cnmf.tidy.query("algorithm == 'Cnmf'")["state"]
    assert set(states) == {"missing"}


def test_a_row_that_print_leaves_out_has_our_value(without_cnmf):
    printed_and_ours = without_cnmf.entries.loc["InsDif_MimlBoost"].iloc[:, 0]
    assert first_lines(printed_and_ours) == ["–", ".500±.010"]


def test_methods_that_the_paper_lacks_stand_below_a_line_of_their_own():
    records = as_in_the_paper(1)
    as_good = records[records["method"] == "MimlNn"]
    stranger = as_good.assign(method="Oracle", hamming_loss=0.001)
    table = of_paper(pd.concat([stranger, records]))
    assert methods_of(table) == [*printed_tables()[1].algorithms, "Oracle"]
    assert table.rules_above == ("AdtBoost.MH", "Oracle")
    (loss,) = table.entries.loc["Oracle"].iloc[:, 0]
    assert loss.lines == (".001±.000",)
    assert loss.bold == (True,)
    assert loss.verdict == ""
    assert table.to_latex().count(r"\midrule") == 3


def test_a_caption_names_methods_with_fewer_runs_or_other_data():
    records = as_in_the_paper(1)
    records.loc[records["method"] == "MimlNn", "kind"] = "synthetic"
    is_left_out = (records["method"] == "MlSvm") & (records["split"] >= 12)
    caption = of_paper(records[~is_left_out]).caption
    assert "12 of 30 runs (MlSvm)" in caption
    assert "synthetic (MimlNn)" in caption


def test_a_caption_says_how_many_folds_of_a_run_there_are():
    records = as_in_the_paper(5)
    assert "folds of a run" not in of_paper(records, 5).caption
    assert (
        "1 of 10 runs; 5 of 10 folds of a run."
        in of_paper(records.query("split < 5"), 5).caption
    )


def test_a_caption_names_methods_whose_kernel_is_far_from_exact():
    records = as_in_the_paper(1)
    is_approximate = (records["method"] == "MimlSvm_mi") & (records["split"] == 3)
    records.loc[is_approximate, "warnings"] = "ConvergenceWarning; LowRankWarning"
    ending = "by its trace, in fits of MimlSvm_mi on scene: see notebook 8."
    assert of_paper(records).caption.endswith(ending)
    assert "trace" not in of_paper(records, methods=["MimlNn"]).caption


def test_a_caption_says_that_there_are_no_records():
    caption = of_paper(pd.DataFrame()).caption
    assert caption.endswith("No records yet.")


def test_a_measured_table_has_our_values_alone():
    table = tables.measured_table(
        as_in_the_paper(2),
        title="Fair fight",
        profile="paper",
    )
    loss = table.entries.loc["MimlSvm"].iloc[0]
    assert loss.lines == (".033±.003",)
    assert loss.bold == (True,)
    expected = "Fair fight: mean ± std. 30 runs."
    assert table.caption.startswith(expected)


def test_a_column_of_settings_has_an_address_for_each_number():
    records = as_in_the_paper(2)
    table = tables.measured_table(
        records,
        title="",
        profile="paper",
        column_of=2,
    )
    number = table.entries.at["MimlSvm", "coverage ↓"]
    assert number.address == "table2/MimlSvm/coverage/reuters"
    assert 'data-address="table2/MimlSvm/coverage/reuters"' in table.to_styler().to_html()


def test_open_choices_are_those_asked_for():
    asked = tables.divergences_table("4", columns=("where", "effect"))
    everything = tables.divergences_table()
    assert list(asked.entries.columns) == ["where", "effect"]
    n_of_section_4 = (everything.tidy["section"] == "4").sum()
    assert len(asked.entries) == n_of_section_4
    assert len(asked.entries) < len(everything.entries)


def test_an_open_choice_is_shown_by_the_change_of_each_mean():
    values = {criterion: [0.2, 0.4] for criterion in printed_tables()[1].criteria}
    row = rows("table1", "scene", "MimlNn", values, alternative="")
    lower = row["coverage"] - 0.1
    alternative = row.assign(alternative="ratio = 0.2", coverage=lower)
    without_alternative = row.assign(method="MlSvm")
    records = pd.concat([row, alternative, without_alternative])
    table = tables.choices_table(records, "Open choices")
    assert list(table.entries.index) == ["MimlNn", "MimlNn: ratio = 0.2"]
    assert first_lines(table.entries["coverage ↓"]) == [".300", "−.100"]
    assert "splits: 2" in table.caption


@pytest.fixture(scope="module")
def claims():
    """A claim that Table 1 tests, and one without records."""
    return evaluate_claims({"table1": as_in_the_paper(1)}, ("S4.1", "S6.1"))


def test_claims_have_words_and_a_power(claims):
    table = tables.claims_table(claims)
    verdict = claims[0].verdicts["corrected test"]
    columns = ["claim", "paper's test", "corrected test", "power", "in detail"]
    assert list(table.entries.columns) == columns
    word = table.entries.at["S4.1", "corrected test"]
    assert word.verdict == verdict.word
    assert word.lines == (f"{verdict.supported} of 28",)
    power = table.entries.at["S4.1", "power"]
    assert power.lines == (f"{verdict.n_detected} of 16",)
    assert table.entries.at["S6.1", "corrected test"].verdict == "not tested"


def test_the_caption_of_claims_names_columns_that_are_not_tested(claims):
    table = tables.claims_table(claims)
    expected = "Not tested: fixed in advance and equal tuning."
    assert table.caption.endswith(expected)


def test_the_file_of_claims_has_a_row_for_each_view(claims):
    table = tables.claims_table(claims)
    assert len(table.tidy) == 2 * len(VIEWS)
    assert {"word", "n_detected"} <= set(table.tidy)


def test_claims_have_detail_only_if_asked(claims):
    table = tables.claims_table(claims, detail=False)
    assert "in detail" not in table.entries
