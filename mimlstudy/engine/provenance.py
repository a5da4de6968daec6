"""Where a record comes from: arithmetic, versions, commit and machine."""

import hashlib
import os
import platform
import subprocess
from functools import cache

import llvmlite.binding

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.arithmetic import arithmetic
from mimlstudy.engine.sources import versions


@cache
def provenance() -> dict[str, str]:
    """The columns of a record made now, here, that say where it comes from."""
    processor = llvmlite.binding.get_host_cpu_name()  # compiled code is made for it
    return {
        "arithmetic": arithmetic(),
        "versions": "; ".join([f"python {platform.python_version()}", *versions()]),
        "commit": _commit(),
        "machine": f"{platform.system()} {platform.machine()} {processor}; {os.cpu_count()} cores",
    }


def _commit():
    """Short hash of the checkout's commit, with + for changed sources; "" outside git.

    These commands of Git only read. ``git status`` would start programs that the configuration of
    a folder names, and the folder may be somebody else's.
    """
    root = folders.PACKAGE.parent
    if not (root / ".git").exists():
        return ""
    try:
        commit = _git(root, "rev-parse", "--short=12", "HEAD").strip()
        tree = _git(root, "ls-tree", "-r", "HEAD", "mimlpaper", "mimlstudy")
    except (OSError, subprocess.CalledProcessError):
        return ""
    committed = {}
    for line in tree.splitlines():
        mode_kind_hash, _, path = line.partition("\t")
        if path.endswith(".py"):
            committed[path] = mode_kind_hash.split()[-1]
    here = {}
    for package in (paths.PACKAGE, folders.PACKAGE):
        for path in package.rglob("*.py"):
            # From its own package's folder: the two may be installed in different places.
            name = path.relative_to(package.parent).as_posix()
            here[name] = _blob_hash(path.read_bytes())
    return f"{commit}+" if here != committed else commit


def _git(root, *words):
    # A hook of Git names the repository that it runs in, which may be another one.
    environment = {name: value for name, value in os.environ.items() if name[:4] != "GIT_"}
    # A missing object would be fetched by a program that the folder's configuration names.
    environment["GIT_NO_LAZY_FETCH"] = "1"
    command = ["git", "-C", str(root), *words]
    return subprocess.check_output(command, text=True, env=environment, stderr=subprocess.DEVNULL)


def _blob_hash(content):
    """The hash by which Git knows a file, whose lines may end as on Windows here."""
    content = content.replace(b"\r\n", b"\n")
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
