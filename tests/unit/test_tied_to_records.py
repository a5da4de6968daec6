"""What git keeps agrees with the records: tables in figures/, the answer in README.md.

Only current records are published. While some are not, these tests are skipped, and ``mimlpaper
status`` fails; ``figures/README.md`` and ``codecheck.yml`` are compared in ``test_publish``.
"""

import json
import re
from functools import cache

import pandas as pd
import pytest

from mimlstudy import folders
from mimlstudy.engine.records import CURRENT, read_records
from mimlstudy.judge.compare import compare_characteristics, compare_with_paper
from mimlstudy.judge.equal_tuning import learners_by_group
from mimlstudy.judge.selection import Selection, selected
from mimlstudy.paper.catalogue import default_store
from mimlstudy.paper.common import DEGENERATE
from mimlstudy.paper.experiments import EXPERIMENTS, FIXED_SPLITS, ROWS, get_experiment
from mimlstudy.paper.printed import listed_divergences, printed_tables
from mimlstudy.report import status
from mimlstudy.report.first_page import answer
from mimlstudy.report.sections import unseen_instances
from mimlstudy.report.sections.characteristics import characteristics_table
from mimlstudy.report.sections.cost_report import peers_table
from mimlstudy.report.sections.differences import wins_of_figures, wins_table
from mimlstudy.report.sections.gaps import blanks_table
from mimlstudy.report.sections.kernel_ranks import degenerate_table, ranks_table
from mimlstudy.report.sections.subcod_report import accuracies_table
from mimlstudy.report.sections.unseen_orders import groups_table
from mimlstudy.report.tables import (
    claims_table,
    frame_grid,
    measured_table,
    results_table,
    save_table,
)


@cache
def read(name):
    return read_records(EXPERIMENTS[name], store=default_store())


def tuned(name):
    return selected(read, Selection((name,), "equal"))


def card():
    return status.recorded_scorecard("paper")


def totals_table():
    by_settings = {name: pd.DataFrame(totals).T for name, totals in card()["totals"].items()}
    totals = pd.concat(by_settings, names=["settings", "table"])
    return frame_grid(totals, totals.reset_index(), "")


def explanations_table():
    explained = read("explanations")
    original = explained[explained["kind"] != "synthetic"]
    return unseen_instances.explanations_table(original)


def outcomes_table():
    return wins_table(wins_of_figures(read("figure4"), read("figure5")))


def appendix_c_table():
    cells = compare_characteristics(read("characteristics"))
    return characteristics_table(cells, "paper")


# Tables beside those of the paper, by the names of their files: what makes them of the records.
MADE_BY = {
    "ablation": lambda: measured_table(read("ablation"), title="", profile="paper"),
    "appendix_c": appendix_c_table,
    "blanks": lambda: blanks_table(pd.DataFrame(card()["cells"])),
    "claims": lambda: claims_table(status.findings_of(card())),
    "controls": lambda: groups_table(learners_by_group(read)),
    "cost_peers": lambda: peers_table(read("costs")),
    "defaults": lambda: unseen_instances.defaults_table(read("defaults")),
    "degenerate": lambda: degenerate_table(read("degenerate")),
    "explanations": explanations_table,
    "figures45_outcomes": outcomes_table,
    "kernel_ranks": lambda: ranks_table(read("kernel_ranks")),
    "table1_equal_tuning": lambda: measured_table(tuned("table1"), title="", profile="paper"),
    "table2_equal_tuning": lambda: measured_table(tuned("table2"), title="", profile="paper"),
    "table3_equal_tuning": lambda: measured_table(tuned("table3"), title="", profile="paper"),
    "table4_equal_tuning": lambda: measured_table(tuned("table4"), title="", profile="paper"),
    "table5_equal_tuning": lambda: accuracies_table(tuned("table5"), "", "paper"),
    "totals": totals_table,
}

# Compared by make paper alone.
OF_NOTEBOOKS = {
    "cost_powers",
    "divergences",
    "multiverse_flips",
    "ranksvm_hold_outs",
    "ranksvm_rows",
    "subcod_optima",
    "unseen_claims",
    "unseen_data",
    "unseen_precision",
}


def test_every_published_table_is_compared_here_or_by_make_paper():
    published = {artefact.file for artefact in status.artefacts() if artefact.kind == "table"}
    of_the_paper = {table.experiment for table in printed_tables().values()}
    assert published == of_the_paper | MADE_BY.keys() | OF_NOTEBOOKS


@pytest.fixture(autouse=True, scope="module")
def nothing_is_explored():
    """What a reader has run has no part in what git keeps."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(
            folders,
            "explored_results",
            lambda: folders.build("nothing"),
        )
        yield


def skip_unless_current(*experiments):
    counts = status.trial_counts("paper")
    for name in experiments:
        states = {state for state, n_trials in counts[name].items() if n_trials}
        not_current = sorted(states - {CURRENT})
        if not_current:
            pytest.skip(f"{name} has records that are {', '.join(not_current)}")


@pytest.mark.parametrize("number", printed_tables())
def test_a_published_table_has_the_numbers_of_the_records(number, tmp_path):
    name = printed_tables()[number].experiment
    skip_unless_current(name, "fixed")
    fixed = selected(read, Selection((name,), "fixed"))
    table = results_table(
        read(name),
        number,
        profile="paper",
        fixed=fixed,
    )
    for path in save_table(table, tmp_path, name):
        published = folders.figures() / path.name
        assert published.read_text() == path.read_text(), path.name


@pytest.mark.parametrize("file", MADE_BY)
def test_another_published_table_has_the_numbers_of_the_records(file, tmp_path):
    """In its CSV file; its words are the notebook's, which ``make paper`` compares."""
    (artefact,) = [artefact for artefact in status.artefacts() if artefact.file == file]
    skip_unless_current(*artefact.experiments)
    csv, *_ = save_table(MADE_BY[file](), tmp_path, file)
    assert (folders.figures() / csv.name).read_text() == csv.read_text()


def is_held_out(row, dataset):
    """Whether a hold-out replaces defaults that give every example the same answer."""
    hold_outs = [layer for layer in row.in_advance if layer.source == DEGENERATE]
    return any(not layer.on or dataset in layer.on for layer in hold_outs)


def test_a_hold_out_stands_where_defaults_are_degenerate_and_nowhere_else():
    skip_unless_current("degenerate")
    recorded = read("degenerate").set_index(["dataset", "method"])["degenerate"]
    wrong = []
    for table in printed_tables().values():
        for dataset in get_experiment(table.experiment).datasets:
            for method, row in ROWS[table.experiment].items():
                if is_held_out(row, dataset) != recorded[dataset, method]:
                    wrong.append((dataset, method))
    assert wrong == []


def test_five_cross_validations_say_what_the_open_choice_says_of_them():
    skip_unless_current("table5")
    ten = read("table5")
    five = ten[ten["split"] < FIXED_SPLITS["table5"]]
    compared = [compare_with_paper(records, 5) for records in (ten, five)]
    of_ten, of_five = (
        cells.loc[cells["printed_mean"].notna(), "verdict"] for cells in compared
    )
    n_changed = (of_ten != of_five).sum()
    words = (
        f"with five of the ten cross-validations {(of_five == 'agrees').sum()} values agree, with "
        f"ten {(of_ten == 'agrees').sum()}; {n_changed} verdicts of {len(of_ten)} change"
    )
    choices = listed_divergences().set_index("id")
    assert words in choices.loc["fixed-in-advance", "effect"]


def test_ranks_of_kernels_miss_what_the_open_choice_says_of_them():
    skip_unless_current("kernel_ranks")
    runs = read("kernel_ranks").set_index(["dataset", "method", "override"])

    def measured(dataset, method, **override):
        return runs.loc[dataset, method, json.dumps(override)].squeeze()

    def missed(dataset, method, digits=0, **override):
        return percent(measured(dataset, method, **override)["unexplained"], digits)

    def away(rank):
        """How far from the exact kernel's average precision."""
        of_exact = measured("scene", "MimlSvm_mi, exact kernel")
        of_rank = measured("scene", "MimlSvm_mi", rank=rank)
        difference = of_rank["average_precision"] - of_exact["average_precision"]
        return f"{abs(difference):.3f}".lstrip("0")

    log = listed_divergences().set_index("id")
    choice, effect = log.loc["kernel-rank", ["choice", "effect"]]
    on_scenes = missed("scene", "MimlBoost", 2, rank=1000).lstrip("0")
    assert f"rank 1,000, {on_scenes} missed, for MimlBoost" in choice
    of_instances = missed("musk2", "mi-Svm", rank=1000)
    of_hulls = missed("musk2", "Ch-Fd", rank=1000)
    of_sub_concepts = missed("musk2", "SubCod_MimlBoost", learner__rank=1000)
    on_musk2 = f"{of_instances}; Ch-Fd {of_hulls}, SubCod_MimlBoost {of_sub_concepts}"
    assert f"on musk2 ({on_musk2})" in choice
    few = missed(
        "yahoo:Arts",
        "InsDif_MimlSvm_mi",
        1,
        transformation__rank=1000,
    )
    many = missed(
        "yahoo:Arts",
        "InsDif_MimlSvm_mi",
        1,
        transformation__rank=1500,
    )
    assert f"(Arts {few}; {many} still at 1,500 landmarks)" in choice
    assert f"by {away('auto')} at 1% and by {away(1000)} at rank 1,000" in effect
    assert f"{few} of the trace on Arts" in log.loc["insdif-misvm", "choice"]


def percent(share, digits=0):
    return f"{100 * share:.{digits}f}%"


def test_the_answer_of_the_readme_is_that_of_the_records():
    skip_unless_current(*EXPERIMENTS)
    readme = (folders.project_root() / "README.md").read_text()
    (published,) = re.findall(
        r"<!-- answer -->\n(.*?)\n<!-- end -->",
        readme,
        re.DOTALL,
    )
    assert published == answer(status.recorded_scorecard("paper"))
