"""The command ``mimlpaper``: notebooks, trials, checks, a bench for your method, data."""

import argparse
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

TO_RUN = (
    "code changed",
    "data changed",
    "differs",
    "damaged",
    "missing",
)  # states of trials that a notebook runs
NAMES = "such as table1 or readings; mimlpaper compute --estimate lists them all"
PARSER = argparse.ArgumentParser(prog="mimlpaper", description=__doc__)
PARSER.add_argument("--version", action="version", version=f"mimlpaper {version('mimlpaper')}")
COMMANDS = PARSER.add_subparsers(required=True, metavar="COMMAND")


def main(arguments=None) -> int:
    """Run the command line and return its exit status: 0 well, 1 failed, 2 wrong use."""
    options = PARSER.parse_args(arguments)
    try:
        status = options.run(options) or 0  # a command gives nothing if all went well
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("\ninterrupted; what is recorded stays, the same command goes on", file=sys.stderr)
        return 130
    except BrokenPipeError:  # whoever read the output has gone, such as head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (ImportError, OSError, RuntimeError, ValueError) as error:  # such as DataError
        print(f"mimlpaper: {error}", file=sys.stderr)
        return 2 if isinstance(error, ValueError) else 1


def _command(text, *options):
    """Decorator of the function ``_name``, which makes it the command ``name``.

    What a command needs is imported in its function, so that --help answers at once.
    """

    def add(function):
        command = COMMANDS.add_parser(function.__name__.removeprefix("_"), help=text)
        command.set_defaults(run=function)
        for flags, settings in options:
            command.add_argument(*flags, **settings)
        return function

    return add


def _option(*flags, **settings):
    return flags, settings


EXPERIMENT = _option("experiment", nargs="*", metavar="EXPERIMENT", help=f"{NAMES} (default: all)")
RECOMPUTE = _option("--recompute", action="store_true", help="run all trials again")
JOBS = _option("--jobs", type=int, default=-1, help="processes (default: cores)")
PROFILE = _option("--profile", choices=("paper", "quick", "smoke"), default="paper")
DATA = _option("--data", metavar="DIR", dest="data_home", help="folder of the data files")
PROTOCOL = JOBS, PROFILE, DATA  # what all commands of trials have
OF_TABLES = "1, 2, unseen: bags and label sets; 3, 4: vectors and label sets; 5: one binary label"
ASK = "a parameter of the notebook, such as -p grid '[0.1, 0.4]'; answered in build/explored"
OF_TRACE = "table, method, criterion, and of Table 5 a data set"


def _protocol(options):
    return {"profile": options.profile, "jobs": options.jobs, "data_home": options.data_home}


def _experiments(names):
    from mimlstudy.paper.experiments import EXPERIMENTS, get_experiment

    return [get_experiment(name) for name in names or EXPERIMENTS]


@_command(
    "execute notebooks: every table and figure",
    _option("notebooks", nargs="*", help="names, such as 4_degeneration; all if none"),
    _option("--recorded", action="store_true", help="leave out notebooks with trials still to run"),
    _option("--at-once", type=int, help="notebooks (default: 1; with --recorded, cores)"),
    _option("--parameters", action="store_true", help="list what the notebooks can be asked"),
    _option("-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help=ASK),
    RECOMPUTE,
    *PROTOCOL,
)
def _run(options):
    from mimlstudy.report import notebooks, status
    from mimlstudy.report.words import counted

    names = options.notebooks or notebooks.available_notebooks()
    if options.parameters:
        return _print(
            [
                {
                    "notebook": name,
                    "parameter": one["name"],
                    "type": one["inferred_type_name"],
                    "what it does": one["help"],
                }
                for name in names
                for one in notebooks.parameters_of(name).values()
            ]
        )
    named = {Path(name).stem: name for name in names}
    counts = {stem: status.trials_behind(stem, options.profile) for stem in named}
    left_out = [stem for stem in named if options.recorded and counts[stem].keys() & TO_RUN]
    ready = [name for stem, name in named.items() if stem not in left_out]
    asked = {"data_home": options.data_home or "", "recompute": options.recompute}
    parameters = _protocol(options) | asked | dict(options.p)
    at_once = options.at_once or (-1 if options.recorded else 1)  # since trials take all cores
    how = {"at_once": at_once, "recorded": options.recorded, "report": _say}
    runs = notebooks.run_notebooks(ready, parameters, **how) if ready else []
    _print(
        [
            {
                "notebook": run.name,
                "status": run.status,
                "trials": counted(counts[run.name]) or "none",
                "seconds": f"{run.seconds:.0f}",
                "mend": "" if run.status == "done" else f"mimlpaper run {run.name}",
            }
            for run in [*runs, *(notebooks.NotebookRun(name, "left out", 0.0) for name in left_out)]
        ]
    )
    if pages := [run.output.with_suffix(".html") for run in runs if run.output]:
        print(f"\nopen {pages[0]}")
    failed = [run for run in runs if run.status != "done"]
    for run in failed:
        print(f"\n{run.name}: {run.status}\n{run.message}", file=sys.stderr)
    return int(bool(failed))


@_command(
    "run the trials of experiments and record them",
    EXPERIMENT,
    _option("--methods", nargs="+", help="only these, as the paper prints them"),
    _option("--estimate", action="store_true", help="estimate the remaining hours, run nothing"),
    _option("--dask", metavar="ADDRESS", help="run on the workers of this scheduler"),
    RECOMPUTE,
    *PROTOCOL,
)
def _compute(options):
    from mimlstudy.engine import execution as runner
    from mimlstudy.engine import records
    from mimlstudy.paper.catalogue import default_store
    from mimlstudy.report.words import counted

    experiments = _experiments(options.experiment)
    how = {"recompute": options.recompute, "store": default_store(options.profile)}
    if options.estimate:
        how |= {"profile": options.profile, "jobs": options.jobs}
        return print(
            runner.estimate(experiments, **how).to_string(index=False, float_format="%.2f")
        )
    how |= {"methods": options.methods, "dask": options.dask} | _protocol(options)
    trials = runner.compute(experiments, **how).drop_duplicates(records.KEY)
    states = ("state", lambda states: counted(states.value_counts(sort=False)))
    groups = trials.groupby(["experiment", "method"], sort=False)
    summary = groups.agg(trials=("split", "size"), seconds_each=("seconds", "mean"), state=states)
    print(summary.to_string(float_format="%.2f"))


@_command(
    "re-run recorded trials and compare",
    EXPERIMENT,
    _option("--sample", type=int, default=1, help="trials of each group (default 1)"),
    _option("--audit", type=float, metavar="SECONDS", help="instead, some that took so long"),
    *PROTOCOL,
)
def _verify(options):
    from mimlstudy.engine import fingerprint, verify
    from mimlstudy.paper.catalogue import default_store
    from mimlstudy.report.words import counted

    store = default_store(options.profile)
    what = {"sample": options.sample, "seconds": options.audit, "store": store}
    experiments = _experiments(options.experiment)
    table = verify.verify(experiments, **what, **_protocol(options))
    same = table["outcome"].isin(verify.SAME)
    shown = table if options.audit is None else table[~same]
    if len(shown):
        print(shown.to_string(index=False))
    found = counted(table["outcome"].value_counts()) or "none"
    n_checked, machine = table["n_checked"].sum(), fingerprint.provenance()["machine"]
    print(f"{n_checked} trials run again on {machine}; groups: {found} ({verify.MEANING})")
    return int(not same.all())


@_command(
    "your method in the paper's tables",
    _option("entry", metavar="MODULE:NAME", help="an estimator, or what makes one"),
    _option("--tables", nargs="+", choices=[*"12345", "unseen"], required=True, help=OF_TABLES),
    _option("--timeout", type=float, default=3600, help="seconds of a fit (default 3600)"),
    *PROTOCOL,
)
def _bench(options):
    from mimlstudy.report.bench import bench

    tables = [int(name) if name.isdigit() else name for name in options.tables]
    done = bench(options.entry, tables, timeout=options.timeout, **_protocol(options))
    if len(done.standing):
        print(done.standing.to_string(index=False, float_format="%.2f"))
    for problem in done.problems:
        print(f"failed: {problem}", file=sys.stderr)
    print(done.folder / "report.md")
    return int(bool(done.problems))


@_command(
    "the outcome, and every table and figure: current, or why not",
    _option("--json", action="store_true", help="all cells and claims, as JSON"),
    _option("--trace", nargs="+", metavar="NAME", help="how a number came about: " + OF_TRACE),
    PROFILE,
)
def _status(options):
    from mimlstudy import folders
    from mimlstudy.engine import records
    from mimlstudy.paper.catalogue import default_store
    from mimlstudy.report import status
    from mimlstudy.report.trace import trace
    from mimlstudy.report.words import in_words

    if options.trace:
        if len(options.trace) not in (3, 4):
            raise ValueError(f"--trace takes 3 or 4 names, got {len(options.trace)}")
        return print(trace(*options.trace))
    if options.json:
        return print(json.dumps(status.recorded_scorecard(options.profile), indent=1))
    rows = []
    if folders.notebooks().is_dir():  # which a wheel does not have
        rows = status.artefact_status(options.profile)
        _print(rows)
        print()
    print(in_words(status.recorded_scorecard(options.profile)))
    if other := records.other_versions(default_store(options.profile)):
        print(f"\n{other}")
    return int(any(row["mend"] for row in rows))


@_command(
    "list the data sets, or download them",
    _option("--fetch", nargs="*", metavar="NAME", help="download these, or all"),
    DATA,
)
def _data(options):
    from mimlpaper.datasets.fetch import data_folder, describe, fetch_all

    if options.fetch is not None:
        fetch_all(options.data_home, options.fetch or None)
    _print(describe(options.data_home))
    folder = data_folder(options.data_home)
    print(f"\nfiles in {folder}; `mimlpaper data --fetch` downloads the missing")


def _say(line):
    """Say how far a command is, apart from what it prints."""
    print(line, file=sys.stderr, flush=True)


def _print(rows):
    """Print dicts of the same keys as a table, flush left."""
    table = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        print("  ".join(map(str.ljust, row, widths)).rstrip())
