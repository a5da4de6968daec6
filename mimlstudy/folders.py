"""The study's folders in the project, and small results that are kept between commands."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from filelock import FileLock, Timeout

from mimlpaper import paths

PACKAGE = Path(__file__).resolve().parent
IN_WHEEL = PACKAGE / "data"  # made when a wheel is built; a checkout has no such folder

# Set in the environment of notebooks that are executed: the folder of their tables and figures.
FIGURES = "MIMLPAPER_FIGURES"


def project_root() -> Path:
    """The checkout that holds the study; the working directory if it is installed as a wheel."""
    return Path.cwd() if IN_WHEEL.is_dir() else PACKAGE.parent


def within_project(path: Path) -> str:
    """A path from the project's root on, with slashes; whole, if it lies elsewhere."""
    root = project_root()
    return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()


def study_data() -> Path:
    """The folder that holds printed/, divergences.csv and contents.csv."""
    return IN_WHEEL if IN_WHEEL.is_dir() else PACKAGE.parent / "data"


def printed_data() -> Path:
    """The paper's numbers and claims, as CSV."""
    return study_data() / "printed"


def _in_root(*parts: str) -> Path:
    return project_root().joinpath(*parts)


results = partial(_in_root, "data", "results")  # the recorded trials
figures = partial(_in_root, "figures")  # every figure and table
notebooks = partial(_in_root, "notebooks")  # one for each section of the paper
# build(profile): executed notebooks, and what they draw and record unless they publish.
build = partial(_in_root, "build")


def explored_results() -> Path:
    """The trials of readers' own questions."""
    return build("explored") / "results"


def smoke_results() -> Path:
    """The trials on drawn data that stand for all others in the profile "smoke"."""
    return build("smoke") / "results"


def results_of_all_profiles() -> list[Path]:
    """Every folder that records are read from; a wheel carries some."""
    return [results(), explored_results(), smoke_results(), IN_WHEEL / "results"]


def kept(name: str, key: str):
    """What :func:`keep` wrote by this name and key; None if there is nothing, or it was changed."""
    match read_json(build("kept") / f"{name}.json"):
        case {"key": written_key, "value": value, "seal": seal}:
            if written_key == key and seal == _seal(value):
                return value
    return None


@contextmanager
def locked(lock_file: Path, say_waiting: Callable[[], object]) -> Iterator:
    """Context in which no other process holds the lock; says so first if it has to wait."""
    lock = FileLock(lock_file)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        say_waiting()
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def alone_with(name: str) -> Iterator:
    """Context in which no other process makes what is kept by this name."""
    folder = build("kept")
    with ExitStack() as locks:
        with suppress(OSError):  # where nothing can be written nothing is kept either
            folder.mkdir(parents=True, exist_ok=True)
            locks.enter_context(FileLock(folder / f".{name}.lock"))
        yield


def read_json(path: Path):
    """What a file of JSON holds; None if there is no file, or it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _seal(value) -> str:
    """A hash of a value, so that a slip in its file is found."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def keep(name: str, key: str, value):
    """Keep a value, ready for JSON, in ``build/kept`` where that can be written; and return it."""
    with suppress(OSError):
        content = json.dumps({"key": key, "value": value, "seal": _seal(value)})
        paths.write_whole(build("kept") / f"{name}.json", content)
    return value
