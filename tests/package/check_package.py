"""Build sdist and wheel, install each in an empty environment, and use it away from the checkout.

``python tests/package/check_package.py`` (in ``make check``) builds in ``build/package`` and tries
the two ends of what is supported, with the core's packages alone: the oldest Python with the oldest
versions that the ranges allow, and the newest Python of this machine with the locked versions. The
newest versions are tried by the tests of CI, which are not installed from the locks. In an empty
folder each learns from bags and runs the README's five lines on fewer bags, ``data``, ``status``
and ``bench``, which needs the scenes: without their file it runs on drawn data.
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
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# Variables that the empty environments do not have.
UNSET = {
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONDONTWRITEBYTECODE",
    "MIMLPAPER_DATA",
    "VIRTUAL_ENV",
}
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
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    builder = environment(Path(sys.executable), "builder")
    requirements = project["build-system"]["requires"]
    call(builder, "-m", "pip", "install", "--quiet", *requirements)
    call(
        builder,
        "-m",
        "hatchling",
        "build",
        "-d",
        str(FOLDER / "dist"),
        cwd=ROOT,
    )
    (sdist,) = (FOLDER / "dist").glob("*.tar.gz")
    (wheel,) = (FOLDER / "dist").glob("*.whl")
    check_sdist_builds_the_same_wheel(builder, sdist, wheel)
    locked = ROOT / "requirements" / "main.lock"
    # The lower end of each range of the core.
    oldest = FOLDER / "oldest.txt"
    dependencies = "\n".join(project["project"]["dependencies"])
    oldest.write_text(dependencies.replace(">=", "=="))
    first, last = ends_of_pythons_here()
    use(first, sdist, oldest)
    use(last, wheel, locked)


def ends_of_pythons_here():
    """The oldest and the newest supported Python that the machine has."""
    pythons = [python_of(version) for version in VERSIONS]
    here = [python for python in pythons if python is not None]
    return here[0], here[-1]


def python_of(version):
    """A Python of this version, on the path or of pyenv."""
    candidates = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    on_path = shutil.which(f"python{version}")
    if on_path:
        candidates.insert(0, Path(on_path))
    code = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
    for candidate in candidates:
        command = [str(candidate), "-c", code]
        answer = subprocess.run(command, capture_output=True, text=True)
        if answer.stdout.strip() == version:
            return candidate
    return None


def content_of(wheel):
    """Names and checksums of the files of a wheel."""
    entries = zipfile.ZipFile(wheel).infolist()
    return {(entry.filename, entry.CRC) for entry in entries}


def check_sdist_builds_the_same_wheel(builder, sdist, wheel):
    """Fail unless who has only the sdist builds the same wheel."""
    shutil.unpack_archive(sdist, FOLDER / "unpacked")
    (source,) = (FOLDER / "unpacked").iterdir()
    again = FOLDER / "again"
    call(
        builder,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        str(again),
        cwd=source,
    )
    (rebuilt,) = again.glob("*.whl")
    differing = content_of(wheel) ^ content_of(rebuilt)
    assert not differing, sorted(differing)
    names = {name for name, _ in content_of(wheel)}
    assert "mimlpaper/data/manifest.csv" in names
    assert "mimlstudy/data/results/table1.csv" in names
    assert not [name for name in names if name.endswith(".lock")]


def use(python, package, constraints):
    """Install the package in an empty environment, and use it in an empty folder."""
    name = constraints.stem
    alone = environment(python, name)
    # Without hashes, which the package that was just built has not.
    exact = re.findall(
        r"^[\w.-]+==[^\\\n]+",
        constraints.read_text(),
        re.MULTILINE,
    )
    versions = FOLDER / f"{name}-versions.txt"
    versions.write_text("\n".join(exact))
    locked = ["--constraint", str(versions), str(package)]
    # What nothing imports needs no bytecode.
    call(
        alone,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        *locked,
    )
    call(alone, "-m", "pip", "check")
    with tempfile.TemporaryDirectory() as folder:
        call(alone, "-c", LEARNERS, cwd=folder)
        assert "scene" in call(alone, "-m", "mimlstudy", "data", cwd=folder)
        status = call(
            alone,
            "-m",
            "mimlstudy",
            "status",
            cwd=folder,
            allowed=(0, 1),
        )
        assert "values that agree" in status, status
        assert "nan of" not in status, status
        use_the_readme(alone, folder)
        use_the_bench(alone, folder)
        code = "import mimlpaper; print(mimlpaper.__file__)"
        place = call(alone, "-c", code, cwd=folder)
    assert str(FOLDER) in place, place
    version = call(alone, "--version").strip()
    print(f"{version}, versions of {constraints.name}, {package.name}")


def use_the_readme(alone, folder):
    """The README's five lines, on fewer bags."""
    readme = (ROOT / "README.md").read_text()
    five_lines = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
    on_fewer_bags = five_lines.replace("[:150]", "[:50]")
    answer = call(alone, "-c", on_fewer_bags, cwd=folder)
    assert "is chosen by average precision" in answer, answer


def use_the_bench(alone, folder):
    """A method of the user's in Table 1, beside recorded ones if the data are there."""
    has_data = (DATA / "scene" / "miml-image-data.mat").is_file()
    profile = "quick" if has_data else "smoke"
    (Path(folder) / "my_method.py").write_text(METHOD)
    words = ["bench", "my_method:Model", "--tables", "1", "--data", str(DATA)]
    ranks = call(
        alone,
        "-m",
        "mimlstudy",
        *words,
        "--profile",
        profile,
        cwd=folder,
    )
    assert "my_method:Model" in ranks, ranks
    assert ("MimlBoost" in ranks) == has_data, ranks


def environment(python, name):
    call(python, "-m", "venv", str(FOLDER / name))
    return FOLDER / name / "bin" / "python"


def call(python, *arguments, cwd=None, allowed=(0,)):
    """What it prints; its errors are shown if it ends with another status than is allowed."""
    variables = {name: value for name, value in os.environ.items() if name not in UNSET}
    command = [str(python), *arguments]
    done = subprocess.run(
        command,
        cwd=cwd,
        env=variables,
        capture_output=True,
        text=True,
    )
    if done.returncode not in allowed:
        shown = " ".join(command)[:300]
        sys.exit(f"{shown}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
