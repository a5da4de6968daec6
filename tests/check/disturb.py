"""How far other arithmetics move a criterion: writes data/results/disturbances.csv.

The first trial of every row of Tables 1 to 5 and Figs. 4 to 9, of its first data set on the first
split, runs again with other instructions, BLAS kernels and a libm without fused multiplication and
addition, each in a process of its own, and is compared with its record. `python
tests/check/disturb.py`, about half an hour.
"""

import json
import os
import subprocess
import sys

import llvmlite.binding
import pandas as pd

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.arithmetic import variables
from mimlstudy.engine.comparison import compare_trial
from mimlstudy.engine.provenance import provenance
from mimlstudy.engine.records import KEY, read_records, trials_of
from mimlstudy.engine.workers import run_trials
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS

TABLES = [f"table{number}" for number in range(1, 6)]
FIGURES = [f"figure{number}" for number in range(4, 10)]
DISTURBANCES = {
    "pinned": {},
    "BLAS of 2008": {"OPENBLAS_CORETYPE": "Nehalem"},
    "compiled for SSE2": {
        "NUMBA_CPU_NAME": "x86-64",
        "NUMBA_CPU_FEATURES": "-avx",
    },
    "compiled for this machine": {
        "NUMBA_CPU_NAME": llvmlite.binding.get_host_cpu_name(),
        "NUMBA_CPU_FEATURES": "",
    },
    "NumPy of 2009": {
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    },
    "NumPy of this machine": {"NPY_DISABLE_CPU_FEATURES": ""},
    "libm without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2"},
}
if llvmlite.binding.get_host_cpu_features().get("avx512f"):
    DISTURBANCES["BLAS with AVX-512"] = {"OPENBLAS_CORETYPE": "SkylakeX"}


def largest_changes() -> list[dict]:
    """What each row's first trial gives under this process's arithmetic, against its record."""
    changes = []
    for name in [*TABLES, *FIGURES]:
        experiment = EXPERIMENTS[name]
        recorded = read_records(experiment, store=default_store())
        of_split_0 = recorded[recorded["split"] == 0].drop_duplicates("method")
        rows_of = dict(list(recorded.groupby(KEY)))
        for trial, repeated in run_trials(trials_of(of_split_0), EXPERIMENTS, CATALOGUE):
            n_labels = CATALOGUE.n_labels(trial.dataset)
            change, _ = compare_trial(
                experiment,
                rows_of[trial],
                repeated,
                n_labels,
            )
            changes.append(trial._asdict() | {"largest_change": change})
    return changes


def main():
    if sys.argv[1:] == ["here"]:
        print(json.dumps(largest_changes()))
        return
    tables = []
    for name, disturbance in DISTURBANCES.items():
        # A variable that is set and empty is not pinned.
        environment = os.environ | variables() | disturbance
        command = [sys.executable, __file__, "here"]
        output = subprocess.check_output(
            command,
            env=environment,
            text=True,
        )
        changes = pd.DataFrame(json.loads(output.splitlines()[-1]))
        tables.append(changes.assign(disturbance=name))
    here = {key: provenance()[key] for key in ("versions", "commit", "machine")}
    table = pd.concat(tables).assign(**here)
    text = table.to_csv(index=False, lineterminator="\n")
    print(paths.write_whole(folders.results() / "disturbances.csv", text))


if __name__ == "__main__":
    main()
