"""The scorecard, also recomputed by plain pandas; states of artefacts."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mimlpaper import paths
from mimlpaper.algorithms.medoid_map import KMedoids
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.judge import scorecard
from mimlstudy.judge.claims import evaluate_claims
from mimlstudy.judge.scorecard import scorecard_cells
from mimlstudy.judge.verdicts import VERDICTS, agreement
from mimlstudy.paper.catalogue import default_store
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS
from mimlstudy.paper.published import TABLES, published_claims
from mimlstudy.report import status, words
from mimlstudy.report.notebooks import available_notebooks
from mimlstudy.report.pseudocode import pseudocode_map
from tests.made_up_records import as_in_the_paper


@pytest.fixture(scope="module")
def half_run():
    """Tables 1 and 2 run, the code of the first has changed; nothing else."""
    return {"table1": as_in_the_paper(1, state="code changed"), "table2": as_in_the_paper(2)}


@pytest.fixture(scope="module")
def card(half_run):
    return scorecard.scorecard(half_run)


def test_totals_add_up(card):
    totals = card["totals"]["matched"]
    assert len(card["cells"]) == totals["all"]["cells"] == 283
    assert totals["table1"]["agrees"] == totals["table2"]["agrees"] == 53
    assert (totals["table1"]["complete"], totals["table2"]["complete"]) == (0, 56)
    assert totals["table5"]["missing"] == 45
    assert sum(totals["all"][word] for word in VERDICTS) == 283
    for word in ("cells", *VERDICTS, "complete", "rows", "rows_identified", "columns"):
        assert totals["all"][word] == sum(totals[f"table{number}"][word] for number in TABLES)
    for measured in ("table1", "table2", "all"):  # no total without its false match rate
        assert 0 < totals[measured]["false_match_rate"] < 0.25
    assert totals["table3"]["false_match_rate"] is None


def test_rows_name_the_nearest_and_claims_have_all_columns(card):
    assert len(card["rows"]) == 16
    assert all(row["nearest"] == row["algorithm"] and row["identified"] for row in card["rows"])
    claims = {claim["id"]: claim for claim in card["claims"]}
    assert list(claims) == list(published_claims()["id"])
    assert claims["S4.8"]["multiverse"] is None and claims["S4.2"]["multiverse"]["effect"] > 0
    by_view = {view: found["word"] for view, found in claims["S4.8"]["verdicts"].items()}
    assert by_view["blind"] == by_view["tuned"] == "not tested" != by_view["paper's test"]
    assert sum(card["words"]["blind"].values()) == len(claims)
    assert json.loads(json.dumps(card, allow_nan=False))["rows"] == card["rows"]


def test_the_blind_column_is_judged_next_to_the_matched_one():
    matched = as_in_the_paper(1)
    blind = matched[matched["method"].isin(ROWS["table1"].fixed())].copy()
    blind.loc[blind["method"] == "MimlSvm_mi", "hamming_loss"] = 0.5
    card = scorecard.scorecard({"table1": matched, "blind": blind})
    cells = {(c["algorithm"], c["criterion"]): c for c in card["cells"] if c["table"] == 1}
    judged = cells["MimlSvm_mi", "hamming_loss"]
    assert (judged["verdict"], judged["blind_verdict"]) == ("agrees", "differs_worse")
    assert judged["blind_mean"] == 0.5
    assert [card["totals"][name]["table1"]["agrees"] for name in ("matched", "blind")] == [53, 52]
    assert " | 52 of 53 (" in words.in_words(card)


def test_the_card_in_words(card, half_run):
    lines = words.in_words(card).splitlines()
    rows_of = {line.split(" | ")[0][2:]: line.strip("| ").split(" | ")[1:] for line in lines[4:]}
    rate = card["totals"]["matched"]["all"]["false_match_rate"]
    assert lines[0].count("100% agree in ") == 2
    assert rows_of["cells that agree (others' rows)"] == [f"106 of 106 ({rate:.0%})", "–", "–"]
    assert rows_of["rows nearest to their own"][0] == "16 of 16 (by chance 2)"
    assert rows_of["columns with the printed winner"][0] == "100% of 14"
    assert rows_of["Kendall's τ; by table"][0] == "1.00; 1.00/1.00"
    strict = ["/".join(map(str, card["words"][v].values())) for v in ("strict test", "blind")]
    assert rows_of["claims, strict test"][:2] == strict
    assert "ours: 53 of 53" in words.finding_in_words(half_run, [1], [])
    assert "nothing is recorded yet" in words.finding_in_words({}, [3], [])


def test_the_answer_states_four_facts_of_the_card_with_links(card):
    """A card as in print: all cells agree, and a claim counts where the word stands."""
    card = card | {"totals": card["totals"] | {"blind": card["totals"]["matched"]}}
    text = " ".join(words.answer(card, article="a.md").split())
    rate = card["totals"]["matched"]["all"]["false_match_rate"]
    shown = card["words"]["paper's test"]["shown"]
    strict = [claim["verdicts"]["strict test"] for claim in card["claims"]]
    assert "100% agree.** Of 106 printed results 106 agree" in text
    assert f"algorithms' {rate:.0%} would." in text and "([cells](a.md#the-numbers))" in text
    assert f"{shown} of {len(strict)} are shown" in text
    assert "14 of 14 columns have the printed winner" in text
    assert f"{sum(2 * one['control'] < one['n_control'] for one in strict)} claims the" in text
    nothing = scorecard.scorecard({})
    assert words.in_words(nothing) == "Nothing is recorded yet."
    assert words.answer(nothing) == "Not everything is recorded yet."


def test_artefacts_are_what_notebooks_save_of_known_experiments():
    """Figures say what they show, tables do not."""
    known = {(one.notebook, one.file): bool(one.shows) for one in status.ARTEFACTS}
    found = {"figure": set(), "table": set()}
    for notebook, path in available_notebooks().items():
        text = path.read_text()
        saved = re.findall(r'save_(figure|table)\([^\n]*\\"(\w+)\\"(?:, of=\w+)?\)', text)
        saved += [("table", f"table{n}") for n in re.findall(r"paper\.table\((\d)\)", text)]
        for kind, name in saved:
            found[kind].add(known.get((notebook, name)))
    assert found == {"figure": {True}, "table": {False}}
    for name in ("file", "title"):
        assert len({getattr(one, name) for one in status.ARTEFACTS}) == len(status.ARTEFACTS)
    for one in status.ARTEFACTS:
        assert one.notebook in available_notebooks() and set(one.experiments) <= set(EXPERIMENTS)


def test_an_artefact_is_as_good_as_its_worst_trial(tmp_path, monkeypatch):
    own = status.Artefact("Table 1", "table1", "4_degeneration", ("table1", "blind"))
    monkeypatch.setattr(status, "ARTEFACTS", (own,))
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    run, verify = "mimlpaper run 4_degeneration", "mimlpaper verify table1 blind"

    def state_with(**counts):
        found = {"table1": counts, "blind": {"current": 1, "missing": 0}}
        monkeypatch.setattr(status, "trial_counts", lambda profile: found)
        (row,) = status.artefact_status("paper")
        return row["state"], row["trials"], row["mend"]

    assert state_with(current=3) == ("missing", "4 current", run)  # no file is made
    paths.write_whole(folders.figures() / "table1.csv", "")
    assert state_with(current=3) == ("current", "4 current", "")
    changed = state_with(**{"current": 2, "code changed": 1})
    assert changed == ("code changed", "3 current, 1 code changed", verify)
    assert state_with(current=2, missing=1) == ("missing", "3 current, 1 missing", run)
    assert status.last_runs() == {}
    paths.write_whole(folders.build("paper") / "runs.json", '{"4_degeneration": "died"}')
    assert state_with(current=3) == ("failed", "4 current", run)


def test_trials_are_counted_and_kept_until_a_record_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    n_trials = len(EXPERIMENTS["table1"].trials("smoke"))
    assert status.trial_counts("smoke")["table1"] == {"missing": n_trials}
    compute(
        EXPERIMENTS["table1"],
        store=default_store("smoke"),
        profile="smoke",
        methods=["Ml-knn"],
        jobs=1,
    )
    assert status.trial_counts("smoke")["table1"] == {"current": 2, "missing": n_trials - 2}
    monkeypatch.setattr(status, "records", lambda *_, **__: 1 / 0)
    assert status.trial_counts("smoke")["table1"]["current"] == 2  # nothing is read again
    default_store("smoke").path("table1").unlink()
    with pytest.raises(ZeroDivisionError):
        status.trial_counts("smoke")


def test_trials_behind_a_notebook_are_those_that_its_code_runs(monkeypatch):
    counts = {name: {name: 1} for name in EXPERIMENTS}
    monkeypatch.setattr(status, "trial_counts", lambda profile: counts)
    tables = [f"table{number}" for number in TABLES]
    for notebook, names in (
        ("3_framework", []),
        ("6_insdif", ["table3", "table4", "ablation", "blind", "tuned", "readings"]),
        ("9_cost", [*tables, "costs"]),
        ("10_multiverse", [*tables, "figure4", "figure5", "readings"]),
    ):
        assert status.trials_behind(notebook, "paper") == dict.fromkeys(names, 1)


def test_every_cited_step_is_found_where_it_says():
    steps = pseudocode_map(KMedoids, MimlSvm)
    assert {"Table 7, step 2", "steps 2a to 2c", "step 4"} <= set(steps["step"])
    for row in steps.itertuples():
        file, number = row.where.split(":")
        line = (paths.project_root() / file).read_text().splitlines()[int(number) - 1]
        assert line.strip().startswith(row.code)


PRINTED = pd.read_csv(folders.published() / "results.csv")
LOSSES = ("hamming_loss", "one_error", "coverage", "ranking_loss")
SCORES = ("average_precision", "average_recall", "average_f1")


def recorded(name):
    """A file of records as it is, of which every line counts."""
    return pd.read_csv(folders.results() / f"{name}.csv").assign(state="current")


def plain(name):
    rows = recorded(name)
    return rows[(rows["parameters"] == "{}") & (rows["stage"] == 0)]


def test_totals_of_tables_1_to_3():
    """Cells within Student's interval of two means over independent runs, plus rounding."""
    agrees = measured = 0
    for number, n_runs, factor in ((1, 30, 1.0), (2, 30, 1.0), (3, 10, 0.62)):
        ours = plain(f"table{number}").groupby("method")[[*LOSSES, *SCORES]].agg(["mean", "std"])
        for cell in PRINTED[(PRINTED["table"] == number) & PRINTED["mean"].notna()].itertuples():
            mean, std = ours.loc[cell.algorithm, cell.criterion]
            error = np.sqrt((cell.std**2 + std**2) / n_runs) * stats.t.ppf(0.975, 2 * n_runs - 2)
            agrees += abs(mean - cell.mean) <= factor * error + 0.0005
            measured += 1
    get = {f"table{number}": recorded(f"table{number}") for number in TABLES}
    totals = [agreement(scorecard_cells(get, numbers=[number])) for number in (1, 2, 3)]
    assert sum(total["agrees"] for total in totals) == agrees
    outcomes = "agrees", "differs_better", "differs_worse"
    assert sum(total[word] for total in totals for word in outcomes) == measured


def leads(rows, a, b, criterion):
    values = rows.pivot(index="split", columns="method", values=criterion)
    return (values[b] - values[a]) * (1 if criterion in LOSSES else -1)


def test_claim_s4_5_parts_by_both_tests_and_its_control():
    """MimlNn against Ml-knn on seven criteria; 500 test images for 1,500 of training."""
    rows, printed = plain("table1"), PRINTED[PRINTED["table"] == 1]
    printed = printed.set_index(["algorithm", "criterion"])["mean"]
    paired, strict, control = [], [], []
    for name in (*LOSSES, *SCORES):
        d = leads(rows, "MimlNn", "Ml-knn", name)
        theirs = printed["Ml-knn", name] - printed["MimlNn", name]
        error = d.std() * np.sqrt(1 / 30 + 1 / 3)
        paired.append(stats.ttest_1samp(d, 0).pvalue < 0.05 and d.mean() > 0)
        strict.append(2 * stats.t.sf(d.mean() / error, 29))
        control.append(2 * stats.t.sf(theirs * (1 if name in LOSSES else -1) / error, 29))
    (claim,) = evaluate_claims({"table1": recorded("table1")}, ("S4.5",))
    assert claim.verdicts["paper's test"].shown == sum(paired)
    for p_values, shown in ((strict, "shown"), (control, "control")):
        first, n = sorted(p_values), 0
        while n < 7 and first[n] * (7 - n) < 0.05:  # Holm
            n += 1
        assert getattr(claim.verdicts["strict test"], shown) == n


def test_claim_s5_1_counts_cases():
    """D-MimlSvm against MimlSvm in 35 cases by the paired t-test, and by the calibrated one."""
    rows = plain("figure4")
    shown = {"paper's test": 0, "strict test": 0}
    for _, own in rows.groupby("dataset"):
        for name in (*LOSSES, *SCORES):
            d = leads(own, "D-MimlSvm", "MimlSvm", name)
            for test, variance in (("paper's test", 1 / 30), ("strict test", 1 / 30 + 0.45 / 0.55)):
                shown[test] += d.mean() > stats.t.ppf(0.975, 29) * d.std() * np.sqrt(variance)
    (claim,) = evaluate_claims({"figure4": recorded("figure4")}, ("S5.1",))
    better = claim.parts[0].note
    assert better.startswith(f"of 35 cases {shown['strict test'] / 35:.0%} shown")
    by_paper = shown["paper's test"] / 35
    assert f"by the paper's test {by_paper:.0%} shown" in better
