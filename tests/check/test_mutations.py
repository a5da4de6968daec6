"""Code that is wrong moves a fingerprint."""

import ast

import pytest

from mimlstudy.engine import fingerprint
from tests.fingerprinted_trials import TRIALS, fingerprints_of_trials, module_that_defines
from tests.made_up_study import see

EVERY_TRIAL = set(TRIALS)

# A definition, and trials whose code must move if it is wrong.
MUTATED = {
    "one_error": {"MimlSvm", "Ml-knn", "RankSvm", "rounds"},
    "average_precision": {"MimlSvm", "Ml-knn", "RankSvm", "rounds", "cost"},
    "hamming_loss": {"MimlSvm", "Ml-knn"},
    "criteria": {"MimlSvm", "Em-dd", "rounds"},
    "criteria_by_stage": {"rounds"},
    "objectives": {"steps"},
    "characteristics": {"pages"},
    "spent": {"cost"},
    "RandomSplits": {"MimlSvm", "Ml-knn"},
    "CrossValidation": {"RankSvm", "Em-dd"},
    "run_trial": EVERY_TRIAL,
    "set_random_states": EVERY_TRIAL,
    "_attempt": EVERY_TRIAL,
    "recorded_text": EVERY_TRIAL,
    "seal_of": EVERY_TRIAL,
    "content_hash": EVERY_TRIAL,
    "_read_scene": {"MimlSvm", "Ml-knn"},
    "with_percentage": {"D-MimlSvm", "steps"},
    "max_hausdorff": {"MimlSvm"},
    "average_hausdorff": {"average distance"},
    "KMedoids": {"MimlSvm"},
    "HoldOut": {"D-MimlSvm"},
    "MlKnn": {"Ml-knn"},
    "label_sets": {"MimlSvm"},
}


class Mutant(ast.NodeTransformer):
    """Changes the first number, comparison or operator that it visits."""

    def __init__(self):
        self.done = False

    def visit_Constant(self, node):
        if not self.done and type(node.value) in (int, float):
            self.done = True
            return ast.Constant(node.value + 1)
        return node

    def visit_Compare(self, node):
        if not self.done:
            self.done = True
            is_unequal = isinstance(node.ops[0], ast.NotEq)
            node.ops[0] = ast.Eq() if is_unequal else ast.NotEq()
        return node

    def visit_BinOp(self, node):
        if not self.done:
            self.done = True
            is_difference = isinstance(node.op, ast.Sub)
            node.op = ast.Add() if is_difference else ast.Sub()
        return node


def mutated(source, name):
    """A module's text with a mistake in one of its definitions, or with one more statement."""
    tree = ast.parse(source)
    (definition,) = [node for node in tree.body if getattr(node, "name", None) == name]
    functions = [node for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)]
    mutant = Mutant()
    for function in functions:
        if not mutant.done:
            function.body = [mutant.visit(statement) for statement in function.body]
    if not mutant.done:
        functions[0].body += ast.parse("print()").body
    return ast.unparse(tree)


def trials_with_other_code(before):
    moved = set()
    for key, after in fingerprints_of_trials().items():
        if after.code != before[key].code:
            moved.add(key)
    return moved


@pytest.mark.parametrize("name", MUTATED)
def test_a_mistake_in_a_definition_moves_the_code_of_its_trials(monkeypatch, name):
    before = fingerprints_of_trials()
    module = module_that_defines(name)
    source = fingerprint.sources()[module]
    see(monkeypatch, {module: mutated(source, name)})
    assert trials_with_other_code(before) >= MUTATED[name]


# A module, an import in it and another one, and trials whose code must move.
OTHER_IMPORTS = [
    (
        "mimlpaper.metrics",
        "from sklearn.metrics import balanced_accuracy_score, roc_auc_score",
        "from sklearn.metrics import accuracy_score as balanced_accuracy_score, roc_auc_score",
        {"Em-dd"},
    ),
    (
        "mimlpaper.metrics",
        "import numpy as np",
        "import numpy.ma as np",
        {"MimlSvm", "Em-dd"},
    ),
    (
        "mimlpaper.algorithms.mimlnn",
        "from scipy.linalg import lstsq, solve",
        "from scipy.linalg import lstsq\nfrom numpy.linalg import solve",
        {"cost"},
    ),
]


@pytest.mark.parametrize(("module", "old", "new", "moved"), OTHER_IMPORTS)
def test_another_import_moves_the_code_of_its_trials(monkeypatch, module, old, new, moved):
    before = fingerprints_of_trials()
    source = fingerprint.sources()[module].decode()
    assert old in source
    see(monkeypatch, {module: source.replace(old, new)})
    assert trials_with_other_code(before) >= moved


@pytest.mark.parametrize(
    ("old", "new"),
    [('    "fma",\n', ""), ('"Haswell"', '"Nehalem"')],
)
def test_another_arithmetic_moves_the_code_of_all_trials(monkeypatch, old, new):
    before = fingerprints_of_trials()
    module = "mimlstudy.engine.arithmetic"
    source = fingerprint.sources()[module].decode()
    assert old in source
    see(monkeypatch, {module: source.replace(old, new)})
    assert trials_with_other_code(before) == EVERY_TRIAL
