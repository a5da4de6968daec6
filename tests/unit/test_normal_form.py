"""The normal form of code: equal for what does the same, different for what does not."""

import re

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
        if total < 1:
            message = "all bags are empty"
            message += "; give others" * self.n_rounds
            warnings.warn(message, UserWarning)
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
    "the text of an exception, chosen": ('"X is empty"', '"X is empty" if X else "no X"'),
    "the text of an exception, by its name": ('"X is empty"', 'text="X is empty"'),
    "a text that becomes a warning": ('"all bags', 'f"all {len(X)} bags'),
    "the end of a warning": ('"; give others"', '"; give full ones"'),
    "a warning in one text": ("message, User", '"Something is wrong.", User'),
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
    "the type of a warning": ("UserWarning", "FutureWarning"),
    "a text that is kept": ("warnings.warn(message", "self.message_ = (message"),
    "a condition": ("if label", "if not label"),
    "a field's default": ("n_rounds: int = 5", "n_rounds: int = 6"),
    "a field's name": ("n_rounds: int", "n_round: int"),
    "no field": ("n_rounds: int", "n_rounds"),
    "no field, by its type": ("n_rounds: int", "n_rounds: ClassVar"),
    "no field, by a type of a module": ("n_rounds: int", "n_rounds: typing.ClassVar[int]"),
    "no field, by a text": ("n_rounds: int", "n_rounds: 'ClassVar[int]'"),
    "a text that something is added to": ('"""A learner."""', '"A learner." + name()'),
    "an order": ("return self", "self.n = 1\n        return self"),
}


@pytest.mark.parametrize(("old", "new"), DIFFERENT.values(), ids=DIFFERENT)
def test_what_runs_differently_has_another_form(old, new):
    assert form(edited(old, new)) != form(PLAIN)


# Code, and the names of variables in it, each with another name that it may have.
RENAMED = {
    "a pattern": (
        "def f(x):\n match x:\n  case [a, *b]: return a, b\n  case {'k': c, **d}: return c, d\n",
        {"a": "e", "b": "g", "c": "h", "d": "i"},
    ),
    "an outer function's variable": (
        "def f():\n a = 1\n def g():\n  nonlocal a\n  a = 2\n g()\n return a\n",
        {"a": "b"},
    ),
    "a variable with the name of a builtin": (
        "def f(x):\n sum = max(x)\n return sum\n",
        {"sum": "total"},
    ),
    "a variable with the name of a global": (
        "total = 1\ndef f(x):\n a = 2\n return a\n",
        {"a": "total"},
    ),
    "a comprehension of a module": ("A = [a for a in B]\n", {"a": "b"}),
    "a comprehension of a class": ("class K:\n A = {a: a for a in B}\n", {"a": "b"}),
    "a comprehension's variable with the name of what it goes over": (
        "def f(x):\n return [a for a in x]\n",
        {"a": "x"},
    ),
}


@pytest.mark.parametrize(("source", "names"), RENAMED.values(), ids=RENAMED)
def test_the_names_of_variables_leave_the_form_as_it_is(source, names):
    renamed = source
    for name, new_name in names.items():
        renamed = re.sub(rf"\b{name}\b", new_name, renamed)
    assert renamed != source
    assert form(renamed) == form(source)


GLOBAL = "x, y = 1, 2\ndef f(a):\n    return [x for x in a], x\n"
TWO_VARIABLES = "def f():\n    b, c = 1, 2\n    return b\n"
DECLARED = "def f():\n    global b\n    b = 1\n"
BUILTINS = "def f(a):\n    return [max for max in a], max(a)\n"
DEFAULT = "def f():\n    b = 1\n    def g(a=a):\n        return a, b\n    return g\n"
DECLARED_TEXT = 'def f():\n    global b\n    b = "1"\n'
SAME_NAME_OUTSIDE = 'def f():\n    b = "text"\n    raise ValueError(b)\nb = 1\n'
TWO_TARGETS = 'def f():\n    a = b = "1"\n    if b:\n        raise ValueError(a)\n'


@pytest.mark.parametrize(
    ("source", "renamed"),
    [
        # A variable of a comprehension may have the name of a global.
        (GLOBAL, GLOBAL.replace("[x for x in a], x", "[y for y in a], y")),
        (TWO_VARIABLES, TWO_VARIABLES.replace("return b", "return c")),
        (DECLARED, DECLARED.replace("b\n    b", "c\n    c")),
        (DECLARED_TEXT, DECLARED_TEXT.replace("1", "2")),
        (SAME_NAME_OUTSIDE, SAME_NAME_OUTSIDE.replace("1", "2")),
        (BUILTINS, BUILTINS.replace("max", "min")),
        (DEFAULT, DEFAULT.replace("b = 1", "a = 1").replace("a, b", "a, 1")),
        (TWO_TARGETS, TWO_TARGETS.replace("1", "")),
    ],
    ids=[
        "a global in a comprehension",
        "another variable",
        "a declared global",
        "a text in a declared global",
        "a variable of the module with the name of a message",
        "a builtin in a comprehension",
        "a default",
        "a message with a second name",
    ],
)
def test_names_that_mean_different_things_stay_apart(source, renamed):
    assert renamed != source
    assert form(source) != form(renamed)


# Code in which a text, an annotation or a name decides what happens, and what it decides otherwise.
DECIDING = {
    "the kind of an exception": (
        'def f():\n    kind = "a"\n    raise ERRORS[kind]("no")\n',
        '"a"',
        '"b"',
    ),
    "the kind of a warning": (
        'def f():\n    kind = "a"\n    warnings.warn("x", KINDS[kind])\n',
        '"a"',
        '"b"',
    ),
    "what is raised and caught": ('def f():\n    raise Found("a")\n', '"a"', '"b"'),
    "an exception that is read": (
        'def f(d):\n    try:\n        raise KeyError("a")\n    except KeyError as e:\n'
        "        return d[e.args[0]]\n",
        '"a"',
        '"b"',
    ),
    "a number that is drawn for a message": (
        'def f(rng):\n    warnings.warn(f"{rng.random()}")\n    return rng.random()\n',
        'f"{rng.random()}"',
        '"x"',
    ),
    "a number that is drawn for a variable": (
        'def f(rng):\n    m = f"{rng.random()}"\n    warnings.warn(m)\n    return rng.random()\n',
        'f"{rng.random()}"',
        '"x"',
    ),
    "an assignment in a message": (
        "def f(x):\n    assert x, (n := 3)\n    return n\n",
        "(n := 3)",
        '"x"',
    ),
    "what a generator yields": (
        'def f():\n    warnings.warn("a" + (yield 1))\n',
        "yield 1",
        "yield 2",
    ),
    "a function named as an error": (
        'def f():\n    return mean_error("a") + MeanError("a").value\n',
        'MeanError("a")',
        'MeanError("b")',
    ),
    "a method named warn": ('def f(x):\n    return x.warn("a")\n', '"a"', '"b"'),
    "a single dispatch": ("@f.register\ndef _(x: int):\n    return 1\n", "int", "float"),
    "no field, by another name of its type": (
        "from typing import ClassVar as CV\nclass A:\n    x: CV = 1\n",
        "x: CV",
        "x: int",
    ),
    "no field, by a constant": (
        "CV = typing.ClassVar\nclass A:\n    x: CV = 1\n",
        "x: CV",
        "x: int",
    ),
    "types of variables by name": (
        '@njit(locals={"a": float32})\ndef f():\n    a = 1\n    return +a\n',
        "    a = 1\n    return +a",
        "    b = 1\n    return +b",
    ),
    "a docstring that is read": ('def f():\n    "a"\n    return f.__doc__\n', '"a"', '"b"'),
    "annotations that are read": (
        "class A:\n    x: int\n    def f(self):\n        return self.__annotations__\n",
        "int",
        "float",
    ),
}


@pytest.mark.parametrize(("source", "old", "new"), DECIDING.values(), ids=DECIDING)
def test_a_text_that_decides_something_stays(source, old, new):
    assert old in source
    assert form(source) != form(source.replace(old, new))


SEEING = ["locals()", "eval('a')", "pd.eval('a')", "table.query('x > @a')", "sys._getframe()"]


@pytest.mark.parametrize("call", SEEING)
def test_code_that_sees_the_names_of_its_variables_keeps_them(call):
    source = f"def f(table):\n    a = 1\n    return {call}\n"
    renamed = source.replace("a =", "b =")
    assert form(source) != form(renamed)


def test_a_constant_that_is_raised_is_a_text_too():
    source = 'NOTHING = "nothing"\ndef f():\n    raise ValueError(NOTHING)\n'
    assert form(source) == form(source.replace("(NOTHING)", '("nothing")'))


def test_empty_fields_that_other_versions_of_python_add_do_not_count():
    tree = normalised(b"def f():\n    pass")
    text = canonical(tree)
    tree.body[0].type_params = []
    assert canonical(tree) == text
