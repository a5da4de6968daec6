"""Gaps of the paper: ends of grids, blank cells, and effects of open choices."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np
import pandas as pd

from mimlstudy.engine.holdouts import HoldOut
from mimlstudy.engine.trials import Experiment
from mimlstudy.judge.choices import Effect
from mimlstudy.judge.selection import Records, as_in_our_tables, records_of
from mimlstudy.paper.experiments import get_experiment
from mimlstudy.paper.printed import ALL_CRITERIA, printed_tables, read_rows
from mimlstudy.report.marks import marked_names
from mimlstudy.report.tables import HEADS, Entry, ReportTable, crossed, frame_grid, number_text

WITH_HOLD_OUTS = ("table1", "table2", "table3", "table4", "table5", "fixed", "unseen")
# The bound of a parameter: if a grid ends there, no value lies beyond.
BOUNDS = {"ratio": 1.0, "ridge": 0.0, "max_alternations": 1}
CROWDED = 0.2  # share of the fits at an end of a grid
FEW_NAMES = 3  # of data sets; more are shown as the first and the last
LITTLE = 0.02  # change of a mean criterion


class Grid(NamedTuple):
    """A parameter whose value a method chose by hold-out, in one part of an experiment."""

    where: str
    method: str
    parameter: str
    values: tuple[float, ...]
    chosen: tuple[float, ...]  # by the recorded fits

    @property
    def share_at_ends(self) -> float:
        """The share of fits that chose an end beyond which other values exist."""
        is_at_end = [value in self._open_ends for value in self.chosen]
        return float(np.mean(is_at_end))

    @property
    def share_by_chance(self) -> float:
        """The share of the grid's values that are such ends."""
        return len(self._open_ends) / len({*self.values})

    @property
    def _open_ends(self):
        return {min(self.values), max(self.values)} - {BOUNDS.get(self.parameter)}


def grids(get_records: Records) -> list[Grid]:
    """The grids of numbers from which recorded fits chose by hold-out."""
    all_grids: list[Grid] = []
    for name in WITH_HOLD_OUTS:
        experiment = get_experiment(name)
        fits = as_in_our_tables(records_of(get_records, name))
        for part in experiment.parts:
            on_data = fits["dataset"].isin(part.datasets)
            of_part = fits[on_data & fits["method"].isin(part.methods)]
            for method, of_method in of_part.groupby("method"):
                recorded = {*of_method["dataset"]}
                datasets_of_part = [dataset for dataset in part.datasets if dataset in recorded]
                for search, datasets in searches(experiment, method, datasets_of_part):
                    chosen = of_method.loc[of_method["dataset"].isin(datasets), "chosen"]
                    where = f"{experiment.title}, {_in_words(datasets)}"
                    all_grids += _grids_of(search, chosen, where, method)
    return all_grids


def searches(
    experiment: Experiment, method: str, datasets: Iterable[str]
) -> list[tuple[HoldOut, list[str]]]:
    """The searches of a method by hold-out, each with the data sets that have its grid."""
    by_grid: dict[str, tuple[HoldOut, list[str]]] = {}
    for dataset in datasets:
        search = experiment.estimator(dataset, method)
        if isinstance(search, HoldOut):
            _, of_grid = by_grid.setdefault(repr(search.grid), (search, []))
            of_grid.append(dataset)
    return list(by_grid.values())


def _in_words(datasets):
    # What follows a colon is a part of the data, as in "yahoo:Arts".
    names = [*dict.fromkeys(name.partition(":")[0] for name in datasets)]
    return ", ".join(names) if len(names) <= FEW_NAMES else f"{names[0]} to {names[-1]}"


def _grids_of(search, chosen, where, method) -> Iterator[Grid]:
    # A fit without a search has an empty text.
    settings = [json.loads(text) for text in chosen if text]
    for name, values in _values_by_name(search.grid).items():
        is_numeric = all(map(_is_number, values))
        taken = tuple(setting[name] for setting in settings if name in setting)
        if is_numeric and len({*values}) > 1 and taken:
            # The parameter's own name, without its path in a pipeline.
            _, _, parameter = name.rpartition("__")
            yield Grid(where, method, parameter, tuple(values), taken)


def _is_number(value):
    return isinstance(value, Real) and not isinstance(value, bool)


def _values_by_name(grid) -> dict[str, list]:
    """All values of each parameter in a grid, or in a list of grids."""
    alternatives = [grid] if isinstance(grid, Mapping) else grid
    values: dict[str, list] = {}
    for alternative in alternatives:
        for name, of_name in alternative.items():
            values.setdefault(name, []).extend(of_name)
    return values


def ends_table(all_grids: list[Grid]) -> ReportTable:
    """The grids where many fits chose an end, and why they are not wider."""
    reasons = _reasons()
    rows = []
    for grid in all_grids:
        rows.append(
            {
                "where": grid.where,
                "method": grid.method,
                "parameter": grid.parameter,
                "fits": len(grid.chosen),
                "at an end": grid.share_at_ends,
                "by chance": grid.share_by_chance,
                "reason": reasons.get((grid.method, grid.parameter)),
            }
        )
    columns = ["where", "method", "parameter", "fits", "at an end", "by chance", "reason"]
    tidy = pd.DataFrame(rows, columns=columns)
    crowded = tidy[tidy["at an end"] > CROWDED]
    names = crowded["where"] + ": " + crowded["method"] + ", " + crowded["parameter"]
    shown = crowded.drop(columns=["where", "method", "parameter"])
    for name in ("at an end", "by chance"):
        shown[name] = crowded[name].map("{:.0%}".format)
    shown.index = pd.Index(names, name="grid")
    caption = (
        f"The {len(crowded)} of {len(tidy)} grids where more than {CROWDED:.0%} of the fits chose "
        "an end, and why they are not wider."
    )
    return frame_grid(shown, tidy, caption, corner="grid", prose=True)


def _reasons() -> dict[tuple[str, str], str]:
    """Why a grid is not wider, by method and parameter."""
    reasons = {}
    for row in read_rows("grid_reasons.csv", "methods"):
        for method in row["methods"]:
            reasons[method, row["parameter"]] = row["reason"]
    return reasons


def blanks_table(cells: pd.DataFrame) -> ReportTable:
    """Cells that the paper prints as N/A or leaves out, with our values and their verdicts."""
    blanks = cells[cells["printed"] != "value"]
    names = [_blank_name(cell) for cell in blanks.itertuples()]
    entries = []
    for cell in blanks.itertuples():
        text = number_text(cell.mean, cell.std)
        entries.append(Entry((text,), (), cell.verdict))
    shown = crossed(names, blanks["criterion"], entries).fillna(Entry())
    in_order = [name for name in HEADS if name in shown]
    shown = shown[in_order].rename(columns=HEADS)
    n_measured = blanks["verdict"].eq("newly_measured").sum()
    caption = (
        f"The {len(blanks)} cells that the paper prints as N/A or leaves out, mean ± std; "
        f"{n_measured} are newly measured."
    )
    return frame_grid(shown, blanks, caption)


def _blank_name(cell):
    table = printed_tables()[cell.table]
    algorithm = marked_names([cell.algorithm], table.experiment)[cell.algorithm]
    name = f"Table {cell.table}: {algorithm}"
    has_sets = len(table.datasets) > 1
    return f"{name}, {cell.dataset}" if has_sets else name


def largest_effects(effects: Mapping[str, Sequence[Effect]]) -> pd.Series:
    """For each open choice the setting with the largest change of a share, the largest first.

    ``effects`` are those of :func:`~mimlstudy.judge.choices.effects_of_choices`.
    """
    largest = {}
    for name, of_choice in effects.items():
        # Coverage counts labels, and would outweigh every share.
        of_shares = [effect for effect in of_choice if effect.criterion != "coverage"]
        if of_shares:
            largest[name] = max(of_shares, key=change)
    # A stable order: equal changes stay in the order of the choices.
    names = sorted(largest, key=lambda name: -change(largest[name]))
    return pd.Series({name: largest[name] for name in names})


def choices_in_words(n_choices: int, largest: pd.Series) -> str:
    """How many choices are open, and for how many of them a setting matters."""
    n_small = n_of_little_effect(largest)
    little = f"{LITTLE:g}".removeprefix("0")
    return (
        f"{n_choices} choices are open. For {len(largest)} of them the effect of other settings on "
        f"a criterion other than coverage was measured. For {len(largest) - n_small} of these some "
        f"setting changes a criterion by {little} or more; for {n_small} the largest change is "
        "smaller."
    )


def n_of_little_effect(largest: pd.Series) -> int:
    """For how many choices no setting changes a criterion by as much as :data:`LITTLE`."""
    return int((largest.map(change) < LITTLE).sum())


def change(effect: Effect) -> float:
    """How much a setting changes a mean, without its sign."""
    return abs(effect.other - effect.row)


def effects_table(largest: pd.Series, n_rows: int = 8) -> ReportTable:
    """The first rows of :func:`largest_effects`: what is set differently, and what it changes."""
    rows = []
    for effect in largest.iloc[:n_rows]:
        rows.append(
            {
                "records": effect.experiment,
                "method": effect.method,
                "other setting": effect.setting,
                "criterion": ALL_CRITERIA[effect.criterion].title.lower(),
                "mean": f"{number_text(effect.row)} → {number_text(effect.other)}",
            }
        )
    columns = ["records", "method", "other setting", "criterion", "mean"]
    shown = pd.DataFrame(rows, largest.index[:n_rows], columns)
    caption = f"The {len(shown)} open choices with the largest effects."
    return frame_grid(shown, shown, caption, corner="open choice", prose=True)
