"""Locked packages: within the ranges, with hashes, and for the oldest Python of the project."""

import re
import tomllib
from importlib.metadata import distributions, metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OLDEST_PYTHON = PROJECT["requires-python"].removeprefix(">=")
# The main lock has all that these need beside the core.
IN_MAIN = {"notebooks", "test"}
LOCKED_APART = sorted(PROJECT["optional-dependencies"].keys() - IN_MAIN)
# name>=1.0, or name==1.0 ; a condition
VERSION = re.compile(r"([\w.-]+)[>=]=([\w.]+)")


def normalised(name):
    return name.lower().replace("_", "-")


def versions(lines):
    """The version of each package that a line names."""
    packages = {}
    for line in lines:
        match = VERSION.match(line)
        if match:
            name, version = match.groups()
            packages[normalised(name)] = Version(version)
    return packages


def oldest_of_core():
    """The oldest version of each package that the core needs."""
    return versions(PROJECT["dependencies"])


def oldest_of_extra(extra):
    return versions(PROJECT["optional-dependencies"][extra])


def pins(lock):
    return versions((LOCKS / f"{lock}.lock").read_text().splitlines())


def test_environment_rests_on_the_locks():
    text = (ROOT / "environment.yml").read_text().split("dependencies:")[1]
    names = re.findall(r"[^\s-]\S*", text)
    assert names[:3] == [f"python={OLDEST_PYTHON}", "pip", "pip:"]
    locks = set(re.findall(r"requirements/(\w+).lock", text))
    assert locks == {"main", "lab"}


def test_the_main_lock_is_within_the_ranges():
    locked = pins("main")
    needed = oldest_of_core()
    for extra in IN_MAIN:
        needed |= oldest_of_extra(extra)
    for name, oldest in needed.items():
        assert locked[name] >= oldest, name


def test_the_main_lock_installs_on_the_oldest_python():
    """Some locked packages are for other systems or Pythons, and not here."""
    installed = {normalised(package.name) for package in distributions()}
    for name in pins("main").keys() & installed:
        pythons = SpecifierSet(metadata(name)["Requires-Python"] or "")
        assert Version(f"{OLDEST_PYTHON}.0") in pythons, name


@pytest.mark.parametrize("extra", LOCKED_APART)
def test_the_lock_of_an_extra_is_within_the_ranges_and_repeats_nothing_of_the_main_one(extra):
    main = pins("main")
    locked = pins(extra)
    for name, oldest in oldest_of_extra(extra).items():
        assert (locked | main)[name] >= oldest, name
    assert not locked.keys() & main.keys()


@pytest.mark.parametrize("lock", sorted(LOCKS.glob("*.lock")), ids=lambda path: path.stem)
def test_every_locked_package_has_hashes(lock):
    _, *packages = re.split(
        r"^(?=[\w.-]+==)",
        lock.read_text(),
        flags=re.MULTILINE,
    )
    assert packages
    for package in packages:
        assert "--hash=sha256:" in package, package
