"""Who imports whom is as the pictures in CONTRIBUTING show it; functions fit a screen."""

import ast
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "mimlpaper"
STUDY = ROOT / "mimlstudy"
# Loaders of data know nothing of the algorithms on their own floor.
KNOWN_TO_DATASETS = {"arrays", "bags", "paths", "datasets"}


def pictures():
    """Two pictures: of the library and of the study."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    _, library, _, study, *_ = text.split("```\n")
    return library.splitlines(), study.splitlines()


def floors():
    """The height of every file and folder of the library."""
    library, _ = pictures()
    heights = {}
    for height, line in enumerate(reversed(library)):
        heights |= dict.fromkeys(line.split(), height)
    return heights


def rooms():
    """The modules of each room of the study, the lowest room first."""
    _, study = pictures()
    modules_of = {}
    for line in study:
        names = line.split()
        # A line that begins with spaces goes on with the room above it.
        if not line.startswith(" "):
            room, *names = names
            modules_of[room] = set()
        modules_of[room] |= set(names)
    return dict(reversed(modules_of.items()))


def rooms_of_imports(path):
    """The rooms of the study that a file imports from."""
    imported = set()
    for name in imported_names(path):
        folders = name.replace(".", "/").removeprefix(f"{STUDY.name}/")
        inside = [room for room in rooms() if f"{folders}/".startswith(f"{room}/")]
        # Of a room within a room, the inner one.
        imported |= {max(inside, key=len)} if inside else set()
    return imported


def imported_names(path):
    """Every dotted name that a file imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def inner_parts(path, package):
    """The files and folders of a package that a file imports."""
    parts = set()
    for name in imported_names(path):
        top, *inner = name.split(".")
        if top == package.name and inner:
            is_folder = (package / inner[0]).is_dir()
            is_file = (package / f"{inner[0]}.py").is_file()
            if is_folder or is_file:
                parts.add(inner[0])
    return parts


def test_the_library_knows_nothing_of_the_study():
    for path in LIBRARY.rglob("*.py"):
        packages = {name.split(".")[0] for name in imported_names(path)}
        assert "mimlstudy" not in packages, path


def homes_of_modules():
    """The file or folder of the library that each of its modules belongs to."""
    homes = {}
    for path in LIBRARY.rglob("*.py"):
        if path != LIBRARY / "__init__.py":
            top = path.relative_to(LIBRARY).parts[0]
            homes[path] = top.removesuffix(".py")
    return homes


def test_the_picture_shows_the_whole_library():
    assert set(homes_of_modules().values()) == set(floors())


def test_a_module_of_the_library_knows_only_its_floor_and_those_below():
    heights = floors()
    for path, home in homes_of_modules().items():
        allowed = {name for name, height in heights.items() if height <= heights[home]}
        if home == "datasets":
            allowed = KNOWN_TO_DATASETS
        assert inner_parts(path, LIBRARY) <= allowed, path


def test_the_picture_shows_every_room_of_the_study():
    in_picture = rooms()
    folders = {path.parent for path in STUDY.rglob("*.py")} - {STUDY}
    names = {folder.relative_to(STUDY).as_posix() for folder in folders}
    assert names == set(in_picture)
    for room, modules in in_picture.items():
        files = {path.stem for path in (STUDY / room).glob("*.py")}
        assert files == modules, room


def test_rooms_of_the_study_lead_only_down():
    above = set(rooms())
    for room in rooms():
        above.remove(room)
        for path in (STUDY / room).glob("*.py"):
            assert not rooms_of_imports(path) & above, path


def functions_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            yield node


def lines_of_code(function):
    """The lines of a function below its docstring."""
    statements = function.body
    if ast.get_docstring(function) is not None and len(statements) > 1:
        statements = statements[1:]
    return function.end_lineno - statements[0].lineno + 1


IMPORT_ALL = """
import importlib, sys
from pathlib import Path
import mimlpaper.datasets  # it reads its own list of data sets
def refuse_tables(event, arguments):
    if event == "open" and str(arguments[0]).endswith((".csv", ".ipynb")):
        sys.exit(f"opened on import: {arguments[0]}")
sys.addaudithook(refuse_tables)
import mimlstudy
folder = Path(mimlstudy.__file__).parent
for path in sorted(folder.rglob("*.py")):
    # The second would run, and the last is imported for what it reads.
    if path.stem not in ("__init__", "__main__", "records_read"):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        importlib.import_module(".".join(parts))
"""


def test_an_import_of_the_study_opens_no_table():
    imported = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        capture_output=True,
        text=True,
    )
    assert imported.returncode == 0, imported.stderr


def test_functions_fit_a_screen():
    for path in [*LIBRARY.rglob("*.py"), *STUDY.rglob("*.py")]:
        for function in functions_of(path):
            assert lines_of_code(function) <= 50, f"{path.name}: {function.name}"


def test_notebooks_are_committed_without_outputs():
    for path in ROOT.glob("notebooks/*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            assert not cell.get("outputs"), path.name
            assert cell.get("execution_count") is None, path.name
