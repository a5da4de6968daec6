"""Write the locks: the exact version and the hashes of everything that `make` installs.

``python requirements/make_locks.py`` needs uv. It keeps the versions of today's locks where the
ranges of pyproject.toml allow them; with ``--upgrade`` it takes the newest.
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
OLDEST_PYTHON = "3.11"
# The extras of each lock, and the locks whose packages it does not repeat.
LOCKS = {
    "main": (("notebooks", "test"), ()),
    "lab": (("lab",), ("main",)),
    "site": (("site",), ("main",)),
    "browser": (("browser",), ("main", "lab", "site")),
    "cluster": (("cluster",), ("main",)),
    "pdf": (("pdf",), ("main",)),
    "peers": (("peers",), ("main",)),
}
HEAD = "# Exact versions and hashes of what the extras {} need{}; made by make_locks.py.\n"


def main():
    upgrade = "--upgrade" in sys.argv
    for name, (extras, known) in LOCKS.items():
        lock = HERE / f"{name}.lock"
        options = [f"--extra={extra}" for extra in extras]
        for known_name in known:
            known_lock = HERE / f"{known_name}.lock"
            options.append(f"--constraint={known_lock}")
            options += [f"--no-emit-package={package}" for package in packages(known_lock)]
        if not upgrade:
            options.append(f"--constraint={lock}")
        text = compiled(options)
        beyond = f" beyond {' and '.join(known)}.lock" if known else ""
        lock.write_text(HEAD.format(" and ".join(extras), beyond) + text)


def packages(lock):
    """The names of the packages in a lock."""
    return re.findall(r"^([\w.-]+)==", lock.read_text(), re.MULTILINE)


def compiled(options):
    """What uv resolves for all systems and Pythons, with hashes."""
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += [f"--python-version={OLDEST_PYTHON}", "--no-header", "--no-annotate"]
    command += [*options, "pyproject.toml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


if __name__ == "__main__":
    main()
