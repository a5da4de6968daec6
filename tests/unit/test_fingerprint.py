"""Fingerprints: which changes count, and that they cover all that a trial runs."""

import ast
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mimlpaper import MimlNn, MimlSvm, MlKnn, OnInstances
from mimlpaper.datasets import DATASETS, loader_of
from mimlpaper.distances import average_hausdorff, max_hausdorff
from mimlpaper.kernels import KernelFactor
from mimlstudy.engine import fingerprint
from mimlstudy.engine.fingerprint import fingerprint as fingerprint_of
from mimlstudy.engine.holdouts import HoldOut
from mimlstudy.engine.trials import CrossValidation, RandomSplits
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import get_experiment
from mimlstudy.paper.measures import STAGED, TESTED
from tests.fingerprinted_trials import (
    TRIALS,
    fingerprints_of_trials,
    module_that_defines,
)
from tests.made_up_study import see

TOY = {
    "toy": "from toy.shapes import area",
    "toy.shapes": '''"""A module."""
import math
from functools import partial, reduce as fold

from toy import units
from toy.extra import SMALL, rounded as roughly
from toy.units import DEPTH as deep, FACTOR as large


def area(width, height):
    """Width times height."""
    return width * height  # both positive


class Box:
    """A box."""

    def volume(self, width, height):
        from toy.extra import rounded

        scaled = fold(partial(area, width), [height]) * deep * math.pi * large / SMALL
        return rounded(roughly(scaled)) * units.litres(1)


def alone():
    return 7
''',
    "toy.units": "DEPTH = 2\n\n\ndef litres(n):\n    return n * FACTOR\n\n\nFACTOR = 1000\n",
    "toy.extra": "SMALL = 7\n\n\ndef rounded(x):\n    return round(x)\n",
}


def test_a_module_of_a_folder_without_an_init_file_is_followed(monkeypatch):
    """``units.litres`` counts, whose module is imported from the folder."""
    changed = TOY["toy.units"].replace("n * FACTOR", "n * FACTOR / 2")
    hashes = []
    for units in (TOY["toy.units"], changed):
        texts = TOY | {"toy.units": units}
        del texts["toy"]
        see(monkeypatch, texts)
        closure = fingerprint._closure(frozenset({("toy.shapes", "Box")}))
        hashes.append({fingerprint._line(definition) for definition in closure})
    assert hashes[0] != hashes[1]


@pytest.fixture
def toy(monkeypatch):
    """Hashes of all that ``toy.shapes.Box`` uses, with some modules' texts changed."""

    def hashes(**texts):
        changed = {f"toy.{module}": text for module, text in texts.items()}
        see(monkeypatch, TOY | changed)
        closure = fingerprint._closure(frozenset({("toy.shapes", "Box")}))
        return sorted((name, fingerprint._line((module, name))) for module, name in closure)

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
    # What names mean, that are imported from other packages, or from two of these modules.
    ("shapes", "import math", "import cmath as math"),
    ("shapes", "reduce as fold", "wraps as fold"),
    ("shapes", "partial,", "partialmethod as partial,"),
    ("shapes", "FACTOR as large", "DEPTH as large"),
    ("extra", "SMALL = 7", "SMALL = 8"),
)
IMPORTS = "import math\nfrom functools import partial, reduce as fold\n"
HARMLESS_EDITS = (
    ("shapes", "  # both positive", ""),
    ("shapes", '"""Width times height."""', '"""The area."""'),
    ("shapes", '"""A module."""\n', ""),
    ("shapes", '    """A box."""\n', ""),
    ("shapes", "return width * height", "return (width\n            * height)"),
    ("shapes", "return 7", "return 8"),  # of a function that nothing calls
    ("shapes", IMPORTS, "".join(reversed(IMPORTS.splitlines(keepends=True)))),
    ("shapes", "from functools import", "from functools import cache,"),
)


NESTED = """
def g():
    from toy.extra import rounded

    class Here:
        def f(self):
            return rounded(1)

    return Here().f()
"""


def test_what_a_function_imports_counts_if_it_shows_names(monkeypatch):
    """A class in it does: the names of variables stay."""
    see(monkeypatch, TOY | {"toy.nested": NESTED})
    assert ("toy.extra", "rounded") in fingerprint._closure(frozenset({("toy.nested", "g")}))


@pytest.mark.parametrize(("module", "old", "new"), REAL_CHANGES)
def test_definitions_in_use_count(toy, module, old, new):
    text = TOY[f"toy.{module}"]
    assert old in text
    changed = text.replace(old, new)
    assert toy(**{module: changed}) != toy()


@pytest.mark.parametrize(("module", "old", "new"), HARMLESS_EDITS)
def test_what_nobody_runs_does_not_count(toy, module, old, new):
    text = TOY[f"toy.{module}"]
    assert old in text
    changed = text.replace(old, new)
    assert toy(**{module: changed}) == toy()


IN_UNITS = "\n\nclass Meter:\n    pass\n"
RUN_ON_IMPORT = [
    "for kind in (Meter,):\n    kind.litres = abs\n",
    "_unused = setattr(Meter, 'litres', abs)\n",
    "Meter.litres = abs\n",
    "KNOWN = {}\nKNOWN['litres'] = abs\n",
    "@register\ndef _new():\n    return 1\n",
    "class Other:\n    Meter.litres = abs\n",
    "KNOWN = {}\n_unused = KNOWN.update(litres=abs)\n",
    "_unused = Meter.register(abs)\n",
]


@pytest.mark.parametrize("statement", RUN_ON_IMPORT)
def test_what_may_change_other_definitions_counts_wherever_it_stands(toy, statement):
    text = TOY["toy.units"] + IN_UNITS
    assert toy(units=text + statement) != toy(units=text)
    assert toy(units=text + statement.replace("abs", "max").replace("1", "2")) != toy(
        units=text + statement
    )


UNFOLLOWED = [
    ("from toy import units\n", "import toy.units\nfrom toy import units\n"),
    ("from toy import units\n", "from toy.units import *\nfrom toy import units\n"),
    ("from toy import units\n", "from . import units\n"),
    ("return width * height", "from toy import extra\n\n    return extra.rounded(width)"),
    ("return 7", "return [units]"),
    ("from toy import units\n", "if True:\n    from toy import units\n"),
    ("import math\n", "from math import *\n"),
    ("return 7", "global deep\n    deep = 7"),
    ("return 7", "return globals()['area'](7, 1)"),
    ("return 7", "import sys\n\n    return sys.modules['toy.units'].litres(7)"),
    (
        "return 7",
        "from importlib import import_module\n\n    return import_module('toy.units')",
    ),
    ("return 7", "return eval('deep')"),
    ("return 7", "import sys\n\n    return sys.modules.get('toy.units').litres(7)"),
    ("return 7", "return 7\n\n\nclass Kind:\n    def __init_subclass__(cls):\n        pass"),
    (
        "from toy import units\n",
        "from toy import units, inner\n\nHERE = inner.deeper.LENGTH\n",
    ),
]


@pytest.mark.parametrize(("old", "new"), UNFOLLOWED, ids=[new for _, new in UNFOLLOWED])
def test_an_import_that_is_not_followed_is_refused(toy, old, new):
    text = TOY["toy.shapes"]
    assert old in text
    modules = {"shapes": text.replace(old, new), "inner": "", "inner.deeper": "LENGTH = 1\n"}
    with pytest.raises(ImportError, match=r"toy.shapes: changes (behind|in)"):
        toy(**modules)


# How a module may get a name other than by an assignment or an import of its own, and a change.
GETS_LARGE = [
    ("for large in (1, 2):\n    pass\n", "sizes", "2", "3"),
    ("with open('large') as large:\n    pass\n", "sizes", "open", "iter"),
    ("if True:\n    large = 1\nelse:\n    large = 2\n", "sizes", "2", "3"),
    ("if (large := 5):\n    pass\n", "sizes", "5", "6"),
    (
        "try:\n    from toy.limits import large\nexcept ImportError:\n    pass\n",
        "limits",
        "8",
        "9",
    ),
    ("from toy.limits import large\n\nlarge = large + 1\n", "limits", "8", "9"),
]


@pytest.mark.parametrize(("sizes", "module", "old", "new"), GETS_LARGE)
def test_a_name_counts_however_the_module_gets_it_that_it_is_imported_from(
    toy, sizes, module, old, new
):
    texts = {
        "shapes": TOY["toy.shapes"].replace(
            ", FACTOR as large", "\nfrom toy.sizes import large"
        ),
        "sizes": sizes,
        "limits": "large = 8\n",
    }
    before = toy(**texts)
    assert old in texts[module]
    assert toy(**texts | {module: texts[module].replace(old, new)}) != before


# They import what they are asked for, and no trial runs them.
NOT_RUN = {"mimlpaper", "mimlstudy.engine.fingerprint", "mimlstudy.report.command"}


@pytest.mark.parametrize("module", sorted(fingerprint.sources().keys() - NOT_RUN))
def test_every_module_can_be_followed(module):
    fingerprint._check_followed(module)


def test_two_names_that_change_places_count(toy):
    """Though the same definitions are in use, and have the same name."""
    extra = TOY["toy.extra"].replace("SMALL", "FACTOR")
    small_first = TOY["toy.shapes"].replace("import SMALL", "import FACTOR as SMALL")
    large_first = small_first.replace("FACTOR as large", "FACTOR as SMALL")
    large_first = large_first.replace(
        "import FACTOR as SMALL",
        "import FACTOR as large",
        1,
    )
    hashes = [toy(extra=extra, shapes=shapes) for shapes in (small_first, large_first)]
    assert hashes[0] != hashes[1]


def test_a_definition_may_move_to_another_file(toy):
    before = toy()
    shapes = TOY["toy.shapes"].replace("toy.extra", "toy.units")
    units = TOY["toy.units"] + TOY["toy.extra"]
    moved = toy(shapes=shapes, units=units)
    names_before = [name for name, _ in before]
    # One module less, and so one "" less: the statements of a module that define nothing.
    assert [name for name, _ in moved] == names_before[1:]
    changed = {name for name, _ in set(before) ^ set(moved)}
    # Box names the file that it imports from.
    assert changed <= {"", "Box"}


SCENE = DATASETS["scene"]
OF_TABLE_1 = RandomSplits(30)


def of(estimator, loader=SCENE, splits=OF_TABLE_1, measure=TESTED):
    return fingerprint_of(estimator, loader, splits, measure)


def test_values_that_a_class_has_anyway_are_no_settings():
    """So a class may get a new parameter: its code is verified, and its settings stay."""
    mine = of(make_pipeline(MimlSvm(C=1.0)))
    assert mine == of(make_pipeline(MimlSvm(C=1.0, label_rule="top")))
    assert mine == of(make_pipeline(MimlSvm(C=1.0, random_state=None)))


def test_the_number_of_splits_is_no_setting():
    mine = make_pipeline(MimlSvm(C=1.0))
    assert of(mine) == of(mine, splits=RandomSplits(5))


def test_settings_splits_and_measure_count():
    mine = make_pipeline(MimlSvm(C=1.0))
    fingerprints = [
        of(mine),
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
        grid = {"scaling": [OnInstances(scaler)]}
        fingerprints.append(of(HoldOut(MlKnn(), grid)))
    settings = {each.settings for each in fingerprints}
    assert len(settings) == len(fingerprints)


class Scale:
    """Distances in a unit, by a method."""

    def __init__(self, unit):
        self.unit = unit

    def distance(self, one, other):
        return self.unit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MimlNn(metric=Scale(1).distance), MimlNn(metric=Scale(2).distance)),
        (MimlNn(metric=np.average), MimlNn(metric=np.ma.average)),
        (MlKnn(n_neighbors=np.ones(1)), MlKnn(n_neighbors=np.ones(1, dtype=np.float32))),
    ],
    ids=["methods of two objects", "functions of two modules", "arrays of two types"],
)
def test_settings_that_only_look_alike_count(one, other):
    assert of(one).settings != of(other).settings
    assert of(one) == of(clone(one))


def test_a_setting_without_a_name_is_refused():
    with pytest.raises(ValueError, match="a lambda has no name; write a function"):
        of(MimlNn(metric=lambda one, other: 1.0))


def test_the_seed_of_a_candidate_counts():
    """A trial seeds the parts of its estimator, not the candidates of a grid."""
    settings = set()
    for seed in (0, 1):
        grid = {"vector": [KernelFactor(random_state=seed)]}
        settings.add(of(HoldOut(MlKnn(), grid)).settings)
    assert len(settings) == 2


@pytest.mark.parametrize(
    "names",
    [
        ("scene", "reuters", "yeast", "musk1", "drawn:8x2x4"),
        ("scene", "scene:10%"),
    ],
)
def test_readers_of_different_files_are_different_code(names):
    codes = {of(MlKnn(), loader_of(name)).code for name in names}
    assert len(codes) == len(names)


TESTS = set(TRIALS) - {"pages", "rounds", "steps", "cost"}

# The trials whose fingerprints a change of a definition moves.
MOVED = {
    "_attempt": set(TRIALS),
    "recorded_text": set(TRIALS),
    "seal_of": set(TRIALS),
    "content_hash": set(TRIALS),
    "variables": set(TRIALS),
    "verify": set(),
    "criteria": TESTS | {"rounds"},
    "criteria_by_stage": {"rounds"},
    "LastForTest": {"cost"},
    "RandomSplits": {"MimlSvm", "Ml-knn", "AdtBoost.MH", "D-MimlSvm", "rounds", "steps"},
    "with_percentage": {"D-MimlSvm", "steps"},
    "_read_yeast": {"RankSvm", "average distance"},
    "average_hausdorff": {"average distance"},
    "HoldOut": {"D-MimlSvm"},
    "KMedoids": {"MimlSvm", "average distance", "cost"},
}


@pytest.mark.parametrize("key", TRIALS)
def test_a_copy_that_is_sent_to_a_worker_has_the_same_fingerprint(key):
    name, dataset, method = TRIALS[key]
    experiment = get_experiment(name)
    splits = experiment.part_of(dataset, method).splits
    estimator = experiment.estimator(dataset, method)
    sent = (estimator, CATALOGUE.loader(dataset), splits)
    received = pickle.loads(pickle.dumps(sent))
    expected = fingerprint_of(*sent, experiment.measure)
    assert fingerprint_of(*received, experiment.measure) == expected


def with_a_line_more(source, name):
    """Source code in which each function of a definition has one more line."""
    tree = ast.parse(source)
    (definition,) = [node for node in tree.body if getattr(node, "name", None) == name]
    for node in ast.walk(definition):
        if isinstance(node, ast.FunctionDef):
            node.body += ast.parse("print()").body
    return ast.unparse(tree)


@pytest.fixture(scope="module")
def fingerprints_before():
    return fingerprints_of_trials()


@pytest.mark.parametrize("name", MOVED)
def test_a_change_moves_the_code_of_the_right_records(monkeypatch, fingerprints_before, name):
    """Settings do not move."""
    module = module_that_defines(name)
    source = fingerprint.sources()[module]
    see(monkeypatch, {module: with_a_line_more(source, name)})
    moved = set()
    for key, after in fingerprints_of_trials().items():
        before = fingerprints_before[key]
        assert after.settings == before.settings
        if after.code != before.code:
            moved.add(key)
    assert moved == MOVED[name]
