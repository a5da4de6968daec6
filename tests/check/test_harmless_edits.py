"""Edits that change nothing, made in every module of both packages, move no fingerprint."""

import ast
import inspect
import io
import tokenize
from types import CodeType

import pytest

from mimlstudy.engine import fingerprint
from tests.fingerprinted_trials import fingerprints_of_trials
from tests.made_up_study import see


def with_comments(source):
    return source.replace("\n\n", "\n\n# A comment.\n")


def with_other_docstrings(source):
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if ast.get_docstring(node) is not None:
                node.body[0] = ast.Expr(ast.Constant("Another text."))
    return ast.unparse(tree)


def with_another_layout_and_quotes(source):
    return ast.unparse(ast.parse(source))


def with_reversed_order_of(kind, source):
    """A module whose statements of a kind stand in reversed order, in the same places."""
    tree = ast.parse(source)
    places = [i for i, node in enumerate(tree.body) if isinstance(node, kind)]
    statements = [tree.body[i] for i in places]
    for place, statement in zip(places, reversed(statements), strict=True):
        tree.body[place] = statement
    return ast.unparse(tree)


def with_imports_in_another_order(source):
    return with_reversed_order_of(ast.ImportFrom, source)


def with_all_imports_in_another_order(source):
    """Also those of other packages, some of which have no ``from``."""
    return with_reversed_order_of(ast.Import | ast.ImportFrom, source)


def with_an_import_for_each_name(source):
    tree = ast.parse(source)
    statements = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            statements += [
                ast.ImportFrom(node.module, [name], node.level) for name in node.names
            ]
        else:
            statements.append(node)
    tree.body = statements
    return ast.unparse(tree)


def with_functions_in_another_order(source):
    return with_reversed_order_of(ast.FunctionDef, source)


def local_variables(code):
    """What the compiler says is local, by each function's name and first line."""
    variables = {}
    waiting = [code]
    while waiting:
        function = waiting.pop()
        waiting += [part for part in function.co_consts if isinstance(part, CodeType)]
        n_parameters = function.co_argcount + function.co_kwonlyargcount
        n_parameters += bool(function.co_flags & inspect.CO_VARARGS)
        n_parameters += bool(function.co_flags & inspect.CO_VARKEYWORDS)
        # What a function within this one can see keeps its name.
        names = set(function.co_varnames[n_parameters:]) - set(function.co_cellvars)
        variables[function.co_name, function.co_firstlineno] = names
    return variables


def names_imported_in(nodes):
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def first_line(function):
    """As the compiler counts: decorators are part of a function."""
    decorators = [decorator.lineno for decorator in function.decorator_list]
    return min([function.lineno, *decorators])


def rename(nodes, names):
    for node in nodes:
        if isinstance(node, ast.Name) and node.id in names:
            node.id = f"renamed_{node.id}"
        if isinstance(node, ast.ExceptHandler) and node.name in names:
            node.name = f"renamed_{node.name}"


def with_other_local_names(source):
    code = compile(source, "module", "exec")
    variables = local_variables(code)
    tree = ast.parse(source)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    of_module = used & set(code.co_names)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for function in functions:
        inside = [node for node in ast.walk(function) if node is not function]
        inner_scopes = [
            node
            for node in inside
            if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef)
        ]
        if not inner_scopes:
            local = variables.get((function.name, first_line(function)), set())
            rename(inside, local - of_module - names_imported_in(inside))
    return ast.unparse(tree)


def without_annotations(source):
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef):
            node.returns = ast.Name("object")
    return ast.unparse(tree)


class OtherMessages(ast.NodeTransformer):
    """Another text in what is raised or warned of, and in variables named ``message``."""

    def other(self, value):
        is_text = isinstance(value, ast.JoinedStr) or isinstance(
            getattr(value, "value", None), str
        )
        return ast.Constant("Something is wrong.") if is_text else value

    def visit_Raise(self, node):
        if isinstance(node.exc, ast.Call):
            node.exc.args = list(map(self.other, node.exc.args))
        return node

    def visit_Call(self, node):
        if isinstance(node.func, ast.Attribute) and node.func.attr == "warn":
            node.args = list(map(self.other, node.args))
        return self.generic_visit(node)

    def visit_Assign(self, node):
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "message":
            node.value = self.other(node.value)
        return self.generic_visit(node)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name) and node.target.id == "message":
            node.value = self.other(node.value)
        return self.generic_visit(node)


def with_other_messages(source):
    return ast.unparse(OtherMessages().visit(ast.parse(source)))


def with_line_ends_of_windows(source):
    return source.replace("\n", "\r\n")


def without_comments(source):
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    kept = [token for token in tokens if token.type != tokenize.COMMENT]
    return tokenize.untokenize(kept)


HARMLESS = [
    with_comments,
    with_other_docstrings,
    with_another_layout_and_quotes,
    with_imports_in_another_order,
    with_all_imports_in_another_order,
    with_an_import_for_each_name,
    with_functions_in_another_order,
    with_other_local_names,
    without_annotations,
    with_other_messages,
    with_line_ends_of_windows,
    without_comments,
]


@pytest.mark.parametrize("edit", HARMLESS, ids=lambda edit: edit.__name__)
def test_harmless_edits_everywhere_move_nothing(monkeypatch, edit):
    before = fingerprints_of_trials()
    sources = {module: source.decode() for module, source in fingerprint.sources().items()}
    edited = {module: edit(source) for module, source in sources.items()}
    changed = [module for module in sources if edited[module] != sources[module]]
    assert len(changed) > 20
    see(monkeypatch, edited)
    assert fingerprints_of_trials() == before
