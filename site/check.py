"""Read all built pages: nothing on standard error, no traceback, no path of a machine, no host.

``python site/check.py FOLDER ...`` lists what is wrong with the pages below each folder, and ends
with status 1 if anything is.
"""

import re
import sys
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
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
    # A browser finds a place by its name as written, or as decoded.
    return [
        target
        for target in LINK.findall(page)
        if target not in places and unquote(target) not in places
    ]


def main(folders):
    """Print the faults of all pages; the exit status."""
    n_pages = n_faults = 0
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.html")):
            n_pages += 1
            for fault in faults(path.read_text()):
                n_faults += 1
                print(f"{path}: {fault}")
    print(f"{n_pages} pages read, {n_faults} faults")
    return int(n_faults > 0 or n_pages == 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
