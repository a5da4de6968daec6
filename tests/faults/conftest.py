"""Real faults against real runs, and the table of what became of each."""

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from mimlpaper.study.records import Store
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.runner import compute

ROOT = Path(__file__).resolve().parents[2]
HEADINGS = ("fault", "what happened", "records lost", "how one goes on")

# A script that runs the tests in the background has them ignore Ctrl-C; a terminal does not.
COMMAND = """
import signal
import sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
from mimlpaper import paths
paths.results = lambda: Path(sys.argv[1])
from mimlpaper.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def tell(record_property):
    """Call with a row of the table of faults."""

    def row(*cells):
        assert len(cells) == len(HEADINGS)
        record_property("fault", [str(cell) for cell in cells])

    return row


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    """The twenty trials of Fig. 7's smoke profile, run without a fault."""
    return compute("figure7", profile="smoke", store=Store(tmp_path_factory.mktemp("undisturbed")))


class Run:
    """``mimlpaper compute figure7 --profile smoke`` as a process of its own."""

    def __init__(self, results, *options, experiment="figure7", profile="smoke"):
        self.store = Store(Path(results) / "smoke" if profile == "smoke" else results)
        self.experiment = experiment
        self.process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(COMMAND), str(results),
             "compute", experiment, "--profile", profile, "--jobs", "2", *options],
            cwd=ROOT, start_new_session=True, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def wait_for(self, n_records):
        """Until so many trials are recorded, or the run has ended."""
        deadline = time.monotonic() + 120
        while self.n_recorded() < n_records and self.process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def n_recorded(self):
        return len(self.store.load(self.experiment))

    def end(self):
        """Exit status, and what was printed."""
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out + err


@pytest.fixture
def start(tmp_path):
    """Start such a run on a store of its own."""
    return lambda *options, results=tmp_path, **kwargs: Run(results, *options, **kwargs)


@pytest.fixture
def n_trials():
    return len(get_experiment("figure7").trials("smoke"))


def pytest_terminal_summary(terminalreporter):
    rows = [
        cells
        for report in terminalreporter.stats.get("passed", [])
        for name, cells in report.user_properties
        if name == "fault"
    ]
    if not rows:
        return
    lines = [f"| {' | '.join(cells)} |" for cells in (HEADINGS, ["---"] * 4, *sorted(rows))]
    folder = ROOT / "build"
    folder.mkdir(exist_ok=True)
    (folder / "faults.md").write_text("\n".join(lines) + "\n")
    terminalreporter.section("faults")
    for line in lines:
        terminalreporter.write_line(line)
