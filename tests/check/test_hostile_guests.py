"""Methods that cheat, crash, print or never end: what ``mimlpaper bench`` says of each of them.

Each is entered in Table 1 on synthetic data. An honest method is entered before and after, from the
same process, and its numbers stay to the last digit.
"""

import re
import textwrap
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.metrics import CRITERIA
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.report import guest
from mimlstudy.report.bench import OUTPUT, bench
from mimlstudy.report.command import main
from mimlstudy.report.guest import (
    KEPT_OUTPUT,
    LONGEST_PROBLEM,
    Conditions,
    Session,
    guest_criteria,
)
from mimlstudy.report.plain import markdown_text
from tests.made_up_study import check_same_numbers, raising, tiny

HONEST = """
import os, signal, sys, time
import numpy as np
import mimlpaper.metrics as metrics

class Honest:
    def fit(self, X, Y):
        self.shares_ = np.mean(Y, axis=0) - 0.5
    def decision_function(self, X):
        return np.tile(self.shares_, (len(X), 1))
    def predict(self, X):
        return self.decision_function(X) > 0
"""
SECONDS = 20  # that a fit may take

# Sends messages over what connects its process with the bench.
WRITES = """
import gc
from multiprocessing.connection import Connection

for connection in gc.get_objects():
    if isinstance(connection, Connection) and connection.writable:
        for message in MESSAGES:
            connection.send_bytes(message)
"""


def writing(*messages):
    return f"MESSAGES = {messages}\n{WRITES}"


RIGHT = "nothing is wrong"

# For each guest: its code, and what the bench says of it.
GUESTS = {
    "patches_the_metrics": (
        """
        def fit(self, X, Y):
            super().fit(X, Y)
            metrics.average_precision = lambda Y, scores: 1.0
        """,
        "it changed mimlpaper.metrics",
    ),
    "patches_the_table_of_criteria": (
        """
        def predict(self, X):
            for criterion in list(metrics.CRITERIA):
                metrics.CRITERIA[criterion] = None
            return super().predict(X)
        """,
        "it changed mimlpaper.metrics",
    ),
    "writes_into_the_labels": (
        """
        def fit(self, X, Y):
            Y[:] = True
            super().fit(X, Y)
        """,
        "it changed the labels that it was given",
    ),
    "writes_into_the_test_data": (
        """
        def decision_function(self, X):
            object.__setattr__(X, "instances", 0 * X.instances)
            return super().decision_function(X)
        """,
        "it changed the bags that it was given",
    ),
    "ends_its_process_when_imported": (
        """
        os._exit(0)
        """,
        "it ended its process, with status 0, before it answered",
    ),
    "ends_its_process_in_fit": (
        """
        def fit(self, X, Y):
            os._exit(0)
        """,
        "it ended its process, with status 0, before it answered",
    ),
    "kills_itself": (
        """
        def fit(self, X, Y):
            os.kill(os.getpid(), signal.SIGKILL)
        """,
        "its process died",
    ),
    "never_ends": (
        """
        def fit(self, X, Y):
            while True:
                pass
        """,
        "it gave no answer within 20 s; --timeout allows more",
    ),
    "prints_without_end": (
        """
        def fit(self, X, Y):
            super().fit(X, Y)
            for _ in range(400):
                os.write(1, b"x" * 2**20)
        """,
        RIGHT,
    ),
    "answers_with_an_object": (
        """
        def decision_function(self, X):
            return lambda: os.system("touch here")
        """,
        r"TypeError: .*",
    ),
    "answers_with_another_shape": (
        """
        def decision_function(self, X):
            return np.zeros(3)
        """,
        r"decision_function must give an array of shape \(.*\), got shape \(3,\)",
    ),
    "answers_with_no_number": (
        """
        def decision_function(self, X):
            return np.full((len(X), len(self.shares_)), np.nan)
        """,
        r"scores must not hold NaN, got \d+",
    ),
    "writes_what_is_no_json": (
        writing(b"no json"),
        "its answer cannot be read: JSONDecodeError",
    ),
    "writes_json_without_keys": (
        writing(b"{}"),
        "its answer cannot be read: KeyError",
    ),
    "writes_json_that_is_no_dict": (
        writing(b"null"),
        "its answer cannot be read: TypeError",
    ),
    "writes_an_answer_without_its_code": (
        writing(b'{"has_array": false}'),
        "it answered with something other than its code and its settings",
    ),
    "writes_an_array_for_its_settings": (
        writing(b'{"has_array": true}', b"no array"),
        "its answer cannot be read: ",
    ),
    "raises_a_message_that_is_a_page": (
        """
        def fit(self, X, Y):
            raise RuntimeError("<script>alert(1)</script> | [a](javascript:alert(1))")
        """,
        r"RuntimeError: <script>.*",
    ),
    "remembers_labels_between_trials": (
        """
        def fit(self, X, Y):
            sys.modules.setdefault("memory", []).append(Y)
            super().fit(X, Y)
            if len(sys.modules["memory"]) > 1:
                raise RuntimeError("it remembers")
        """,
        RIGHT,
    ),
    "closes_what_it_can": (
        """
        def fit(self, X, Y):
            os.closerange(3, 256)
        """,
        "it ended its process, with status 1, before it answered",
    ),
    "changes_a_criterion": (
        """
        def fit(self, X, Y):
            super().fit(X, Y)
            perfect = lambda Y, scores: 1.0
            object.__setattr__(metrics.CRITERIA["average_precision"], "function", perfect)
        """,
        "it changed mimlpaper.metrics",
    ),
    "raises_what_controls_a_terminal": (
        """
        def fit(self, X, Y):
            raise RuntimeError("\\x1b[31mred\\x07")
        """,
        "RuntimeError: \N{REPLACEMENT CHARACTER}\\[31mred\N{REPLACEMENT CHARACTER}",
    ),
}


def source_of(name, code):
    """A module's text: methods of a class, or what runs at import."""
    code = textwrap.dedent(code)
    if "def " not in code:
        return HONEST + code + f"\nclass {name}(Honest):\n    pass\n"
    return HONEST + f"\nclass {name}(Honest):\n" + textwrap.indent(code, "    ")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty project in the current folder."""
    make_project(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture(scope="module")
def honest_numbers(tmp_path_factory):
    """What the honest method gets before there was any other."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_project(tmp_path_factory.mktemp("honest"), monkeypatch)
        return numbers(enter("honest:Honest"))


def make_project(folder, monkeypatch):
    monkeypatch.setattr(folders, "project_root", lambda: folder)
    monkeypatch.chdir(folder)
    (folder / "honest.py").write_text(HONEST)


def enter(entry, jobs=1):
    return bench(entry, [1], profile="smoke", jobs=jobs, timeout=SECONDS)


def numbers(done):
    return Store(done.folder, CATALOGUE).load(EXPERIMENTS["table1"])[list(CRITERIA)]


@pytest.mark.parametrize("name", GUESTS)
def test_a_guest_ends_with_the_right_word_and_moves_no_number_of_another_method(
    honest_numbers, here, name
):
    code, words = GUESTS[name]
    (here / f"{name}.py").write_text(source_of(name, code))
    done = enter(f"{name}:{name}")
    report = (done.folder / "report.md").read_text()
    if words == RIGHT:
        assert done.problems == []
        assert numbers(done).equals(honest_numbers)
    else:
        (problem,) = done.problems
        assert re.search(f": {words}", problem)
        assert markdown_text(problem) in report
        assert done.standing.empty
    assert "<script>" not in report.replace(r"\<script", "")
    assert not (here / "here").exists()
    assert numbers(enter("honest:Honest")).equals(honest_numbers)


def test_what_a_guest_prints_is_kept_in_a_file_of_limited_size(here, capfd):
    code, _ = GUESTS["prints_without_end"]
    (here / "loud.py").write_text(source_of("loud", code))
    done = enter("loud:loud")
    kept = done.folder / OUTPUT
    assert 0 < kept.stat().st_size <= 2 * KEPT_OUTPUT
    assert "xxx" not in "".join(capfd.readouterr())
    assert f"{folders.within_project(kept)}`" in (done.folder / "report.md").read_text()


def test_a_long_message_of_a_guest_is_cut(here):
    code = """
    def fit(self, X, Y):
        raise ValueError("x" * 10**6)
    """
    (here / "talks.py").write_text(source_of("talks", code))
    (problem,) = enter("talks:talks").problems
    assert problem.count("x") <= LONGEST_PROBLEM


def test_an_answer_that_is_too_long_is_called_so(here, monkeypatch):
    monkeypatch.setattr(guest, "LARGEST_ANSWER", 2**16)
    code = """
    def decision_function(self, X):
        return np.zeros((2**16, len(self.shares_)))
    """
    (here / "long.py").write_text(source_of("long", code))
    (problem,) = enter("long:long").problems
    assert problem.endswith("its answer has more than 65,536 bytes")


def test_seconds_of_processes_that_a_guest_has_started_count_while_they_live(here):
    code = """
    def fit(self, X, Y):
        import psutil, subprocess
        super().fit(X, Y)
        child = psutil.Process(subprocess.Popen([sys.executable, "-c", "while True: pass"]).pid)
        while child.cpu_times().user < 1:
            time.sleep(0.01)
    """
    (here / "parent.py").write_text(source_of("parent", code))
    done = enter("parent:parent")
    assert done.problems == []
    seconds = Store(done.folder, CATALOGUE).load(EXPERIMENTS["table1"])["fit_seconds"]
    assert seconds.min() >= 1


class ByPlace:
    """It predicts that the first half of the test examples is positive, whatever they are."""

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return len(X) / 2 - np.arange(len(X))

    def predict(self, X):
        return self.decision_function(X) > 0


class ByContent(ByPlace):
    """It predicts the one feature of each example."""

    def decision_function(self, X):
        return X[:, 0] - 0.5


def test_the_place_of_an_example_tells_nothing_of_its_label():
    """Files of Table 5 list the positive bags first."""
    labels = np.arange(200) < 100
    sorted_by_label = SimpleNamespace(X=labels[:, np.newaxis].astype(float), labels=labels)
    everything = np.arange(200)
    accuracies = {}
    for method in (ByPlace(), ByContent()):
        (measured,) = guest_criteria(method, sorted_by_label, everything, everything)
        accuracies[type(method)] = measured["accuracy"]
    assert 0.3 < accuracies[ByPlace] < 0.7
    assert accuracies[ByContent] == 1


def test_a_guest_that_ends_its_process_at_import_is_a_status_and_a_report(here, capsys):
    (here / "gone.py").write_text("import os\nos._exit(0)\n")
    command = ["bench", "gone:Gone", "--tables", "1", "--profile", "smoke"]
    assert main(command) == 1
    printed = capsys.readouterr()
    assert "gone:Gone cannot be loaded: it ended its process, with status 0" in printed.err
    assert printed.out.strip().endswith("report.md")


def test_a_guest_has_no_test_labels_in_its_process(here):
    """It searches its memory for an array with as many rows as there are test bags."""
    (here / "spy.py").write_text(
        HONEST
        + textwrap.dedent("""
        import gc

        class Spy(Honest):
            def decision_function(self, X):
                arrays = [thing for thing in gc.get_objects() if isinstance(thing, np.ndarray)]
                labels = [array for array in arrays if array.dtype == bool and len(array) == len(X)]
                assert not labels, "it has found labels"
                return super().decision_function(X)
        """)
    )
    assert enter("spy:Spy").problems == []


def test_an_interrupt_ends_the_guest(here, monkeypatch):
    """The exception may be kept, as IPython does, and with it all that asked."""
    (here / "calm.py").write_text(f"{HONEST}\nclass Calm(Honest): pass\n")
    session = Session("calm:Calm", Conditions(str(here), SECONDS, str(here / "output.txt")))
    monkeypatch.setattr(session, "_received", raising(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        session.ask("describe")
    assert not is_running(session.process.pid)


@pytest.mark.parametrize("session", ["", ", start_new_session=True"])
def test_processes_of_guests_end_with_the_bench(here, session):
    """Also those that a guest starts, in its session or in another."""
    (here / "parent.py").write_text(
        HONEST
        + textwrap.dedent(f"""
        import subprocess

        class Parent(Honest):
            def fit(self, X, Y):
                child = subprocess.Popen(["sleep", "600"]{session})
                open("child-%d" % child.pid, "w").close()
                super().fit(X, Y)
        """)
    )
    assert enter("parent:Parent", jobs=2).problems == []
    children = [int(path.name.removeprefix("child-")) for path in here.glob("child-*")]
    assert children
    for child in children:
        assert not is_running(child)


def is_running(process_id):
    try:
        return psutil.Process(process_id).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Hostile(LabelFrequencies):
    """A learner in a study, which changes how every later fit in its process is measured."""

    def fit(self, X, Y):
        from mimlstudy.paper import measures

        measures.evaluate = lambda *arguments: {"one_error": 0.0}
        return super().fit(X, Y)


def test_foreign_code_leaves_nothing_to_the_trials_of_a_later_call(store):
    """Workers do not outlive a call."""
    mine = tiny()
    hostile = tiny({"Hostile": Hostile()}, name="hostile")
    honest = compute(mine, store=store, jobs=1)
    compute(hostile, store=store, jobs=2)
    check_same_numbers(compute(mine, store=store, jobs=2, recompute=True), honest)
