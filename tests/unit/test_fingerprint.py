"""Fingerprints: which changes count, and that they cover all that a trial runs."""

import ast
import sys
from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.datasets import DATASETS
from mimlpaper.distances import average_hausdorff, max_hausdorff
from mimlpaper.paths import PACKAGE
from mimlpaper.preprocessing import OnInstances, SumInstances
from mimlpaper.study import fingerprint
from mimlpaper.study.fingerprint import code_fingerprint
from mimlpaper.study.holdouts import HoldOut
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.trials import CrossValidation, RandomSplits, Trial, run_trial

SCENE, SPLITS = DATASETS["scene"], RandomSplits(30, train=0.75)


def of(estimator, loader=SCENE, splits=SPLITS):
    return code_fingerprint(estimator, loader, splits)


def forget():
    for function in (fingerprint._module, fingerprint._uses, fingerprint._hash, fingerprint._path):
        function.cache_clear()


TOY = {
    "__init__": "from toy.shapes import area",
    "shapes": '''"""A module."""
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
    "units": "DEPTH = 2\n\n\ndef litres(n):\n    return n * FACTOR\n\n\nFACTOR = 1000\n",
    "extra": "def rounded(x):\n    return round(x)\n",
}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Hash of all that ``toy.shapes.Box`` uses, after a change of one module's text."""
    monkeypatch.setattr(fingerprint, "PACKAGE", tmp_path / "toy")

    def hash_after(module="", old="", new=""):
        forget()
        (tmp_path / "toy").mkdir(exist_ok=True)
        for name, text in TOY.items():
            assert name != module or old in text
            changed = text.replace(old, new) if name == module else text
            (tmp_path / "toy" / f"{name}.py").write_text(changed)
        closure = fingerprint._closure({("toy.shapes", "Box")})
        return sorted((name, fingerprint._hash((module, name))) for module, name in closure)

    yield hash_after
    forget()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  # both positive", ""),
        ('"""Width times height."""', '"""The area."""'),
        ('"""A module."""\n', ""),
        ('    """A box."""\n', ""),
        ("return width * height", "return (width\n            * height)"),
        ("return 7", "return 8"),
    ],
)
def test_comments_docstrings_layout_and_unused_code_do_not_count(toy, old, new):
    assert toy() == toy("shapes", old, new)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("shapes", "width * height", "width + height"),
        ("shapes", "height):\n    ", "height=1):\n    "),
        ("shapes", "DEPTH as deep", "FACTOR as deep"),
        ("units", "DEPTH = 2", "DEPTH = 3"),
        ("units", "FACTOR = 1000", "FACTOR = 10"),
        ("units", "n * FACTOR", "n / FACTOR"),
        ("extra", "round(x)", "round(x, 1)"),
        ("extra", "def rounded", "print(1)\n\n\ndef rounded"),
    ],
)
def test_every_definition_in_use_counts(toy, module, old, new):
    assert toy() != toy(module, old, new)


def test_a_definition_may_move_to_another_file(toy, monkeypatch):
    before = toy()
    monkeypatch.setitem(TOY, "shapes", TOY["shapes"].replace("toy.extra", "toy.units"))
    monkeypatch.setitem(TOY, "units", TOY["units"] + TOY["extra"])
    names = [name for name, _ in before]
    moved = toy()
    assert [name for name, _ in moved] == names[1:]  # one module less
    differing = {name for (name, _) in set(before) ^ set(moved)}
    assert differing <= {"", "Box"}  # its local import names the file


def test_empty_fields_that_other_versions_add_do_not_count():
    tree = ast.parse("def f():\n    pass")
    text = fingerprint._canonical(tree)
    tree.body[0].type_params = []
    assert fingerprint._canonical(tree) == text


def test_parameters_and_splits_count_but_seeds_and_the_number_of_splits_do_not():
    code = of(make_pipeline(MimlSvm(C=1.0)))
    assert code == of(make_pipeline(MimlSvm(C=1.0, random_state=7)))
    assert code == of(make_pipeline(MimlSvm(C=1.0)), splits=RandomSplits(5, train=0.75))
    assert code != of(make_pipeline(MimlSvm(C=1.0)), splits=RandomSplits(30, train=0.25))
    assert code != of(make_pipeline(MimlSvm(C=1.0)), splits=CrossValidation(30))
    assert code != of(make_pipeline(MimlSvm(C=2.0)))
    assert code != of(make_pipeline(MimlSvm(C=1.0)), DATASETS["reuters"])
    assert code != of(make_pipeline(SumInstances(), MlKnn()))
    assert of(MlKnn(), DATASETS["scene:10%"]) != of(MlKnn(), DATASETS["scene:20%"])


def test_functions_and_estimators_inside_parameters_count():
    def scaled(scaler):
        return HoldOut(MlKnn(), {"scaling": [OnInstances(scaler)]})

    assert of(MimlNn(metric=max_hausdorff)) != of(MimlNn(metric=average_hausdorff))
    assert of(scaled(MinMaxScaler())) != of(scaled(StandardScaler()))


@pytest.fixture
def edited(monkeypatch):
    """Edit a module, or one definition: each of its functions begins with one more line."""
    honest = fingerprint._syntax

    def edit(place):
        module, _, definition = place.partition(":")

        def syntax(name):
            tree = honest(name)
            for top in tree.body if name == module else ():
                for node in ast.walk(top) if definition in ("", getattr(top, "name", None)) else ():
                    if isinstance(node, ast.FunctionDef):
                        node.body.insert(0, ast.Pass())
            return tree

        forget()
        monkeypatch.setattr(fingerprint, "_syntax", syntax)

    yield edit
    forget()


METHODS = {
    "MimlSvm": ("table1", "scene"),
    "Ml-knn": ("table1", "scene"),
    "RankSvm": ("table3", "yeast"),
    "AdtBoost.MH": ("table2", "reuters"),
    "InsDif, average distance": ("ablation", "yeast"),
    "D-MimlSvm": ("figure4", "scene:10%"),
    "Em-dd": ("table5", "musk1"),
}

STALE = {
    "mimlpaper.bags": {"MimlSvm", "Ml-knn", "AdtBoost.MH", "D-MimlSvm", "Em-dd"}
    | {"InsDif, average distance", "RankSvm"},
    "mimlpaper.medoids": {"MimlSvm", "InsDif, average distance"},
    "mimlpaper.distances:average_hausdorff": {"InsDif, average distance"},
    "mimlpaper.algorithms.insdif": {"InsDif, average distance"},
    "mimlpaper.algorithms.dmimlsvm_solvers": {"D-MimlSvm"},
    "mimlpaper.baselines.mlknn": {"Ml-knn"},
    "mimlpaper.baselines.diverse_density": {"Em-dd"},
    "mimlpaper.baselines.adtboost_mh": {"AdtBoost.MH"},
    "mimlpaper.baselines.ranksvm": {"RankSvm"},
    "mimlpaper.datasets.loaders:_read_reuters": {"AdtBoost.MH"},
    "mimlpaper.datasets.dataset:with_percentage": {"D-MimlSvm"},
    "mimlpaper.metrics": set(METHODS),
    "mimlpaper.study.figures": set(),
}


@pytest.mark.parametrize("place", STALE)
def test_an_edit_makes_the_right_records_stale(place, edited):
    def codes():
        forget()
        trials = {m: Trial(name, data, m, "{}", 0) for m, (name, data) in METHODS.items()}
        experiments = {m: get_experiment(name) for m, (name, _) in METHODS.items()}
        return {
            m: of(experiments[m].estimator(t), DATASETS[t.dataset], experiments[m].splits)
            for m, t in trials.items()
        }

    before = codes()
    edited(place)
    after = codes()
    assert {method for method in METHODS if before[method] != after[method]} == STALE[place]


RUN = [
    ("table1", "MimlBoost"), ("table1", "MimlSvm"), ("table1", "MimlSvm_mi"), ("table1", "MimlNn"),
    ("table1", "AdtBoost.MH"), ("table1", "RankSvm"), ("table1", "MlSvm"), ("table1", "Ml-knn"),
    ("table3", "InsDif"), ("table3", "InsDif_MimlSvm_mi"), ("table3", "Cnmf"),
    ("ablation", "InsDif, average distance"), ("ablation", "InsDif, neighbours"),
    ("figure4", "D-MimlSvm"), ("table5", "SubCod"), ("table5", "Diverse Density"),
    ("table5", "Em-dd"), ("table5", "mi-Svm"), ("table5", "Mi-Svm"), ("table5", "Ch-Fd"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "method"), RUN)
def test_all_that_runs_in_a_trial_is_covered(name, method):
    """The oracle: the functions of this package that a trial is seen to call."""
    experiment = get_experiment(name)
    trial = next(t for t in experiment.trials("smoke", [method]))
    estimator = experiment.estimator(trial)
    found = {fingerprint.COMMON}
    for part in (estimator, DATASETS[trial.dataset], experiment.splits):
        fingerprint._described(part, found)
    covered = fingerprint._closure(found)
    called = set()

    def watch(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            path = Path(frame.f_code.co_filename).relative_to(PACKAGE.parent)
            outermost = frame.f_code.co_qualname.split(".")[0]
            called.add((".".join(path.with_suffix("").parts), outermost))

    sys.setprofile(watch)
    try:
        run_trial(trial, estimator, experiment.splits)
    finally:
        sys.setprofile(None)
    definitions = {(m, n) for m, n in called if not n.startswith("<")}
    assert len(definitions) > 10
    finding = fingerprint.NOT_FOLLOWED
    followed = {(m, n) for m, n in definitions if not {m, f"{m}.{n}"} & finding}
    assert followed <= covered, sorted(followed - covered)
