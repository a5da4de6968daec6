"""Build sdist and wheel, install each in an empty environment, and use it away from the checkout.

``python tests/package/check_package.py`` (in ``make check``) builds in ``build/package`` and tries
every Python from 3.11 to 3.13 that the machine has, with the core's packages alone, in locked
versions; the first also with the oldest that the ranges allow. In an empty folder each learns from
bags and runs ``data`` and ``status``; the first, in both versions, also the README's five lines on
fewer bags and ``bench``, which needs the scenes: without their file it runs on drawn data.
"""

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
DATA = Path(os.environ.get("MIMLPAPER_DATA") or ROOT / "data" / "raw")
VERSIONS = ("3.11", "3.12", "3.13")
ALONE = {"PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "MIMLPAPER_DATA", "VIRTUAL_ENV"}
LEARNERS = """
import sys
from mimlpaper import DMimlSvm, MimlBoost, MimlNn, MimlSvm, MimlSvmMi
from mimlpaper.datasets import load_synthetic_scene
scenes = load_synthetic_scene()
for kind in DMimlSvm, MimlBoost, MimlNn, MimlSvm, MimlSvmMi:
    kind(random_state=0).fit(scenes.X[:60], scenes.Y[:60]).predict(scenes.X[60:])
assert not {"matplotlib", "papermill", "IPython"} & set(sys.modules)
"""
METHOD = """
from mimlpaper import MeanInstances, MlKnn
from sklearn.pipeline import make_pipeline
def Model():
    return make_pipeline(MeanInstances(), MlKnn())
"""


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    builder = environment(Path(sys.executable), "builder")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    call(builder, "-m", "pip", "install", "--quiet", *project["build-system"]["requires"])
    call(builder, "-m", "hatchling", "build", "-d", str(FOLDER / "dist"), cwd=ROOT)
    (sdist,) = (FOLDER / "dist").glob("*.tar.gz")
    (wheel,) = (FOLDER / "dist").glob("*.whl")
    same_from_sdist(builder, sdist, wheel)
    oldest = FOLDER / "oldest.txt"  # the lower end of each range of the core
    oldest.write_text("\n".join(project["project"]["dependencies"]).replace(">=", "=="))
    pythons = {version: path for version in VERSIONS if (path := found(version))}
    for number, (version, python) in enumerate(pythons.items()):
        locked, package = ROOT / "requirements/main.lock", wheel if number else sdist
        use(python, version, package, locked, whole=number == 0)
        if number == 0:
            use(python, f"{version}-oldest", wheel, oldest, whole=True)
    print(f"used by Python {', '.join(pythons)} of {', '.join(VERSIONS)}")


def found(version):
    """A Python of this version, on the path or of pyenv."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for candidate in filter(None, [shutil.which(f"python{version}"), *map(str, pyenv)]):
        code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
        answer = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
        if answer.stdout.strip() == version:
            return Path(candidate)
    return None


def same_from_sdist(builder, sdist, wheel):
    """Who has only the sdist builds the same wheel."""
    shutil.unpack_archive(sdist, FOLDER / "unpacked")
    (source,) = (FOLDER / "unpacked").iterdir()
    again = FOLDER / "again"
    call(builder, "-m", "hatchling", "build", "-t", "wheel", "-d", str(again), cwd=source)
    (other,) = again.glob("*.whl")
    here, there = (
        {(entry.filename, entry.CRC) for entry in zipfile.ZipFile(path).infolist()}
        for path in (wheel, other)
    )
    assert here == there, sorted(here ^ there)
    names = {name for name, _ in here}
    assert {"mimlpaper/data/manifest.csv", "mimlstudy/data/results/table1.csv"} <= names
    assert not [name for name in names if name.endswith(".lock")]


def use(python, version, package, constraints, whole=False):
    """In an empty environment and an empty folder; without bytecode of what nothing imports."""
    alone = environment(python, f"python{version}")
    # Without hashes, which the package that was just built has not.
    exact = re.findall(r"^[\w.-]+==[^\\\n]+", constraints.read_text(), re.MULTILINE)
    versions = FOLDER / f"versions{version}.txt"
    versions.write_text("\n".join(exact))
    locked = ["--constraint", str(versions), str(package)]
    call(alone, "-m", "pip", "install", "--quiet", "--no-compile", *locked)
    call(alone, "-m", "pip", "check")
    five_lines = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    is_there = (DATA / "scene" / "miml-image-data.mat").is_file()
    bench = ["bench", "my_method:Model", "--tables", "1", "--data", str(DATA)]
    profile = ["--profile", "quick" if is_there else "smoke"]
    with tempfile.TemporaryDirectory() as folder:
        call(alone, "-c", LEARNERS, cwd=folder)
        assert "scene" in call(alone, "-m", "mimlstudy", "data", cwd=folder)
        status = call(alone, "-m", "mimlstudy", "status", cwd=folder)
        assert "cells that agree" in status and "nan of" not in status, status
        if whole:
            answer = call(alone, "-c", five_lines[1].replace("[:150]", "[:50]"), cwd=folder)
            assert "is chosen by average precision" in answer, answer
            (Path(folder) / "my_method.py").write_text(METHOD)
            ranks = call(alone, "-m", "mimlstudy", *bench, *profile, cwd=folder)
            assert "my_method:Model" in ranks and ("MimlBoost" in ranks) == is_there, ranks
        where = call(alone, "-c", "import mimlpaper; print(mimlpaper.__file__)", cwd=folder)
    assert str(FOLDER) in where, where
    print(f"Python {version}, {package.name}")


def environment(python, name):
    call(python, "-m", "venv", str(FOLDER / name))
    return FOLDER / name / "bin" / "python"


def call(python, *arguments, cwd=None):
    """What it prints; its errors are shown if it fails."""
    variables = {name: value for name, value in os.environ.items() if name not in ALONE}
    command = [str(python), *arguments]
    done = subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:300]}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
