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


def test_names_that_mean_different_things_stay_apart():
    """A global that a variable of a comprehension has the name of; two variables exchanged."""
    of_x = "x, y = 1, 2\ndef f(a):\n    return [x for x in a], x\n"
    of_y = "x, y = 1, 2\ndef f(a):\n    return [y for y in a], y\n"
    assert form(of_x) != form(of_y)
    first = "def f():\n    b, c = 1, 2\n    return b\n"
    second = "def f():\n    b, c = 1, 2\n    return c\n"
    assert form(first) != form(second)
    assert form("def f():\n    global b\n    b = 1\n") != form(
        "def f():\n    global c\n    c = 1\n"
    )


def test_code_that_sees_the_names_of_its_variables_keeps_them():
    seen = "def f():\n    a = 1\n    return locals()\n"
    assert form(seen) != form(seen.replace("a =", "b ="))


def test_empty_fields_that_other_versions_of_python_add_do_not_count():
    tree = normalised(b"def f():\n    pass")
    text = canonical(tree)
    tree.body[0].type_params = []
    assert canonical(tree) == text
