"""Read all built pages: nothing on standard error, no traceback, no path of a machine, no host.

``python site/check.py FOLDER ...`` lists what is wrong with the pages below each folder, and ends
with status 1 if anything is. ``--published`` names a folder of executed notebooks: the tables and
pages that git keeps must be what these notebooks make.
"""

import argparse
import re
import sys
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pandas as pd
from publish import write_markdown_page

from mimlstudy import folders
from mimlstudy.report.companion import SYNTHETIC_NOTE

ROOT = folders.project_root()
FAULTS = {
    "standard error": re.compile(r'<div[^>]*(?:vnd\.jupyter\.|class="[^"]*\b)stderr'),
    "a traceback": re.compile(r"Traceback \(most recent call last\)"),
    "a path of a machine": re.compile(rf"{re.escape(str(ROOT))}|/(?:home|Users|root|tmp)/\w"),
    # What a page loads by itself; a link that a reader may follow is none.
    "another host": re.compile(
        r"<(?!a\b)[^>]*\s(?:src|href|data)=[\"'](?:https?:)?//[^\"']+|url\([\"']?https?://[^)]+"
        r"|@import[^;]*https?://"
    ),
}
PLACE = re.compile(r'\s(?:id|name)="([^"]*)"')
LINK = re.compile(r'<a\b[^>]*\shref="#([^"]+)"')
SHOWN_TABLES = (".md", ".tex")
# Its outputs are seconds of this machine, and ranks among whatever was recorded here on synthetic
# data; only what is typed is compared.
OUTPUTS_DIFFER = "own_method"
REMEDY = "correct the notebook, or publish what it gives: python site/publish.py"
NO_REQUEST = re.compile(r'<link[^>]*rel="(?:canonical|license|author)"[^>]*>')


def faults(page: str) -> list[str]:
    """What is wrong with a page, each kind with the first place; and every link to no place."""
    page = NO_REQUEST.sub("", page)
    named = []
    for name, pattern in FAULTS.items():
        match = pattern.search(page)
        if match:
            named.append(f"{name}: {match[0][:120]}")
    return named + [f"a link to no place: {target}" for target in lost_links(page)]


def lost_links(page: str) -> list[str]:
    """The targets of links within a page that it does not have."""
    places = set(PLACE.findall(page))
    lost = []
    for target in LINK.findall(page):
        # A browser finds a place by its name as written, or as decoded.
        if not {target, unquote(target)} & places:
            lost.append(target)
    return lost


def differing_tables(published: Path, made_again: Path) -> list[str]:
    """The published tables that are missing among those made again, or differ from them.

    Tables of synthetic data, in place of files that are not here, are not compared.
    """
    differing = []
    for path in sorted(published.glob("*.*")):
        if shows_synthetic_data(made_again / f"{path.stem}.md"):
            continue
        if path.suffix == ".csv":
            differing += difference(path, made_again / path.name, other_numbers)
        elif path.suffix in SHOWN_TABLES and path.name != "README.md":  # which no notebook makes
            differing += difference(path, made_again / path.name, other_text)
    return differing


def differing_pages(published: Path, executed: Path, made_again: Path) -> list[str]:
    """The published pages that are not what the executed notebooks give.

    Pages are made again beside the figures of these notebooks, to which they refer. Those that show
    synthetic data, in place of files that are not here, are not compared.
    """
    differing = []
    for path in sorted(published.glob("*.md")):
        notebook = executed / f"{path.stem}.ipynb"
        again = made_again / path.name
        is_typed_alone = path.stem == OUTPUTS_DIFFER
        again.unlink(missing_ok=True)  # of an earlier check
        if shows_synthetic_data(notebook):
            continue
        if notebook.is_file():
            page = nbformat.read(notebook, as_version=4)
            if is_typed_alone:
                page.cells = [cell for cell in page.cells if cell.cell_type == "markdown"]
            write_markdown_page(page, again)
        compare = other_typed_text if is_typed_alone else other_text
        differing += difference(path, again, compare)
    return differing


def shows_synthetic_data(path: Path) -> bool:
    """Whether a notebook or table says that such data stand in place of files that are not here."""
    return path.is_file() and SYNTHETIC_NOTE in path.read_text(encoding="utf-8")


def difference(path: Path, again: Path, compare: Callable[[Path, Path], str]) -> list[str]:
    """What is wrong with a published file beside the one that was made again; empty if nothing."""
    if not again.is_file():
        return [f"{path}: no notebook made it again"]
    differs = compare(path, again)
    return [f"{path}: {differs}; {REMEDY}"] if differs else []


def other_numbers(path: Path, again: Path) -> str:
    """How two tables of numbers differ; "" if they do not."""
    try:
        # Sums of another machine may differ in the last digits.
        pd.testing.assert_frame_equal(pd.read_csv(path), pd.read_csv(again), rtol=1e-6)
    except AssertionError as error:
        return f"other values than {again}: {' '.join(str(error).split())}"
    return ""


def other_text(path: Path, again: Path) -> str:
    """The first line in which two texts differ; "" if they are equal.

    Numbers in texts have few digits, so they are compared as text.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    lines_again = again.read_text(encoding="utf-8").splitlines()
    pairs = zip_longest(lines, lines_again, fillvalue="")
    for number, (published, made) in enumerate(pairs, start=1):
        if published != made:
            return f"line {number} is {published!r}, and the notebook gives {made!r}"
    return ""


def other_typed_text(path: Path, again: Path) -> str:
    """The first line of ``again`` that a page does not have; "" if it has them all."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for line in again.read_text(encoding="utf-8").splitlines():
        if line not in lines:
            return f"it has no line {line!r}"
    return ""


def main(arguments=None):
    """Print the faults of all pages and tables; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--published", type=Path, metavar="FOLDER")
    options = parser.parse_args(arguments)
    pages = [path for folder in options.folders for path in sorted(folder.rglob("*.html"))]
    wrong = []
    for path in pages:
        wrong += [f"{path}: {fault}" for fault in faults(path.read_text(encoding="utf-8"))]
    if options.published:
        published, made_again = ROOT / "figures", options.published / "figures"
        wrong += differing_tables(published, made_again)
        wrong += differing_pages(published / "pages", options.published, made_again / "pages")
        executed = sorted(options.published.glob("*.ipynb"))
        left_out = [path.stem for path in executed if shows_synthetic_data(path)]
        if left_out:
            print(
                f"not compared with what is published, since data files are not here: "
                f"{', '.join(left_out)}; `mimlpaper data --fetch` downloads them"
            )
    print(*wrong, f"{len(pages)} pages read, {len(wrong)} faults", sep="\n")
    # No page at all means that the folder was named wrongly.
    return int(bool(wrong) or not pages)


if __name__ == "__main__":
    sys.exit(main())
