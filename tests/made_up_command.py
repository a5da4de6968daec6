"""``mimlpaper compute`` as a process of its own, with a tiny experiment in the place of Fig. 7."""

import os
import subprocess
import sys
import time

# Ctrl-C arrives also where a script runs the tests.
COMMAND = """
import signal, sys
from pathlib import Path
from mimlstudy import folders
from mimlstudy.report.command import main
from mimlstudy.paper import experiments
from tests import made_up_study
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    folders.results = lambda: Path(sys.argv[1])
    experiments.EXPERIMENTS["figure7"] = getattr(made_up_study, sys.argv[2])()
    sys.exit(main(["compute", "figure7", "--jobs", sys.argv[3]]))
"""


def start_command(folder, experiment, jobs=1) -> subprocess.Popen:
    """Start the command, which records in the folder's ``results``.

    ``experiment`` is the name of a function of ``made_up_study``.
    """
    script = folder / "command.py"
    script.write_text(COMMAND)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([os.getcwd(), *sys.path]),
        "FITS_BEGUN": str(folder),
    }
    return subprocess.Popen(
        [sys.executable, str(script), str(folder / "results"), experiment, str(jobs)],
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )


def wait_until(condition, seconds=120, message="it took too long"):
    """Return what a condition gives as soon as that is true; fail after some seconds."""
    deadline = time.monotonic() + seconds
    while not (outcome := condition()):
        assert time.monotonic() < deadline, message
        time.sleep(0.02)
    return outcome
