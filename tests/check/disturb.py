"""How far other arithmetics move a criterion: writes data/results/disturbances.csv.

The first split of every row of Tables 1 to 5 and Figs. 4 to 9 runs again with other instructions,
BLAS kernels and a libm without fused multiplication and addition, each in a process of its own,
and is compared with its record. `python tests/check/disturb.py`, about half an hour.
"""

import json
import os
import subprocess
import sys
from dataclasses import astuple

import llvmlite.binding
import pandas as pd
from mimlpaper.study.arithmetic import variables

from mimlpaper import paths
from mimlpaper.study.fingerprint import provenance
from mimlpaper.study.records import KEY, records
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.runner import run_trials
from mimlpaper.study.trials import Trial
from mimlpaper.study.verify import compare_trial

NAMES = [f"table{n}" for n in range(1, 6)] + [f"figure{n}" for n in range(4, 10)]
DISTURBANCES = {
    "pinned": {},
    "BLAS of 2008": {"OPENBLAS_CORETYPE": "Nehalem"},
    "BLAS with AVX-512": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "compiled for SSE2": {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "-avx"},
    "compiled for this machine": {
        "NUMBA_CPU_NAME": llvmlite.binding.get_host_cpu_name(),
        "NUMBA_CPU_FEATURES": "",
    },
    "NumPy of 2009": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"},
    "NumPy of this machine": {"NPY_DISABLE_CPU_FEATURES": ""},
    "libm without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2"},
}


def first_trials(name):
    """A trial of each row on the first and the last of its data sets."""
    experiment = EXPERIMENTS[name]
    sets = experiment.datasets
    trials = [t for t in experiment.trials() if t.split == 0 and t.dataset in (sets[0], sets[-1])]
    return pd.DataFrame(trials).drop_duplicates(["dataset", "method"])


def largest_changes() -> list[dict]:
    """What the trials give under the arithmetic of this process, against their records."""
    found = []
    for name in NAMES:
        experiment, recorded = EXPERIMENTS[name], records(name)
        rows = {Trial(*key): own for key, own in recorded.groupby(KEY)}
        trials = [Trial(*row) for row in first_trials(name).itertuples(index=False)]
        for trial, again in run_trials(trials, EXPERIMENTS, jobs=-1):
            moved, _ = compare_trial(experiment, rows[trial], again)
            found.append(dict(zip(KEY, astuple(trial), strict=True)) | {"largest_change": moved})
    return found


def main():
    if sys.argv[1:] == ["here"]:
        return print(json.dumps(largest_changes()))
    pinned, tables = variables(), []
    for name, changed in DISTURBANCES.items():
        environment = os.environ | pinned | changed  # set and empty is not pinned
        command = [sys.executable, __file__, "here"]
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
        found = pd.DataFrame(json.loads(done.stdout.splitlines()[-1]))
        tables.append(found.assign(disturbance=name))
    here = {key: provenance()[key] for key in ("versions", "commit", "machine")}
    text = pd.concat(tables).assign(**here).to_csv(index=False, lineterminator="\n")
    print(paths.write_whole(paths.results() / "disturbances.csv", text))


if __name__ == "__main__":
    main()
