"""The project's folders, which no other module knows, and how files are written and kept."""

import json
import os
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IN_WHEEL = PACKAGE / "data"  # made when a wheel is built; a checkout has no such folder

# Set in the environment of notebooks that are executed, to "publish" or to "look".
RUN = "MIMLPAPER_RUN"


def project_root() -> Path:
    """The checkout that holds the package; the working directory if installed as a wheel."""
    return Path.cwd() if IN_WHEEL.is_dir() else PACKAGE.parent


def packaged_data() -> Path:
    """The folder that holds manifest.csv and published/."""
    return IN_WHEEL if IN_WHEEL.is_dir() else PACKAGE.parent / "data"


def published() -> Path:
    """The paper's numbers and claims, as CSV."""
    return packaged_data() / "published"


def _in_root(*parts: str) -> Path:
    return project_root().joinpath(*parts)


raw_data = partial(_in_root, "data", "raw")  # downloads, unless another folder is named
results = partial(_in_root, "data", "results")  # the recorded trials
figures = partial(_in_root, "figures")  # every figure and table
notebooks = partial(_in_root, "notebooks")  # one for each section of the paper
# build(profile): executed notebooks, and what they draw and record unless they publish.
build = partial(_in_root, "build")


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write a file that takes the place of ``path`` when it is complete, and return ``path``.

    A reader of ``path`` finds the old file or the new one at any time, even after an error or a
    power cut. The folder is made if it is missing. Text is UTF-8, and its line ends stay.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(descriptor)  # on the disk before the rename
        os.chmod(temporary, 0o644)  # mkstemp lets nobody else read
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path


def kept(name: str, key: str):
    """What :func:`keep` wrote by this name and key; None if there is nothing, or by another key."""
    path = build("kept") / f"{name}.json"
    found = json.loads(path.read_text()) if path.is_file() else {}
    return found["value"] if found.get("key") == key else None


def keep(name: str, key: str, value):
    """Keep a value, ready for JSON, in ``build/kept`` where that can be written; and return it."""
    with suppress(OSError):
        write_whole(build("kept") / f"{name}.json", json.dumps({"key": key, "value": value}))
    return value
