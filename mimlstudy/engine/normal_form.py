"""The normal form of Python code: definitions of one form do the same when they run.

What a reader sees and a computer does not is left out or made equal: comments, layout, quotes,
docstrings, annotations, the texts of exceptions and warnings, and the names of local variables.
Names of parameters stay, because a caller may use them. What code can read itself stays as well,
where it may do so: a text that an exception carries, a docstring, an annotation.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Set
from contextlib import contextmanager
from itertools import count

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*FUNCTIONS, *COMPREHENSIONS, ast.Lambda, ast.ClassDef)  # nodes with names of their own
ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
# Functions and methods that see the names of variables: those of the second set if they are given
# nothing. ``query`` is a method of tables.
SEE_NAMES, SEE_NAMES_ALONE = {"eval", "exec", "query", "_getframe"}, {"locals", "vars", "dir"}
TELLING = {"ClassVar", "InitVar", "KW_ONLY"}  # annotations that change what a data class does
# Decorators without an effect elsewhere, which read no annotation; an unknown one might do both.
DECORATORS = {
    "cache",
    "cached_property",
    "classmethod",
    "compiled",
    "contextmanager",
    "dataclass",
    "lru_cache",
    "njit",
    "property",
    "staticmethod",
    "total_ordering",
    "wraps",
}
EXCEPTION = re.compile(r"\w+(Error|Warning)")  # the name of an exception that is raised
BUILT_IN = {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
# What the text of a message may call: these change nothing, and draw no number.
CALLED_IN_MESSAGES = {
    "argmax",
    "argmin",
    "format",
    "isna",
    "isnan",
    "join",
    "len",
    "list",
    "min",
    "modelStatusToString",  # of HiGHS
    "repr",
    "shape",
    "shown",  # mimlpaper.arrays.shown, of a cell
    "sorted",
    "str",
    "sum",
    "tolist",
    "type",
}
# Names by which a definition reads what is left out of others.
READS_TEXTS, READS_ANNOTATIONS = {"args", "__doc__"}, {"__annotations__", "get_type_hints"}


def normalised(source: bytes) -> ast.Module:
    """The syntax tree of a module in normal form."""
    tree = ast.parse(source)
    return _NormalForm(tree).visit(tree)


def canonical(node) -> str:
    """A syntax tree as text without positions and the empty fields that Python versions add."""
    if isinstance(node, list):
        return "[" + ",".join(map(canonical, node)) + "]"
    if not isinstance(node, ast.AST):
        return repr(node)
    filled = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    inner = ",".join(f"{name}={canonical(value)}" for name, value in filled)
    return f"{type(node).__name__}({inner})"


class _NormalForm(ast.NodeTransformer):
    """Leaves out what does not run, and numbers the local variables of each function."""

    def __init__(self, tree: ast.Module):
        self.with_message = _calls_with_message(tree)
        self.constants = _text_constants(tree)
        self.telling = _telling_names(tree)
        self.drops_texts = True  # unless the definition around reads some
        self.drops_annotations = True
        self.messages: Set[str] = set()  # variables of the function around that are only messages
        # New names by name, of the functions and comprehensions around, the innermost last.
        self.scopes: list[dict[str, str]] = []
        self.numbers: Iterator[int] = count()  # for the variables of the outermost of them
        self.renames = True  # unless something there sees names
        self.in_class_body = False

    def visit_Module(self, node):
        statements = []
        for statement in node.body:
            parts = list(ast.walk(statement))
            attributes = {getattr(part, "attr", "") for part in parts}
            self.drops_texts = not attributes & READS_TEXTS
            self.drops_annotations = not READS_ANNOTATIONS & {name_of(part) for part in parts}
            statements.append(self.visit(statement))
        node.body = [statement for statement in statements if statement is not None]
        return node

    @contextmanager
    def _scope(self, node, bound, kept=()):
        """Inside a function or a comprehension, which binds some names and keeps others."""
        if not self.scopes:
            self.numbers = count()
            self.renames = not any(map(_shows_names, ast.walk(node)))
        scope = {name: name for name in kept}
        for name in bound:
            if self.renames and name not in scope:
                scope[name] = f"local {next(self.numbers)}"
        self.scopes.append(scope)
        yield
        self.scopes.pop()

    def _renamed(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return name

    def visit_ClassDef(self, node):
        around, self.in_class_body = self.in_class_body, True
        self.generic_visit(node)
        self.in_class_body = around
        return node

    def visit_FunctionDef(self, node):
        around = self.in_class_body, self.drops_annotations
        self.in_class_body = False
        # A decorator may choose by the types of parameters, as that of a single dispatch.
        self.drops_annotations &= all(map(is_known_decorator, node.decorator_list))
        is_outermost = not self.scopes
        if is_outermost and self.drops_texts:
            self.messages = _messages_of(node, self.with_message)
        if self.drops_annotations:
            node.returns = None
        node.name = self._renamed(node.name)
        node.decorator_list = list(map(self.visit, node.decorator_list))
        body = ast.Module(node.body, [])
        with self._function_scope(node, body):
            node.body = self.generic_visit(body).body
        if is_outermost:
            self.messages = set()
        self.in_class_body, self.drops_annotations = around
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        with self._function_scope(node, node.body):
            node.body = self.visit(node.body)
        return node

    @contextmanager
    def _function_scope(self, function, body):
        """Inside a function, after its parameters; defaults are computed outside."""
        arguments = self.generic_visit(function.args)
        parameters = [part.arg for part in ast.walk(arguments) if isinstance(part, ast.arg)]
        parts = _in_one_scope(body)
        kept = [*parameters, *_declared_by(parts, ast.Global)]
        of_outer_functions = _declared_by(parts, ast.Nonlocal)
        bound = [name for name in _bound_by(parts) if name not in of_outer_functions]
        with self._scope(function, bound, kept):
            yield

    def _visit_comprehension(self, node):
        bound = []
        for generator in node.generators:
            bound += names_bound_in(generator.target)
        leading = node.generators[0]
        iterable = self.visit(leading.iter)  # which is computed outside
        leading.iter = ast.Constant(None)  # so that it is not visited again
        with self._scope(node, bound):
            self.generic_visit(node)
        leading.iter = iterable
        return node

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    # A variable is renamed wherever its name stands, or functions that are the same would differ.

    def visit_arg(self, node):
        if self.drops_annotations:
            node.annotation = None
        return node

    def visit_Name(self, node):
        node.id = self._renamed(node.id)
        return node

    def visit_ExceptHandler(self, node):
        node.name = self._renamed(node.name)
        return self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_ExceptHandler

    def visit_MatchMapping(self, node):
        node.rest = self._renamed(node.rest)
        return self.generic_visit(node)

    def visit_Nonlocal(self, node):
        node.names = list(map(self._renamed, node.names))
        return node

    def visit_alias(self, node):
        imported = node.asname or node.name
        if self._renamed(imported) != imported:
            node.asname = self._renamed(imported)
        return node

    def visit_AnnAssign(self, node):
        """Only a class has a use for an annotation: it makes a field of a data class."""
        if self.in_class_body:
            if self.drops_annotations:
                words = re.findall(r"\w+", ast.unparse(node.annotation))
                telling = sorted({self.telling[word] for word in words if word in self.telling})
                node.annotation = ast.Constant(" ".join(telling))
            return self.generic_visit(node)
        if node.value is None:
            return None
        return self.visit(ast.Assign([node.target], node.value))

    def visit_Assign(self, node):
        target = _target(node)
        is_message = isinstance(target, ast.Name) and target.id in self.messages
        return None if is_message else self.generic_visit(node)

    visit_AugAssign = visit_Assign

    def visit_Expr(self, node):
        """A statement that is only a text is a docstring, or as good as one."""
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text and self.drops_texts else self.generic_visit(node)

    def visit_Call(self, node):
        """The type of an exception decides what catches it; its text does not."""
        if node in self.with_message and self.drops_texts:
            texts = self.constants | self.messages
            node.args = [given for given in node.args if not _is_message(given, texts)]
            node.keywords = [each for each in node.keywords if not _is_message(each.value, texts)]
        return self.generic_visit(node)

    def visit_Assert(self, node):
        if node.msg and self.drops_texts and _changes_nothing(node.msg):
            node.msg = None
        return self.generic_visit(node)


def _in_one_scope(node) -> list[ast.AST]:
    """A node and the nodes in it that stand in the same scope, in order of appearance."""
    parts, waiting = [], [node]
    while waiting:
        part = waiting.pop()
        parts.append(part)
        if not isinstance(part, SCOPES):
            waiting += reversed([*ast.iter_child_nodes(part)])
    return parts


def names_bound_in(node) -> list[str]:
    """The names that a node binds in the scope that it stands in, in order of appearance."""
    return _bound_by(_in_one_scope(node))


def _bound_by(nodes) -> list[str]:
    """The names that nodes bind, in their order."""
    return [name for node in nodes for name in _names_bound_by(node)]


def _names_bound_by(node) -> list[str]:
    """The names that a node of a syntax tree binds, not those that nodes in it bind."""
    if isinstance(node, COMPREHENSIONS):  # := in it binds a name outside
        return [part.target.id for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        return [node.name]
    if isinstance(node, ast.MatchMapping) and node.rest:
        return [node.rest]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    return []


def _declared_by(nodes, kind) -> set[str]:
    """The names that nodes of a function declare global or nonlocal."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, kind):
            names |= {*node.names}
    return names


def _shows_names(node):
    """Whether a node shows names of variables: a class, as attributes, or a call such as eval."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.ClassDef)
    name = name_of(node.func)
    # Numba takes the types of variables by their names.
    names_variables = any(each.arg == "locals" for each in node.keywords)
    return names_variables or name in SEE_NAMES or (name in SEE_NAMES_ALONE and not node.args)


def name_of(node) -> str:
    """The name by which code means a function, class or method; "" if it has none."""
    return getattr(node, "id", getattr(node, "attr", ""))


def is_known_decorator(node) -> bool:
    """Whether a decorator, perhaps with arguments, is one of :data:`DECORATORS`."""
    return name_of(getattr(node, "func", node)) in DECORATORS


def _telling_names(tree) -> dict[str, str]:
    """The names that a module has for :data:`TELLING`, with what they stand for."""
    names = {name: name for name in TELLING}
    for node in ast.walk(tree):
        if isinstance(node, ast.alias) and node.asname and node.name in TELLING:
            names[node.asname] = node.name
        elif isinstance(node, ast.Assign) and name_of(node.value) in TELLING:
            names |= dict.fromkeys(names_bound_in(node), name_of(node.value))
    return names


def _calls_with_message(tree) -> set[ast.Call]:
    """The calls whose texts only a reader sees: what is raised, makes an exception, or warns."""
    calls = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            name = name_of(node.exc.func)
            if name in BUILT_IN or EXCEPTION.fullmatch(name):
                calls.add(node.exc)
        elif isinstance(node, ast.Call) and _makes_message(node.func):
            calls.add(node)
    return calls


def _makes_message(function) -> bool:
    """Whether code that is called is an exception of Python, or ``warnings.warn``."""
    match function:
        case ast.Name():
            return function.id == "warn" or function.id in BUILT_IN
        case ast.Attribute(value=ast.Name(id="warnings")):
            return function.attr == "warn"
    return False


def _text_constants(tree) -> set[str]:
    """The names that a module gives to texts."""
    names = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and _is_message(statement.value):
            names |= {*names_bound_in(statement)}
    return names


def _messages_of(function, with_message) -> set[str]:
    """The local variables of a function that hold texts and are read in messages alone."""
    nodes = list(ast.walk(function))
    if any(map(_shows_names, nodes)):
        return set()
    of_module = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    targets = set()
    for node in nodes:
        if isinstance(node, ASSIGNMENTS) and node.value and _is_message(node.value):
            targets.add(_target(node))
    names = {node for node in nodes if isinstance(node, ast.Name)}
    texts = {name.id for name in names & targets}
    in_messages = set()
    for call in with_message.intersection(nodes):
        # Not what chooses the kind of an exception or of a warning.
        for given in [*call.args, *(keyword.value for keyword in call.keywords)]:
            if _is_message(given, texts):
                in_messages |= {*ast.walk(given)}
    used_elsewhere = {name.id for name in names - targets - in_messages}
    return texts - used_elsewhere - of_module


def _target(assignment):
    """What an assignment gives a value to; None if that is several names."""
    if isinstance(assignment, ast.Assign):
        return assignment.targets[0] if len(assignment.targets) == 1 else None
    return assignment.target


def _is_message(node, texts: Set[str] = frozenset()):
    """Whether a text can be left out: nothing else happens where it is put together."""
    return _is_text(node, texts) and _changes_nothing(node)


def _changes_nothing(node):
    """Whether a node holds no assignment, no yield, and no call of unknown code."""
    for part in ast.walk(node):
        if isinstance(part, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await):
            return False
        if isinstance(part, ast.Call) and name_of(part.func) not in CALLED_IN_MESSAGES:
            return False
    return True


def _is_text(node, texts: Set[str] = frozenset()):
    """A text, by its name among ``texts``, or one that is put together or chosen."""
    match node:
        case ast.Constant():
            return isinstance(node.value, str)
        case ast.JoinedStr():
            return True
        case ast.Name():
            return node.id in texts
        case ast.BinOp():
            return _is_text(node.left, texts) or _is_text(node.right, texts)
        case ast.IfExp():
            return _is_text(node.body, texts) and _is_text(node.orelse, texts)
        case ast.Call(func=ast.Attribute(value=value)):  # a method, such as format
            return _is_text(value, texts)
    return False
