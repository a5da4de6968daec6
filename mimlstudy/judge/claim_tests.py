"""How each claim of the paper is tested: the rows of ``claim_tests.csv``.

A row says on which experiments, which methods, against which rivals, ``on`` which criteria or data
sets, with which ``values``. A claim has one row or several. Claims "on all criteria" of Section 4
are tested on all seven, also on the three that the paper prints as N/A for AdtBoost.MH. S6's
percentages are taken over the cells that the paper prints.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import Selection
from mimlstudy.paper.printed import (
    printed_cells,
    printed_table_of,
    read_rows,
)

# In place of a rival: of the quoted accuracies of a data set.
QUOTED = {"best quoted": "max", "median quoted": "median"}
# These compare the best of two groups, or the worst.
OF_GROUPS = ("best mean", "worst mean", "boldface")

# Methods, rivals, and a criterion or data set: one method against one, or groups.
Case = tuple[Sequence[str], Sequence[str], str]


class ClaimTest(NamedTuple):
    """One test of a claim.

    ``claimed`` is one of :data:`~mimlstudy.judge.claim_parts.CLAIMED`, of
    ``MADE_OF_COMPARISONS`` or of ``FACT_TESTS`` there.
    """

    claimed: str
    methods: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    on: tuple[str, ...] = ()  # criteria or data sets; of facts also what they are about
    values: tuple[float, ...] = ()
    experiments: tuple[str, ...] = ()

    def selection(self, column: str) -> Selection:
        """The records that the test reads; without methods it does not depend on settings."""
        return Selection(self.experiments, column if self.methods else "closest")

    def cases(self) -> list[Case]:
        """Each comparison that the test makes."""
        if self.claimed == "boldface":
            return self._bold_against_others()
        if self.claimed in OF_GROUPS:
            return [(self.methods, self.rivals, name) for name in self.on]
        pairs = [*product(self.rivals, self.on)]
        if self.on == ("printed",):
            pairs = self._printed_pairs()
        cases: list[Case] = []
        for method in self.methods:
            cases += [([method], [rival], name) for rival, name in pairs]
        return cases

    def _printed_cells(self):
        """The table of the first experiment, and its cells that have a value."""
        table = printed_table_of(self.experiments[0])
        cells = printed_cells(table.number)
        return table, cells[cells["printed"] == "value"]

    def _bold_against_others(self):
        """In each column what is printed in bold, against the rest of the column."""
        table, cells = self._printed_cells()
        cases = []
        for place in cells[table.columns].unique():
            in_column = cells[cells[table.columns] == place]
            bold = in_column.loc[in_column["best"], "algorithm"]
            rest = in_column.loc[~in_column["best"], "algorithm"]
            cases.append((bold.tolist(), rest.tolist(), place))
        return cases

    def _printed_pairs(self):
        """Each rival with each criterion that is printed for it."""
        _, cells = self._printed_cells()
        of_rivals = cells[cells["algorithm"].isin(self.rivals)]
        return list(zip(of_rivals["algorithm"], of_rivals["criterion"], strict=True))


@cache
def claim_tests() -> dict[str, list[ClaimTest]]:
    """The tests of each claim, by its id; a claim that is not tested has none."""
    tests = defaultdict(list)
    lists = ("experiments", "methods", "rivals", "on", "values")
    for row in read_rows("claim_tests.csv", *lists):
        if row["on"] == ("all",):
            row["on"] = tuple(CRITERIA)
        row["values"] = tuple(map(json.loads, row["values"]))
        row["claimed"] = row.pop("test")
        tests[row.pop("id")].append(ClaimTest(**row))
    return dict(tests)
