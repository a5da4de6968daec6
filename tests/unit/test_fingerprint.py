"""Fingerprints: which changes count, and that they cover all that a trial runs."""

import ast
import builtins
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mimlpaper import MimlNn, MimlSvm, MlKnn, OnInstances
from mimlpaper.datasets import DATASETS, loader_of
from mimlpaper.distances import average_hausdorff, max_hausdorff
from mimlpaper.paths import PACKAGE
from mimlstudy.engine import fingerprint
from mimlstudy.engine.fingerprint import code_fingerprint
from mimlstudy.engine.holdouts import HoldOut
from mimlstudy.engine.records import current_code
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


def test_definitions_in_use_count_but_not_comments_docstrings_and_layout(toy):
    before = toy()
    for module, old, new, counts in (
        ("shapes", "  # both positive", "", False),
        ("shapes", '"""Width times height."""', '"""The area."""', False),
        ("shapes", '"""A module."""\n', "", False),
        ("shapes", '    """A box."""\n', "", False),
        ("shapes", "return width * height", "return (width\n            * height)", False),
        ("shapes", "return 7", "return 8", False),
        ("shapes", "width * height", "width + height", True),
        ("shapes", "height):\n    ", "height=1):\n    ", True),
        ("shapes", "DEPTH as deep", "FACTOR as deep", True),
        ("units", "DEPTH = 2", "DEPTH = 3", True),
        ("units", "FACTOR = 1000", "FACTOR = 10", True),
        ("units", "n * FACTOR", "n / FACTOR", True),
        ("extra", "round(x)", "round(x, 1)", True),
        ("extra", "def rounded", "print(1)\n\n\ndef rounded", True),
    ):
        text = TOY[f"toy.{module}"]
        assert (toy(**{module: text.replace(old, new)}) != before) == counts and old in text, old


def test_a_definition_may_move_to_another_file(toy):
    shapes = TOY["toy.shapes"].replace("toy.extra", "toy.units")
    before, moved = toy(), toy(shapes=shapes, units=TOY["toy.units"] + TOY["toy.extra"])
    assert [name for name, _ in moved] == [name for name, _ in before][1:]  # one module less
    assert {name for name, _ in set(before) ^ set(moved)} <= {"", "Box"}  # it names the file


def test_empty_fields_that_other_versions_add_do_not_count():
    tree = ast.parse("def f():\n    pass")
    text, tree.body[0].type_params = fingerprint._canonical(tree), []
    assert fingerprint._canonical(tree) == text


def test_parameters_splits_and_measure_count_but_seeds_and_the_number_of_splits_do_not():
    def of(estimator, loader=DATASETS["scene"], splits=None, measure=TESTED):
        return code_fingerprint(estimator, loader, splits or RandomSplits(30), measure)

    code = of(make_pipeline(MimlSvm(C=1.0)))
    assert code == of(make_pipeline(MimlSvm(C=1.0, random_state=7)))
    assert code == of(make_pipeline(MimlSvm(C=1.0)), splits=RandomSplits(5))
    assert code.split(".")[0] == of(make_pipeline(MimlSvm(C=2.0))).split(".")[0]
    mine = make_pipeline(MimlSvm(C=1.0))
    scalers = MinMaxScaler(), StandardScaler(), StandardScaler(with_mean=False)
    names = "reuters", "scene:10%", "scene:20%", "drawn:8x2x4", "drawn:8x3x4"
    others = [
        of(mine, splits=RandomSplits(30, train=0.25)),
        of(mine, splits=CrossValidation(30)),
        of(mine, measure=STAGED),
        of(mine, measure=replace(TESTED, words=())),
        of(make_pipeline(MimlSvm(C=2.0))),
        of(MlKnn()),
        of(None),
        of(MimlNn(metric=max_hausdorff)),
        of(MimlNn(metric=average_hausdorff)),
        *(of(HoldOut(MlKnn(), {"scaling": [OnInstances(scaler)]})) for scaler in scalers),
        *(of(MlKnn(), loader_of(name)) for name in names),
    ]
    assert len({code, *others}) == 1 + len(others)


def test_no_file_is_read_after_the_import(monkeypatch):
    """What is edited while trials run does not change their fingerprints."""
    code = codes()["Ml-knn"]
    see(monkeypatch, {name: text.decode() for name, text in fingerprint.SOURCES.items()})
    with monkeypatch.context() as patched:
        for where, name in ((Path, "read_bytes"), (Path, "read_text"), (builtins, "open")):
            patched.setattr(where, name, raising(AssertionError("a file is read")))
        assert codes()["Ml-knn"] == code


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
    "_recorded_text": set(TRIALS),
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
        key: current_code(get_experiment(name), CATALOGUE, data, method, "{}")
        for key, (name, data, method) in TRIALS.items()
    }


def test_a_change_makes_the_right_records_stale(monkeypatch):
    """Each function of a definition gets one more line. Settings do not move."""
    before = codes()
    for name, expected in MOVED.items():
        (module,) = (one for one in fingerprint.SOURCES if name in fingerprint._names(one)[0])
        tree = ast.parse(fingerprint.SOURCES[module])
        (definition,) = (node for node in tree.body if getattr(node, "name", None) == name)
        for node in ast.walk(definition):
            if isinstance(node, ast.FunctionDef):
                node.body.append(ast.Pass())
        with monkeypatch.context() as patched:
            see(patched, {module: ast.unparse(tree)})
            after = codes()
        assert {key for key in TRIALS if before[key] != after[key]} == expected, name
        assert all(before[key].split(".")[1] == after[key].split(".")[1] for key in TRIALS)


def check_covered(name, method):
    """The oracle: the functions of this package that a trial is seen to call."""
    experiment = get_experiment(name)
    trial = experiment.trials("smoke", [method])[0]
    estimator = experiment.estimator(trial.dataset, method, trial.parameters)
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
    for name, method in (("table1", "MimlSvm"), ("table5", "SubCod_MimlNn"), ("reasons", "Guess")):
        check_covered(name, method)


def test_sources_are_written_so_that_fingerprints_can_follow_them():
    """Names are imported from modules by their full name, and no loop defines names.

    Compiled functions call compiled functions of their file alone: Numba keeps compiled code until
    its own file changes, and other files could change unseen.
    """
    for module, source in fingerprint.SOURCES.items():
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


def test_provenance_names_the_blas_in_use_alone(monkeypatch):
    names = "filepath", "architecture", "user_api", "internal_api"
    pools = [
        ("/site/numpy.libs/a.so", "K1", "blas", "x"),
        ("/env/lib/b.so", "K2", "blas", "x"),
        ("/site/scs.libs/c.so", "K3", "blas", "x"),
        ("/env/lib/omp.so", "K4", "openmp", "x"),
    ]
    loaded = [dict(zip(names, pool, strict=True)) for pool in pools]
    monkeypatch.setattr(fingerprint, "threadpool_info", lambda: loaded)
    assert fingerprint._blas_kernels() == ["x K1", "x K2"]
