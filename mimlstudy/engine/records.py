"""Recorded trials: one CSV file an experiment, one row a trial and stage; and which are current.

A row is appended whole, flushed and synced under a lock, so that neither a crash nor a second
writer loses or mixes records. Part of a row that a killed process left is ignored, and cut off
before the next row is written.

A record is *current* if today's code, settings and data give it. Its settings and data are
today's; and today's code made it, with the pinned arithmetic or that of this machine, or
``mimlpaper verify`` found that today's code gives the same. Versions of packages are recorded, and
make no record old. A reader's own tables are made of current records alone; what is published also
of records that are not refuted. Five words:

- A *group* is the records of a method that were made in one way, and would today be made in one
  way: equal in the columns :data:`GROUP`.
- An *outcome* is what verification found of a group: equal, close, different, damaged or failed.
- A *doubt* stands beside a record that may be wrong: a repetition in its group differed, or its
  row does not fit its seal or the rules of its measure.
- A *state* is what a reader gets in the column ``state``: current, or why not, see :data:`STATES`.
  All stages of a trial have the worst of theirs.
- A group is *attested* if every machine on which some of its trials ran again found the same.
"""

import os
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from filelock import FileLock

from mimlpaper import paths
from mimlstudy.engine.arithmetic import PINNED, arithmetic
from mimlstudy.engine.catalogue import Catalogue
from mimlstudy.engine.fingerprint import Fingerprint, fingerprint
from mimlstudy.engine.provenance import provenance
from mimlstudy.engine.rows import (
    SEAL,
    StoreError,
    end_of_rows,
    parse_csv,
    sealed,
    to_csv,
    to_csv_as_known,
)
from mimlstudy.engine.sources import sources
from mimlstudy.engine.trials import Experiment, Measure, Trial

KEY = ["experiment", "dataset", "method", "override", "split"]
CONFIGURED = ["dataset", "method", "override"]  # what an estimator is made for
COUNTS = ["split", "stage", "n_stages", "n_train", "n_test"]  # whole numbers, in every file
POSITIVE = ["n_stages", "n_train"]
NUMBERS_OF_EVERY_FILE = [*COUNTS, "seconds"]
TIMES = ("seconds", "fit_seconds", "predict_seconds")  # which no second run gives again

CURRENT = "current"
CODE_CHANGED = "code changed"  # since it was recorded, and not verified to give the same
SETTINGS_CHANGED = "settings changed"  # of the estimator, the splits or the measure
DATA_CHANGED = "data changed"
OTHER_ARITHMETIC = "other arithmetic"  # neither the pinned one nor that of this machine
DIFFERS = "differs"  # verify got other numbers for it, or for another record of its group
DAMAGED = "damaged"  # its text does not agree with its seal, or a number is impossible
STATES = (  # from best to worst; a damaged record may have any numbers, so that it is the worst
    CURRENT,
    CODE_CHANGED,
    OTHER_ARITHMETIC,
    SETTINGS_CHANGED,
    DATA_CHANGED,
    DIFFERS,
    DAMAGED,
)
REFUTED = (DIFFERS, DAMAGED)  # whose numbers may be wrong, not only old
CONFIRMABLE = (CURRENT, CODE_CHANGED, OTHER_ARITHMETIC)  # what verify can find to be the same

# The columns that say where a record comes from.
ORIGIN = ["data_sha256", "code", "settings", "arithmetic", "versions", "commit", "machine"]
# What all rows of one run of a trial share.
OF_RUN = [*KEY, "n_stages", "seconds", *ORIGIN]

# The columns in which records agree that were made in one way, whatever today's code is.
MADE_ALIKE = ["experiment", "method", "settings", "recorded_code", "recorded_arithmetic"]
# The columns of a group: these, and the code at the time of verification.
GROUP = [*MADE_ALIKE, "verified_code"]
OUTCOME_COLUMNS = [
    *GROUP,
    "outcome",
    "n_checked",
    "largest_difference",
    "date",
    "machine",
    "arithmetic",
    "versions",
    "commit",
]
SAME = ("equal", "close")  # the outcomes that attest a group
# The other outcomes; DAMAGED, a state, is one too. The records of a DIFFERENT group get the state
# DIFFERS.
DIFFERENT, FAILED = "different", "failed"
# DIFFERENT last: a damaged record shows by itself; that records of older code differ is known by
# the outcome alone.
NOT_SAME = (FAILED, DAMAGED, DIFFERENT)
FROM_BEST_TO_WORST = (*SAME, *NOT_SAME)
FILE_OF_OUTCOMES = "verified"


def columns_of(measure: Measure) -> list[str]:
    """The columns of the file of an experiment with a measure, without the seal."""
    return [
        *KEY,
        "stage",
        "n_stages",
        *measure.words,
        *measure.numbers,
        "seconds",
        "warnings",
        "kind",
        "n_train",
        "n_test",
        *ORIGIN,
        "doubt",
    ]


class Store:
    """The results files in one folder, and ``verified.csv``, what verification last found.

    Opening it fails with a StoreError if rows do not come back as they are written.

    Parameters
    ----------
    folder : where the files are; it is made when something is recorded.
    catalogue : Catalogue, the data sets of the trials.
    base : Store or None, whose records are read where the folder has none of the same trial;
        :func:`read_records` also prefers its current records, and takes over its doubts. No call
        writes them.
    """

    def __init__(self, folder, catalogue: Catalogue, base: "Store | None" = None):
        self.folder = Path(folder)
        self.catalogue = catalogue
        self.base = base
        sources()  # reads all code now: what is edited later does not run, and is not hashed
        check_round_trip(catalogue)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.csv"

    def layers(self) -> list["Store"]:
        """This store and those below it."""
        return [self, *(self.base.layers() if self.base else [])]

    def append(self, experiment: Experiment, rows: list[dict]):
        """Add sealed rows, all of them or, if that fails, none; a StoreError says why."""
        path, columns = self.path(experiment.name), columns_of(experiment.measure)
        self._check_readable(rows, experiment.measure, path)
        try:
            # Unbuffered: what could not be written must not be written later.
            with self._locked(experiment.name), open(path, "a+b", buffering=0) as file:
                file.seek(0)
                data = file.read()
                end, ends_line = end_of_rows(data, len(columns))
                file.truncate(end)  # a writer that was killed may have left part of a row
                text = to_csv(rows, columns, header=not end)
                unwritten = (text if ends_line else "\n" + text).encode()
                try:
                    while unwritten:
                        unwritten = unwritten[file.write(unwritten) :]
                    os.fsync(file.fileno())
                except OSError:
                    file.truncate(end)
                    raise
        except OSError as error:
            raise StoreError(
                f"cannot record to {path}: {error}; what was recorded before is intact"
            ) from error

    def load(self, experiment: Experiment) -> pd.DataFrame:
        """All whole trials of the folder and of the base.

        Of a trial recorded twice the last whole one counts, and the folder's before the base's.
        The column ``doubt`` is "" of a record that may be right, else one of :data:`REFUTED`.
        """
        path, measure = self.path(experiment.name), experiment.measure
        columns = columns_of(measure)
        text = _whole_text(path, len(columns)) or to_csv([], columns)
        recorded = _parse(text, path, measure, self.catalogue)
        if self.base is None:
            return _last_whole_runs(recorded)
        below = self.base.load(experiment)
        if below.empty:
            return _last_whole_runs(recorded)
        return _last_whole_runs(pd.concat([below, recorded], ignore_index=True))

    def rewrite(self, experiment: Experiment, change: Callable = lambda rows: rows):
        """Replace the file, in one step, by what ``change`` makes of its whole trials.

        No writer comes between reading and writing. Records that were superseded leave the file.
        A row that keeps its seal keeps its text, and so the doubt that it was written with, without
        that of a damaged row, which reading puts in.
        """
        path, columns = self.path(experiment.name), columns_of(experiment.measure)
        try:
            with self._locked(experiment.name):
                rows = change(self._without_base().load(experiment)).to_dict("records")
                known = _whole_text(path, len(columns))
                text = to_csv_as_known(rows, columns, known, names=[*KEY, "stage"])
                paths.write_whole(path, text)
        except OSError as error:
            raise StoreError(
                f"cannot rewrite {path}: {error}; what was recorded is intact"
            ) from error

    def mark_as_differing(self, experiment: Experiment, records: pd.DataFrame):
        """Put a doubt into these records, until their trials are recorded again.

        Marked records of the base are copied. A trial with a damaged row stays as it is, and so
        does one that was recorded again after ``records`` were read.
        """
        columns = columns_of(experiment.measure)
        runs = records[OF_RUN].drop_duplicates()

        def marked(rows):
            everything = self.load(experiment)
            damaged = set(keys_of(everything[everything["doubt"] == DAMAGED]))
            wanted = set(keys_of(everything.merge(runs, on=OF_RUN))) - damaged
            to_mark = [key in wanted for key in keys_of(everything)]
            differing = everything[to_mark].assign(doubt=DIFFERS).to_dict("records")
            if not differing:
                return rows
            copies = pd.DataFrame([sealed(row, columns) for row in differing])
            copied = set(keys_of(copies))
            left = [key not in copied for key in keys_of(rows)]
            return pd.concat([rows[left], copies], ignore_index=True)

        self.rewrite(experiment, marked)

    def outcomes(self) -> pd.DataFrame:
        """What verification last found of each group on each machine: :data:`OUTCOME_COLUMNS`.

        If a file has several outcomes of one group and machine, as after a merge, the worst counts.
        """
        table = self.base.outcomes() if self.base else pd.DataFrame(columns=OUTCOME_COLUMNS)
        path = self.path(FILE_OF_OUTCOMES)
        if not path.is_file():
            return table
        try:
            recorded = _parsed_outcomes(path.read_bytes())
        except ValueError as error:
            raise StoreError(
                f"{path}: {error}; restore the file from version control, or delete it and run "
                "`mimlpaper verify` again"
            ) from error
        return _last_outcomes(table, recorded)

    def add_outcomes(self, rows: Iterable[dict]):
        """Add outcomes to ``verified.csv``, in place of those of the same group and machine."""
        try:
            with self._locked(FILE_OF_OUTCOMES):
                added = pd.DataFrame(list(rows), columns=OUTCOME_COLUMNS)
                table = _last_outcomes(self._without_base().outcomes(), added)
                ordered = table.sort_values([*GROUP, "machine"]).to_dict("records")
                text = to_csv([sealed(row, OUTCOME_COLUMNS) for row in ordered], OUTCOME_COLUMNS)
                paths.write_whole(self.path(FILE_OF_OUTCOMES), text)
        except OSError as error:
            raise StoreError(f"cannot write {self.path(FILE_OF_OUTCOMES)}: {error}") from error

    def _check_readable(self, rows, measure, path):
        """Raise a StoreError if rows could not be read again, which would block the whole file."""
        try:
            _typed(to_csv(rows, columns_of(measure)), measure)
        except ValueError as error:
            raise StoreError(
                f"cannot record to {path}: {error}; the measure must give numbers and short words"
            ) from error

    def _without_base(self):
        """The store of this folder alone."""
        return Store(self.folder, self.catalogue)

    def _locked(self, name):
        self.folder.mkdir(parents=True, exist_ok=True)
        return FileLock(self.folder / f".{name}.lock")


def _whole_text(path, n_columns):
    """The text of a file without a torn last row; "" if there is no file."""
    data = path.read_bytes() if path.is_file() else b""
    end, _ = end_of_rows(data, n_columns)
    return data[:end].decode(errors="replace")


def _parse(text, path, measure, catalogue):
    """A file's rows with their types; those that cannot be right have a doubt."""
    try:
        table, intact = _typed(text, measure)
    except ValueError as error:
        raise StoreError(
            f"{path}: {error}; restore the file from version control, or delete the damaged lines, "
            "of a damaged line 1 the file, and run `mimlpaper compute` again"
        ) from error
    right = np.array(intact, dtype=bool) & _possible(table, measure, catalogue)
    known = table["doubt"].isin(["", DIFFERS])
    return table.assign(doubt=table["doubt"].where(right & known, DAMAGED))


def _typed(text, measure):
    """The rows of a file with their types, and of each whether its seal is right."""
    table, intact = parse_csv(text, columns_of(measure))
    for name in [*NUMBERS_OF_EVERY_FILE, *measure.numbers]:
        table[name] = pd.to_numeric(table[name])
    return table, intact


def _possible(table, measure, catalogue):
    """Whether each row's numbers obey the rules of the measure, and its ranks the catalogue."""
    numbers = table[[*NUMBERS_OF_EVERY_FILE, *measure.numbers]].astype(float)
    counts = numbers[[*COUNTS, *measure.counts]]
    times = numbers.filter(items=TIMES)
    of_test_set = numbers[[*measure.shares, *measure.ranks]]
    from_zero = pd.concat([counts, times, of_test_set], axis=1)
    needed = numbers.drop(columns=[*measure.may_lack])
    faults = [
        np.isinf(numbers).any(axis=1),
        needed.isna().any(axis=1),
        (counts % 1 > 0).any(axis=1),
        (from_zero < 0).any(axis=1),
        (numbers[POSITIVE] < 1).any(axis=1),
        (numbers[[*measure.shares]] > 1).any(axis=1),
        of_test_set.notna().any(axis=1) & (numbers["n_test"] < 1),
    ]
    for name, least, largest in measure.ranges:
        faults.append((numbers[name] < least) | (numbers[name] > largest))
    if measure.ranks:
        last_ranks = _largest_ranks(table["dataset"], catalogue)
        of_ranks = numbers[[*measure.ranks]]
        faults.append(of_ranks.gt(last_ranks, axis=0).any(axis=1))
    if measure.has_one_of:
        alternatives = numbers[[*measure.has_one_of]]
        faults.append(alternatives.notna().sum(axis=1) != 1)
    return ~np.any(faults, axis=0)


def _largest_ranks(datasets, catalogue):
    """The rank of the last label, from 0, of each row's data set; infinite if that is unknown."""
    largest = {}
    for name in datasets.unique():
        try:
            largest[name] = catalogue.n_labels(name) - 1
        except ValueError:  # the name in a damaged row, which must not hide the other rows
            largest[name] = np.inf
    return datasets.map(largest).astype(float)


@lru_cache(1)  # each experiment asks again
def _parsed_outcomes(data: bytes) -> pd.DataFrame:
    """The outcomes in a file's bytes; a ValueError if they are not laid out so."""
    recorded, intact = parse_csv(data.decode(errors="replace"), OUTCOME_COLUMNS)
    if not all(intact):
        line = intact.index(False) + 2
        raise ValueError(f"line {line}: it does not agree with its seal")
    recorded["n_checked"] = pd.to_numeric(recorded["n_checked"])
    recorded["largest_difference"] = recorded["largest_difference"].astype(float)
    return _worst_outcomes(recorded.drop(columns=SEAL))


def _worst_outcomes(recorded):
    """The worst outcome of each group and machine; a ValueError if one is unknown."""
    if unknown := {*recorded["outcome"]} - {*FROM_BEST_TO_WORST}:
        raise ValueError(f"outcome must be one of {FROM_BEST_TO_WORST}, got {min(unknown)!r}")
    ranks = [FROM_BEST_TO_WORST.index(word) for word in recorded["outcome"]]
    from_best_to_worst = recorded.iloc[np.argsort(ranks, kind="stable")]
    worst = from_best_to_worst.drop_duplicates([*GROUP, "machine"], keep="last")
    return worst.sort_index()


def _last_outcomes(known, added):
    """The last outcome of each group and machine.

    If records are found different, their "equal" and "close" outcomes against other code are
    dropped: the sample may have missed the wrong record.
    """
    different = added[added["outcome"] == DIFFERENT]
    groups, records_that_differ = _rows_of(different[GROUP]), _rows_of(different[MADE_ALIKE])
    differ = np.array([row in records_that_differ for row in _rows_of(known[MADE_ALIKE])], bool)
    from_this_code = np.array([row in groups for row in _rows_of(known[GROUP])], bool)
    is_withdrawn = known["outcome"].isin(SAME) & differ & ~from_this_code
    known = known[~is_withdrawn]
    table = pd.concat([known, added]) if len(known) else added
    return table.drop_duplicates([*GROUP, "machine"], keep="last")


def _rows_of(table):
    return list(table.itertuples(index=False, name=None))


def _last_whole_runs(rows):
    """The last whole run of each trial; in the result its rows stand together, stages ascending.

    A run that was cut off in its last stages does not hide the whole one before it.
    """
    places = pd.Series(np.arange(len(rows)), rows.index)
    begins = (rows[KEY] != rows[KEY].shift()).any(axis=1) | (rows["stage"].diff() <= 0)
    run = begins.cumsum()
    by_run = places.groupby(run)
    has_all_stages = by_run.transform("size") == rows["n_stages"]
    is_whole = has_all_stages.groupby(run).transform("all")
    whole = rows[is_whole].assign(end=by_run.transform("max")[is_whole])
    if not is_whole.all():
        whole = pd.concat([whole, _gathered_runs(rows[~is_whole].assign(end=places))])
    is_last = whole["end"] == whole.groupby(KEY)["end"].transform("max")
    in_order = whole[is_last].sort_values(["end", "stage"])
    return in_order.drop(columns="end").reset_index(drop=True)


def _gathered_runs(rows):
    """Whole runs whose rows another program has sorted or doubled, found by what they share."""
    rows = rows.drop_duplicates([*OF_RUN, "stage"])
    groups = rows.groupby(OF_RUN, sort=False, dropna=False)
    rows = rows.assign(end=groups["end"].transform("max"))
    return rows[groups["stage"].transform("size") == rows["n_stages"]]


KNOWN_MEASURE = Measure(rows=list, numbers=("share", "value"), words=("word",), shares=("share",))
# Its values all differ, but for the empty ones, so that no two can be swapped unseen.
KNOWN_ROW: dict[str, Any] = {
    "experiment": "known",
    "dataset": "data, quoted",
    "method": "=method",
    "override": '{"C": 1.0}',
    "split": 7,
    "stage": 0,
    "n_stages": 1,
    "word": "word",
    "share": 0.25,
    "value": -1.0 / 3.0,
    "seconds": 2.5,
    "warnings": "",
    "kind": "kind",
    "n_train": 30,
    "n_test": 10,
    "data_sha256": "content",
    "code": "code",
    "settings": "0123",
    "arithmetic": "arithmetic",
    "versions": "versions",
    "commit": "commit",
    "machine": "machine",
    "doubt": "",
}
KNOWN_LINE = (
    'known,"data, quoted",\'=method,"{""C"": 1.0}",7,0,1,word,0.25,-0.3333333333,2.5,,kind,30,10,'
    "content,code,0123,arithmetic,versions,commit,machine,,073e9793\n"
)


def check_round_trip(catalogue: Catalogue):
    """Write and read a known row; a StoreError if it does not come back as it is known."""
    columns = columns_of(KNOWN_MEASURE)
    text = to_csv([sealed(KNOWN_ROW, columns)], columns)
    written = text.removeprefix(",".join([*columns, f"{SEAL}\n"]))
    table = _parse(text, "a known row", KNOWN_MEASURE, catalogue)
    (read,) = table[columns].to_dict("records")
    value = round(KNOWN_ROW["value"], 10)
    if written != KNOWN_LINE or read != KNOWN_ROW | {"value": value}:
        raise StoreError(
            f"rows are not written and read as they should be: {KNOWN_LINE!r} became {written!r}, "
            f"and was read as {read}; the code of mimlstudy.engine.records or rows was changed"
        )


def read_records(
    experiment: Experiment,
    *,
    store: Store,
    profile: str = "paper",
    methods=None,
) -> pd.DataFrame:
    """What is recorded of an experiment's trials, in their order.

    A column ``state`` says which records count, and ``code_today`` which code a trial would run.
    """
    trials = pd.DataFrame(experiment.trials(profile, methods), columns=KEY)
    table = trials.merge(store.load(experiment), on=KEY)  # in the order of the trials
    today = _fingerprints_today(experiment, table, store.catalogue)
    keys = table[CONFIGURED].itertuples(index=False, name=None)
    table = table.assign(
        state=_states(table, today, experiment, store),
        code_today=[today[key].code for key in keys],
    )
    if store.base is None or not store.path(experiment.name).is_file():
        return table
    # What was tried with other code does not hide a current record of the base.
    below = read_records(experiment, store=store.base, profile=profile, methods=methods)
    to_restore = _keys_to_restore(table, below)
    if not to_restore:
        return table
    kept = [key not in to_restore for key in keys_of(table)]
    restored = [key in to_restore for key in keys_of(below)]
    whole = pd.concat([table[kept], below[restored]], ignore_index=True)
    return trials.merge(whole, on=KEY)


def _keys_to_restore(table, below):
    """The trials whose record of the base counts: current ones, and doubts of the same run.

    ``table`` has all trials of ``below``, the base's records, in the same or in a later run.
    """
    of_same_run = set(keys_of(table.merge(below, on=OF_RUN)))
    state_above = dict(zip(keys_of(table), table["state"], strict=True))
    to_restore = set()
    for key, state in zip(keys_of(below), below["state"], strict=True):
        if key in of_same_run:
            is_restored = state in REFUTED
        else:
            is_restored = state == CURRENT and state_above[key] != CURRENT
        if is_restored:
            to_restore.add(key)
    return to_restore


def _states(table, today, experiment, store):
    """The state of each row: the worst of its trial's stages."""
    outcomes = store.outcomes()
    state_of_group = _states_of_groups(outcomes[outcomes["experiment"] == experiment.name])
    arithmetic_here = arithmetic()

    @cache
    def state(made):
        now = today[made.dataset, made.method, made.override]
        group = (experiment.name, made.method, made.settings, made.code, made.arithmetic, now.code)
        if made.doubt:
            return made.doubt
        listed = store.catalogue.content(made.dataset)
        if listed is None and made.arithmetic == arithmetic_here:
            # Another arithmetic may draw other last digits.
            listed = store.catalogue.drawn_content(made.dataset)
        if listed not in (None, made.data_sha256):
            return DATA_CHANGED
        if made.settings != now.settings:
            return SETTINGS_CHANGED
        is_of_today = made.code == now.code
        # Records of today's code that differ have a doubt: verification marks them.
        if is_of_today and made.arithmetic in {PINNED, arithmetic_here}:
            return CURRENT
        if group in state_of_group:
            return state_of_group[group]
        return OTHER_ARITHMETIC if is_of_today else CODE_CHANGED

    columns = [*CONFIGURED, "data_sha256", "doubt", "code", "settings", "arithmetic"]
    of_rows = [state(made) for made in table[columns].itertuples(index=False, name="Made")]
    # A trial is as good as its worst stage.
    ranks = pd.Series([STATES.index(word) for word in of_rows], table.index, dtype=int)
    of_trials = ranks.groupby([table[name] for name in KEY]).transform("max")
    return [STATES[rank] for rank in of_trials]


def _states_of_groups(outcomes):
    """By group: current if all machines found the same, differs if one found other numbers.

    A machine on which trials failed says nothing of a group where another has an outcome. Any
    other mix, such as with damaged records, gives no entry.
    """
    states = {}
    for group, on_machines in outcomes.groupby(GROUP)["outcome"]:
        of_runs = on_machines[on_machines != FAILED]
        if len(of_runs) and of_runs.isin(SAME).all():
            states[group] = CURRENT
        elif of_runs.eq(DIFFERENT).any():
            states[group] = DIFFERS
    return states


def fingerprint_today(
    experiment: Experiment,
    catalogue: Catalogue,
    dataset: str,
    method: str,
    override_text: str,
) -> Fingerprint:
    """Today's fingerprint of what runs in a trial."""
    estimator = experiment.estimator(dataset, method, override_text)
    splits = experiment.part_of(dataset, method).splits
    return fingerprint(estimator, catalogue.loader(dataset), splits, experiment.measure)


def _fingerprints_today(experiment, table, catalogue):
    """Today's fingerprints by (dataset, method, override) of some rows."""
    keys = table[CONFIGURED].drop_duplicates().itertuples(index=False, name=None)
    return {key: fingerprint_today(experiment, catalogue, *key) for key in keys}


def other_versions(store: Store) -> str:
    """A line that says which versions differ here from those of records; empty if none does."""
    here = provenance()["versions"].split("; ")
    recorded = set()
    for path in chain.from_iterable(layer.folder.glob("*.csv") for layer in store.layers()):
        try:
            # Files of records have both columns; other lists do not.
            table = pd.read_csv(path, usecols=["code", "versions"])
        except ValueError:  # cut off, empty, or somebody's own: reading its records says so
            continue
        for text in table["versions"].dropna().unique():
            recorded |= set(text.split("; "))
    differing = sorted(recorded - set(here))
    if not differing:
        return ""
    return (
        f"Recorded with {', '.join(differing)}; here are {', '.join(here)}. A record is "
        "current by its code and data; `mimlpaper verify` shows whether these versions agree."
    )


def keys_of(table: pd.DataFrame) -> list[tuple]:
    """The key of each row's trial."""
    return list(table[KEY].itertuples(index=False, name=None))


def trials_of(table: pd.DataFrame) -> list[Trial]:
    """The trials of some rows, each once."""
    return [Trial(*key) for key in dict.fromkeys(keys_of(table))]
