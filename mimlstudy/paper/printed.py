"""What the paper prints: its numbers and its claims, and where it leaves a choice open."""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA, Criterion, accuracy
from mimlstudy.folders import printed_data, study_data

ACCURACY = Criterion("accuracy", "accuracy", "accuracy", False, accuracy)
ALL_CRITERIA = CRITERIA | {"accuracy": ACCURACY}


@dataclass(frozen=True)
class PrintedTable:
    """One of Tables 1 to 5: its rows and columns, and what its means are taken over."""

    number: int
    title: str
    datasets: tuple[str, ...]
    proposed: tuple[str, ...]  # rows, also if they "did not terminate within reasonable time"
    compared: tuple[str, ...]
    criteria: tuple[str, ...]
    run: str  # unit of mean ± std: a random split, a data set, or all folds of a cross-validation
    n_runs: int
    n_folds: int = 1
    tolerance: str = "splits"  # a name of judge.tolerances.TOLERANCE_RULES

    @property
    def experiment(self) -> str:
        return f"table{self.number}"

    @property
    def heading(self) -> str:
        """Such as "Table 1: Scene classification"."""
        return f"Table {self.number}: {self.title}"

    @property
    def columns(self) -> str:
        """What its columns are: "dataset" or "criterion"."""
        return "dataset" if len(self.datasets) > 1 else "criterion"

    @property
    def algorithms(self) -> tuple[str, ...]:
        return self.proposed + self.compared


def read_rows(file: str, *lists: str) -> list[dict]:
    """The rows of a file of printed/; in the columns ``lists`` semicolons separate texts."""
    converters = dict.fromkeys(lists, lambda text: tuple(filter(None, text.split("; "))))
    rows = pd.read_csv(printed_data() / file, converters=converters, keep_default_na=False)
    return rows.to_dict("records")


# Percentages of the 35 cases of Figs. 4 and 5 in which D-MimlSvm is better, ties, is worse.
PRINTED_WIN_TIE_LOSS = {
    ("figure4", "MimlSvm"): (88, 6, 6),
    ("figure4", "MimlSvm_mi"): (80, 20, 0),
    ("figure5", "MimlSvm"): (82, 9, 9),
    ("figure5", "MimlSvm_mi"): (82, 18, 0),
}


@cache
def printed_tables() -> dict[int, PrintedTable]:
    """Tables 1 to 5 by number."""
    rows = read_rows("tables.csv", "datasets", "proposed", "compared", "criteria")
    return {row["number"]: PrintedTable(**row) for row in rows}


def printed_table_of(experiment: str) -> PrintedTable | None:
    """The table whose rows an experiment records, if there is one."""
    tables = [table for table in printed_tables().values() if table.experiment == experiment]
    return tables[0] if tables else None


def printed_cells(number: int | None = None) -> pd.DataFrame:
    """Every cell of Tables 1 to 5, or of one; ``printed``: "value", "N/A", or "blank"."""
    cells = _all_cells()
    if number is not None:
        cells = cells[cells["table"] == number]
    return cells.reset_index(drop=True)


@cache
def _all_cells():
    """Every cell that Tables 1 to 5 have room for, with what the paper prints there."""
    places = []
    for number, table in printed_tables().items():
        # In the order of reading: row by row.
        rows = product(table.algorithms, table.datasets, table.criteria)
        for algorithm, dataset, criterion in rows:
            places.append((number, dataset, algorithm, criterion))
    keys = ["table", "dataset", "algorithm", "criterion"]
    printed = pd.read_csv(printed_data() / "results.csv")
    cells = pd.DataFrame(places, columns=keys)
    cells = cells.merge(printed, "left", on=keys, validate="1:1")
    # A row without numbers is printed as N/A; no row at all leaves the cell blank.
    is_blank, has_no_number = cells["best"].isna(), cells["mean"].isna()
    words = np.select([is_blank, has_no_number], ["blank", "N/A"], "value")
    is_bold = cells["best"].eq(1)
    return cells.assign(printed=pd.Series(words, dtype="str"), best=is_bold)


def printed_characteristics() -> pd.DataFrame:
    """Appendix C's table; percentages as printed, e.g. 44.50."""
    return pd.read_csv(printed_data() / "yahoo_characteristics.csv")


def printed_claims() -> pd.DataFrame:
    """What the paper's sentences claim: id, where, kind, claim, and how it is tested here."""
    return pd.read_csv(printed_data() / "claims.csv")


def printed_facts() -> pd.DataFrame:
    """What the paper states of its data sets.

    Columns are dataset, fact, value, its printed decimals, and over: whether the paper says "over".
    """
    facts = pd.read_csv(printed_data() / "data_facts.csv")
    return facts.astype({"value": float, "over": bool})


def choice_sweeps() -> pd.DataFrame:
    """Which parameter of which rows shows what an open choice changes, and by which criterion."""
    return pd.read_csv(printed_data() / "choice_sweeps.csv", dtype=str, keep_default_na=False)


def listed_divergences() -> pd.DataFrame:
    """What the paper leaves open or contradicts, what was chosen, and how much it matters."""
    return pd.read_csv(study_data() / "divergences.csv", dtype=str, keep_default_na=False)
