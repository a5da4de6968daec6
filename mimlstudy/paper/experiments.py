"""All experiments by name: tables and figures, then what other columns and readings add."""

from dataclasses import replace

from mimlstudy.engine.trials import Experiment, Part
from mimlstudy.paper import section4, section5, section6, section7, unseen
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.costs import COSTS_EXPERIMENT
from mimlstudy.paper.measures import TESTED
from mimlstudy.paper.settings import closest_to_print
from mimlstudy.paper.stated_facts import STATED_FACTS
from mimlstudy.paper.sweeps import SWEEPS
from mimlstudy.paper.tuned import TUNED_EXPERIMENTS

# The rows whose every setting has a basis, see mimlstudy.paper.settings.
TABLES = {
    "table1": section4.TABLE_1,
    "table2": section4.TABLE_2,
    "table3": section6.TABLE_3,
    "table4": section6.TABLE_4,
    "table5": section7.TABLE_5,
}
ROWS = TABLES | {"figure4": section5.FIGURE_4, "figure5": section5.FIGURE_5}

SECTIONS = (*section4.SECTION4, *section5.SECTION5, *section6.SECTION6, *section7.SECTION7)
PRINTED = {one.name: one for one in SECTIONS}

# Of each table and figure, so many splits of its experiment show what an open choice changes.
READ_SPLITS = dict(table1=3, table2=3, table3=3, table4=1, table5=10, figure4=3, figure5=3)


def _read_otherwise(name: str) -> tuple[Part, ...]:
    """The readings of a table's rows, for each data set where settings differ from set to set."""
    (part,), table = PRINTED[name].parts, ROWS[name]
    one_by_one = any(basis.on for row in table.values() for basis in row.settings)
    groups = [(dataset,) for dataset in part.datasets] if one_by_one else [part.datasets]
    splits = part.splits.first(READ_SPLITS[name])
    return tuple(
        Part(datasets, splits, table, table.alternatives_on(datasets[0] if one_by_one else ""))
        for datasets in groups
    )


READINGS = (
    *(part for name in ROWS for part in _read_otherwise(name)),
    *(part for section in (section5, section6, section7) for part in section.SIDE_READINGS),
)
BLIND = tuple(
    replace(PRINTED[name].parts[0], configurations=table.fixed()) for name, table in TABLES.items()
)
OTHERS = (
    Experiment("blind", "Tables 1 to 5, blind", BLIND, TESTED, smoke_splits=1),
    *TUNED_EXPERIMENTS,
    Experiment("readings", "Open choices made otherwise", READINGS, TESTED, smoke_splits=1),
    *unseen.UNSEEN_EXPERIMENTS,
    *STATED_FACTS,
    COSTS_EXPERIMENT,
    *SWEEPS,
)
EXPERIMENTS = {
    experiment.name: replace(experiment, stand_in=CATALOGUE.stand_in)
    for experiment in (*PRINTED.values(), *OTHERS)
}


def get_experiment(name: str) -> Experiment:
    """The experiment of that name; a ValueError lists the names that exist."""
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {list(EXPERIMENTS)}, got {name!r}")
    return EXPERIMENTS[name]


def settings_nearest_to_print(name: str) -> dict[str, int]:
    """For each row of a table or figure, how many settings were chosen by nearness to print."""
    return closest_to_print(ROWS[name], get_experiment(name).datasets)
