"""Where each step of a pseudo-code is in the code, read from the comments that cite it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pandas as pd

from mimlpaper.paths import project_root

__all__ = ["step_map"]

CITED = re.compile(r"(?P<code>.*?)\s*#\s*(?P<step>(?:Tables? \d+, )?(?:steps?|lines?) .*)", re.I)


def step_map(*sources) -> pd.DataFrame:
    """One row for each cited step: the step, file and line, and the line of code itself.

    Parameters
    ----------
    sources : modules, classes or functions, whose modules are searched in this order.
    """
    rows = []
    for module in dict.fromkeys(inspect.getmodule(source) for source in sources):
        path = Path(inspect.getsourcefile(module))
        where = path.relative_to(project_root()) if path.is_relative_to(project_root()) else path
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = CITED.fullmatch(line)
            if match:
                rows.append((match["step"], f"{where}:{number}", match["code"].strip()))
    return pd.DataFrame(rows, columns=["step", "where", "code"])
