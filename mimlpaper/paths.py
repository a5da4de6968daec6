"""The project's folders, which no other module knows, and how a file is written whole."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

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


def raw_data() -> Path:
    """Downloads, unless another folder is named."""
    return project_root() / "data" / "raw"


def results() -> Path:
    """The recorded trials."""
    return project_root() / "data" / "results"


def figures() -> Path:
    """Every figure and table."""
    return project_root() / "figures"


def build(profile: str) -> Path:
    """Executed notebooks, and what they draw and record unless they publish."""
    return project_root() / "build" / profile


def notebooks() -> Path:
    """One notebook for each section of the paper."""
    return project_root() / "notebooks"


@contextmanager
def whole_file(path: Path, mode: str = "w") -> Iterator[IO]:
    """A file to write that takes the place of ``path`` when the block ends without an error.

    A reader of ``path`` finds the old file or the new one at any time, even after a power cut. The
    folder is made if it is missing. ``mode`` is "w" for UTF-8 text, or "wb".
    """
    encoding, newline = (None, None) if mode == "wb" else ("utf-8", "")  # line ends as given
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, mode, encoding=encoding, newline=newline) as file:
            yield file
            file.flush()
            os.fsync(descriptor)  # on the disk before the rename
        os.chmod(temporary, 0o644)  # mkstemp lets nobody else read
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write a file as :func:`whole_file` does, and return its path."""
    with whole_file(path, "w" if isinstance(content, str) else "wb") as file:
        file.write(content)
    return path
