"""The text of all modules of the library and the study, and versions of what trials call.

It imports little, so that a command can ask quickly whether anything has changed.
"""

import hashlib
from functools import cache
from importlib.metadata import version

from mimlpaper import paths
from mimlstudy import folders

PACKAGES = ("mimlpaper", "numpy", "scipy", "scikit-learn", "numba")


@cache
def sources() -> dict[str, bytes]:
    """The text of each module of the library and the study, read once in a process."""
    texts = {}
    for package in (paths.PACKAGE, folders.PACKAGE):
        for path in sorted(package.rglob("*.py")):
            parts = package.name, *path.relative_to(package).with_suffix("").parts
            texts[".".join(parts).removesuffix(".__init__")] = path.read_bytes()
    return texts


@cache
def versions() -> tuple[str, ...]:
    """Names and versions of the packages that trials call."""
    return tuple(f"{package} {version(package)}" for package in PACKAGES)


def all_sources() -> str:
    """A hash of all sources, and of the versions of what trials call."""
    texts = b"".join(sources().values())
    return hashlib.sha256(texts + repr(versions()).encode()).hexdigest()
