"""All experiments by name: tables and figures, then what other columns and readings add."""

from dataclasses import replace

from mimlpaper.study.calibration import CALIBRATION
from mimlpaper.study.costs import COSTS_EXPERIMENT
from mimlpaper.study.measures import TESTED
from mimlpaper.study.section4 import SECTION4, TABLE_1, TABLE_2
from mimlpaper.study.section5 import FIGURE_4, FIGURE_5, SECTION5
from mimlpaper.study.section5 import SIDE_READINGS as OF_SECTION5
from mimlpaper.study.section6 import SECTION6, TABLE_3, TABLE_4
from mimlpaper.study.section6 import SIDE_READINGS as OF_SECTION6
from mimlpaper.study.section7 import SECTION7, TABLE_5
from mimlpaper.study.section7 import SIDE_READINGS as OF_SECTION7
from mimlpaper.study.settings import nearest_to_print
from mimlpaper.study.trials import Experiment, Part
from mimlpaper.study.tuned import TUNED_EXPERIMENTS
from mimlpaper.study.unseen import UNSEEN_EXPERIMENTS

# The rows whose every setting has a basis, see mimlpaper.study.settings.
TABLES = dict(table1=TABLE_1, table2=TABLE_2, table3=TABLE_3, table4=TABLE_4, table5=TABLE_5)
ROWS = TABLES | dict(figure4=FIGURE_4, figure5=FIGURE_5)

PRINTED = {one.name: one for one in (*SECTION4, *SECTION5, *SECTION6, *SECTION7)}

# Of each table and figure, so many splits of its experiment show what an open choice changes.
READ_SPLITS = dict(table1=5, table2=5, table3=5, table4=1, table5=10, figure4=5, figure5=5)


def _blind(name: str) -> Part:
    """The rows of a table under blind settings, on its splits."""
    (part,) = PRINTED[name].parts
    return replace(part, configurations=TABLES[name].blind())


def _read_otherwise(name: str) -> tuple[Part, ...]:
    """The readings of a table's rows, for each data set where settings differ from set to set."""
    (part,), table = PRINTED[name].parts, ROWS[name]
    one_by_one = any(basis.on for row in table.values() for basis in row.settings)
    groups = [(dataset,) for dataset in part.datasets] if one_by_one else [part.datasets]
    splits = part.splits.first(READ_SPLITS[name])
    return tuple(
        Part(datasets, splits, table, table.readings(datasets[0] if one_by_one else ""))
        for datasets in groups
    )


SIDE_READINGS = (*OF_SECTION5, *OF_SECTION6, *OF_SECTION7)
READINGS = (*(part for name in ROWS for part in _read_otherwise(name)), *SIDE_READINGS)

BLIND = tuple(map(_blind, TABLES))
OTHERS = (
    Experiment("blind", "Tables 1 to 5, blind", BLIND, TESTED, smoke_splits=1),
    *TUNED_EXPERIMENTS,
    Experiment("readings", "Open choices made otherwise", READINGS, TESTED, smoke_splits=1),
    *UNSEEN_EXPERIMENTS,
    COSTS_EXPERIMENT,
    CALIBRATION,
)
EXPERIMENTS = PRINTED | {one.name: one for one in OTHERS}


def get_experiment(name: str | Experiment) -> Experiment:
    """The experiment of that name, or the one given; a ValueError lists the names that exist."""
    if isinstance(name, Experiment):
        return name
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {list(EXPERIMENTS)}, got {name!r}")
    return EXPERIMENTS[name]


def settings_nearest_to_print(name: str) -> dict[str, int]:
    """For each row of a table or figure, how many settings were chosen by nearness to print."""
    return nearest_to_print(ROWS[name], get_experiment(name).datasets)
