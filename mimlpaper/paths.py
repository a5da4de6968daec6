"""Where things lie: the only module that knows the project's folders."""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "figures",
    "notebooks",
    "packaged_data",
    "project_root",
    "published",
    "raw_data",
    "results",
]

PACKAGE = Path(__file__).resolve().parent
IN_WHEEL = PACKAGE / "data"  # made when a wheel is built; a checkout has no such folder


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
    """Where downloads go unless another folder is named."""
    return project_root() / "data" / "raw"


def results() -> Path:
    """The recorded trials."""
    return project_root() / "data" / "results"


def figures() -> Path:
    """Every figure and table."""
    return project_root() / "figures"


def notebooks() -> Path:
    """One notebook for each section of the paper."""
    return project_root() / "notebooks"
