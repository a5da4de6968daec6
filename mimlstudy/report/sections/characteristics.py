"""Appendix C's table: the printed characteristics of the web pages, and those counted here."""

import numpy as np
import pandas as pd

from mimlstudy.judge.compare import DECIMALS_OF_CHARACTERISTICS
from mimlstudy.judge.tolerances import round_half_up
from mimlstudy.report.tables import Entry, ReportTable, crossed, frame_grid


def characteristics_table(cells: pd.DataFrame, profile: str) -> ReportTable:
    """A row for each data set; in a cell the printed number, and ours below.

    Parameters
    ----------
    cells : DataFrame, of :func:`~mimlstudy.judge.compare.compare_characteristics`.
    profile : str, which the table says.
    """
    entries = [_entry(cell) for cell in cells.itertuples()]
    shown = crossed(cells["dataset"], cells["characteristic"], entries)
    shown = shown.rename(columns=lambda name: name.replace("_", " "))
    agrees = cells["verdict"] == "agrees"
    caption = (
        "Appendix C. Web page data sets after term selection: the paper's value, and the one "
        "counted in the files. PMC is the percentage of pages in more than one category, ANL the "
        "average number of categories, PRC the percentage of categories with under 1% of the "
        f"pages. {agrees.sum()} of {len(cells)} agree."
    )
    if profile != "paper":
        caption += f" Profile {profile}."
    return frame_grid(
        shown,
        cells.assign(profile=profile),
        caption,
        corner="data set",
    )


def _entry(cell):
    """The printed number above the counted one, both with the decimals in print."""
    decimals = DECIMALS_OF_CHARACTERISTICS[cell.characteristic]
    lines = []
    for value in (cell.as_printed, cell.recomputed):
        # Halves go up, as in print; Python's own rounding takes them to even.
        number = round_half_up(value, decimals)
        is_known = not np.isnan(number)
        lines.append(f"{number:.{decimals}f}" if is_known else "–")
    return Entry(tuple(lines), verdict=cell.verdict)
