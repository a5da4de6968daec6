"""Where the library's files are, and how a file is written as a whole."""

import os
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IN_WHEEL = PACKAGE / "data"  # made when a wheel is built; a checkout has no such folder


def project_root() -> Path:
    """The checkout that holds the package; the working directory if installed as a wheel."""
    return Path.cwd() if IN_WHEEL.is_dir() else PACKAGE.parent


def packaged_data() -> Path:
    """The folder that holds manifest.csv and datasets.csv."""
    return IN_WHEEL if IN_WHEEL.is_dir() else PACKAGE.parent / "data"


def raw_data() -> Path:
    """Where downloads go, unless another folder is named."""
    return project_root() / "data" / "raw"


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
