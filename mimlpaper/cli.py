"""The command ``mimlpaper``: notebooks, trials, checks, a bench for your method, data."""

import argparse
import json
import math
import os
import sys
from collections import Counter
from pathlib import Path

PROFILES = ("paper", "quick", "smoke")
NAMES = "such as table1 or readings; mimlpaper compute --estimate lists them all"


def main(arguments=None) -> int:
    """Run the command line and return its exit status: 0 well, 1 failed, 2 wrong use."""
    options = PARSER.parse_args(arguments)
    try:
        # Imported here and in the commands, so that --help answers at once.
        from mimlpaper.datasets import DataError
        from mimlpaper.study.records import StoreError
        from mimlpaper.study.runner import TrialError

        status = options.run(options) or 0  # a command gives nothing if all went well
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("\ninterrupted; what is recorded stays, the same command goes on", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read the output has gone, such as head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        print(f"mimlpaper: {error}", file=sys.stderr)
        return 1
    except (DataError, StoreError, TrialError, ValueError) as error:
        print(f"mimlpaper: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1


PARSER = argparse.ArgumentParser(prog="mimlpaper", description=__doc__)
COMMANDS = PARSER.add_subparsers(required=True, metavar="COMMAND")


def _command(text, *options):
    """Decorator of the function ``_name``, which makes it the command ``name``."""

    def add(function):
        command = COMMANDS.add_parser(function.__name__.removeprefix("_"), help=text)
        command.set_defaults(run=function)
        for flags, settings in options:
            command.add_argument(*flags, **settings)
        return function

    return add


def _option(*flags, **settings):
    return flags, settings


def _above_zero(kind):
    """Reads a number of that kind above 0."""

    def read(text):
        if not 0 < kind(text) < math.inf:
            raise argparse.ArgumentTypeError(f"must be above 0, got {text!r}")
        return kind(text)

    read.__name__ = kind.__name__  # for argparse's own messages
    return read


def _jobs(text):
    """Number of processes, negative counted from the number of cores."""
    if int(text) == 0:
        raise argparse.ArgumentTypeError("must not be 0")
    return int(text)


def _table(text):
    """A table's number, or "unseen"."""
    if text not in {"1", "2", "3", "4", "5", "unseen"}:
        raise argparse.ArgumentTypeError(f"must be a number from 1 to 5 or unseen, got {text!r}")
    return int(text) if text.isdigit() else text


JOBS = _option("--jobs", type=_jobs, default=-1, help="processes (default: cores)")
PROFILE = _option("--profile", choices=PROFILES, default="paper")
DATA = _option("--data", metavar="DIR", dest="data_home", help="folder of the data files")


def _protocol(options):
    """The options that all commands of trials have."""
    return {"profile": options.profile, "jobs": options.jobs, "data_home": options.data_home}


@_command(
    "execute notebooks: every table and figure",
    _option("notebooks", nargs="*", help="names, such as 4_degeneration; all if none"),
    _option("--recompute", action="store_true", help="run all trials again"),
    _option("--recorded", action="store_true", help="leave out notebooks with trials still to run"),
    _option("--publish", action="store_true", help="write figures/, README.md and codecheck.yml"),
    _option("--timeout", type=_above_zero(int), help="seconds after which a cell hangs"),
    _option(
        "--untrusted", action="store_true", help="run other notebooks too, whatever code they hold"
    ),
    JOBS, PROFILE, DATA,
)  # fmt: skip
def _run(options):
    from mimlpaper.study.companion import Companion
    from mimlpaper.study.notebooks import available_notebooks, run_notebooks
    from mimlpaper.study.scorecard import ARTEFACTS, publish_lists, trial_counts

    if options.publish and options.profile != "paper":
        raise ValueError(f"--publish goes with the profile paper, got {options.profile}")
    parameters = _protocol(options) | {
        "data_home": options.data_home or "", "recompute": options.recompute,
    }  # fmt: skip
    names = options.notebooks or list(available_notebooks())
    companion = Companion(profile=options.profile)
    behind = {  # experiments of each notebook
        name: [e for one in ARTEFACTS if one.notebook == Path(name).stem for e in one.experiments]
        for name in names
    }
    states = {
        name: trial_counts(several, companion.recorded, options.profile)
        for name, several in behind.items()
    }
    left_out = [name for name in names if options.recorded and states[name]["missing"]]
    ready = [name for name in names if name not in left_out]
    runs = run_notebooks(
        ready, parameters, cell_timeout=options.timeout, untrusted=options.untrusted,
        publish=options.publish, at_once=-1 if options.recorded else 1,
    )  # fmt: skip
    failed = [run for run in runs if run.status != "done"]
    rows = [_row(run.name, run.status, run.seconds, states) for run in runs]
    rows += [_row(name, "left out", 0.0, states) for name in left_out]
    _print(rows)
    for run in failed:
        print(f"\n{run.name}: {run.status}\n{run.message}", file=sys.stderr)
    if options.publish and not failed:
        for path in publish_lists(Companion().scorecard()):
            print(path)
    return int(bool(failed))


def _row(notebook, status, seconds, states):
    counts = ", ".join(f"{n} {state}" for state, n in states.get(notebook, {}).items() if n)
    mend = "" if status == "done" else f"mimlpaper run {notebook}"
    return {
        "notebook": notebook, "status": status, "trials": counts or "none",
        "seconds": f"{seconds:.0f}", "mend": mend,
    }  # fmt: skip


@_command(
    "run the trials of experiments and record them",
    _option("experiment", nargs="*", metavar="EXPERIMENT", help=f"{NAMES} (default: all)"),
    _option("--methods", nargs="+", help="only these, as the paper prints them"),
    _option("--recompute", action="store_true", help="run all trials again"),
    _option("--estimate", action="store_true", help="estimate the remaining hours, run nothing"),
    _option("--dask", metavar="ADDRESS", help="run on the workers of this scheduler"),
    JOBS, PROFILE, DATA,
)  # fmt: skip
def _compute(options):
    from joblib import effective_n_jobs

    from mimlpaper.study.records import KEY
    from mimlpaper.study.runner import compute, estimate

    names = _named(options)
    if options.estimate:
        table = estimate(
            names, profile=options.profile, workers=effective_n_jobs(options.jobs),
            recompute=options.recompute,
        )  # fmt: skip
        print(table.to_string(index=False, float_format="%.2f"))
        return
    trials = compute(
        names, methods=options.methods, recompute=options.recompute, dask=options.dask,
        **_protocol(options),
    ).drop_duplicates(KEY)  # fmt: skip
    summary = trials.groupby(["experiment", "method"], sort=False).agg(
        trials=("split", "size"), seconds_each=("seconds", "mean"), state=("state", _counts)
    )
    print(summary.to_string(float_format="%.2f"))


def _named(options):
    """The experiments that the options name; all if they name none."""
    from mimlpaper.study.registry import EXPERIMENTS, get_experiment

    return [get_experiment(name).name for name in options.experiment or EXPERIMENTS]


def _counts(states):
    return ", ".join(f"{count} {state}" for state, count in Counter(states).most_common())


@_command(
    "re-run recorded trials and compare",
    _option("experiment", nargs="*", metavar="EXPERIMENT", help=f"{NAMES} (default: all)"),
    _option("--sample", type=_above_zero(int), default=1, help="trials of each group (default 1)"),
    _option(
        "--audit", type=_above_zero(float), metavar="SECONDS",
        help="instead, a few cheap trials that took so long in all; nothing is written",
    ),
    _option("--drop", action="store_true", help="remove what this kind of machine made otherwise"),
    JOBS, PROFILE, DATA,
)  # fmt: skip
def _verify(options):
    from mimlpaper.datasets import DataError
    from mimlpaper.study.verify import SAME, verify

    try:
        table = verify(
            _named(options), sample=options.sample, seconds=options.audit, drop=options.drop,
            **_protocol(options),
        )  # fmt: skip
    except DataError as error:
        if options.audit is None:
            raise
        print(f"no audit: {error}")
        return 0
    if table.empty:
        print("nothing is recorded that could be run again")
        return 0
    same = table["outcome"].isin(SAME)
    shown = table if options.audit is None else table[~same]
    if len(shown):
        print(shown.to_string(index=False))
    print(
        f"{table['n_checked'].sum()} trials of {len(table)} groups run again, "
        f"{table.loc[same, 'n_checked'].sum()} gave the same numbers: {_counts(table['outcome'])}"
    )
    return int(not same.all())


@_command(
    "your method in the paper's tables",
    _option("entry", metavar="MODULE:NAME", help="an estimator, or what makes one"),
    _option(
        "--tables", nargs="+", type=_table, required=True, metavar="N",
        help="1, 2, unseen: bags and label sets; 3, 4: vectors and label sets; 5: one binary label",
    ),
    _option("--timeout", type=_above_zero(float), default=600, help="seconds of a trial (600)"),
    JOBS, PROFILE, DATA,
)  # fmt: skip
def _bench(options):
    from mimlpaper.study.bench import bench

    done = bench(options.entry, options.tables, timeout=options.timeout, **_protocol(options))
    if len(done.standing):
        print(done.standing.to_string(index=False, float_format="%.2f"))
    for problem in done.problems:
        print(f"failed: {problem}", file=sys.stderr)
    print(done.folder / "report.md")
    return int(bool(done.problems))


@_command(
    "the outcome, and every table and figure: fresh, stale, missing",
    _option("--json", action="store_true", help="all cells and claims, as JSON"),
    _option(
        "--trace", nargs="+", metavar="TABLE METHOD CRITERION",
        help="how a number of Tables 1 to 5 came about; of Table 5 a data set follows",
    ),
    PROFILE,
)  # fmt: skip
def _status(options):
    from mimlpaper.study.companion import Companion
    from mimlpaper.study.notebooks import last_runs
    from mimlpaper.study.scorecard import in_words, trace

    if options.trace:
        print(trace(*options.trace))
        return 0
    companion = Companion(profile=options.profile)
    if options.json:
        print(json.dumps(companion.scorecard(), indent=1))
        return 0
    rows = companion.status(last_runs(options.profile))
    _print(rows)
    print(f"\n{in_words(companion.scorecard())}")
    return int(any(row["mend"] for row in rows))


@_command(
    "list the data sets, or download them",
    _option("--fetch", nargs="*", metavar="NAME", help="download these, or all"),
    DATA,
)
def _data(options):
    from mimlpaper.datasets import describe, fetch_all
    from mimlpaper.datasets.fetch import data_folder

    if options.fetch is not None:
        fetch_all(options.data_home, options.fetch or None)
    rows = describe(options.data_home)
    _print([{name: value for name, value in row.items() if name != "path"} for row in rows])
    folder = data_folder(options.data_home)
    print(f"\nfiles in {folder}; `mimlpaper data --fetch` downloads the missing")


def _print(rows):
    """Rows as a table, every column as wide as its longest cell."""
    table = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
