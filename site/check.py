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
NO_REQUEST = re.compile(r'<link[^>]*rel="(?:canonical|license|author)"[^>]*>')


def faults(page: str) -> list[str]:
    """What is wrong with a page, each kind with the first place; and every link to no place."""
    page = NO_REQUEST.sub("", page)
    found = {name: pattern.search(page) for name, pattern in FAULTS.items()}
    named = [f"{name}: {match[0][:120]}" for name, match in found.items() if match]
    places = {*re.findall(r'\s(?:id|name)="([^"]*)"', page)}
    links = re.findall(r'<a\b[^>]*\shref="#([^"]+)"', page)
    lost = [one for one in links if not {one, unquote(one)} & places]
    return named + [f"a link to no place: {one}" for one in lost]


def main(folders):
    """Print the faults of all pages; the exit status."""
    pages = [page for folder in folders for page in sorted(Path(folder).rglob("*.html"))]
    wrong = [(page, fault) for page in pages for fault in faults(page.read_text())]
    for page, fault in wrong:
        print(f"{page}: {fault}")
    print(f"{len(pages)} pages read, {len(wrong)} faults")
    return int(bool(wrong) or not pages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
