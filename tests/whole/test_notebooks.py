"""Notebooks: how they run, by which parameters, and where they write."""

import ast
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from filelock import FileLock
from nbclient.exceptions import DeadKernelError

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.report import notebooks
from mimlstudy.report.notebook_page import write_page
from mimlstudy.report.notebooks import NotebookRun, last_runs, run_notebooks
from mimlstudy.report.parameters import TYPES, ParameterError
from tests.made_up_notebooks import edited, enter_notebooks, write_notebook
from tests.made_up_study import raising
from tests.systems import on_posix


@pytest.fixture
def folder(tmp_path, monkeypatch):
    return enter_notebooks(tmp_path, monkeypatch)


def declare(path, declaration):
    """Add a parameter to a notebook."""
    with edited(path) as notebook:
        notebook.cells[0].source += f"\n{declaration}"


PICTURE = "Image(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(16))"
WITH_TEXT = PICTURE.replace("bytes(16)", "bytes(16), metadata={'alt': 'a < b'}")
FIGURES = f"__import__('os').environ['{folders.FIGURES}']"


def write_good_and_bad(folder):
    """A notebook that ends well, one that fails, and a scorecard that needs build/smoke."""
    show_values = f"print(profile, jobs, recompute, {FIGURES}, 'os' in dir())"
    import_image = "from IPython.display import Image"
    cells = [show_values, f"{import_image}; {WITH_TEXT}", PICTURE]
    write_notebook(folder, "3_good", *cells)
    with edited(folder / "3_good.ipynb") as notebook:
        notebook.cells[3].metadata["mystnb"] = {"image": {"alt": "of the cell"}}
    write_notebook(
        folder,
        "0_scorecard",
        "import os; assert os.path.exists('build/smoke')",
    )
    write_notebook(folder, "4_bad", "x = 1", "1 / 0", "x = 2")


@pytest.fixture
def build(folder):
    """The folder of a smoke run's outputs, with an older output of the notebook that fails."""
    out = folder.parent / "build" / "smoke"
    out.mkdir(parents=True)
    (out / "4_bad.ipynb").write_text("older")
    return out


def test_what_ends_well_is_written_whole_and_what_fails_leaves_the_older_output(
    folder, build
):
    """Side by side, and the scorecard last. Pictures have their own text, or that of their cell."""
    write_good_and_bad(folder)
    parameters = {"profile": "smoke", "recompute": True}
    runs = run_notebooks(None, parameters, at_once=2, publish=True)
    statuses = {run.name: run.status for run in runs}
    assert statuses == {
        "0_scorecard": "done",
        "3_good": "done",
        "4_bad": "error",
    }
    assert last_runs("smoke") == statuses
    good, bad, scorecard = runs
    assert scorecard.name == "0_scorecard"
    assert f"smoke -1 True {build}/figures False" in good.output.read_text()
    page = (build / "3_good.html").read_text()
    assert re.findall('<img alt="(.*?)"', page) == ["a &lt; b", "of the cell"]
    assert "ZeroDivisionError" in bad.message
    assert bad.message.endswith(f"What is in {build} is of an earlier run.")
    assert bad.output is None
    assert (build / "4_bad.ipynb").read_text() == "older"
    assert not (build / "4_bad.html").exists()
    assert folders.FIGURES not in os.environ


def only_read(path, *arguments):
    return nbformat.read(path, as_version=4)


def test_a_page_is_titled_by_its_heading_and_an_answer_has_no_tutorial(tmp_path):
    """Whoever gets a report has no use for what its parameters are."""
    tutorial = {"tags": ["tutorial"]}
    cells = [
        nbformat.v4.new_markdown_cell("# Your data\n\nA report."),
        nbformat.v4.new_markdown_cell("## Parameters", metadata=tutorial),
        nbformat.v4.new_markdown_cell("## The data\n\n# and more"),
    ]
    for is_answer in (False, True):
        notebook = nbformat.v4.new_notebook(cells=[cell.copy() for cell in cells])
        write_page(notebook, tmp_path / "own.html", is_answer=is_answer)
        page = (tmp_path / "own.html").read_text()
        assert "<title>Your data</title>" in page
        assert ("Parameters" in page) != is_answer
        assert "The data" in page


def test_the_report_on_own_data_marks_its_tutorial():
    """What stays names the notebook, the data and the answers, not its parameters."""
    notebook = nbformat.read(folders.notebooks() / "own_data.ipynb", as_version=4)
    kept = [
        cell for cell in notebook.cells if "tutorial" not in cell.metadata.get("tags", ())
    ]
    assert kept[0].source == "# Your own data: a report"
    assert not any("-p " in cell.source or "file: str" in cell.source for cell in kept)


@pytest.mark.parametrize(
    ("execute", "status"),
    [
        # Cells without a count.
        (only_read, "incomplete"),
        (raising(DeadKernelError("no answer")), "died"),
        (raising(RuntimeError("Kernel died before replying to kernel_info")), "died"),
    ],
)
def test_each_last_run_is_remembered_by_its_end(folder, monkeypatch, execute, status):
    write_notebook(folder, "3_good", "pass")
    monkeypatch.setattr(notebooks, "_execute", execute)
    (run,) = run_notebooks(["3_good"])
    assert run.status == status
    assert last_runs() == {"3_good": status}
    assert last_runs("smoke") == {}


def test_a_page_that_cannot_be_written_is_no_dead_kernel(folder, monkeypatch):
    write_notebook(folder, "3_good", "pass")
    monkeypatch.setattr(notebooks, "_execute", executed_at_once)
    monkeypatch.setattr(notebooks, "write_page", raising(RuntimeError("no formula")))
    (run,) = run_notebooks(["3_good"])
    assert (run.status, run.message) == ("error", "RuntimeError: no formula")


def executed_at_once(path, *arguments):
    """A notebook that looks executed."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.execution_count = 1
    return notebook


def test_a_full_disk_ends_one_notebook_with_its_name_and_the_next_goes_on(
    folder, monkeypatch
):
    write_notebook(folder, "3_good", "pass")
    write_notebook(folder, "4_bad", "pass")
    write = paths.write_whole

    def write_or_fail(path, content):
        if path.stem == "4_bad":
            raise OSError(28, "No space left on device", str(path))
        return write(path, content)

    monkeypatch.setattr(paths, "write_whole", write_or_fail)
    monkeypatch.setattr(notebooks, "_execute", executed_at_once)
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
    """Each in a folder that its question names; a relative path begins where the caller is."""
    write_notebook(folder, "3_asks", "print('answer', number, file)")
    declare(folder / "3_asks.ipynb", "number: int = 0\nfile: str = ''")

    def ask(number):
        parameters = {"number": number, "file": "mine.csv"}
        (run,) = run_notebooks(["3_asks"], parameters)
        return run.output

    with ThreadPoolExecutor() as threads:
        of_five, of_seven = threads.map(ask, (5, 7))
    assert of_five.parent.name.startswith("file=")
    assert f"answer 5 {folder.parent}/mine.csv" in of_five.read_text()
    assert of_seven.parent.name.startswith("file=")
    assert f"answer 7 {folder.parent}/mine.csv" in of_seven.read_text()
    assert of_five.parent != of_seven.parent


def test_a_run_that_waits_for_another_says_so(folder):
    write_notebook(folder, "3_good", "pass")
    said = []
    folders.build("paper").mkdir(parents=True, exist_ok=True)
    lock = FileLock(folders.build("paper") / ".3_good.lock")
    with lock, ThreadPoolExecutor() as threads:
        run = threads.submit(run_notebooks, ["3_good"], report=said.append)
        while not said:
            time.sleep(0.01)
        assert said == ["3_good: waits for another run of the same question"]
        lock.release()
        (result,) = run.result()
    assert result.status == "done"


def test_a_readers_own_profile_of_ipython_changes_no_page(folder, monkeypatch, tmp_path):
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text("answer = 'of the profile'")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    write_notebook(folder, "3_asks", "print(globals().get('answer', 'none'))")
    (run,) = run_notebooks(["3_asks"])
    assert "none" in run.output.read_text()
    assert "of the profile" not in run.output.read_text()


def test_a_name_that_is_nearly_right_gets_a_hint(folder):
    write_notebook(folder, "4_degeneration", "pass")
    with pytest.raises(ValueError, match=r"got '4_degen'; did you mean 4_degeneration\?"):
        run_notebooks(["4_degen"])


def test_a_package_without_notebooks_says_so(folder):
    with pytest.raises(ValueError, match="an installed package has none"):
        run_notebooks(["4_degeneration"])


@on_posix
def test_only_the_projects_notebooks_run(folder, tmp_path, monkeypatch):
    """Not a stranger's, which runs whatever code it holds, by its path or by a link."""
    monkeypatch.setattr(
        notebooks,
        "_run",
        raising(AssertionError("started")),
    )
    write_notebook(folder, "book", "pass")
    write_notebook(tmp_path, "novel", "pass")
    strange = tmp_path / "novel.ipynb"
    link = folder / "linked.ipynb"
    link.symlink_to(strange)
    for name in ("novel", "linked", str(strange), str(link)):
        with pytest.raises(ValueError, match=rf"must be one of \['book'\], got '{name}'"):
            run_notebooks([name])


def test_a_notebook_that_is_named_twice_runs_once(folder, monkeypatch):
    write_notebook(folder, "book", "pass")
    done = NotebookRun("book", "done", 0.0)
    monkeypatch.setattr(
        notebooks,
        "_run",
        lambda *arguments, **options: done,
    )
    assert run_notebooks(["notebooks/book.ipynb", "book"]) == [done]


@pytest.fixture
def calls(monkeypatch):
    """What would run: the parameters' values and the folders of outputs and of figures."""
    calls = []

    def run(path, *, values, folder, figures, is_answer, report):
        root = folders.project_root()
        figures = figures.relative_to(root).as_posix()
        folder = folder.relative_to(root).as_posix()
        assert is_answer == folder.startswith("build/explored")
        calls.append({"values": values, "folder": folder, "figures": figures})
        return NotebookRun(path.stem, "done", 0.0)

    monkeypatch.setattr(notebooks, "_run", run)
    return calls


def test_a_question_is_answered_in_a_folder_of_its_own_and_not_remembered(folder, calls):
    """The list that a text holds goes to the notebook."""
    write_notebook(folder, "3_good", "pass")
    run_notebooks(["3_good"], {"recompute": "true"})
    assert calls[0]["values"] == {"recompute": True}
    assert calls[0]["folder"].startswith("build/paper")
    remembered = last_runs()
    declare(folder / "3_good.ipynb", "k: list[int] = []")
    run_notebooks(["3_good"], {"k": "[1, 2]"})
    assert calls[1]["values"] == {"k": [1, 2]}
    assert calls[1]["folder"].startswith("build/explored")
    assert last_runs() == remembered


def test_a_question_is_checked_before_anything_runs(folder, calls):
    write_notebook(folder, "3_good", "pass")
    declare(folder / "3_good.ipynb", "k: list[int] = []")
    with pytest.raises(ParameterError, match=r"3_good must be among \[.*'k'\], got 'K'"):
        run_notebooks(["3_good"], {"K": 1})
    with pytest.raises(ParameterError, match=r"k of 3_good must be list\[int\], .*got 'few'"):
        run_notebooks(["3_good"], {"k": "few"})
    assert not calls


def test_only_a_run_that_publishes_writes_what_git_keeps(folder, calls):
    """And only the full protocol, without a question."""
    write_notebook(folder, "3_good", "pass")
    run_notebooks(["3_good"])
    run_notebooks(["3_good"], publish=True)
    run_notebooks(["3_good"], {"profile": "smoke"}, publish=True)
    declare(folder / "3_good.ipynb", "k: int = 0")
    run_notebooks(["3_good"], {"k": 1}, publish=True)
    usual, published, smoke, explored = [call["figures"] for call in calls]
    assert usual == "build/paper/figures"
    assert published == "figures"
    assert smoke == "build/smoke/figures"
    assert explored.startswith("build/explored/k=1")


def test_a_false_sentence_stops_its_notebook_with_its_name_and_its_text(folder):
    imports = "from mimlstudy.report.companion import Companion"
    cell = "Companion.of_notebook(globals()).says('Black is white.', is_white=False)"
    write_notebook(folder, "3_false", imports, cell)
    (run,) = run_notebooks(["3_false"])
    assert run.name == "3_false"
    assert run.status == "error"
    assert run.output is None
    assert "FalseSentence" in run.message
    assert '"Black is white."' in run.message
    assert "fact is_white (1 of 1)" in run.message


OF_EVERY_NOTEBOOK = {
    "profile": "paper",
    "jobs": -1,
    "data_home": "",
    "recompute": False,
}

each_notebook = pytest.mark.parametrize("name", notebooks.available_notebooks())


@each_notebook
def test_a_notebook_of_the_project_asks_something_and_runs_by_the_same_parameters(name):
    """What asks nothing is empty or 0."""
    path = notebooks.available_notebooks()[name]
    declared = notebooks.parameters_of(path)
    defaults = {}
    for parameter, declaration in declared.items():
        defaults[parameter] = ast.literal_eval(declaration["default"])
    shared = {parameter: defaults.pop(parameter) for parameter in OF_EVERY_NOTEBOOK}
    assert shared == OF_EVERY_NOTEBOOK
    assert defaults
    assert not any(defaults.values())


@each_notebook
def test_a_parameter_of_a_notebook_has_a_type_and_words(name):
    path = notebooks.available_notebooks()[name]
    for declaration in notebooks.parameters_of(path).values():
        assert declaration["inferred_type_name"] in TYPES
        assert declaration["help"]


@each_notebook
def test_a_notebook_imports_the_companion_before_anything_else(name):
    """It pins the arithmetic, which must come before NumPy."""
    text = notebooks.available_notebooks()[name].read_text()
    imported = re.search(r'"(?:from|import) (\S+)', text)
    assert imported[1] == "mimlstudy.report.companion"


FOLDED_FROM = 10  # lines; a shorter cell that draws a figure or makes a sentence stays open


def open_in_the_lab(notebook):
    """Cells that the site folds, and JupyterLab shows whole: the first line of each."""
    unfolded = []
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        is_long = len(cell.source.splitlines()) >= FOLDED_FROM
        is_setup = "hide-cell" in tags
        draws = "hide-input" in tags
        folds = is_setup or (draws and is_long)
        settings = cell.metadata.get("jupyter", {})
        if folds and not settings.get("source_hidden"):
            unfolded.append(cell.source.splitlines()[0])
    return unfolded


@each_notebook
def test_the_lab_folds_the_long_cells_that_the_site_folds(name):
    path = notebooks.available_notebooks()[name]
    assert open_in_the_lab(nbformat.read(path, as_version=4)) == []
