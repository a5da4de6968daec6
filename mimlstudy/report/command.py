"""The command mimlpaper: notebooks, trials, checks, a bench for your method, data.

What a command needs is imported in its function, so that ``--help`` answers at once.
"""

import argparse
import json
import math
import os
import re
import shlex
import signal
import sys
from contextlib import contextmanager
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path

from mimlstudy.engine.arithmetic import pin, warn_of_own_arithmetic

# Those of mimlstudy.engine.trials, not imported: it loads NumPy, before ``pin``.
PROFILES = ("smoke", "quick", "paper")
BENCH_TABLES = ("1", "2", "3", "4", "5", "unseen")
# Stricter than int() and float(), which read "1_0" as 10.
COUNT = re.compile(r"0*[1-9][0-9]*")
SECONDS = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# Packages of optional parts, and the extra that installs them.
EXTRAS = {
    "IPython": "notebooks",
    "ipykernel": "notebooks",
    "jinja2": "notebooks",
    "jupyter_client": "notebooks",
    "latex2mathml": "notebooks",
    "markupsafe": "notebooks",
    "matplotlib": "notebooks",
    "nbclient": "notebooks",
    "nbconvert": "notebooks",
    "nbformat": "notebooks",
    "papermill": "notebooks",
    "scikit_posthocs": "notebooks",
    "seaborn": "notebooks",
    "traitlets": "notebooks",
    "zmq": "notebooks",
    "distributed": "cluster",
}


def main(arguments=None) -> int:
    """Run the command line and return its exit status.

    0 is well, 1 failed, 2 wrong use, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # one that is not UTF-8 gets ? for θ and ±
            stream.reconfigure(errors="replace")
    parser, _ = build_parsers()
    options = parser.parse_args(arguments)
    pin()  # before a command imports NumPy
    # Processes that it starts: no file of the current folder, such as queue.py, hides Python's own.
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        status = options.run(options)
        if sys.stdout is not None:  # closed by whoever started the command
            sys.stdout.flush()  # here, so that a reader who has gone is found out below
        return status
    except KeyboardInterrupt:
        _say("\ninterrupted; what is recorded stays")
        return 130
    except BrokenPipeError:  # whoever read the output has gone, such as head
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        extra = EXTRAS.get(error.name or "")
        remedy = f'; install it by pip install "mimlpaper[{extra}]"' if extra else ""
        _say(f"mimlpaper: {error}{remedy}")
        return 1
    except ValueError as error:
        _say(f"mimlpaper: {error}")
        return 2
    except (ImportError, OSError, RuntimeError) as error:  # such as DataError
        _say(f"mimlpaper: {error}")
        return 1


def build_parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser of the command line, and that of each command by name."""
    about = (__doc__ or "mimlpaper").splitlines()[0]  # Python -OO leaves docstrings out
    parser = argparse.ArgumentParser(prog="mimlpaper", description=about)
    parser.add_argument(
        "--version",
        action="version",
        version=f"mimlpaper {version('mimlpaper')}",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add_command in (
        _add_run,
        _add_compute,
        _add_verify,
        _add_bench,
        _add_status,
        _add_data,
    ):
        add_command(commands)
    return parser, dict(commands.choices)


def _add_run(commands):
    command = commands.add_parser("run", help="execute notebooks: every table and figure")
    command.set_defaults(run=_run)
    command.add_argument(
        "notebooks",
        nargs="*",
        help="names, such as 4_degeneration; all if none",
    )
    command.add_argument(
        "-p",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "VALUE"),
        help="a parameter, such as -p grid '[0.1, 0.4]'; answers to questions go to build/explored",
    )
    command.add_argument(
        "--parameters",
        action="store_true",
        help="list the notebooks' parameters",
    )
    command.add_argument(
        "--recorded",
        action="store_true",
        help="leave out notebooks with trials still to run, and fail if there are any; what -p "
        "asks may need trials of its own",
    )
    command.add_argument(
        "--at-once",
        type=_count,
        help="notebooks at once, or -1 for one a core (default: 1, with --recorded -1)",
    )
    _add_recompute(command)
    _add_protocol(command)


def _run(options):
    from mimlstudy.engine.records import CURRENT
    from mimlstudy.report import kernels, notebooks, status

    _check_once(options.p)
    parameters = _protocol(options) | {
        "data_home": options.data_home or "",
        "recompute": options.recompute,
    }
    # What was asked by -p counts more than an option.
    parameters |= dict(options.p)
    # By name or path, so that a shell's completion of files works.
    asked = options.notebooks or notebooks.available_notebooks()
    names = [notebooks.find_notebook(name).stem for name in asked]
    if options.parameters:
        if options.p:
            raise ValueError("--parameters lists what -p sets, and runs nothing; give one of them")
        return _list_parameters(names)
    # Before the trials are counted, which takes time.
    values = notebooks.checked_parameters(names, parameters)
    if options.recorded and values["recompute"]:
        raise ValueError("--recorded runs no trial, and --recompute runs all; give one of them")
    warn_of_own_arithmetic()
    # It is ready when the trials are counted.
    profile = values["profile"]
    kernels.start_server(with_records=profile == "paper" and len(names) > 1)
    counts = {name: status.trials_behind(name, profile) for name in names}
    ready, left_out = [], []
    for name in names:
        has_trials_to_run = bool(counts[name].keys() - {CURRENT})
        if options.recorded and has_trials_to_run:
            left_out.append(name)
        else:
            ready.append(name)

    # Trials take all cores, so that notebooks that run some come one after another.
    at_once = options.at_once or (-1 if options.recorded else 1)
    if options.recorded and at_once != 1 and values["jobs"] == -1:
        values["jobs"] = 1  # the notebooks have the cores
    how = {"at_once": at_once, "recorded": options.recorded, "report": _say}
    with _ended_by_signal():
        runs = notebooks.run_notebooks(ready, values, **how) if ready else []
    for name in left_out:
        message = _why_left_out(counts[name], profile)
        runs.append(notebooks.NotebookRun(name, "left out", 0.0, message=message))
    return _report_runs(runs, counts, _as_written(options))


def _as_written(options):
    """The options of ``run`` that change what a notebook shows or how its trials run.

    Not --recorded, which would leave the notebook out again, nor --at-once.
    """
    words = []
    for pair in options.p:
        words += ["-p", *pair]
    if options.recompute:
        words.append("--recompute")
    if options.jobs != -1:
        words += ["--jobs", str(options.jobs)]
    if options.profile != "paper":
        words += ["--profile", options.profile]
    if options.data_home:
        words += ["--data", options.data_home]
    return words


def _check_once(pairs):
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"-p {name} must be given once, got {names.count(name)} times")


def _list_parameters(names):
    """Print the parameters of each notebook; the exit status."""
    from mimlstudy.report.notebooks import parameters_of

    rows = []
    for name in names:
        for parameter in parameters_of(name).values():
            rows.append(
                {
                    "notebook": name,
                    "parameter": parameter["name"],
                    "type": parameter["inferred_type_name"],
                    "what it does": parameter["help"],
                }
            )
    _print_table(rows)
    return 0


def _report_runs(runs, counts, options):
    """Print a row for each run, the page to open, and what went wrong; the exit status.

    ``options`` are the words behind a notebook's name that run it again in the same way.
    """
    from mimlstudy.report.words import counted

    rows = []
    for run in runs:
        again = shlex.join(["mimlpaper", "run", run.name, *options])
        is_done = run.status == "done"
        # The message of one that is left out names another command.
        has_other_remedy = run.status == "left out" and run.message
        rows.append(
            {
                "notebook": run.name,
                "status": run.status,
                "trials before": counted(counts[run.name]) or "none",
                "seconds": f"{run.seconds:.0f}",
                "command": "" if is_done or has_other_remedy else again,
            }
        )
    _print_table(rows)
    pages = [run.output.with_suffix(".html") for run in runs if run.output]
    if pages:
        print(f"\nopen {pages[0]}")
    failed = [run for run in runs if run.status != "done"]
    for run in failed:
        if run.message:
            _say(f"\n{run.name}: {run.status}\n{run.message}")
    return int(bool(failed))


def _why_left_out(counts, profile):
    """What to do about records that are not current; "" if trials are missing alone."""
    from mimlstudy.report.sentences import of_profile
    from mimlstudy.report.status import not_current

    if not not_current(counts):
        return ""
    command = of_profile("mimlpaper status", profile)
    return f"its records are not current; `{command}` names the commands that make them so"


@contextmanager
def _ended_by_signal():
    """Let SIGTERM end a block as Ctrl-C does, so that kernels and their folders are removed."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _add_compute(commands):
    command = commands.add_parser("compute", help="run the trials of experiments and record them")
    command.set_defaults(run=_compute)
    _add_experiments(command)
    command.add_argument(
        "--methods",
        nargs="+",
        help="only these rows of the named experiments, by the names of the tables",
    )
    command.add_argument(
        "--estimate",
        action="store_true",
        help="estimate how long the remaining trials take, run nothing",
    )
    command.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="run on the workers of this scheduler",
    )
    _add_recompute(command)
    _add_protocol(command)


def _compute(options):
    from mimlstudy.engine import execution, records
    from mimlstudy.paper.catalogue import default_store
    from mimlstudy.report.words import counted

    if options.methods and not options.experiment:
        raise ValueError("--methods needs the experiments that have them, such as table1, first")
    experiments = _experiments(options.experiment)
    store = default_store(options.profile)
    how = {
        "store": store,
        "profile": options.profile,
        "recompute": options.recompute,
    }
    if options.estimate:
        if options.dask:
            raise ValueError("--estimate is of this machine: it goes without --dask")
        table = execution.estimate(
            experiments,
            methods=options.methods,
            jobs=options.jobs,
            **how,
        )
        _print_estimate(table)
        return 0
    trials = execution.compute(
        experiments,
        methods=options.methods,
        dask=options.dask,
        jobs=options.jobs,
        data_home=options.data_home,
        **how,
    )
    # A staged trial has several rows.
    each_once = trials.drop_duplicates(records.KEY)
    summary = each_once.groupby(["experiment", "method"], sort=False).agg(
        trials=("split", "size"),
        seconds_each=("seconds", "mean"),
        state=(
            "state",
            lambda states: counted(states.value_counts(sort=False)),
        ),
    )
    print(summary.to_string(float_format="%.2f"))
    # Where data are missing, old records stay as they are.
    return int((trials["state"] != records.CURRENT).any())


def _print_estimate(table):
    """Print an estimate's hours in words: with two decimals they would show seconds as no time."""
    for column in ("core_hours", "hours"):
        texts = []
        for hours, n_unknown in zip(table[column], table["unknown"], strict=True):
            texts.append(_estimate_in_words(3600 * hours, n_unknown))
        table[column] = texts
    shown = table.rename(columns={"core_hours": "work", "hours": "duration"})
    print(shown.to_string(index=False))


def _estimate_in_words(seconds, n_unknown):
    """An estimate; trials whose seconds nobody knows are left out of it."""
    from mimlstudy.engine.execution import duration_in_words

    if not n_unknown:
        return duration_in_words(seconds)
    return f"over {duration_in_words(seconds)}" if seconds else "unknown"


def _add_verify(commands):
    command = commands.add_parser("verify", help="re-run recorded trials and compare")
    command.set_defaults(run=_verify)
    _add_experiments(command)
    command.add_argument(
        "--sample",
        type=_positive_count,
        default=1,
        help="trials of each group (default 1)",
    )
    command.add_argument(
        "--only-not-current",
        action="store_true",
        help="leave out groups whose records are current, such as those verified before Ctrl-C",
    )
    command.add_argument(
        "--audit",
        type=_seconds,
        metavar="SECONDS",
        help="instead, random current trials that took at most so long in all",
    )
    _add_protocol(command)


def _verify(options):
    if options.audit is not None and (options.only_not_current or options.sample != 1):
        raise ValueError(
            "--audit draws among all current trials; --sample and --only-not-current "
            "are for a verification without it"
        )
    from mimlstudy.counts import number_and_noun
    from mimlstudy.engine import verify
    from mimlstudy.engine.provenance import provenance
    from mimlstudy.paper.catalogue import default_store
    from mimlstudy.report.sentences import counted, of_profile

    warn_of_own_arithmetic()
    experiments, store = _experiments(options.experiment), default_store(options.profile)
    table = verify.verify(
        experiments,
        sample=options.sample,
        only_not_current=options.only_not_current,
        seconds=options.audit,
        store=store,
        **_protocol(options),
    )
    if table.empty:
        return _say_why_nothing_ran(experiments, store, options)
    same = table["outcome"].isin(verify.SAME)
    # An audit is a quick look: what agrees needs no line.
    shown = table if options.audit is None else table[~same]
    if len(shown):
        print(shown.to_string(index=False))
    outcomes = counted(table["outcome"].value_counts())
    n_checked = table["n_checked"].sum()
    machine = provenance()["machine"]
    checked = number_and_noun(n_checked, "trial")
    print(f"{checked} run again on {machine}; groups: {outcomes} ({verify.MEANING})")
    if options.audit is None:
        _print_what_was_left_out(experiments, store, options)
    is_wrong = table["outcome"].isin([verify.DIFFERENT, verify.DAMAGED])
    if is_wrong.any():
        names = " ".join(table.loc[is_wrong, "experiment"].unique())
        command = of_profile(f"mimlpaper compute {names}", options.profile)
        print(f"`{command}` records the trials that differ or are damaged again")
    return int(not same.all())


def _print_what_was_left_out(experiments, store, options):
    """Print how many recorded trials are in no group, so that nothing was said of them."""
    from mimlstudy.counts import number_and_noun
    from mimlstudy.engine import verify

    n_left_out = verify.n_in_no_group(experiments, store=store, profile=options.profile)
    if n_left_out:
        left_out = number_and_noun(n_left_out, "recorded trial")
        print(f"{left_out} cannot be compared: of other settings or data, or costs")


def _say_why_nothing_ran(experiments, store, options) -> int:
    """Say why ``verify`` checked nothing; the exit status is 0 if there was nothing to check."""
    from mimlstudy.report.sentences import of_profile

    if options.audit is not None:
        return _say_why_nothing_was_audited(experiments, store, options)
    if options.only_not_current:
        _say("nothing was checked: no group that can be verified has records that are not current")
        return 0
    names = " ".join(["mimlpaper compute", *options.experiment])
    command = of_profile(names, options.profile)
    _say(
        f"nothing was checked: no record has today's settings and data; `{command}` "
        "makes such records, and costs are never run again"
    )
    return 1


def _say_why_nothing_was_audited(experiments, store, options) -> int:
    """Say why; the exit status is 0 if no data are here."""
    from mimlpaper.datasets.fetch import data_folder, fetch_command

    datasets = set()
    for experiment in experiments:
        datasets |= {trial.dataset for trial in experiment.trials(options.profile)}
    catalogue = store.catalogue
    is_here = [catalogue.is_present(name, options.data_home) for name in datasets]
    if not any(is_here):
        fetch = fetch_command(data_folder(options.data_home))
        _say(f"nothing was checked: the data are not here; `{fetch}` downloads them")
        return 0
    _say(
        "nothing was checked: no current record of data that are here took at most a quarter "
        f"of {options.audit:g} seconds; give --audit more, or see `mimlpaper status`"
    )
    return 1


def _add_bench(commands):
    command = commands.add_parser("bench", help="your method in the paper's tables")
    command.set_defaults(run=_bench)
    command.add_argument(
        "entry",
        metavar="MODULE:NAME",
        help="an estimator, or what makes one",
    )
    command.add_argument(
        "--tables",
        nargs="+",
        choices=BENCH_TABLES,
        required=True,
        help="1, 2, unseen: bags and label sets; 3, 4: vectors and label sets; 5: one binary label",
    )
    command.add_argument(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help="after which a fit or a prediction is ended (default 3600)",
    )
    _add_protocol(command)


def _bench(options):
    from mimlstudy.report.bench import bench

    tables = [int(name) if name.isdigit() else name for name in options.tables]
    # The bench has a limit of its own.
    limit = {} if options.timeout is None else {"timeout": options.timeout}
    done = bench(options.entry, tables, **limit, **_protocol(options))
    if len(done.standing):
        print(done.standing.to_string(index=False, float_format="%.2f"))
    for problem in done.problems:
        _say(f"failed: {problem}")
    print(done.folder / "report.md")
    return int(bool(done.problems))


def _add_status(commands):
    command = commands.add_parser(
        "status",
        help="the outcome, and every table and figure: current, or why not",
    )
    command.set_defaults(run=_status)
    command.add_argument(
        "--json",
        action="store_true",
        help="all cells and claims, as JSON",
    )
    command.add_argument(
        "--trace",
        nargs="+",
        metavar="NAME",
        help="how a number came about: table, method, criterion, and of Table 5 a data set",
    )
    _add_profile(command)


def _status(options):
    from mimlstudy.report.kept import kept

    if options.trace:
        if options.json:
            raise ValueError("--trace prints text: it goes without --json")
        if options.profile != "paper":
            raise ValueError(f"--trace is of the profile paper, got {options.profile}")
        return _trace(options.trace)
    if options.json:
        return _print_scorecard(options.profile)

    def overview():
        # Its imports take a second, and are not needed while the answer is kept.
        from mimlstudy.report import status

        return status.overview(options.profile)

    shown = kept("overview", options.profile, overview, pictures=True)
    _print_table(shown["rows"])
    print(f"\n{shown['outcome']}")
    if shown["versions"]:
        print(f"\n{shown['versions']}")
    return int(any(row["command"] for row in shown["rows"]))


def _print_scorecard(profile):
    from mimlstudy.report import status

    print(json.dumps(status.recorded_scorecard(profile), indent=1))
    return 0


def _trace(names):
    from mimlstudy.report.trace import trace

    if len(names) not in (3, 4):
        raise ValueError(f"--trace takes 3 or 4 names, got {len(names)}")
    print(trace(*names))
    return 0


def _add_data(commands):
    command = commands.add_parser("data", help="list the data sets, or download them")
    command.set_defaults(run=_data)
    command.add_argument(
        "--fetch",
        nargs="*",
        metavar="NAME",
        help="download these, or all",
    )
    _add_data_home(command)


def _data(options):
    from mimlpaper.datasets.fetch import data_folder, describe, fetch_all, fetch_command

    if options.fetch is not None:
        fetch_all(options.data_home, options.fetch or None)
    _print_table(describe(options.data_home))
    folder = data_folder(options.data_home)
    print(f"\nfiles in {folder}; `{fetch_command(folder)}` downloads the missing")
    return 0


def _add_protocol(command):
    """The options of all commands that run trials."""
    command.add_argument(
        "--jobs",
        type=_count,
        default=-1,
        help="processes at once, or -1 for one a core (default: -1)",
    )
    _add_profile(command)
    _add_data_home(command)


def _protocol(options):
    return {
        "profile": options.profile,
        "jobs": options.jobs,
        "data_home": options.data_home,
    }


def _add_profile(command):
    command.add_argument(
        "--profile",
        choices=PROFILES,
        default="paper",
        help="synthetic data, a few splits, or all (default: paper)",
    )


def _add_data_home(command):
    command.add_argument(
        "--data",
        metavar="DIR",
        dest="data_home",
        type=_folder,
        help="folder of the data files",
    )


def _add_recompute(command):
    command.add_argument("--recompute", action="store_true", help="run all trials again")


def _add_experiments(command):
    command.add_argument(
        "experiment",
        nargs="*",
        metavar="EXPERIMENT",
        help="such as table1 or alternatives; mimlpaper compute --estimate lists them all "
        "(default: all)",
    )


def _experiments(names):
    from mimlstudy.paper.experiments import EXPERIMENTS, get_experiment

    return [get_experiment(name) for name in dict.fromkeys(names or EXPERIMENTS)]


def _count(text):
    """A number of processes or notebooks: -1, or at least 1."""
    if text != "-1" and not COUNT.fullmatch(text):
        raise argparse.ArgumentTypeError(f"must be -1, one a core, or at least 1, got {text!r}")
    return int(text)


def _positive_count(text):
    """A number of trials, at least 1."""
    if not COUNT.fullmatch(text):
        raise argparse.ArgumentTypeError(f"must be an integer of at least 1, got {text!r}")
    return int(text)


def _seconds(text):
    """A finite number of seconds above 0."""
    seconds = float(text) if SECONDS.fullmatch(text) else 0.0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number above 0, such as 20, got {text!r}")
    return seconds


def _folder(text):
    """An absolute path, since notebooks and workers run in folders of their own; "" is none."""
    if not text:  # such as a variable that is not set
        return None
    try:
        folder = Path(text).expanduser().resolve()
    except RuntimeError as error:  # ~somebody who is not there
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error
    if folder.is_file():
        raise argparse.ArgumentTypeError(f"a folder is needed, got the file {text!r}")
    return str(folder)


def _say(line):
    """Print a line on standard error: how far a command is, or what is wrong."""
    print(line, file=sys.stderr, flush=True)


def _print_table(rows):
    """Print dicts of the same keys as a table, flush left."""
    heads = list(rows[0])
    table = [heads]
    for row in rows:
        table.append([str(row[head]) for head in heads])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for texts in table:
        padded = map(str.ljust, texts, widths)
        # The last column needs no room behind it.
        print("  ".join(padded).rstrip())
