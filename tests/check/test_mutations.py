"""Wrong numbers cannot stay current: code that is wrong moves a fingerprint, or is caught.

And harmless edits, made everywhere at once, move nothing.
"""

import ast
import inspect
import io
import tokenize
from dataclasses import replace
from types import CodeType

import numpy as np
import pandas as pd
import pytest

from mimlpaper.datasets import DataError, fetch, load, loaders
from mimlstudy.engine import execution, fingerprint, records
from mimlstudy.engine.catalogue import content_hash
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store
from mimlstudy.engine.rows import StoreError
from mimlstudy.engine.verify import verify
from mimlstudy.engine.workers import TrialError
from mimlstudy.paper import contents
from mimlstudy.paper.catalogue import CATALOGUE
from tests.made_up_study import METHODS, see, states, tiny
from tests.unit.test_fingerprint import TRIALS, codes

MINE = tiny()
EVERY = set(TRIALS)

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
    "run_trial": EVERY,
    "set_random_states": EVERY,
    "_attempt": EVERY,
    "recorded_text": EVERY,
    "seal_of": EVERY,
    "content_hash": EVERY,
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
    """Changes the first number, comparison or operator of a definition, or drops a statement."""

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
            node.ops[0] = ast.NotEq() if not isinstance(node.ops[0], ast.NotEq) else ast.Eq()
        return node

    def visit_BinOp(self, node):
        if not self.done:
            self.done = True
            node.op = ast.Sub() if not isinstance(node.op, ast.Sub) else ast.Add()
        return node


def mutated(source, name):
    """A module's text with a mistake in one of its definitions."""
    tree = ast.parse(source)
    (definition,) = (node for node in tree.body if getattr(node, "name", None) == name)
    mutant = Mutant()
    for part in ast.walk(definition):
        if isinstance(part, ast.FunctionDef) and not mutant.done:
            part.body = [mutant.visit(statement) for statement in part.body]
    if not mutant.done:
        functions = (part for part in ast.walk(definition) if isinstance(part, ast.FunctionDef))
        next(functions).body.append(ast.parse("print()").body[0])
    return ast.unparse(tree)


@pytest.mark.parametrize("name", MUTATED)
def test_a_mistake_in_a_definition_moves_the_code_of_its_trials(monkeypatch, name):
    before = codes()
    (module,) = [
        module
        for module, source in fingerprint.sources().items()
        if any(getattr(node, "name", None) == name for node in ast.parse(source).body)
    ]
    see(monkeypatch, {module: mutated(fingerprint.sources()[module], name)})
    after = codes()
    assert {key for key in TRIALS if before[key].code != after[key].code} >= MUTATED[name]


@pytest.mark.parametrize("old, new", [('    "fma",\n', ""), ('"Haswell"', '"Nehalem"')])
def test_another_arithmetic_moves_the_code_of_all_trials(monkeypatch, old, new):
    before = codes()
    module = "mimlstudy.engine.arithmetic"
    source = fingerprint.sources()[module].decode()
    assert old in source
    see(monkeypatch, {module: source.replace(old, new)})
    after = codes()
    assert all(before[key].code != after[key].code for key in TRIALS)


# What stands between a fitted trial and a table, each wrong for a while.


def halved(rows):
    return [row | {"one_error": row["one_error"] / 2} for row in rows]


def test_rows_that_are_changed_on_their_way_to_the_file_are_damaged(store, monkeypatch):
    honest = execution.run_trials

    def run_trials(*given, **options):
        for trial, rows in honest(*given, **options):
            yield trial, halved(rows)

    with monkeypatch.context() as patched:
        patched.setattr(execution, "run_trials", run_trials)
        compute(MINE, store=store, jobs=1)
    assert set(states(MINE, store).values()) == {"damaged"}


def test_rows_that_are_changed_as_they_are_written_are_damaged(store, monkeypatch):
    """By a slip that a known row does not show."""
    honest = records.to_csv

    def to_csv(rows, columns, **options):
        known = any(row["experiment"] == "known" for row in rows)
        return honest(rows if known else halved(rows), columns, **options)

    with monkeypatch.context() as patched:
        patched.setattr(records, "to_csv", to_csv)
        compute(MINE, store=store, jobs=1)
    assert set(states(MINE, store).values()) == {"damaged"}


@pytest.mark.parametrize("name", ["to_csv", "parse_csv"])
def test_a_store_does_not_open_while_rows_are_written_or_read_wrong(store, monkeypatch, name):
    honest = getattr(records, name)

    def two_columns_swapped(given, columns, **options):
        swapped = [*columns]
        i, j = swapped.index("n_train"), swapped.index("n_test")
        swapped[i], swapped[j] = swapped[j], swapped[i]
        return honest(given, swapped, **options)

    monkeypatch.setattr(records, name, two_columns_swapped)
    with pytest.raises(StoreError):
        Store(store.folder, CATALOGUE)


SCENE = tiny({"Ml-knn": METHODS["Ml-knn"]}, datasets=("hja",), n_splits=1)


@pytest.fixture
def listed_again():
    """Contents are read again before and after."""
    for function in (contents._manifest, contents.listed_contents):
        function.cache_clear()
    yield
    for function in (contents._manifest, contents.listed_contents):
        function.cache_clear()


@pytest.fixture
def forgotten():
    """No worker keeps a data set."""
    from mimlstudy.engine import trials

    trials._loaded.cache_clear()
    yield
    trials._loaded.cache_clear()


def test_another_data_set_is_never_recorded(store, monkeypatch, forgotten):
    """Given by its name, or under the right one."""
    scenes = load("synthetic_scene")
    for wrong, message in (
        (scenes, "hja was asked for, and synthetic_scene was loaded"),
        (replace(scenes, name="hja"), "hja, as it is loaded now, has the content"),
    ):
        monkeypatch.setattr(loaders, "load", lambda *given, wrong=wrong: wrong)
        with pytest.raises(TrialError, match=message):
            compute(SCENE, store=store, jobs=1)
    assert store.load(SCENE).empty


def test_the_file_of_another_data_set_is_never_recorded(store, monkeypatch, forgotten):
    """Such as other labels of the birds."""
    honest = loaders.fetch
    labels = honest("hja/hja_birdsong_bag_labels.txt")
    first, second, *others = labels.read_text().splitlines()
    other = store.folder.parent / "labels.txt"
    other.write_text("\n".join([first, "0,1,2,3", *others]) + "\n")
    assert second != "0,1,2,3"
    monkeypatch.setattr(
        loaders, "fetch", lambda file, *where: other if "bag_labels" in file else honest(file)
    )
    with pytest.raises((TrialError, DataError), match="content"):
        compute(SCENE, store=store, jobs=1)
    assert store.load(SCENE).empty


def test_another_file_in_the_manifest_makes_records_not_current(store, monkeypatch, listed_again):
    compute(SCENE, store=store, jobs=1)
    assert states(SCENE, store) == {"Ml-knn": "current"}
    entries = fetch.manifest()
    for file in fetch.source_of("hja").files:
        changed = entries | {file: replace(entries[file], sha256="0" * 64)}
        monkeypatch.setattr(fetch, "manifest", lambda changed=changed: changed)
        contents._manifest.cache_clear()
        contents.listed_contents.cache_clear()
        assert states(SCENE, store) == {"Ml-knn": "data changed"}, file


# Edits that change nothing, made in every module of both packages.


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


def with_imports_in_another_order(source):
    tree = ast.parse(source)
    places = [i for i, node in enumerate(tree.body) if isinstance(node, ast.ImportFrom)]
    imports = [tree.body[i] for i in places]
    for place, statement in zip(places, reversed(imports), strict=True):
        tree.body[place] = statement
    return ast.unparse(tree)


def with_functions_in_another_order(source):
    tree = ast.parse(source)
    plain = [i for i, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef)]
    functions = [tree.body[i] for i in plain]
    for place, function in zip(plain, reversed(functions), strict=True):
        tree.body[place] = function
    return ast.unparse(tree)


def with_other_local_names(source):
    """By what the compiler says is local; not where a function in a function could see it."""
    code = compile(source, "module", "exec")
    local = {}
    waiting = [code]
    while waiting:
        one = waiting.pop()
        waiting += [part for part in one.co_consts if isinstance(part, CodeType)]
        n_given = one.co_argcount + one.co_kwonlyargcount
        n_given += bool(one.co_flags & inspect.CO_VARARGS)
        n_given += bool(one.co_flags & inspect.CO_VARKEYWORDS)
        names = set(one.co_varnames[n_given:]) - set(one.co_cellvars)
        local[one.co_name, one.co_firstlineno] = names
    tree = ast.parse(source)
    module_names = {name.id for name in ast.walk(tree) if isinstance(name, ast.Name)} & set(
        code.co_names
    )
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        inside = [node for node in ast.walk(function) if node is not function]
        if any(isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef) for node in inside):
            continue
        first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
        imported = {
            alias.asname or alias.name
            for node in inside
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        names = local.get((function.name, first), set()) - module_names - imported
        for node in inside:
            if isinstance(node, ast.Name) and node.id in names:
                node.id = f"renamed_{node.id}"
            if isinstance(node, ast.ExceptHandler) and node.name in names:
                node.name = f"renamed_{node.name}"
    return ast.unparse(tree)


def without_annotations(source):
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef):
            node.returns = ast.Name("object")
    return ast.unparse(tree)


def with_other_messages(source):
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            if isinstance(node.exc.args[0], ast.Constant | ast.JoinedStr):
                node.exc.args[0] = ast.Constant("Something is wrong.")
    return ast.unparse(tree)


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
    with_functions_in_another_order,
    with_other_local_names,
    without_annotations,
    with_other_messages,
    with_line_ends_of_windows,
    without_comments,
]


@pytest.mark.parametrize("edit", HARMLESS, ids=lambda edit: edit.__name__)
def test_harmless_edits_everywhere_move_nothing(monkeypatch, edit):
    before = codes()
    texts = {module: source.decode() for module, source in fingerprint.sources().items()}
    edited = {module: edit(text) for module, text in texts.items()}
    assert sum(edited[module] != texts[module] for module in texts) > 20
    see(monkeypatch, edited)
    after = codes()
    assert {key for key in TRIALS if before[key] != after[key]} == set()


def test_no_byte_is_changed_in_silence(store):
    """Of records and of outcomes: it has no effect, is marked, or is refused with the way out."""
    compute(MINE, store=store, jobs=1)
    verify([MINE], store=store, jobs=1)
    honest = store.load(MINE)
    outcomes = store.outcomes()
    rng = np.random.default_rng(0)
    ends = {"marked": 0, "refused": 0, "without effect": 0}
    for name in ("mine", "verified"):
        path = store.path(name)
        whole = path.read_bytes()
        for _ in range(150):
            data = bytearray(whole)
            data[rng.integers(len(data))] = rng.integers(256)
            path.write_bytes(bytes(data))
            ends[_end_of(store, honest, outcomes)] += 1
        path.write_bytes(whole)
    assert ends["marked"] > 50
    assert ends["refused"] > 100


def _end_of(store, honest, outcomes):
    try:
        found, said = store.load(MINE), store.outcomes()
    except StoreError as error:
        assert "verify` again" in str(error) or "compute` again" in str(error)
        return "refused"
    pd.testing.assert_frame_equal(said, outcomes)
    right = found[found["doubt"] == ""]
    lost = len(found) < len(honest)
    as_before = right.merge(honest)  # by all columns
    assert len(as_before) == len(right)
    return "without effect" if len(right) == len(honest) and not lost else "marked"


@pytest.mark.parametrize("name", [name for name in loaders.DATASETS if fetch.source_of(name).files])
def test_each_data_set_is_loaded_as_it_is_listed(name):
    assert content_hash(load(name)) == CATALOGUE.content(name)
