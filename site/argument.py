"""What ``static/argue.js`` needs to judge the claims again: recorded runs, tests, printed means."""

from functools import cache, partial

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claim_parts import (
    COMPETITIVE,
    FACT_TESTS,
    ClaimedShares,
    each_value_as_method,
    parts_of,
    quoted_accuracy,
)
from mimlstudy.judge.claim_tests import QUOTED, claim_tests
from mimlstudy.judge.rules import PART_TESTS
from mimlstudy.judge.selection import (
    SETTINGS_COLUMNS,
    Selection,
    as_in_our_tables,
    records_of,
    selected,
    without_synthetic,
)
from mimlstudy.judge.statistics import RHO_BY_SIZE
from mimlstudy.paper.printed import (
    printed_cells,
    printed_claims,
    printed_table_of,
    printed_tables,
)

SHOWN_OF_PART = ("subject", "aspect", *PART_TESTS)
TESTED_BY_SHARES = "shares"
SWEPT = "insensitive"


def argument(get_records) -> dict:
    """All that judging takes, ready for JSON, from ``get_records(name)`` of an experiment."""
    runs = Runs(get_records)
    tests_of = claim_tests()
    claims = []
    for name in printed_claims()["id"]:
        # A claim that nobody can test has no tests.
        tests = [_described(test, runs) for test in tests_of.get(name, [])]
        claims.append({"id": name, "tests": tests})
    criteria = {}
    for name, criterion in CRITERIA.items():
        criteria[name] = {
            "symbol": criterion.symbol,
            "lower": criterion.lower_is_better,
        }
    return {
        "claims": claims,
        "tables": [_table(table, runs) for table in printed_tables().values()],
        "runs": runs.tables,
        "printed": {table.experiment: _printed(table) for table in printed_tables().values()},
        "quoted": _quoted(),
        "criteria": criteria,
        "simulated": [*map(list, RHO_BY_SIZE.items())],
        "competitive": COMPETITIVE,
    }


class Runs:
    """The tables of runs that tests refer to, each once, by a name."""

    def __init__(self, get_records):
        self.tables: dict[str, dict] = {}
        # Every experiment and every selection is read once.
        read_experiment = cache(partial(records_of, get_records))
        self.read_original = cache(partial(_original, read_experiment))

    def add(self, selection: Selection, test=None) -> str | None:
        """Keep a selection's runs, and return their name; None if there are none.

        For a test of a sweep, each value of the parameter takes the place of a method.
        """
        records = self.read_original(selection)
        name = " ".join([*selection.experiments, selection.column])
        if test and test.claimed == SWEPT and len(records):
            (method,), (default,) = test.methods, map(float, test.values)
            of_method = records[records["method"] == method]
            records = each_value_as_method(of_method, default)
            name = f"{name} {method} swept"
        records = as_in_our_tables(records)
        if records.empty:
            return None
        if name not in self.tables:
            self.tables[name] = _runs(records)
        return name

    def parts_of_fact(self, test, column) -> list[dict]:
        """The parts of a test that no rule changes."""
        records = self.read_original(test.selection(column))
        parts = parts_of([test], lambda _: records)
        return [{name: getattr(part, name) for name in SHOWN_OF_PART} for part in parts]


def _original(get_records, selection):
    """The selected records without those of synthetic data."""
    return without_synthetic(selected(get_records, selection))


def _runs(records):
    """Splits, and by method and criterion a value for each split; None if a split has none.

    A split is a list, read by place: data set, number, size of the training set, of the test set.
    """
    sizes = records.groupby(["dataset", "split"])[["n_train", "n_test"]].mean()
    splits = sizes.reset_index()
    names = [name for name in (*CRITERIA, "accuracy") if name in records]
    values = {}
    for method, rows in records.groupby("method", sort=False):
        by_split = rows.set_index(["dataset", "split"])[names].reindex(sizes.index)
        # JSON has no NaN.
        numbers = by_split.dropna(axis=1, how="all").astype(object)
        values[method] = numbers.where(numbers.notna(), None).to_dict("list")
    return {"splits": splits.to_numpy().tolist(), "values": values}


def _described(test, runs):
    """A test for the browser: its cases, or the parts of a fact; and where its runs are."""
    if test.claimed in FACT_TESTS:
        return {"facts": {column: runs.parts_of_fact(test, column) for column in SETTINGS_COLUMNS}}
    names = {}
    for column in SETTINGS_COLUMNS:
        names[column] = runs.add(test.selection(column), test)
    described = {"test": test.claimed, "values": [*test.values], "runs": names}
    if test.claimed == SWEPT:
        return described | _sweep(test, runs, names["closest"])
    described["cases"] = _cases(test)
    if test.claimed == TESTED_BY_SHARES:
        claimed = ClaimedShares(*test.values)
        described |= {
            "shares": [claimed.better_at_least, claimed.worse_at_most],
            "nDatasets": claimed.n_datasets,
        }
    return described | _print_of(test)


def _sweep(test, runs, name):
    """The test of a sweep: every other value of a parameter ties with the default."""
    (default,) = map(float, test.values)
    swept = runs.tables[name]["values"] if name else {}
    varied = sorted(set(swept) - {str(default)}, key=float)
    cases = []
    for value in varied:
        cases += [[[value], [str(default)], criterion] for criterion in test.on]
    (method,) = test.methods
    return {"test": "tie", "values": [], "cases": cases, "swept": method}


def _cases(test):
    return [[list(methods), list(rivals), name] for methods, rivals, name in test.cases()]


def _print_of(test):
    """The table whose printed means measure a test's power; empty for figures, which print none."""
    table = printed_table_of(test.experiments[0])
    if table is None:
        return {}
    # The eleven data sets of Table 4 share one printed mean.
    shared = table.datasets[0] if table.run == "dataset" else None
    return {"printed": table.experiment, "oneDataset": shared}


def _printed(table):
    """Printed means by data set, method and criterion."""
    means = {}
    for cell in printed_cells(table.number).dropna(subset="mean").itertuples():
        of_method = means.setdefault(cell.dataset, {}).setdefault(cell.algorithm, {})
        of_method[cell.criterion] = cell.mean
    return means


def _quoted():
    """Accuracies quoted in Table 5, by data set and by the names of rivals."""
    quoted = {}
    for dataset in printed_tables()[5].datasets:
        quoted[dataset] = {rival: quoted_accuracy(rival, dataset) for rival in QUOTED}
    return quoted


def _table(table, runs):
    """A table, so that the browser can rank its methods."""
    return {
        "title": table.heading,
        "methods": [*table.algorithms],
        "datasets": [*table.datasets] if table.columns == "dataset" else None,
        "runs": {
            column: runs.add(Selection((table.experiment,), column)) for column in SETTINGS_COLUMNS
        },
    }
