"""The steps of pseudo-code that the library's lines cite."""

import inspect
import re
from pathlib import Path

import pandas as pd

from mimlpaper import paths

CITED = re.compile(r"(?P<code>.*?)\s*#\s*(?P<step>(?:Tables? \d+, )?(?:steps?|lines?) .*)", re.I)


def pseudocode_map(*sources) -> pd.DataFrame:
    """The steps of pseudo-code that modules cite (those of ``sources``): step, where, code."""
    rows, root = [], paths.project_root()
    for path in dict.fromkeys(Path(inspect.getfile(source)) for source in sources):
        where = path.relative_to(root) if path.is_relative_to(root) else path
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if match := CITED.fullmatch(line):
                rows.append((match["step"], f"{where}:{number}", match["code"].strip()))
    return pd.DataFrame(rows, columns=["step", "where", "code"])
