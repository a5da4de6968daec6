"""Fingerprints: which changes count, and that they cover all that a trial runs."""

import ast
import builtins
import pickle
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mimlpaper import MimlNn, MimlSvm, MlKnn, OnInstances, paths
from mimlpaper.datasets import DATASETS, loader_of
from mimlpaper.distances import average_hausdorff, max_hausdorff
from mimlpaper.kernels import KernelFactor
from mimlpaper.paths import PACKAGE
from mimlstudy import folders
from mimlstudy.engine import fingerprint
from mimlstudy.engine.fingerprint import fingerprint as fingerprint_of
from mimlstudy.engine.holdouts import HoldOut
from mimlstudy.engine.records import Store, fingerprint_today
from mimlstudy.engine.trials import CrossValidation, RandomSplits, run_trial
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import get_experiment
from mimlstudy.paper.measures import STAGED, TESTED
from tests.made_up_study import raising, see

TOY = {
    "toy": "from toy.shapes import area",
    "toy.shapes": '''"""A module."""
from toy import units
from toy.units import DEPTH as deep


def area(width, height):
    """Width times height."""
    return width * height  # both positive


class Box:
    """A box."""

    def volume(self, width, height):
        from toy.extra import rounded

        return rounded(area(width, height) * deep) * units.litres(1)


def alone():
    return 7
''',
    "toy.units": "DEPTH = 2\n\n\ndef litres(n):\n    return n * FACTOR\n\n\nFACTOR = 1000\n",
    "toy.extra": "def rounded(x):\n    return round(x)\n",
}


@pytest.fixture
def toy(monkeypatch):
    """Hashes of all that ``toy.shapes.Box`` uses, with some modules' texts changed."""

    def hashes(**texts):
        see(monkeypatch, TOY | {f"toy.{module}": text for module, text in texts.items()})
        closure = fingerprint._closure(frozenset({("toy.shapes", "Box")}))
        return sorted((name, fingerprint._hash((module, name))) for module, name in closure)

    return hashes


# A text of a module of the toy, and what stands in its place.
REAL_CHANGES = (
    ("shapes", "width * height", "width + height"),
    ("shapes", "height):\n    ", "height=1):\n    "),
    ("shapes", "DEPTH as deep", "FACTOR as deep"),
    ("units", "DEPTH = 2", "DEPTH = 3"),
    ("units", "FACTOR = 1000", "FACTOR = 10"),
    ("units", "n * FACTOR", "n / FACTOR"),
    ("extra", "round(x)", "round(x, 1)"),
    ("extra", "def rounded", "print(1)\n\n\ndef rounded"),
)
HARMLESS_EDITS = (
    ("shapes", "  # both positive", ""),
    ("shapes", '"""Width times height."""', '"""The area."""'),
    ("shapes", '"""A module."""\n', ""),
    ("shapes", '    """A box."""\n', ""),
    ("shapes", "return width * height", "return (width\n            * height)"),
    ("shapes", "return 7", "return 8"),  # of a function that nothing calls
)


@pytest.mark.parametrize("module, old, new", REAL_CHANGES)
def test_definitions_in_use_count(toy, module, old, new):
    text = TOY[f"toy.{module}"]
    assert old in text
    assert toy(**{module: text.replace(old, new)}) != toy()


@pytest.mark.parametrize("module, old, new", HARMLESS_EDITS)
def test_what_nobody_runs_does_not_count(toy, module, old, new):
    text = TOY[f"toy.{module}"]
    assert old in text
    assert toy(**{module: text.replace(old, new)}) == toy()


def test_a_definition_may_move_to_another_file(toy):
    shapes = TOY["toy.shapes"].replace("toy.extra", "toy.units")
    before, moved = toy(), toy(shapes=shapes, units=TOY["toy.units"] + TOY["toy.extra"])
    assert [name for name, _ in moved] == [name for name, _ in before][1:]  # one module less
    assert {name for name, _ in set(before) ^ set(moved)} <= {"", "Box"}  # it names the file


SCENE = DATASETS["scene"]


def of(estimator, loader=SCENE, splits=None, measure=TESTED):
    return fingerprint_of(estimator, loader, splits or RandomSplits(30), measure)


def test_values_that_a_class_has_anyway_are_no_settings():
    """So a class may get a new parameter: its code is verified, and its settings stay."""
    mine = of(make_pipeline(MimlSvm(C=1.0)))
    assert mine == of(make_pipeline(MimlSvm(C=1.0, label_rule="top")))
    assert mine == of(make_pipeline(MimlSvm(C=1.0, random_state=None)))
    assert mine == of(make_pipeline(MimlSvm(C=1.0)), splits=RandomSplits(5))


def test_settings_splits_and_measure_count():
    mine = make_pipeline(MimlSvm(C=1.0))
    others = [
        of(mine, splits=RandomSplits(30, train=0.25)),
        of(mine, splits=CrossValidation(30)),
        of(mine, measure=STAGED),
        of(mine, measure=replace(TESTED, words=())),
        of(make_pipeline(MimlSvm(C=2.0))),
        of(make_pipeline(MimlSvm(C=1))),
        of(MlKnn()),
        of(None),
        of(MimlNn(metric=max_hausdorff)),
        of(MimlNn(metric=average_hausdorff)),
    ]
    for scaler in (MinMaxScaler(), StandardScaler(), StandardScaler(with_mean=False)):
        others.append(of(HoldOut(MlKnn(), {"scaling": [OnInstances(scaler)]})))
    settings = {one.settings for one in (of(mine), *others)}
    assert len(settings) == 1 + len(others)


def test_a_copy_that_is_sent_to_a_worker_has_the_same_fingerprint():
    for name, dataset, method in TRIALS.values():
        experiment = get_experiment(name)
        splits = experiment.part_of(dataset, method).splits
        parts = experiment.estimator(dataset, method), CATALOGUE.loader(dataset), splits
        copies = pickle.loads(pickle.dumps(parts))
        expected = fingerprint_of(*parts, experiment.measure)
        assert fingerprint_of(*copies, experiment.measure) == expected, name


def test_the_seed_of_a_candidate_counts():
    """A trial seeds the parts of its estimator, not the candidates of a grid."""
    grids = [{"vector": [KernelFactor(random_state=seed)]} for seed in (0, 1)]
    first, second = (of(HoldOut(MlKnn(), grid)) for grid in grids)
    assert first.settings != second.settings


def test_readers_of_different_files_are_different_code():
    names = "scene", "reuters", "yeast", "musk1", "drawn:8x2x4"
    codes = {of(MlKnn(), loader_of(name)).code for name in names}
    assert len(codes) == len(names)
    assert of(MlKnn(), loader_of("scene")).code != of(MlKnn(), loader_of("scene:10%")).code


def test_no_file_is_read_after_the_first_store_is_open(monkeypatch, tmp_path):
    """What is edited while trials run does not change their fingerprints."""
    Store(tmp_path, CATALOGUE)
    for name in ("_names", "_closure", "_uses", "_hash"):
        empty = cache(getattr(fingerprint, name).__wrapped__)
        monkeypatch.setattr(fingerprint, name, empty)
    for where, name in ((Path, "read_bytes"), (Path, "read_text"), (builtins, "open")):
        monkeypatch.setattr(where, name, raising(AssertionError("a file is read")))
    assert codes()["Ml-knn"]


TRIALS = {
    "MimlSvm": ("table1", "scene", "MimlSvm"),
    "Ml-knn": ("table1", "scene", "Ml-knn"),
    "RankSvm": ("table3", "yeast", "RankSvm"),
    "AdtBoost.MH": ("table2", "reuters", "AdtBoost.MH"),
    "average distance": ("ablation", "yeast", "InsDif, average distance"),
    "D-MimlSvm": ("figure4", "scene:10%", "D-MimlSvm"),
    "Em-dd": ("table5", "musk1", "Em-dd"),
    "rounds": ("figure6", "scene", "AdtBoost.MH"),
    "steps": ("cccp", "reuters:30%", "D-MimlSvm"),
    "pages": ("characteristics", "yahoo:Arts", "after term selection"),
    "cost": ("costs", "drawn:400x8x8", "MimlNn"),
}
TEST = set(TRIALS) - {"pages", "rounds", "steps", "cost"}

# The trials whose fingerprints a change of a definition moves.
MOVED = {
    "_attempt": set(TRIALS),
    "recorded_text": set(TRIALS),
    "seal_of": set(TRIALS),
    "content_hash": set(TRIALS),
    "variables": set(TRIALS),
    "verify": set(),
    "criteria": TEST | {"rounds"},
    "criteria_by_stage": {"rounds"},
    "LastForTest": {"cost"},
    "RandomSplits": {"MimlSvm", "Ml-knn", "AdtBoost.MH", "D-MimlSvm", "rounds", "steps"},
    "with_percentage": {"D-MimlSvm", "steps"},
    "_read_yeast": {"RankSvm", "average distance"},
    "average_hausdorff": {"average distance"},
    "HoldOut": {"D-MimlSvm"},
    "KMedoids": {"MimlSvm", "average distance", "cost"},
}


def codes():
    return {
        key: fingerprint_today(get_experiment(name), CATALOGUE, data, method, "{}")
        for key, (name, data, method) in TRIALS.items()
    }


def test_a_change_moves_the_code_of_the_right_records(monkeypatch):
    """Each function of a definition gets one more line. Settings do not move."""
    before = codes()
    for name, expected in MOVED.items():
        (module,) = (one for one in fingerprint.sources() if name in fingerprint._names(one)[0])
        tree = ast.parse(fingerprint.sources()[module])
        (definition,) = (node for node in tree.body if getattr(node, "name", None) == name)
        for node in ast.walk(definition):
            if isinstance(node, ast.FunctionDef):
                node.body.append(ast.parse("print()").body[0])
        with monkeypatch.context() as patched:
            see(patched, {module: ast.unparse(tree)})
            after = codes()
        assert {key for key in TRIALS if before[key].code != after[key].code} == expected, name
        assert all(before[key].settings == after[key].settings for key in TRIALS)


def check_covered(name, method):
    """The oracle: the functions of this package that a trial is seen to call."""
    experiment = get_experiment(name)
    trial = experiment.trials("smoke", [method])[0]
    estimator = experiment.estimator(trial.dataset, method, trial.override)
    splits = experiment.part_of(trial.dataset, method).splits
    parts = estimator, loader_of(trial.dataset), splits, experiment.measure
    _, covered = fingerprint._behind(*parts)
    called = set()

    def watch(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(
            (f"{PACKAGE.parent}/mimlpaper", f"{PACKAGE.parent}/mimlstudy")
        ):
            path = Path(frame.f_code.co_filename).relative_to(PACKAGE.parent)
            outermost = frame.f_code.co_qualname.split(".")[0]
            called.add((".".join(path.with_suffix("").parts), outermost))

    sys.setprofile(watch)
    try:
        run_trial(trial, estimator, splits, experiment.measure, CATALOGUE)
    finally:
        sys.setprofile(None)
    finding = {"mimlstudy.paper.catalogue", "mimlpaper.datasets.loaders"}
    finding |= fingerprint.NOT_FOLLOWED  # not making data
    followed = {one for one in called if one[0] not in finding and not one[1].startswith("<")}
    assert len(followed) > 5 and followed <= covered, sorted(followed - covered)


def test_all_that_runs_in_a_trial_is_covered():
    for name, method in (
        ("table1", "MimlSvm"),
        ("table5", "SubCod_MimlNn"),
        ("explanations", "Label frequencies"),
    ):
        check_covered(name, method)


def test_sources_are_written_so_that_fingerprints_can_follow_them():
    """Names are imported from modules by their full name, and no loop defines names.

    Compiled functions call compiled functions of their file alone: Numba keeps compiled code until
    its own file changes, and other files could change unseen.
    """
    for module, source in fingerprint.sources().items():
        tree = ast.parse(source)
        nodes = list(ast.walk(tree))
        assert not any(isinstance(node, ast.For | ast.While) for node in tree.body), module
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        assert not any(one.level or one.names[0].name == "*" for one in imports), module
        whole = [alias for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        assert not any(alias.name.startswith("mimlpaper") for alias in whole), module
        inner = [one for one in imports if one in tree.body and one.module.startswith("mimlpaper")]
        ours = {alias.asname or alias.name for one in inner for alias in one.names}
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        compiled = [f for f in functions if "jit" in "".join(map(ast.dump, f.decorator_list))]
        others = ours | {f.name for f in functions} - {f.name for f in compiled}
        for function in compiled:
            names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
            own = {name.id for name in names if isinstance(name.ctx, ast.Store)}
            own |= {argument.arg for argument in function.args.args}
            used = {name.id for name in names} - own
            assert not used & others, f"{module}.{function.name}: {used & others}"


GIT = shutil.which("git")


@pytest.mark.skipif(GIT is None, reason="needs Git")
def test_the_commit_is_asked_without_starting_what_a_folder_names(tmp_path, monkeypatch):
    """The configuration of a foreign checkout may name programs that `git status` starts."""
    for package in ("mimlpaper", "mimlstudy"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "module.py").write_text("A = 1\n")

    def git(*words):
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run([GIT, "-C", tmp_path, *identity, *words], check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    started = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {started}\n")
    program.chmod(0o755)
    git("config", "core.fsmonitor", str(program))
    git("config", "core.pager", str(program))
    monkeypatch.setattr(folders, "PACKAGE", tmp_path / "mimlstudy")
    monkeypatch.setattr(paths, "PACKAGE", tmp_path / "mimlpaper")
    commit = fingerprint._commit()
    assert re.fullmatch("[0-9a-f]{12}", commit)
    (tmp_path / "mimlpaper" / "module.py").write_bytes(b"A = 1\r\n")
    assert fingerprint._commit() == commit
    (tmp_path / "mimlpaper" / "module.py").write_text("A = 2\n")
    assert fingerprint._commit() == commit + "+"
    assert not started.exists()
    subprocess.run([GIT, "-C", tmp_path, "status"], check=True, capture_output=True)
    assert started.exists()  # so the trap works
