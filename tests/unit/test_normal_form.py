"""The normal form of code: equal for what does the same, different for what does not."""

import pytest

from mimlstudy.engine.normal_form import canonical, normalised


def form(source):
    return canonical(normalised(source.encode()))


PLAIN = '''
class Learner:
    """A learner."""

    n_rounds: int = 5

    def fit(self, X, Y):
        """Fit it."""
        if len(X) == 0:
            raise ValueError("X is empty")
        total = 0
        for row in X:
            total = total + len(row)  # a sum
        self.total_ = [total for label in Y if label]
        return self
'''
SAME = {
    "a local variable": PLAIN.replace("total ", "n ").replace("[total for", "[n for"),
    "a loop variable": PLAIN.replace("row", "bag"),
    "a variable of a comprehension": PLAIN.replace("for label in Y if label", "for y in Y if y"),
    "a docstring": PLAIN.replace("Fit it.", "Fit."),
    "no docstring": PLAIN.replace('    """A learner."""\n', ""),
    "a comment": PLAIN.replace("  # a sum", ""),
    "annotations of parameters": PLAIN.replace("X, Y):", "X: list, Y: list) -> 'Learner':"),
    "the type of a field": PLAIN.replace("n_rounds: int", "n_rounds: float"),
    "an annotated variable": PLAIN.replace("total = 0", "total: int = 0"),
    "a declared variable": PLAIN.replace("total = 0", "total: int\n        total = 0"),
    "the text of an exception": PLAIN.replace('"X is empty"', 'f"X has {len(X)} bags"'),
    "the text of an exception, formatted": PLAIN.replace('"X is', '"{} is'.replace("X", "")),
    "quotes": PLAIN.replace('"X is empty"', "'X is empty'"),
    "layout": PLAIN.replace("total + len(row)", "(total\n                     + len(row))"),
    "line ends": PLAIN.replace("\n", "\r\n"),
}


@pytest.mark.parametrize("name", SAME)
def test_what_does_not_run_leaves_the_form_as_it_is(name):
    assert SAME[name] != PLAIN
    assert form(SAME[name]) == form(PLAIN)


OTHER = {
    "a number": PLAIN.replace("total = 0", "total = 1"),
    "an operator": PLAIN.replace("total + len", "total - len"),
    "another variable": PLAIN.replace("len(row)", "len(X)"),
    "a parameter": PLAIN.replace("X", "Z"),
    "a default": PLAIN.replace("X, Y)", "X, Y=None)"),
    "an attribute": PLAIN.replace("total_", "sum_"),
    "the type of an exception": PLAIN.replace("ValueError", "TypeError"),
    "a condition": PLAIN.replace("if label", "if not label"),
    "a field's default": PLAIN.replace("n_rounds: int = 5", "n_rounds: int = 6"),
    "a field's name": PLAIN.replace("n_rounds: int", "n_round: int"),
    "no field": PLAIN.replace("n_rounds: int", "n_rounds"),
    "no field, by its type": PLAIN.replace("n_rounds: int", "n_rounds: ClassVar"),
    "an order": PLAIN.replace("return self", "self.n = 1\n        return self"),
}


@pytest.mark.parametrize("name", OTHER)
def test_what_runs_otherwise_has_another_form(name):
    assert OTHER[name] != PLAIN
    assert form(OTHER[name]) != form(PLAIN)


GLOBAL = "x, y = 1, 2\ndef f(a):\n    return [x for x in a], x\n"
TWO_VARIABLES = "def f():\n    b, c = 1, 2\n    return b\n"
DECLARED = "def f():\n    global b\n    b = 1\n"


@pytest.mark.parametrize(
    ("source", "renamed"),
    [
        # A variable of a comprehension may have the name of a global.
        (GLOBAL, GLOBAL.replace("[x for x in a], x", "[y for y in a], y")),
        (TWO_VARIABLES, TWO_VARIABLES.replace("return b", "return c")),
        (DECLARED, DECLARED.replace("b\n    b", "c\n    c")),
    ],
    ids=["a global in a comprehension", "another variable", "a declared global"],
)
def test_names_that_mean_different_things_stay_apart(source, renamed):
    assert renamed != source
    assert form(source) != form(renamed)


def test_code_that_sees_the_names_of_its_variables_keeps_them():
    source = "def f():\n    a = 1\n    return locals()\n"
    renamed = source.replace("a =", "b =")
    assert form(source) != form(renamed)


def test_empty_fields_that_other_versions_of_python_add_do_not_count():
    tree = normalised(b"def f():\n    pass")
    text = canonical(tree)
    tree.body[0].type_params = []
    assert canonical(tree) == text
