"""Algorithms as a reader meets them: steps in words beside the library's own lines of code."""

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
from IPython.display import Markdown

from mimlpaper import paths
from mimlstudy.report.tables import Entry, ReportTable, frame_grid

CITED = re.compile(r"(?P<code>.*?)\s*#\s*(?P<step>(?:Tables? \d+, )?(?:steps?|lines?) .*)", re.I)
STEP = r"(?:step|line)s? (\w+)"  # in what a line cites


def pseudocode_map(*sources) -> pd.DataFrame:
    """The steps of pseudo-code that modules cite (those of ``sources``): step, where, code."""
    rows, root = [], paths.project_root()
    for path in dict.fromkeys(Path(inspect.getfile(source)) for source in sources):
        where = path.relative_to(root) if path.is_relative_to(root) else path
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if match := CITED.fullmatch(line):
                rows.append((match["step"], f"{where}:{number}", match["code"].strip()))
    return pd.DataFrame(rows, columns=["step", "where", "code"])


def steps_table(caption: str, words: Mapping[str, str], *sources) -> ReportTable:
    """The steps of a pseudo-code: in words, and the lines of code that do them.

    Parameters
    ----------
    caption : str
    words : mapping from a step, such as "3a", to what it does; the steps of the table.
    *sources : classes or functions of the library, whose modules cite the steps.
    """
    lines = pseudocode_map(*sources)
    lines["step"] = lines["step"].str.extract(STEP, expand=False)
    by_step = lines.groupby("step")[["code", "where"]].agg(_as_entry)
    steps = by_step.reindex(list(words)).rename_axis("step")
    steps.insert(0, "in words", pd.Series(words))
    return frame_grid(steps, steps.map(str), caption, prose=True)


def _as_entry(lines):
    return Entry(tuple(lines))


def code_of(*functions: Callable) -> Markdown:
    """The whole source of short functions of the library, to read."""
    sources = [textwrap.dedent(inspect.getsource(function)).strip() for function in functions]
    return Markdown("```python\n" + "\n\n".join(sources) + "\n```")
