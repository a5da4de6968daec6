"""All experiments by name: what the paper prints, then other settings, data and costs."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pandas as pd

from mimlstudy.engine.records import Store, read_records
from mimlstudy.engine.trials import Experiment, Part
from mimlstudy.paper import section4, section5, section6, section7, unseen
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.costs import COSTS_EXPERIMENT
from mimlstudy.paper.equal_tuning import EQUAL_TUNING_EXPERIMENTS
from mimlstudy.paper.measures import TESTED
from mimlstudy.paper.settings import n_closest_to_print
from mimlstudy.paper.stated_facts import STATED_FACTS
from mimlstudy.paper.sweeps import SWEEPS

# Tables of rows whose every setting has a basis, see mimlstudy.paper.settings.
ROWS_OF_TABLES = {
    "table1": section4.TABLE_1,
    "table2": section4.TABLE_2,
    "table3": section6.TABLE_3,
    "table4": section6.TABLE_4,
    "table5": section7.TABLE_5,
}
ROWS = ROWS_OF_TABLES | {"figure4": section5.FIGURE_4, "figure5": section5.FIGURE_5}

SECTIONS = (
    *section4.SECTION4,
    *section5.SECTION5,
    *section6.SECTION6,
    *section7.SECTION7,
)
PRINTED = {experiment.name: experiment for experiment in SECTIONS}

# On how many splits of a table or figure its alternative settings run.
ALTERNATIVE_SPLITS = {
    "table1": 3,
    "table2": 3,
    "table3": 3,
    "table4": 1,  # the one that its data fix
    "table5": 10,  # folds, of one cross-validation
    "figure4": 3,
    "figure5": 3,
}

# Fixed in advance, a fold of musk2 takes up to 50 seconds, since hold-outs choose γ of
# kernels. Five cross-validations say what ten say: see fixed-in-advance in data/divergences.csv.
FIXED_SPLITS = {"table5": 50}


def _alternatives(name: str) -> tuple[Part, ...]:
    """The alternative settings of a table's rows, without the rows as they are."""
    (printed,) = PRINTED[name].parts
    table, splits = ROWS[name], printed.splits.first(ALTERNATIVE_SPLITS[name])
    # If no setting depends on the data set, one part is enough. An empty mapping of overrides would
    # mean every row.
    layers = [layer for row in table.values() for layer in row.settings]
    if not any(layer.on for layer in layers):
        return (Part(printed.datasets, splits, table, table.alternatives_on("")),)
    # Settings differ from set to set, and so does what is an alternative to them.
    return tuple(
        Part((dataset,), splits, table, table.alternatives_on(dataset))
        for dataset in printed.datasets
    )


def _all_alternatives() -> tuple[Part, ...]:
    of_tables = [part for name in ROWS for part in _alternatives(name)]
    of_sections = [
        *section5.SIDE_ALTERNATIVES,
        *section6.SIDE_ALTERNATIVES,
        *section7.SIDE_ALTERNATIVES,
    ]
    return (*of_tables, *of_sections)


def _fixed() -> tuple[Part, ...]:
    """The rows that differ from those closest to print, with settings fixed in advance."""
    parts = []
    for name, table in ROWS_OF_TABLES.items():
        (printed,) = PRINTED[name].parts
        rows, splits = table.fixed_where_different(), printed.splits
        if name in FIXED_SPLITS:
            splits = splits.first(FIXED_SPLITS[name])
        parts.append(replace(printed, configurations=rows, splits=splits))
    return tuple(parts)


BEYOND_PRINT = (
    Experiment("fixed", "Settings fixed in advance", _fixed(), TESTED, smoke_splits=1),
    *EQUAL_TUNING_EXPERIMENTS,
    Experiment(
        "alternatives",
        "Alternative settings",
        _all_alternatives(),
        TESTED,
        smoke_splits=1,
    ),
    *unseen.UNSEEN_EXPERIMENTS,
    *STATED_FACTS,
    COSTS_EXPERIMENT,
    *SWEEPS,
)
EXPERIMENTS = {
    experiment.name: replace(experiment, stand_in=CATALOGUE.stand_in)
    for experiment in (*SECTIONS, *BEYOND_PRINT)
}


def get_experiment(name: str) -> Experiment:
    """The experiment of that name; a ValueError lists the names that exist."""
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {list(EXPERIMENTS)}, got {name!r}")
    return EXPERIMENTS[name]


def reader(store: Store, profile: str = "paper") -> Callable[[str], pd.DataFrame]:
    """What gives the records of an experiment by its name, from a store."""
    return lambda name: read_records(get_experiment(name), profile=profile, store=store)


@cache
def settings_closest_to_print(name: str) -> dict[str, int]:
    """For each row of a table or figure, how many settings were chosen by closeness to print.

    Other experiments have no such rows.
    """
    if name not in ROWS:
        return {}
    return n_closest_to_print(ROWS[name], get_experiment(name).datasets)
