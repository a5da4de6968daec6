"""Where a number comes from: versions, commit, machine."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

from mimlpaper.paths import project_root

__all__ = ["provenance"]

PACKAGES = ("mimlpaper", "numpy", "scipy", "scikit-learn", "numba")


@cache
def provenance() -> dict[str, str]:
    """Columns ``versions``, ``commit`` and ``machine`` of a record made now, here."""
    versions = [f"python {platform.python_version()}"]
    versions += [f"{package} {version(package)}" for package in PACKAGES]
    machine = [f"{platform.system()} {platform.machine()}", f"{os.cpu_count()} cores"]
    return {
        "versions": "; ".join(versions),
        "commit": _commit(),
        "machine": "; ".join([*machine, *_blas_kernels()]),
    }


def _blas_kernels():
    """The BLAS that NumPy and SciPy call, not those that other loaded packages bring along."""
    kernels = set()
    for pool in threadpool_info():
        folder = Path(pool["filepath"]).parent.name
        of_another = folder.endswith("libs") and not folder.startswith(("numpy", "scipy"))
        if pool["user_api"] == "blas" and not of_another:
            kernels.add(f"{pool['internal_api']} {pool.get('architecture', '')}".strip())
    return sorted(kernels)


def _commit():
    """Short hash of the checkout's commit, with + for uncommitted changes; "" outside git."""
    git = ["git", "-C", str(project_root())]
    try:
        head = subprocess.run(
            [*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True
        )
        changed = subprocess.run(
            [*git, "status", "--porcelain", "--", "mimlpaper"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return ""
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")
