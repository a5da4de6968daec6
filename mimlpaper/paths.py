"""Where the library's files are, how a file is checked before it is read, and written whole."""

import os
import secrets
import stat
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IN_WHEEL = PACKAGE / "data"  # made when a wheel is built; a checkout has no such folder
ANYBODY = 0o666  # the rights of a new file, from which the process's umask takes some


def project_root() -> Path:
    """The checkout that holds the package; the working directory if installed as a wheel."""
    return Path.cwd() if IN_WHEEL.is_dir() else PACKAGE.parent


def packaged_data() -> Path:
    """The folder that holds manifest.csv and datasets.csv."""
    return IN_WHEEL if IN_WHEEL.is_dir() else PACKAGE.parent / "data"


def raw_data() -> Path:
    """Where downloads go, unless another folder is named."""
    return project_root() / "data" / "raw"


def check_file(path: str | os.PathLike, max_bytes: int):
    """Raise a ValueError unless ``path`` is a regular file of at most ``max_bytes``.

    A pipe would block its reader, and a device never ends. A missing file is a FileNotFoundError.
    """
    status = os.stat(path)
    if stat.S_ISDIR(status.st_mode):
        raise ValueError("a file is needed, got a folder; name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("a regular file is needed, got a pipe or a device; copy it to a file")
    if status.st_size > max_bytes:
        raise ValueError(
            f"the file must have at most max_bytes={max_bytes:,} bytes, got {status.st_size:,}"
        )


def write_whole(path: Path, content: str | bytes) -> Path:
    """Write a file that takes the place of ``path`` when it is complete, and return ``path``.

    A reader of ``path`` finds the old file or the new one at any time, even after an error or a
    power cut. The folder is made if it is missing. Text is UTF-8, and its line ends stay. A new
    file gets the rights that the umask leaves; a file that is replaced keeps its rights.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    rights = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    new_only = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = os.open(temporary, new_only, ANYBODY if rights is None else rights)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(descriptor)  # on the disk before the rename
        if rights is not None:
            # Also the rights that the umask takes from a new file.
            os.chmod(temporary, rights)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)  # an interrupt may come after the renaming
        raise
    return path
