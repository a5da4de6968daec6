"""The command ``mimlpaper``: notebooks, trials, scorecard, status, manifest, audit, data."""

import argparse
import json
import math
import os
import sys
from collections import Counter
from pathlib import Path

from mimlpaper import paths

PROFILES = ("paper", "quick", "smoke")
NAMES = "such as table1, figure4 or multiverse; mimlpaper estimate lists them all"
COSTS = "9_cost"  # the notebook of fits that are measured on an idle machine


def main(arguments=None) -> int:
    """Run the command line and return its exit status: 0 well, 1 failed, 2 wrong use."""
    options = PARSER.parse_args(arguments)
    try:
        # Imported here and in the commands, so that --help answers at once.
        from mimlpaper.datasets import DataError
        from mimlpaper.study.records import StoreError
        from mimlpaper.study.workers import TrialError

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


EXPERIMENT = _option("--experiment", nargs="+", metavar="NAME", help=f"{NAMES} (default: all)")
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
    _option("--timeout", type=_above_zero(int), help="seconds after which a cell hangs"),
    _option(
        "--untrusted", action="store_true", help="run other notebooks too, whatever code they hold"
    ),
    JOBS, PROFILE, DATA,
)  # fmt: skip
def _run(options):
    from mimlpaper.study.notebooks import available_notebooks, run_notebooks

    parameters = _protocol(options) | {
        "data_home": options.data_home or "", "recompute": options.recompute,
    }  # fmt: skip
    names = options.notebooks or list(available_notebooks())
    waiting = {}
    if options.recorded:
        waiting = {name: _n_to_run(Path(name).stem, options.profile) for name in names}
    ready = [name for name in names if not waiting.get(name)]
    runs = []
    if ready:
        runs = run_notebooks(
            ready, parameters, cell_timeout=options.timeout, untrusted=options.untrusted,
            at_once=-1 if options.recorded else 1,
        )  # fmt: skip
    failed = [run for run in runs if run.status != "done"]
    rows = []
    for run in runs:
        status = run.status if run in failed else _freshness(run.name, options.profile)
        rows.append(_row(run.name, status, run.seconds, mend=run in failed))
    for name, n_trials in waiting.items():
        if n_trials:
            rows.append(_row(name, f"left out, {n_trials} trials to run", mend=True))
    _print(rows)
    for run in failed:
        print(f"\n{run.name}: {run.status}\n{run.message}", file=sys.stderr)
    return int(bool(failed))


def _row(notebook, status, seconds=0.0, *, mend):
    from mimlpaper.study.scorecard import ARTEFACTS

    return {
        "notebook": notebook,
        "artefacts": sum(artefact.notebook == notebook for artefact in ARTEFACTS),
        "status": status,
        "seconds": f"{seconds:.0f}",
        "mend": f"mimlpaper run {notebook}" if mend else "",
    }


def _freshness(notebook, profile):
    """Number of trials behind a notebook's artefacts by state, such as ``120 fresh``."""
    _, states = _trials_of(notebook, profile)
    return _counts(states) or "no trials"


def _n_to_run(notebook, profile):
    """Number of trials and measured fits behind a notebook's artefacts without a record."""
    from mimlpaper.study.costs import waiting_costs

    n_trials, states = _trials_of(notebook, profile)
    n_fits = len(waiting_costs(profile)) if notebook == COSTS else 0
    return n_trials - len(states) + n_fits


def _trials_of(notebook, profile):
    """Number of trials behind a notebook's artefacts, and the states of the recorded ones."""
    from mimlpaper.study.records import KEY, records
    from mimlpaper.study.registry import EXPERIMENTS, family
    from mimlpaper.study.scorecard import ARTEFACTS

    shown = [a.experiment for a in ARTEFACTS if a.notebook == notebook and a.experiment]
    n_trials, states = 0, []
    for name in dict.fromkeys(one for experiment in shown for one in family(experiment)):
        n_trials += len(EXPERIMENTS[name].trials(profile))
        states += records(name, profile=profile).drop_duplicates(KEY)["state"].tolist()
    return n_trials, states


@_command(
    "run the trials of an experiment and record them",
    _option("experiment", nargs="+", metavar="EXPERIMENT", help=NAMES),
    _option("--methods", nargs="+", help="only these, as the paper prints them"),
    _option("--recompute", action="store_true", help="run all trials again"),
    _option("--dask", metavar="ADDRESS", help="run on the workers of this scheduler"),
    JOBS, PROFILE, DATA,
)  # fmt: skip
def _compute(options):
    from mimlpaper.study.records import KEY, seconds_of
    from mimlpaper.study.runner import compute, compute_together

    names = _named(options)
    how = _protocol(options) | {"recompute": options.recompute, "dask": options.dask}
    if len(names) > 1:
        if options.methods:
            raise ValueError("--methods goes with one experiment")
        compute_together(names, **how)
        return
    trials = compute(names[0], methods=options.methods, **how).drop_duplicates(KEY)
    summary = trials.assign(seconds=seconds_of(trials)).groupby("method", sort=False).agg(
        trials=("split", "size"), seconds_each=("seconds", "mean"), state=("state", _counts)
    )  # fmt: skip
    print(summary.to_string(float_format="%.2f"))


def _named(options):
    """The experiments that the options name, a family in full; all if they name none."""
    from mimlpaper.study.registry import EXPERIMENTS, family

    return [one for name in options.experiment or EXPERIMENTS for one in family(name)]


def _counts(states):
    return ", ".join(f"{count} {state}" for state, count in Counter(states).most_common())


@_command(
    "the outcome in three points, then totals",
    _option("--json", action="store_true", help="all cells and claims, as JSON"),
    PROFILE,
)
def _scorecard(options):
    import pandas as pd

    from mimlpaper.study.companion import Companion
    from mimlpaper.study.scorecard import in_words

    card = Companion(profile=options.profile).scorecard()
    if options.json:
        print(json.dumps(card, indent=1))
    else:
        print(f"{in_words(card)}\n\n{pd.DataFrame(card['totals']).T.to_string()}")
        if card["verified"]:
            print(f"\n{pd.DataFrame(card['verified']).to_string(index=False)}")


@_command(
    "how a number of Tables 1 to 5 came about",
    _option("table", type=int, help="1 to 5"),
    _option("method", help="as the paper prints it, such as MimlSvm_mi"),
    _option("criterion", help="such as average_precision"),
    _option("--dataset", help="the column of Table 5, such as musk1"),
)
def _trace(options):
    from mimlpaper.study.trace import trace

    print(trace(options.table, options.method, options.criterion, options.dataset))


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
    "hours that the trials still to run will take",
    _option("--workers", type=_above_zero(int), default=2, help="processes at a time (default 2)"),
    _option("--recompute", action="store_true", help="estimate for all trials"),
    EXPERIMENT, PROFILE,
)  # fmt: skip
def _estimate(options):
    from mimlpaper.study.runner import estimate

    table = estimate(
        _named(options), profile=options.profile, workers=options.workers,
        recompute=options.recompute,
    )  # fmt: skip
    print(table.to_string(index=False, float_format="%.2f"))


@_command("every table and figure: fresh, stale, missing", PROFILE)
def _status(options):
    from mimlpaper.study.companion import Companion
    from mimlpaper.study.notebooks import last_runs

    rows = Companion(profile=options.profile).status(last_runs(options.profile))
    _print(rows)
    return int(any(row["mend"] for row in rows))


@_command("write figures/README.md and codecheck.yml")
def _manifest(options):
    from mimlpaper.study.companion import Companion
    from mimlpaper.study.scorecard import codecheck_manifest, gallery, in_words, with_outcome

    readme = paths.project_root() / "README.md"
    outcome = in_words(Companion(profile="paper").scorecard())
    print(paths.write_whole(readme, with_outcome(readme.read_text(), outcome)))
    print(paths.write_whole(paths.figures() / "README.md", gallery()))
    print(paths.write_whole(paths.project_root() / "codecheck.yml", codecheck_manifest()))


@_command(
    "re-run recorded trials and compare",
    _option("--sample", type=_above_zero(int), default=1, help="trials of each method (default 1)"),
    _option(
        "--audit", type=_above_zero(float), metavar="SECONDS",
        help="instead, a few cheap trials that took so long in all; nothing is written",
    ),
    _option("--drop", action="store_true", help="remove the records that differ"),
    EXPERIMENT, JOBS, PROFILE, DATA,
)  # fmt: skip
def _verify(options):
    from mimlpaper.study.verify import SAME, verify

    if options.audit is not None:
        return _audit(options)
    names = _named(options)
    table = verify(names, sample=options.sample, drop=options.drop, **_protocol(options))
    print("nothing is recorded" if table.empty else table.to_string(index=False))
    return int(not table["outcome"].isin(SAME).all())


def _audit(options):
    """A quick check of the numbers shown; without data there is nothing to check."""
    from mimlpaper.datasets import DataError
    from mimlpaper.study.verify import SAME, audit

    try:
        table = audit(_named(options), seconds=options.audit, **_protocol(options))
    except DataError as error:
        print(f"no audit: {error}")
        return 0
    if table.empty:
        print("no audit: no cheap trials are recorded")
        return 0
    print(table.drop(columns=["n_recorded", "elsewhere"]).to_string(index=False))
    same = table["outcome"].isin(SAME)
    print(f"audit: {table['n_checked'].sum()} trials run again, "
          f"{table.loc[same, 'n_checked'].sum()} gave the same")  # fmt: skip
    # Methods that depend on the last digit differ with the machine's BLAS, which is no fault.
    elsewhere = table["elsewhere"] & (table["outcome"] == "different")
    if elsewhere.any():
        methods = ", ".join(table.loc[elsewhere, "method"].unique())
        print(f"recorded on another kind of machine, with other last digits: {methods}")
    return int(not (same | elsewhere).all())


@_command(
    "measure seconds and memory of single fits",
    _option("--recompute", action="store_true", help="measure all of them again"),
    PROFILE, DATA,
)  # fmt: skip
def _costs(options):
    from mimlpaper.study.costs import measure_costs

    table = measure_costs(options.profile, recompute=options.recompute, data_home=options.data_home)
    summary = table.groupby(["study", "method"], sort=False).agg(
        fits=("dataset", "size"), seconds=("fit_seconds", "sum"), most_mb=("fit_megabytes", "max")
    )
    print(summary.to_string(float_format="%.2f"))


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
