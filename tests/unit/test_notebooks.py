"""Notebooks: how they run, by which parameters, what they may show, and where they write."""

import ast
import multiprocessing
import os
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient.exceptions import DeadKernelError

from mimlpaper import paths
from mimlpaper.datasets import DataError, load
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import keys_of
from mimlstudy.paper.catalogue import PaperCatalogue, default_store, explored_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.report import companion, notebooks
from mimlstudy.report.companion import Companion
from mimlstudy.report.figures import caption_of
from mimlstudy.report.kernels import NAME
from mimlstudy.report.notebooks import NotebookRun, last_runs, run_notebooks
from mimlstudy.report.parameters import TYPES, ParameterError
from mimlstudy.report.sentences import FalseSentence
from mimlstudy.report.tables import frame_grid
from tests.made_up_notebooks import edited, write_notebook
from tests.made_up_study import METHODS, change_records, raising, tiny


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of notebooks in the project's place."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    (tmp_path / "notebooks").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "notebooks"


def test_what_ends_well_is_written_whole_and_what_fails_leaves_the_older_output(folder):
    """Side by side, and the scorecard last. Pictures have their own text, or that of their cell."""
    picture = "from IPython.display import Image; Image(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(16)"
    said = f"profile, jobs, recompute, __import__('os').environ['{folders.FIGURES}'], 'os' in dir()"
    named = f"{picture}, metadata={{'alt': 'a < b'}})"
    write_notebook(folder, "3_good", f"print({said})", named, f"{picture})")
    with edited(folder / "3_good.ipynb") as notebook:
        notebook.cells[3].metadata["mystnb"] = {"image": {"alt": "of the cell"}}
    write_notebook(folder, "0_scorecard", "import os; assert os.path.exists('build/smoke')")
    write_notebook(folder, "4_bad", "x = 1", "1 / 0", "x = 2")
    (out := folder.parent / "build" / "smoke").mkdir(parents=True)
    (out / "4_bad.ipynb").write_text("older")

    runs = run_notebooks(None, {"profile": "smoke", "recompute": True}, at_once=2, publish=True)
    assert {run.name: run.status for run in runs} == last_runs("smoke")
    assert last_runs("smoke") == {"0_scorecard": "done", "3_good": "done", "4_bad": "error"}
    good, bad, last = runs
    assert f"smoke -1 True {out}/figures False" in good.output.read_text()
    assert last.name == "0_scorecard"
    page = (out / "3_good.html").read_text()
    assert re.findall('<img alt="(.*?)"', page) == ["a &lt; b", "of the cell"]
    assert "ZeroDivisionError" in bad.message and bad.output is None
    assert (out / "4_bad.ipynb").read_text() == "older" and not (out / "4_bad.html").exists()
    assert folders.FIGURES not in os.environ


def test_each_last_run_is_remembered_by_its_end(folder, monkeypatch):
    """Cells without a count, a kernel that died."""
    write_notebook(folder, "3_good", "pass")

    def only_read(path, *others):
        return nbformat.read(path, as_version=4)

    dead = raising(DeadKernelError("no answer"))
    for execute, status in ((only_read, "incomplete"), (dead, "died")):
        monkeypatch.setattr(notebooks, "_execute", execute)
        assert {run.status for run in run_notebooks(["3_good"])} == {status}
        assert last_runs() == {"3_good": status} and last_runs("smoke") == {}


def test_a_full_disk_ends_one_notebook_with_its_name_and_the_next_goes_on(folder, monkeypatch):
    write_notebook(folder, "3_good", "pass")
    write_notebook(folder, "4_bad", "pass")
    write = paths.write_whole

    def write_or_fail(path, content):
        if path.stem == "4_bad":
            raise OSError(28, "No space left on device", str(path))
        return write(path, content)

    monkeypatch.setattr(paths, "write_whole", write_or_fail)
    lines = []
    bad, good = run_notebooks(["4_bad", "3_good"], report=lines.append)
    assert bad.status == "error"
    assert "No space left on device" in bad.message
    assert good.status == "done"
    assert lines[0] == "4_bad: started"
    assert re.fullmatch(r"4_bad: error after \d+ s", lines[1])
    assert lines[2] == "3_good: started"
    assert re.fullmatch(r"3_good: done after \d+ s", lines[3])


def test_two_questions_at_once_are_both_answered(folder):
    """Each in a folder that its question names, from a folder of the caller's."""
    write_notebook(folder, "3_asks", "print('answer', number, file)")
    with edited(folder / "3_asks.ipynb") as notebook:
        notebook.cells[0].source += "number: int = 0\nfile: str = ''"
    questions = [{"number": number, "file": "mine.csv"} for number in (5, 7)]
    with ThreadPoolExecutor() as threads:
        runs = [run for (run,) in threads.map(partial(run_notebooks, ["3_asks"]), questions)]
    for number, run in zip((5, 7), runs, strict=True):
        assert run.output.parent.name.startswith("file=")
        assert f"answer {number} {folder.parent}/mine.csv" in run.output.read_text()
    assert runs[0].output.parent != runs[1].output.parent


def interrupt_this_thread_after(started, seconds):
    """Send Ctrl-C's signal to the calling thread, some seconds after the event."""
    target = threading.get_ident()

    def interrupt():
        started.wait(60)
        time.sleep(seconds)
        signal.pthread_kill(target, signal.SIGINT)

    threading.Thread(target=interrupt).start()


@pytest.fixture
def heeds_interrupts():
    """Ctrl-C raises KeyboardInterrupt, also where a shell started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_interrupts")
@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.0, 2.0])
def test_a_run_that_is_interrupted_ends_and_leaves_no_kernel(folder, seconds):
    """Before its kernel starts, while it does, and in a cell; the next notebook never starts."""
    write_notebook(folder, "3_long", "import time; time.sleep(600)")
    write_notebook(folder, "4_next", "pass")
    lines, started = [], threading.Event()

    def report(line):
        lines.append(line)
        started.set()

    interrupt_this_thread_after(started, seconds)
    with pytest.raises(KeyboardInterrupt):
        run_notebooks(["3_long", "4_next"], report=report)
    assert "4_next: started" not in lines
    assert not [child for child in multiprocessing.active_children() if child.name == NAME]


def test_a_name_that_is_nearly_right_gets_a_hint(folder):
    write_notebook(folder, "4_degeneration", "pass")
    with pytest.raises(ValueError, match=r"got '4_degen'; did you mean 4_degeneration\?"):
        run_notebooks(["4_degen"])


def test_a_package_without_notebooks_says_so(folder):
    with pytest.raises(ValueError, match="an installed package has none"):
        run_notebooks(["4_degeneration"])


def test_only_the_projects_notebooks_run(folder, tmp_path, monkeypatch):
    """Not a stranger's, which runs whatever code it holds, by its path or by a link."""
    monkeypatch.setattr(notebooks, "_run", lambda *_, **__: pytest.fail("started"))
    write_notebook(folder, "book", "pass")
    write_notebook(tmp_path, "novel", "pass")
    (folder / "linked.ipynb").symlink_to(tmp_path / "novel.ipynb")
    for name in ("novel", "linked", str(tmp_path / "novel.ipynb"), str(folder / "linked.ipynb")):
        with pytest.raises(ValueError, match=rf"must be one of \['book'\], got '{name}'"):
            run_notebooks([name])
    monkeypatch.chdir(tmp_path)
    done = NotebookRun("book", "done", 0.0)
    monkeypatch.setattr(notebooks, "_run", lambda *_, **__: done)
    assert run_notebooks(["notebooks/book.ipynb", "book"]) == [done]


def test_own_questions_are_checked_first_and_answered_elsewhere(folder, monkeypatch):
    """The list that a text holds goes to the notebook; other runs are remembered, these are not."""

    def seen(path, *, values, folder, figures, report):
        return NotebookRun(path.stem, f"{values} {folder}", 0.0)

    monkeypatch.setattr(notebooks, "_run", seen)
    write_notebook(folder, "3_good", "pass")
    (run,) = run_notebooks(["3_good"], {"recompute": "true"})
    assert "{'recompute': True}" in run.status and "build/paper" in run.status
    with edited(folder / "3_good.ipynb") as notebook:
        notebook.cells[0].source += "\nk: list[int] = []"
    (run,) = run_notebooks(["3_good"], {"k": "[1, 2]"})
    assert "{'k': [1, 2]}" in run.status and "build/explored" in run.status
    assert "'k'" not in str(last_runs())
    with pytest.raises(ParameterError, match=r"3_good must be among \[.*'k'\], got 'K'"):
        run_notebooks(["3_good"], {"K": 1})
    with pytest.raises(ParameterError, match=r"k of 3_good must be list\[int\], .*got 'few'"):
        run_notebooks(["3_good"], {"k": "few"})


def test_all_notebooks_of_the_project_ask_something_and_run_by_the_same_parameters():
    """Types, defaults and words are there; what asks nothing is empty or 0; the pin comes first."""
    how = {"profile": "paper", "jobs": -1, "data_home": "", "recompute": False}
    for path in notebooks.available_notebooks().values():
        declared = notebooks.parameters_of(path)
        defaults = {n: ast.literal_eval(one["default"]) for n, one in declared.items()}
        assert {name: defaults.pop(name) for name in how} == how
        assert defaults and not any(defaults.values()), path
        imported = re.search(r'"(?:from|import) (\S+)', path.read_text())
        assert imported[1] == "mimlstudy.report.companion"
        assert all(one["inferred_type_name"] in TYPES and one["help"] for one in declared.values())


MINE = tiny({"Ml-knn": METHODS["Ml-knn"]})


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty folder in the project's place, with one experiment of two trials."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    monkeypatch.delenv(folders.FIGURES, raising=False)
    monkeypatch.setitem(EXPERIMENTS, "mine", MINE)
    return tmp_path


@pytest.fixture
def shown(monkeypatch):
    """What is displayed: objects and their metadata."""
    calls = []
    monkeypatch.setattr(companion, "display", lambda one, **how: calls.append((one, how)))
    return calls


def test_only_a_run_that_publishes_writes_what_git_keeps(folder, monkeypatch):
    """And only the full protocol, without an own question."""
    written = []

    def seen(path, *, values, folder, figures, report):
        written.append(figures.relative_to(paths.project_root()).as_posix())
        return NotebookRun(path.stem, "done", 0.0)

    monkeypatch.setattr(notebooks, "_run", seen)
    write_notebook(folder, "3_good", "pass")
    run_notebooks(["3_good"])
    run_notebooks(["3_good"], publish=True)
    run_notebooks(["3_good"], {"profile": "smoke"}, publish=True)
    with edited(folder / "3_good.ipynb") as notebook:
        notebook.cells[0].source += "\nk: int = 0"
    run_notebooks(["3_good"], {"k": 1}, publish=True)
    *usual, explored = written
    assert usual == ["build/paper/figures", "figures", "build/smoke/figures"]
    assert explored.startswith("build/explored/k=1")


def test_a_figure_is_shown_with_its_name_and_caption_and_carries_them(project, shown):
    for name, title in (("figure1", "Fig. 1"), ("rise_and_fall", "rise and fall")):
        figure = plt.subplots()[0]
        Companion().save_figure(figure, name, shows="A line.")
        assert not plt.fignum_exists(figure.number)
        about = shown.pop()[1]["metadata"]
        assert about["artefact"] == name
        assert about["caption"] == "A line."
        assert about["image/png"] == {"alt": f"{title}. A line."}
        file = project / "build" / "paper" / "figures" / f"{name}.png"
        assert caption_of(file) == "A line."
        assert f"<title>{title}</title>" in file.with_suffix(".svg").read_text()


def test_a_run_says_where_figures_and_tables_go(project, monkeypatch, shown):
    """Also those of the companion of what is published, which knows no profile."""
    monkeypatch.setenv(folders.FIGURES, str(project / "here"))
    for paper in (Companion(profile="smoke"), Companion.published()):
        assert paper.folder == project / "here"
    frame = pd.DataFrame({"bags": [200]})
    table = frame_grid(frame, frame, "Sizes")
    Companion().save_table(table, "sizes")
    assert (project / "here" / "sizes.csv").is_file()
    assert shown == [(table, {"metadata": {"artefact": "sizes"}})]


def test_a_sentence_is_shown_if_its_facts_hold_and_stops_the_notebook_if_not(project, shown):
    paper = Companion()
    paper.says("Seven of 7 agree.", all_agree=True, none_is_missing=np.True_)
    assert shown.pop()[0].data == "Seven of 7 agree."
    said = r'"Eight of 7 agree\.": its fact all_agree \(2 of 2\) is false'
    with pytest.raises(FalseSentence, match=said):
        paper.says("Eight of 7 agree.", none_is_missing=True, all_agree=False)
    with pytest.raises(TypeError, match="fact best must be True or False, got Series"):
        paper.says("The best.", best=pd.Series([True]))
    assert not shown


def test_a_sentence_about_the_full_protocol_is_left_out_elsewhere(project, shown):
    for paper in (Companion(profile="smoke"), Companion(n_splits=3)):
        assert not paper.is_full
        paper.says("Eight of 7 agree.", all_agree=False)
    assert not shown
    assert Companion.published().is_full


def test_a_false_sentence_stops_its_notebook_with_its_name_and_its_text(folder):
    companion = "from mimlstudy.report.companion import Companion"
    cell = "Companion.of_notebook(globals()).says('Black is white.', is_white=False)"
    write_notebook(folder, "3_false", companion, cell)
    (run,) = run_notebooks(["3_false"])
    assert (run.name, run.status, run.output) == ("3_false", "error", None)
    assert "FalseSentence" in run.message
    assert '"Black is white."' in run.message
    assert "fact is_white (1 of 1)" in run.message
    (run,) = run_notebooks(["3_false"], {"profile": "smoke"})
    assert run.status == "done"


def test_what_is_published_is_shown_also_if_code_has_changed_since(project, shown):
    """Read from data/results alone; refuted records never are, and nothing runs."""
    store = default_store()
    compute(MINE, jobs=1, store=store)
    change_records(store, MINE, lambda rows: rows.assign(code="other code"))
    published = Companion.published()
    assert Companion().recorded("mine").empty
    assert set(published.trials("mine")["state"]) == {"code changed"}
    assert len(published.recorded("mine")) == 2
    store.mark(MINE, set(keys_of(store.load(MINE))[:1]))
    assert len(Companion.published().trials("mine")) == 1
    assert not shown
    assert not (project / "build" / "explored").exists()


def test_trials_of_a_notebook_are_recorded_over_what_git_keeps(project):
    """The records below are used and stay as they are; a smoke run has a folder of its own."""
    compute(MINE.varied(n_splits=1), jobs=1, store=default_store())
    kept = default_store().path("mine").read_bytes()
    for profile, folder, n_new in (("paper", "explored", 1), ("smoke", "smoke", 2)):
        assert len(Companion(profile=profile, jobs=1).trials("mine")) == 2
        assert len(pd.read_csv(project / "build" / folder / "results" / "mine.csv")) == n_new
    assert default_store().path("mine").read_bytes() == kept


def test_records_that_no_check_confirmed_are_left_out_with_a_note(project, monkeypatch, shown):
    """One row was edited, all others are of other code, and the data are gone."""
    store, paper = explored_store(), Companion(jobs=1)
    assert len(paper.trials("mine")) == 2 and not shown
    monkeypatch.setattr(PaperCatalogue, "fetch", raising(DataError("gone")))
    path = store.path("mine")
    path.write_text(path.read_text().replace(",0.", ",0.9", 1))
    assert len(paper.trials("mine")) == 2  # a notebook runs and reads its trials once
    assert len(Companion(jobs=1).trials("mine")) == len(Companion().recorded("mine")) == 1
    assert "1 damaged" in shown[-1][0].data and "`mimlpaper compute mine" in shown[-1][0].data
    change_records(store, MINE, lambda rows: rows.assign(code="other code"))
    store.mark(MINE, set(keys_of(store.load(MINE))[:1]))
    assert Companion(jobs=1).trials("mine").empty and len(Companion().known("mine")) == 2
    assert all(text in shown[-1][0].data for text in ("1 code changed", "1 differs"))


def test_a_table_is_blank_where_no_record_may_be_shown(project, shown):
    """An edited row of Table 1 gives no mean: the others of its method are too few for one."""
    paper = Companion(profile="smoke", jobs=1)
    experiment, store = EXPERIMENTS["table1"], explored_store("smoke")
    compute(experiment, profile="smoke", methods=["Ml-knn"], jobs=1, store=store)
    store.mark(experiment, set(keys_of(store.load(experiment))))
    cells = pd.DataFrame(paper.scorecard()["cells"]).query("table == 1 and algorithm == 'Ml-knn'")
    assert cells["mean"].isna().all() and set(cells["verdict"]) == {"missing"}
    assert [claim.id for claim in paper.claims("B.")] == ["B.1", "B.2", "B.3", "B.4", "B.5"]


def test_drawn_data_are_named_and_replace_nothing_that_git_keeps(project, monkeypatch, shown):
    for one in (Companion(profile="smoke"), Companion(data_home=str(project / "nothing"))):
        assert one.dataset("scene").name == "synthetic_scene"
        note = shown.pop()[0].data
        assert "Synthetic data" in note and "*scene*" in note
    drawn, frame = load("synthetic_scene"), pd.DataFrame({"bags": [200]})
    table = frame_grid(frame, frame, "Sizes")
    for figures, n_files in (("figures", 0), ("build/smoke/figures", 2)):
        monkeypatch.setenv(folders.FIGURES, str(project / figures))
        paper = Companion()
        paper.save_table(table, "sizes", of=[drawn])
        paper.save_figure(figure := plt.subplots()[0], "explained", shows="A line.", of=drawn)
        for name in ("sizes", "explained"):
            assert len(list(project.rglob(f"{name}.*"))) == n_files
        assert figure.get_suptitle() == companion.DRAWN
        about = shown[-1][1]["metadata"]
        assert about["caption"] == f"{companion.DRAWN} A line."
        assert about["image/png"]["alt"] == f"explained. {companion.DRAWN} A line."


def test_an_own_question_is_answered_in_a_folder_of_its_own(project, monkeypatch, shown):
    """Claims and other tables keep the experiment as it is, and what is published stays."""
    paper = Companion(jobs=1, n_splits=3, methods=["Ml-knn"], grid=[])
    assert paper.explores == "n_splits = 3; methods = Ml-knn"
    overrides = {"Ml-knn": [{"n_neighbors": 3}, {}]}
    asked = paper.trials("mine", n_splits=3, methods=["Ml-knn"], overrides=overrides)
    assert asked["split"].tolist() == [0, 0, 1, 1, 2, 2]
    assert asked["override"].tolist() == ['{"mlknn__n_neighbors": 3}', "{}"] * 3
    assert len(paper.recorded("mine")) == 2
    paper.save_figure(figure := plt.subplots()[0], "table1", shows="A line.")
    assert figure.get_suptitle() == f"Explored: {paper.explores}."
    assert "Explored" in shown[-1][1]["metadata"]["image/png"]["alt"]
    assert {path.name for path in project.iterdir()} == {"build"}
    assert paper.opening("Who?", "here").data.startswith(r"> **Explored:** n\_splits = 3")
    with pytest.raises(ValueError, match=r"among \['Ml-knn'\] for mine, got \['X'\]"):
        paper.trials("mine", methods=["X"])


def test_a_companion_knows_the_parameters_of_its_notebook_and_leaves_its_globals(project):
    cells = {"In": ["profile: str = 'smoke'\nn: int = 0"], "profile": "smoke", "n": "3"}
    before = dict(cells)
    paper = Companion.of_notebook(cells)
    assert paper.profile == "smoke"
    assert paper.parameters("n") == (3,)
    assert cells == before
    with pytest.raises(ParameterError, match=r"parameters must be \['m'\], got \['n'\]"):
        paper.parameters("m")
    with pytest.raises(ParameterError, match=r"profile must be one of .*'paper'\], got 'fast'"):
        Companion(profile="fast")
