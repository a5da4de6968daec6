"""A user's method in the paper's tables, on synthetic data; and the messages for a bad one."""

import json
import os
import re
from threading import Event, Thread
from time import sleep

import pandas as pd
import pytest
from filelock import FileLock

from mimlpaper.datasets import DataError
from mimlpaper.metrics import CRITERIA
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store, read_records
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report import bench as bench_module
from mimlstudy.report.bench import bench
from mimlstudy.report.command import main
from mimlstudy.report.guest import Conditions, Session
from mimlstudy.report.plain import markdown_text
from tests.made_up_records import apart, rows
from tests.made_up_stranger import STRANGER, enter_project

TABLE_1 = EXPERIMENTS["table1"]
GUIDE = folders.project_root() / "site" / "guide.md"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty project in the current folder, with the user's file."""
    enter_project(tmp_path, monkeypatch)
    return tmp_path


def run(name, tables=(1,)):
    return bench(f"stranger:{name}", tables, profile="smoke", jobs=1)


def record(name, method):
    store = default_store("smoke")
    compute(
        EXPERIMENTS[name],
        store=store,
        profile="smoke",
        methods=[method],
        jobs=1,
    )


def store_of(done):
    return Store(done.folder, CATALOGUE)


def recorded_of(done):
    return store_of(done).load(TABLE_1)


def report_of(done):
    return (done.folder / "report.md").read_text()


@pytest.fixture(scope="module")
def tuned_and_recorded(tmp_path_factory):
    """The bench of a learner with a grid, next to two recorded methods; records of one of them."""
    folder = tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as monkeypatch:
        enter_project(folder, monkeypatch)
        record("table1", "Ml-knn")
        record("equal_tuning", "Set kernel")
        store = default_store("smoke")
        before = store.path("table1").read_bytes()
        done = run("tuned")
        assert store.path("table1").read_bytes() == before
    assert not done.problems
    return done, store.load(TABLE_1)


@pytest.fixture
def tuned(tuned_and_recorded):
    done, _ = tuned_and_recorded
    return done


def test_a_stranger_stands_beside_the_recorded_methods(tuned):
    """One of them is a method that only the tuned column has."""
    assert set(tuned.standing["method"]) == {
        "Ml-knn",
        "Set kernel, equal tuning",
        "stranger:tuned",
        "stranger:tuned, tuned",
    }


def criteria_of(records):
    return records[[*CRITERIA]].to_dict("list")


def test_a_stranger_gets_exactly_the_numbers_of_the_same_method(tuned_and_recorded):
    done, recorded = tuned_and_recorded
    entered = recorded_of(done)
    as_written = entered[entered["chosen"] == ""]
    assert criteria_of(as_written) == criteria_of(recorded)


def test_a_stranger_gets_exactly_the_row_of_the_same_method(tuned):
    rows = {}
    for line in report_of(tuned).splitlines():
        method, *cells = line.removeprefix("| ").split(" | ")
        rows[method] = cells
    # Seven criteria and the rank.
    assert rows["Ml-knn"][:8] == rows["stranger:tuned"][:8]
    assert rows["Ml-knn"][-2] == "0–7–0"
    assert rows["stranger:tuned"][-2] == "–"


def test_a_stranger_is_tuned_by_its_own_grid(tuned):
    entered = recorded_of(tuned)
    chosen = entered.loc[entered["chosen"] != "", "chosen"]
    assert len(chosen) == 2
    for text in chosen:
        setting = json.loads(text)["setting"]
        assert set(setting["values"]) == {"mlknn__n_neighbors"}


def test_a_search_of_scikit_learn_tries_its_grid_itself(here):
    done = run("search")
    assert not done.problems
    methods = set(recorded_of(done)["method"])
    assert methods == {"stranger:search"}


def test_a_guest_that_ended_is_not_ended_again(here, monkeypatch):
    """Its number may be that of another process."""
    conditions = Conditions(
        folder=str(here),
        output=str(here / "output.txt"),
        timeout=60.0,
    )
    session = Session("stranger:knn", conditions)
    session.end()
    monkeypatch.setattr(
        os,
        "killpg",
        lambda *_: pytest.fail("it is killed again"),
    )
    session.end()


def test_an_installed_wheel_shows_the_records_that_it_carries(here, monkeypatch):
    record("table1", "Ml-knn")
    assert default_store().base is None
    carried = default_store("smoke").folder
    wheel = here / "wheel"
    wheel.mkdir()
    carried.rename(wheel / "results")
    monkeypatch.setattr(folders, "IN_WHEEL", wheel)
    store = default_store()
    assert store.folder == folders.results()
    table = read_records(TABLE_1, store=store, profile="smoke")
    assert set(table["state"]) == {"current"}


@pytest.mark.parametrize("name", ["shares", "Plain"])
def test_an_estimator_enters_as_well_as_its_class(here, name):
    done = run(name)
    assert not done.problems
    assert done.standing["rank"].tolist() == [1.0]


def test_a_row_without_a_setting_chosen_by_print_stands_once():
    methods = {*pd.concat(bench_module._recorded(1, ["scene"], "paper"))["method"]}
    assert {"MimlSvm_mi", "MimlSvm_mi, settings fixed in advance"} <= methods
    assert "Ml-knn" in methods
    assert "Ml-knn, settings fixed in advance" not in methods


def test_unseen_data_are_a_table_too(here):
    done = run("Shares", ["unseen"])
    assert not done.problems
    assert done.standing["rank"].tolist() == [1.0]
    report = report_of(done)
    assert "Unseen data. Data that the authors never saw" in report
    command = "mimlpaper compute unseen --profile smoke"
    assert f"other methods: none; {command} makes them." in report


def test_the_method_of_the_guide_enters_as_pasted(here):
    code = re.search(
        r"`my_method.py`:\n\n```python\n(.*?)```",
        GUIDE.read_text(),
        re.S,
    )
    (here / "my_method.py").write_text(code[1])
    done = bench("my_method:mean_vectors", [5], profile="smoke", jobs=1)
    assert not done.problems
    assert set(done.standing["method"]) == {
        "my_method:mean_vectors",
        "my_method:mean_vectors, tuned",
    }


def test_a_grid_that_fails_leaves_the_learner_itself_alone(here):
    done = run("BadGrid")
    assert done.standing["method"].tolist() == ["stranger:BadGrid"]
    (problem,) = done.problems
    expected = "Table 1, stranger:BadGrid, tuned: ValueError: Invalid parameter "
    assert problem.startswith(expected)


def test_a_table_that_fails_leaves_the_others_alone(here, capsys):
    """Ml-kNN on bags joined end to end has nothing to join in the vectors of Table 3."""
    line = "bench stranger:knn --profile smoke --jobs 1 --tables 3 1"
    assert main(line.split()) == 1
    printed = capsys.readouterr()
    assert printed.out.endswith("stranger.knn/smoke/report.md\n")
    assert re.search(r"1 +stranger:knn +1.00", printed.out)
    assert "failed: Table 3, stranger:knn: ValueError: X must be Bags" in printed.err


def test_a_table_whose_data_are_missing_leaves_the_others_alone(here, monkeypatch):
    def compute_if_here(experiment, **options):
        if experiment.name == "table3":
            raise DataError("no file of yeast")
        return compute(experiment, **options)

    monkeypatch.setattr(bench_module, "compute", compute_if_here)
    done = run("Shares", [1, 3])
    assert done.problems == ["Table 3, stranger:Shares: no file of yeast"]
    assert done.standing["table"].tolist() == [1]
    assert "no file of yeast" in report_of(done)


def check_problem(entry, tables, line):
    done = bench(entry, tables, profile="smoke", jobs=1)
    (problem,) = done.problems
    assert re.fullmatch(line, problem)
    assert done.standing.empty
    assert markdown_text(problem) in report_of(done)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("Shape", r"decision_function must give an array of shape \(.*, 2\)"),
        ("Raises", "RuntimeError: no luck"),
        ("Leaves", "SystemExit: 3"),
        ("Masked", "ValueError: answers must have no masked values; fill .*"),
    ],
)
def test_a_bad_entry_gets_one_clear_line_for_its_table(here, name, line):
    check_problem(
        f"stranger:{name}",
        [1],
        f"Table 1, stranger:{name}: {line}",
    )


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("stranger:nobody", "AttributeError: module 'stranger' has no attribute 'nobody'"),
        ("nowhere:Name", "ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_an_entry_that_cannot_be_loaded_gets_one_clear_line_for_all_tables(here, entry, line):
    check_problem(entry, [1, 3], f"{entry} cannot be loaded: {line}")


@pytest.mark.parametrize("entry", ["stranger", "stranger:", "../x:Name", "a b:Name"])
def test_what_is_not_written_as_an_entry_is_refused(here, entry):
    with pytest.raises(ValueError, match="entry must be written module:Name"):
        bench(entry, [1])


@pytest.mark.parametrize("tables", [[], [6], [1, "1"]])
def test_what_is_no_table_is_refused(tables):
    with pytest.raises(
        ValueError, match=r"tables must be some of \[1, 2, 3, 4, 5, 'unseen'\]"
    ):
        bench("stranger:knn", tables)


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), 1e300])
def test_a_timeout_that_no_clock_can_keep_is_refused(timeout):
    with pytest.raises(
        ValueError, match="timeout must be a positive, finite number of seconds"
    ):
        bench("stranger:knn", [1], timeout=timeout)


def test_a_killed_bench_goes_on(here):
    done = run("knn")
    store = store_of(done)
    store.rewrite(TABLE_1, lambda rows: rows[rows["split"] == 0])
    kept = store.path("table1").read_text()
    again = run("knn")
    assert recorded_of(again)["split"].tolist() == [0, 1]
    assert store.path("table1").read_text().startswith(kept)
    assert again.standing["rank"].equals(done.standing["rank"])


def test_a_second_bench_of_an_entry_waits_for_the_first(here, capsys):
    """Both write output.txt and report.md."""
    folder = folders.build("bench", "stranger.Raises", "smoke")
    folder.mkdir(parents=True)
    has_begun = Event()

    def first():
        with FileLock(folder / ".bench.lock"):
            has_begun.set()
            sleep(0.5)

    thread = Thread(target=first)
    thread.start()
    has_begun.wait()
    assert run("Raises").problems
    thread.join()
    assert f"stranger:Raises waits for its other bench, which runs in {folder}" in (
        capsys.readouterr().err
    )


def test_a_changed_file_begins_again(here):
    before = recorded_of(run("knn"))
    changed = STRANGER.replace("n_neighbors=10", "n_neighbors=20")
    (here / "stranger.py").write_text(changed)
    after = recorded_of(run("knn"))
    assert not set(before["settings"]) & set(after["settings"])
    is_changed = before["average_precision"] != after["average_precision"]
    assert is_changed.any()


def test_a_change_of_what_the_file_imports_begins_again(here):
    """Not of other files beside it."""
    (here / "settings").mkdir()
    helper = here / "settings" / "neighbours.py"
    helper.write_text("K = 10\n")
    entry = "from settings.neighbours import K\n" + STRANGER.replace("=10", "=K")
    (here / "stranger.py").write_text(entry)
    before = recorded_of(run("knn"))
    (here / "another.py").write_text("")
    assert recorded_of(run("knn")).equals(before)
    helper.write_text("K = 20\n")
    after = recorded_of(run("knn"))
    assert not set(before["settings"]) & set(after["settings"])


def test_a_change_of_what_a_fit_imports_begins_again(here):
    """Also through a link, and from a folder that the file adds to the path."""
    (here / "src").mkdir()
    target = here / "kept_elsewhere.py"
    target.write_text("SHIFT = 0.5\n")
    (here / "src" / "settings.py").symlink_to(target)
    fit = "    def fit(self, X, Y):\n"
    late = STRANGER.replace(fit, fit + "        from settings import SHIFT\n", 1)
    (here / "stranger.py").write_text("import sys\nsys.path.insert(0, 'src')\n" + late)
    before = recorded_of(run("Plain"))
    target.write_text("SHIFT = 0.4\n")
    after = recorded_of(run("Plain"))
    assert not set(before["settings"]) & set(after["settings"])


def test_where_an_entry_fails_is_kept(here):
    done = run("Raises")
    printed = (done.folder / bench_module.OUTPUT).read_text()
    assert printed.startswith("Traceback")
    assert 'raise RuntimeError("no luck' in printed


@pytest.fixture
def ranked(monkeypatch):
    """On musk1 a is best, on fox b; c has musk1 alone, and shares the second place there."""
    on_musk = {"accuracy": [0.9, 0.8, 0.8]}
    on_fox = {"accuracy": [0.5, 0.7]}
    of_musk = rows(
        "table5",
        "musk1",
        ["a", "b", "c"],
        on_musk,
        seconds=1.0,
    )
    of_fox = rows("table5", "fox", ["a", "b"], on_fox, seconds=1.0)
    table = pd.concat([of_musk, of_fox]).assign(split=0)
    is_entry = table["method"] == "a"
    recorded = table[~is_entry]
    monkeypatch.setattr(
        bench_module,
        "_recorded",
        lambda *arguments: [recorded],
    )
    return bench_module._ranked(5, table[is_entry], "paper")


def test_ranks_are_means_over_columns_that_a_method_has(ranked):
    ranks = ranked.tidy.set_index("method")["rank"]
    assert ranks.to_dict() == {"a": 1.5, "b": 1.75, "c": 2.5}


def test_the_best_of_each_column_is_bold_and_what_is_missing_a_dash(ranked):
    cells = ranked.entries[["musk1", "fox"]]
    assert cells.at["a", "musk1"].lines == (".900",)
    assert cells.at["c", "fox"].lines == ("–",)
    n_bold = sum(cell.bold == (True,) for cell in cells.stack())
    assert n_bold == 2


@pytest.mark.parametrize(
    ("number", "of_a", "of_b"),
    [(1, "8–0–6", "6–0–8"), (4, "4–0–3", "3–0–4")],
)
def test_cases_are_counted_by_criterion_and_set_or_over_the_sets_of_table_4(
    number, of_a, of_b
):
    """On each set A is better on four losses and worse on three scores."""
    records = apart(0.1)
    if number == 4:
        # A set of pages has one split.
        name = records["dataset"] + records["split"].astype(str)
        records = records.assign(dataset=name, split=0)
    table = printed_tables()[number]
    assert bench_module._against("A", "B", records, table) == of_a
    assert bench_module._against("B", "A", records, table) == of_b
