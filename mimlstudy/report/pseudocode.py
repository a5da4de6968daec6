"""Algorithms as a reader meets them: steps in words beside the library's own lines of code."""

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
from IPython.display import Markdown

from mimlstudy import folders
from mimlstudy.report.tables import Entry, ReportTable, frame_grid

# A line of code with a comment such as "# Table 6, step 3d".
CITED = re.compile(
    r"(?P<code>.*?)\s*#\s*"
    r"(?P<step>(?:Tables? \d+, )?(?:steps?|lines?) .*)",
    re.IGNORECASE,
)
STEP = r"(?:step|line)s? (\w+)"  # in what a line cites


def pseudocode_map(*sources) -> pd.DataFrame:
    """The steps of pseudo-code that modules cite (those of ``sources``): step, where, code."""
    # Two sources may live in one module, whose lines count once.
    modules = dict.fromkeys(map(inspect.getfile, sources))
    rows = []
    for module in map(Path, modules):
        where = folders.within_project(module)  # an installed package lies elsewhere
        lines = module.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            cited = CITED.fullmatch(line)
            if cited:
                code = cited["code"].strip()
                rows.append((cited["step"], f"{where}:{number}", code))
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
    numbers = lines["step"].str.extract(STEP, expand=False)
    groups = lines.groupby(numbers)[["code", "where"]]
    by_step = groups.agg(_stacked)
    steps = by_step.reindex(list(words)).rename_axis("step")
    steps.insert(0, "in words", pd.Series(words))
    return frame_grid(steps, lines, caption, prose=True)


def _stacked(lines):
    return Entry(tuple(lines))


def code_of(*functions: Callable) -> Markdown:
    """The whole source of short functions of the library, to read."""
    sources = []
    for function in functions:
        source = inspect.getsource(function)
        # A method stands indented in its class.
        sources.append(textwrap.dedent(source).strip())
    code = "\n\n".join(sources)
    return Markdown(f"```python\n{code}\n```")
