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
# A text of the plain code, and what stands in its place.
SAME = {
    "a local variable": ("total ", "n "),
    "a loop variable": ("row", "bag"),
    "a variable of a comprehension": ("for label in Y if label", "for y in Y if y"),
    "a docstring": ("Fit it.", "Fit."),
    "no docstring": ('    """A learner."""\n', ""),
    "a comment": ("  # a sum", ""),
    "annotations of parameters": ("X, Y):", "X: list, Y: list) -> 'Learner':"),
    "the type of a field": ("n_rounds: int", "n_rounds: float"),
    "an annotated variable": ("total = 0", "total: int = 0"),
    "a declared variable": ("total = 0", "total: int\n        total = 0"),
    "the text of an exception": ('"X is empty"', 'f"X has {len(X)} bags"'),
    "the text of an exception, formatted": ('"X is', '"{} is'),
    "quotes": ('"X is empty"', "'X is empty'"),
    "layout": ("total + len(row)", "(total\n                     + len(row))"),
    "line ends": ("\n", "\r\n"),
}


def edited(old, new):
    assert old in PLAIN
    return PLAIN.replace(old, new)


@pytest.mark.parametrize(("old", "new"), SAME.values(), ids=SAME)
def test_what_does_not_run_leaves_the_form_as_it_is(old, new):
    assert form(edited(old, new)) == form(PLAIN)


DIFFERENT = {
    "a number": ("total = 0", "total = 1"),
    "an operator": ("total + len", "total - len"),
    "another variable": ("len(row)", "len(X)"),
    "a parameter": ("X", "Z"),
    "a default": ("X, Y)", "X, Y=None)"),
    "an attribute": ("total_", "sum_"),
    "the type of an exception": ("ValueError", "TypeError"),
    "a condition": ("if label", "if not label"),
    "a field's default": ("n_rounds: int = 5", "n_rounds: int = 6"),
    "a field's name": ("n_rounds: int", "n_round: int"),
    "no field": ("n_rounds: int", "n_rounds"),
    "no field, by its type": ("n_rounds: int", "n_rounds: ClassVar"),
    "an order": ("return self", "self.n = 1\n        return self"),
}


@pytest.mark.parametrize(("old", "new"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_runs_differently_has_another_form(old, new):
    assert form(edited(old, new)) != form(PLAIN)


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
