"""The normal form of Python code: equal for definitions that do the same when they run.

What a reader sees and a computer does not is left out or made equal: comments, layout, quotes,
docstrings, annotations, the texts of exceptions, and the names of local variables. Names of
parameters stay, because a caller may use them.
"""

import ast
import builtins

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Functions that see the names of variables: those of the second set if they are given nothing.
SEE_NAMES, SEE_NAMES_ALONE = {"eval", "exec"}, {"locals", "vars", "dir"}
TELLING = {"ClassVar", "InitVar", "KW_ONLY"}  # annotations that change what a data class does


def normalised(source: bytes) -> ast.Module:
    """The syntax tree of a module in normal form."""
    tree = ast.parse(source)
    global_names = set(dir(builtins)) | _global_names(tree)
    return _NormalForm(global_names).visit(tree)


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

    def __init__(self, global_names: set[str]):
        self.global_names = global_names
        self.new_names: dict[str, str] = {}  # of the outermost function around
        self.parameters: list[set[str]] = []  # of the functions around, which keep their names
        self.around: list[ast.AST] = []  # functions and classes, the innermost last

    def visit_ClassDef(self, node):
        self.around.append(node)
        self.generic_visit(node)
        self.around.pop()
        return node

    def visit_FunctionDef(self, node):
        node.returns = None  # an annotation
        outermost = not any(isinstance(outer, FUNCTIONS) for outer in self.around)
        if outermost:
            self.new_names = _numbered(_local_names(node, self.global_names))
        else:
            node.name = self._renamed(node.name)
        self.around.append(node)
        self._visit_inside(node)
        self.around.pop()
        if outermost:
            self.new_names = {}  # of the next function, whatever its place in the module
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        return self._visit_inside(node)

    def _visit_inside(self, function):
        arguments = [part for part in ast.walk(function.args) if isinstance(part, ast.arg)]
        self.parameters.append({argument.arg for argument in arguments})
        self.generic_visit(function)
        self.parameters.pop()
        return function

    def _renamed(self, name):
        is_parameter = any(name in names for names in self.parameters)
        return name if is_parameter else self.new_names.get(name, name)

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_Name(self, node):
        node.id = self._renamed(node.id)
        return node

    def visit_ExceptHandler(self, node):
        node.name = self._renamed(node.name)
        return self.generic_visit(node)

    def visit_alias(self, node):
        imported = node.asname or node.name
        if self._renamed(imported) != imported:
            node.asname = self._renamed(imported)
        return node

    def visit_AnnAssign(self, node):
        """Only a class has a use for an annotation: it makes a field of a data class."""
        if self.around and isinstance(self.around[-1], ast.ClassDef):
            words = {part.id for part in ast.walk(node.annotation) if isinstance(part, ast.Name)}
            if not words & TELLING:
                node.annotation = ast.Constant("any type")
            return self.generic_visit(node)
        if node.value is None:
            return None
        return self.generic_visit(ast.Assign([node.target], node.value))

    def visit_Expr(self, node):
        """A statement that is only a text is a docstring, or as good as one."""
        return None if _is_text(node.value) else self.generic_visit(node)

    def visit_Raise(self, node):
        """The type of an exception decides what catches it; its text does not."""
        if isinstance(node.exc, ast.Call):
            node.exc.args = [given for given in node.exc.args if not _is_text(given)]
        return self.generic_visit(node)

    def visit_Assert(self, node):
        node.msg = None
        return self.generic_visit(node)


def _global_names(tree):
    """The names that a module's statements bind, and those that functions declare global."""
    names = set()
    for statement in tree.body:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            names.add(statement.name)
            continue
        nodes = list(ast.walk(statement))
        # What a comprehension binds is known inside it only.
        inner = {
            part
            for node in nodes
            if isinstance(node, ast.comprehension)
            for part in ast.walk(node.target)
        }
        for node in nodes:
            if node not in inner:
                names |= set(_bound_by(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            names |= set(node.names)
    return names


def _local_names(function, global_names):
    """The names of local variables of a function and of functions in it, in order of appearance.

    Names that are also those of a global are left out, so that different programs stay different. A
    class in a function has attributes, whose names count.
    """
    nodes = list(ast.walk(function))
    if any(isinstance(node, ast.ClassDef) or _sees_names(node) for node in nodes):
        return []
    # Each name once; the first node is the function itself, whose name is not local.
    bound = dict.fromkeys(name for node in nodes[1:] for name in _bound_by(node))
    return [name for name in bound if name not in global_names]


def _bound_by(node) -> list[str]:
    """The names that a node of a syntax tree binds, not those that nodes in it bind."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.ExceptHandler) and node.name:
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    return []


def _numbered(names):
    return {name: f"local {number}" for number, name in enumerate(names)}


def _sees_names(node):
    """Whether a node calls a function that sees the names of variables."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return False
    return node.func.id in SEE_NAMES or (node.func.id in SEE_NAMES_ALONE and not node.args)


def _is_text(node):
    """A text, also one that is put together of several or by a method such as format."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _is_text(node.func.value)
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    if isinstance(node, ast.JoinedStr):
        return True
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
