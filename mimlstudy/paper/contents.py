"""The content of each data set of files, as ``data/contents.csv`` lists it.

A record has the hash of what its data set held. It counts while that is the listed content, and
while the files behind it are those that the manifest names. If a file or a loader is meant to give
other data: ``python -m mimlstudy.paper.contents`` writes the list again.
"""

import csv
import hashlib
import io
from functools import cache

from mimlpaper import paths
from mimlpaper.datasets import fetch, loaders
from mimlstudy import folders
from mimlstudy.engine.catalogue import content_hash

COLUMNS = ("dataset", "files", "content")


@cache
def listed_contents() -> dict[str, str]:
    """The content by data set; "" if the manifest names other files than when it was listed."""
    with (folders.study_data() / "contents.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    contents = {}
    for row in rows:
        # Other files may hold other data, whatever was listed of the ones before.
        same_files = row["files"] == files_hash(row["dataset"])
        # A row without its last field lists no content, which no record has.
        contents[row["dataset"]] = (row["content"] or "") if same_files else ""
    return contents


def files_hash(name: str) -> str:
    """A hash of the hashes of all files of a data set."""
    hashes = [_entry_of(file).sha256 for file in fetch.source_of(name).files]
    return hashlib.sha256(" ".join(hashes).encode()).hexdigest()


@cache  # the manifest is read for each
def _entry_of(file):
    return fetch.entry_of(file)


def main():
    """Load every data set of files, and list its content."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in loaders.DATASETS:
        if fetch.source_of(name).files:
            writer.writerow([name, files_hash(name), content_hash(loaders.load(name))])
    print(paths.write_whole(folders.study_data() / "contents.csv", text.getvalue()))


if __name__ == "__main__":
    main()
