"""Build sdist and wheel, install each in an empty environment, and use it away from the checkout.

``python tests/package/check_package.py`` (in ``make check``) builds in ``build/package`` and tries
every Python from 3.11 to 3.13 that the machine has. For each: an environment with nothing but the
wheel, or, for the first, the sdist, and the locked versions of what it needs; ``pip check``; the
README's five lines and the command ``mimlpaper data`` in an empty folder, with the core's packages
alone. The first Python also tries the oldest versions that the ranges allow. The wheel that the
sdist gives must hold the same files as the one from the checkout.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "package"
VERSIONS = ("3.11", "3.12", "3.13")
ALONE = {"PYTHONPATH", "PYTHONHOME", "MIMLPAPER_DATA", "VIRTUAL_ENV"}


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    builder = environment(Path(sys.executable), "builder")
    backend = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    call(builder, "-m", "pip", "install", "--quiet", *backend)
    call(builder, "-m", "hatchling", "build", "-d", str(FOLDER / "dist"), cwd=ROOT)
    (sdist,) = (FOLDER / "dist").glob("*.tar.gz")
    (wheel,) = (FOLDER / "dist").glob("*.whl")
    same_from_sdist(builder, sdist, wheel)
    pythons = found()
    for number, (version, python) in enumerate(pythons.items()):
        use(python, version, wheel if number else sdist, ROOT / "requirements/main.lock")
        if number == 0:
            use(python, f"{version}-oldest", wheel, oldest())
    missing = [version for version in VERSIONS if version not in pythons]
    print(f"used by Python {', '.join(pythons)}" + (f"; not here: {missing}" if missing else ""))
    return 0


def found():
    """The Pythons of this machine by version, those of pyenv too."""
    here = {}
    for version in VERSIONS:
        pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        candidates = [shutil.which(f"python{version}"), *map(str, pyenv)]
        for candidate in filter(None, candidates):
            told = subprocess.run(
                [candidate, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True, text=True,
            )  # fmt: skip
            if told.stdout.strip() == version:
                here.setdefault(version, Path(candidate))
    return here


def same_from_sdist(builder, sdist, wheel):
    """Who has only the sdist builds the same wheel."""
    shutil.unpack_archive(sdist, FOLDER / "unpacked")
    (source,) = (FOLDER / "unpacked").iterdir()
    again = FOLDER / "again"
    call(builder, "-m", "hatchling", "build", "-t", "wheel", "-d", str(again), cwd=source)
    (other,) = again.glob("*.whl")
    contents = [
        {entry.filename: entry.CRC for entry in zipfile.ZipFile(path).infolist()}
        for path in (wheel, other)
    ]
    assert contents[0] == contents[1], sorted(set(contents[0].items()) ^ set(contents[1].items()))
    assert "mimlpaper/data/manifest.csv" in contents[0]


def oldest():
    """A file of constraints: the lower end of each range of the core."""
    ranges = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    path = FOLDER / "oldest.txt"
    path.write_text("\n".join(line.replace(">=", "==") for line in ranges))
    return path


# Each learner on bags, and that nothing else than the core is needed for it.
LEARNERS = """
import sys
from mimlpaper import DMimlSvm, MimlBoost, MimlNn, MimlSvm, MimlSvmMi
from mimlpaper.datasets import load_synthetic_scene
scenes = load_synthetic_scene()
for kind in DMimlSvm, MimlBoost, MimlNn, MimlSvm, MimlSvmMi:
    kind(random_state=0).fit(scenes.X[:60], scenes.Y[:60]).predict(scenes.X[60:])
assert not {"matplotlib", "papermill", "IPython"} & set(sys.modules)
"""


def use(python, version, package, constraints):
    """In an empty environment and an empty folder."""
    alone = environment(python, f"python{version}")
    call(alone, "-m", "pip", "install", "--quiet", "--constraint", str(constraints), str(package))
    call(alone, "-m", "pip", "check")
    five_lines = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    with tempfile.TemporaryDirectory() as elsewhere:
        answer = call(alone, "-c", five_lines[1], cwd=elsewhere)
        assert "hamming_loss" in answer, answer
        call(alone, "-c", LEARNERS, cwd=elsewhere)
        assert "scene" in call(alone, "-m", "mimlpaper", "data", cwd=elsewhere)
        where = call(alone, "-c", "import mimlpaper; print(mimlpaper.__file__)", cwd=elsewhere)
    assert str(FOLDER) in where, where
    print(f"Python {version}, {package.name}: {answer.strip()}")


def environment(python, name):
    call(python, "-m", "venv", str(FOLDER / name))
    return FOLDER / name / "bin" / "python"


def call(python, *arguments, cwd=None):
    """What it prints; what it complains of is shown if it fails."""
    variables = {name: value for name, value in os.environ.items() if name not in ALONE}
    done = subprocess.run(
        [str(python), *arguments], cwd=cwd, env=variables, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{python} {' '.join(arguments)[:200]}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
