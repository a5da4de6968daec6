"""Seconds and criteria of costly trials, before and after a change of the library.

Run it once in each of two checkouts, then compare; a trial takes seconds to minutes::

    python tests/benchmarks/protocol.py run before.csv
    python tests/benchmarks/protocol.py run after.csv
    python tests/benchmarks/protocol.py compare before.csv after.csv

``--only equal_tuning`` runs the rows whose name has this text; ``run`` keeps what its file already
has. Nothing heavy should run beside it: seconds are of the processor, but caches and memory are
shared.
"""

import argparse
import json
import warnings
from pathlib import Path

from mimlstudy.engine.arithmetic import pin

pin()  # before NumPy is imported

import pandas as pd  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402

from mimlpaper.metrics import CRITERIA  # noqa: E402
from mimlpaper.sharing import Cache, sharing  # noqa: E402
from mimlstudy.engine.trials import Trial, run_trial  # noqa: E402
from mimlstudy.paper.catalogue import CATALOGUE  # noqa: E402
from mimlstudy.paper.experiments import EXPERIMENTS  # noqa: E402

MEAN_OF_SET = {
    "criterion": "hamming_loss",
    "imbalance": False,
    "label_rule": "top",
    "set_kernel": "mean",
}
# The rows that take most of the whole protocol: experiment, data set, method, and an override.
ROWS = [
    ("equal_tuning", "yahoo:Society", "InsDif_MimlBoost", {}),
    ("equal_tuning", "yahoo:Society", "InsDif_MimlSvm_mi", {}),
    ("equal_tuning", "yahoo:Society", "InsDif_D-MimlSvm", {}),
    ("equal_tuning", "yahoo:Society", "InsDif_NoisyOr", {}),
    ("equal_tuning", "yahoo:Society", "InsDif_Set kernel", {}),
    ("equal_tuning", "yeast", "InsDif_MimlBoost", {}),
    ("equal_tuning", "yeast", "InsDif_MimlSvm_mi", {}),
    ("equal_tuning", "yeast", "InsDif_D-MimlSvm", {}),
    ("equal_tuning", "yeast", "InsDif_NoisyOr", {}),
    ("alternatives", "reuters:50%", "D-MimlSvm", MEAN_OF_SET),
    ("fixed", "elephant", "SubCod", {}),
    ("fixed", "elephant", "SubCod_MimlSvm_mi", {}),
    ("fixed", "elephant", "SubCod_MimlBoost", {}),
    ("table5", "elephant", "SubCod_MimlSvm_mi", {}),
    ("equal_tuning", "yahoo:Society", "Cnmf", {}),
    ("alternatives", "yahoo:Society", "Cnmf", {"C": 100.0}),
    ("equal_tuning", "scene", "MimlSvm", {}),
    ("equal_tuning", "reuters", "MimlSvm", {}),
    ("equal_tuning", "reuters", "MimlSvm_mi", {}),
    ("defaults", "scene", "MimlBoost", {"mimlboost__C": 10.0}),
    ("equal_tuning", "scene", "Ml-knn", {}),
    ("fixed", "reuters", "MimlSvm_mi", {}),
    ("unseen", "letter_carroll", "MimlSvm_mi", {}),
    ("ablation", "yeast", "InsDif, average distance", {}),
]


def run(path: Path, only: str):
    """Run the rows whose names have ``only`` and that the file lacks; append each as it ends."""
    chosen = {", ".join(row[:3]): row for row in ROWS if only in ", ".join(row[:3])}
    if not chosen:
        raise ValueError(f"no row has {only!r} in its name")
    done = pd.read_csv(path)["row"].tolist() if path.exists() else []
    for name, row in chosen.items():
        if name in done:
            continue
        measured = _run_trial(*row)
        frame = pd.DataFrame([{"row": name, **measured}])
        frame.to_csv(
            path,
            mode="a",
            header=not path.exists(),
            index=False,
        )
        print(name, f"{measured['seconds']:.1f} s", flush=True)


def _run_trial(name, dataset, method, override):
    experiment = EXPERIMENTS[name]
    part = experiment.part_of(dataset, method)
    text = json.dumps(override, sort_keys=True)
    stand_in = CATALOGUE.stand_in(dataset)
    with warnings.catch_warnings(action="ignore"), threadpool_limits(1):
        for data in (stand_in, dataset):  # the stand-in compiles what the trial needs
            trial = Trial(name, data, method, text, 0)
            estimator = experiment.estimator(data, method, text)
            with sharing(Cache(2**28)):
                stages = run_trial(
                    trial,
                    estimator,
                    part.splits,
                    experiment.measure,
                    CATALOGUE,
                )
    criteria = {name: stages[0].get(name) for name in (*CRITERIA, "accuracy")}
    return {"seconds": stages[0]["seconds"]} | criteria


def compare(before: Path, after: Path):
    """Print a table: seconds before and after, their ratio, the largest change of a criterion."""
    old, new = (pd.read_csv(path).set_index("row") for path in (before, after))
    seconds = {"before": old["seconds"], "after": new["seconds"]}
    table = pd.DataFrame(seconds).dropna()
    table["times faster"] = table["before"] / table["after"]
    criteria = [*CRITERIA, "accuracy"]
    changes = (old[criteria] - new[criteria]).abs()
    table["largest change"] = changes.max(axis=1)
    print(table.to_string(float_format="{:.3g}".format))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["run", "compare"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--only",
        default="",
        help="rows whose name has this text",
    )
    arguments = parser.parse_args()
    if arguments.action == "run":
        run(arguments.files[0], arguments.only)
    else:
        compare(*arguments.files)


if __name__ == "__main__":
    main()
