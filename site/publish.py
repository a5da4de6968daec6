"""Write what git keeps of the recorded trials: figures/, the README's answer, codecheck.yml.

``python site/publish.py`` executes all notebooks, or those that are named, saves their tables and
figures in ``figures/``, each notebook as a page in ``figures/pages/``, and the lists of both. First
it deletes ``build/smoke/results`` and the example's bench, whose trials ``own_method`` would show.
Last it lists all files with their hashes in ``figures/made_of.json``, so that no edit goes unseen.
"""

import argparse
import base64
import csv
import hashlib
import json
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import compress
from pathlib import Path

import nbformat
from nbconvert import MarkdownExporter
from parts import HERE, TO_NOTEBOOK, passage
from traitlets.config import Config

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.records import ORIGIN
from mimlstudy.engine.rows import SEAL
from mimlstudy.report.bench import folder_of
from mimlstudy.report.companion import SYNTHETIC_NOTE
from mimlstudy.report.figures import caption_of
from mimlstudy.report.first_page import answer
from mimlstudy.report.notebook_page import LEFT_OUT, keep_what_is_shown
from mimlstudy.report.notebooks import find_notebook, run_notebooks
from mimlstudy.report.sections import photograph
from mimlstudy.report.status import (
    LAST_RUNS,
    Artefact,
    artefacts,
    experiments_behind,
    recorded_scorecard,
)

WIDTH = 100  # of the README's lines
MADE_OF = "made_of.json"  # in figures/
EXAMPLE = "mimlstudy.report.example_entry:method"  # as own_method enters it
# Says where a record comes from, and stands in no table or figure, but in a trace: verification
# leaves the others as they are.
NOT_SHOWN = {*ORIGIN, SEAL}
# Looks of tables, which a page of the repository may not have.
LOOKS = re.compile(
    r"<style.*?</style>|\s(?:id|class|style|border)=\"[^\"]*\"|</?span[^>]*>|\n\s*", re.DOTALL
)


def publish(names=None) -> list[Path]:
    """Execute notebooks, write their pages and the lists.

    RuntimeError if one fails, or shows synthetic data in place of files that are not here.
    """
    written = []
    for folder in folders.smoke_results(), folder_of(EXAMPLE, "smoke"):
        shutil.rmtree(folder, ignore_errors=True)
    # A page says which notebooks failed last; it may not speak of a run before this one.
    (folders.build("paper") / LAST_RUNS).unlink(missing_ok=True)
    for run in run_notebooks(names, at_once=-1, publish=True):
        if run.output is None:
            raise RuntimeError(f"{run.name}: {run.status}\n{run.message}")
        page = nbformat.read(run.output, as_version=4)
        if SYNTHETIC_NOTE in nbformat.writes(page):
            raise RuntimeError(
                f"{run.name}: its data are not here; set MIMLPAPER_DATA, or get them by "
                "`mimlpaper data --fetch`"
            )
        path = folders.figures() / "pages" / f"{run.name}.md"
        written.append(write_markdown_page(page, path))
    written += write_lists(recorded_scorecard("paper"))
    return [*written, write_made_of(names)]


def write_markdown_page(page, path: Path) -> Path:
    """A page to read where the repository is browsed, with the pictures of the folder above.

    A picture that is no artefact becomes a file beside the page.
    """
    for picture in path.parent.glob(f"{path.stem}_*.png"):
        picture.unlink()  # of an earlier page
    pictures = Pictures(path)
    keep_what_is_shown(page)
    for cell in page.cells:
        for output in cell.get("outputs", ()):
            make_plain(output, cell, pictures)
    exporter = MarkdownExporter(config=Config({"TagRemovePreprocessor": LEFT_OUT}))
    text, _ = exporter.from_notebook_node(page)
    text = TO_NOTEBOOK.sub(r"](\1.md", text.lstrip())
    return paths.write_whole(path, text)


class Pictures:
    """The pictures of a page: files of artefacts by their names, other pictures by number."""

    def __init__(self, page: Path):
        self.page = page
        self.n_written = 0

    def file_of(self, artefact: str, png: str) -> str:
        """The file of a picture, written if it is no artefact, or none that is kept."""
        if artefact and (self.page.parent.parent / f"{artefact}.png").is_file():
            return f"../{artefact}.png"
        self.n_written += 1
        file = f"{self.page.stem}_{self.n_written}.png"
        paths.write_whole(self.page.with_name(file), base64.b64decode(png))
        return file


def make_plain(output, cell, pictures: Pictures):
    """Make an output of a notebook what Markdown can hold, in place."""
    data = output.get("data", {})
    html = data.get("text/html", "")
    if "image/png" in data:
        text = output.metadata.get("image/png", {}).get("alt", "")
        text = text or cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        file = pictures.file_of(output.metadata.get("artefact", ""), data["image/png"])
        output.data = {"text/markdown": f"![{text}]({file})"}
    elif "sk-container" in html:
        del data["text/html"]  # scikit-learn's picture of an estimator, which is all style
    elif html:
        data["text/html"] = LOOKS.sub("", html)


def write_lists(card: dict) -> list[Path]:
    """Write the README's photograph and answer, figures/README.md and codecheck.yml."""
    root = folders.project_root()
    texts = {
        folders.figures() / "README.md": readme_of_figures(),
        root / "codecheck.yml": codecheck_manifest(),
    }
    sentences = textwrap.fill(photograph.in_words(), WIDTH)
    readme = write_between_marks(root / "README.md", "photograph", sentences)
    write_between_marks(readme, "answer", answer(card))
    return [readme, *(paths.write_whole(path, text) for path, text in texts.items())]


def write_between_marks(page: Path, mark: str, words: str) -> Path:
    """Write words between a page's one ``<!-- mark -->`` and the next ``<!-- end -->``."""
    old = page.read_text(encoding="utf-8")
    text, n_places = passage(mark).subn(lambda marked: f"{marked[1]}{words}\n{marked[3]}", old)
    if n_places != 1:
        raise ValueError(f"{page} must have <!-- {mark} --> once, and <!-- end --> after it")
    return paths.write_whole(page, text)


def published_artefacts() -> Iterator[Artefact]:
    """The artefacts whose files are in ``figures/``; others wait for their records."""
    for artefact in artefacts():
        files = [folders.figures() / name for name in artefact.files]
        if all(file.is_file() for file in files):
            yield artefact


def readme_of_figures() -> str:
    """``figures/README.md``: a row for each published artefact, and the pictures below."""
    rows, pictures = [], []
    for artefact in published_artefacts():
        rows.append(_row(artefact))
        if artefact.kind == "figure":
            file = artefact.files[0]
            caption = caption_of(folders.figures() / file)
            picture = f"![{caption or artefact.title}]({file})"
            pictures.append(f"\n## {artefact.title}\n\n{picture}\n\n{caption}\n")
    return (HERE / "figures.md").read_text(encoding="utf-8") + "".join(rows) + "".join(pictures)


def _row(artefact):
    """An artefact's title, files, notebook and trials, as a row of a table."""
    files = " ".join(f"[{name}]({name})" for name in artefact.files)
    notebook = f"[{artefact.notebook}](../notebooks/{artefact.notebook}.ipynb)"
    trials = ", ".join(f"`{name}`" for name in artefact.experiments)
    return f"| {artefact.title} | {files} | {notebook} | {trials} |\n"


def codecheck_manifest() -> str:
    """``codecheck.yml`` of CODECHECK's specification 1.0: a file for each published artefact."""
    text = (HERE / "codecheck.yml").read_text(encoding="utf-8")
    for artefact in published_artefacts():
        command = f"python site/publish.py {artefact.notebook}"
        # JSON quotes what YAML would take for its own signs.
        comment = json.dumps(f"{artefact.title}, made by: {command}")
        text += f"  - file: figures/{artefact.files[0]}\n    comment: {comment}\n"
    return text


def write_made_of(notebooks: Iterable[str] | None = None) -> Path:
    """Write ``figures/made_of.json``; if ``notebooks`` are named, those of the others are kept.

    What is kept is an entry that was listed: the hash of a file, and of the records behind it.
    """
    path = folders.figures() / MADE_OF
    entries = made_of()
    if notebooks is not None and path.is_file():
        before = json.loads(path.read_text(encoding="utf-8"))
        for name, entry in before.items():
            if name in entries and entries[name]["notebook"] not in {"", *notebooks}:
                entries[name] = entry
    return paths.write_whole(path, json.dumps(entries, indent=1) + "\n")


def made_of() -> dict[str, dict[str, str]]:
    """By file in ``figures/`` its notebook, its hash, and a hash of the records that it shows."""
    entries = {}
    hash_of_records = cache(_hash_of_records)  # each experiment is read once
    for path in sorted(folders.figures().rglob("[!.]*.*")):
        if path.name == MADE_OF:
            continue
        notebook, experiments = _origin_of(path)
        records = [hash_of_records(name) for name in sorted(experiments)]
        entries[path.relative_to(folders.figures()).as_posix()] = {
            "notebook": notebook,
            "file": _hash(path.read_bytes()),
            "records": _hash("".join(records).encode()),
        }
    return entries


def differences_since_publication(waiting: Iterable[str] = ()) -> list[str]:
    """What is not as it was published: a line for each such file in ``figures/``.

    Records of the experiments ``waiting`` for verification may have changed: they are published
    when they are current.
    """
    listed = json.loads((folders.figures() / MADE_OF).read_text(encoding="utf-8"))
    here = made_of()
    lines = []
    for name in sorted({*listed, *here}):
        if name not in here:
            lines.append(f"{name} is missing")
        elif name not in listed:
            lines.append(f"{name} was never published")
        elif here[name]["file"] != listed[name]["file"]:
            lines.append(f"{name} was edited")
        elif here[name]["records"] != listed[name]["records"]:
            _, experiments = _origin_of(folders.figures() / name)
            if not {*experiments} & {*waiting}:
                lines.append(f"{name} was made of other records")
    return lines


def _origin_of(path) -> tuple[str, Iterable[str]]:
    """The notebook that writes a published file, "" of a list, and the experiments behind it."""
    if path.parent != folders.figures():  # a page, or a picture of one
        notebook = re.sub(r"_\d+$", "", path.stem) if path.suffix == ".png" else path.stem
        return notebook, experiments_behind(notebook)
    for artefact in artefacts():
        if path.name in artefact.files:
            return artefact.notebook, artefact.experiments
    return "", ()


def _hash_of_records(experiment):
    """A hash of what a notebook can show of an experiment's records; "" if there are none."""
    path = folders.results() / f"{experiment}.csv"
    if not path.is_file():
        return ""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if not rows:
        raise ValueError(f"{path} is empty; restore it from version control, or delete it")
    heads, *rows = rows
    is_shown = [head not in NOT_SHOWN for head in heads]
    shown = [list(compress(row, is_shown)) for row in rows]
    return _hash(repr([heads, shown]).encode())


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Execute notebooks, and publish what they make.")
    parser.add_argument("notebook", nargs="*", help="such as 4_degeneration (default: all)")
    asked = [find_notebook(name).stem for name in parser.parse_args().notebook]
    print(*publish(asked or None), sep="\n")
