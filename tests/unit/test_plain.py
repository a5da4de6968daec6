"""Names and messages of others appear as text wherever the project writes them."""

import re
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from mistune import html as markdown_to_html
from nbconvert.filters import markdown2html

from mimlpaper.datasets import labelled_bags, load_synthetic_scene
from mimlpaper.plots import explained_images
from mimlstudy import folders
from mimlstudy.report import figures, parameters
from mimlstudy.report.bench import _write
from mimlstudy.report.companion import Companion
from mimlstudy.report.notebook_page import write_page
from mimlstudy.report.plain import markdown_text
from mimlstudy.report.sections import own_data
from mimlstudy.report.tables import Entry, frame_grid

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>.csv",
    "[here](javascript:alert(1))",
    "</table><b>bold",
    "a | b",
    "`code` *stars* _under_ $x$ &lt;",
    "~~gone~~",
    "two\nlines",
    r"$\x$",  # no formula: it has an error
    "cost_$5_to_$6.csv",  # nor is this
    "a$b$c.csv",  # a formula, if somebody takes it for one
    r"\(x\) \[x\] \begin{a}x\end{a}",
    "http://x.org/a HTTPS://x.org www.x.org",
    "# big",
    "> q",
    "- x",
    "+ x",
    "1. x",
    "12) x",
    "---",
    "= x",
    "% gone",
    ":::note",
)
PRINTABLE = [name for name in HOSTILE if name.isprintable()]  # as names of labels must be


class Elements(HTMLParser):
    """The elements of a page, its attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.names = []
        self.links = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, name, attributes):
        self.names.append(name)
        self.links += [value for key, value in attributes if key in ("href", "src")]
        self.names += [key for key, _ in attributes if key.startswith("on")]

    def handle_data(self, text):
        self.text += text


def is_harmless(page, name):
    """Whether a page shows a name as text, with no element, handler or link of the name's own."""
    elements = Elements(page.replace("<strong>", "").replace("</strong>", ""))
    shown = " ".join(elements.text.split())
    expected = " ".join(name.split())
    return (
        expected in shown
        and not {"script", "img", "onerror", "b", "code", "del", "em"} & set(elements.names)
        and not any("javascript" in (link or "") for link in elements.links)
    )


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_shows_a_name_as_text(name):
    page = markdown_to_html(f"A line with {markdown_text(name)} in it.")
    assert is_harmless(page, name)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("to_html", [markdown_to_html, markdown2html])
def test_markdown_that_a_name_begins_is_a_line_of_text(name, to_html):
    """Below another line, which dashes would underline; also as Jupyter shows it."""
    page = Elements(to_html(f"A line\n{markdown_text(name)}"))
    assert page.names == ["p"]
    assert page.text.strip() == f"A line\n{' '.join(name.split())}"


@pytest.mark.parametrize(
    "name", ["-1.5", "+0.3", "1.5", "a - b", "C#", "1 > 0", "a: b", "x = 1"]
)
def test_a_text_without_marks_stays_as_it_is(name):
    assert markdown_text(name) == name


@pytest.mark.parametrize("name", HOSTILE)
def test_a_report_of_the_bench_shows_a_message_as_text(name, tmp_path):
    problem = f"Table 1, mine:Method: RuntimeError: {name}"
    _write("mine:Method", tmp_path, {}, [problem])
    page = markdown_to_html((tmp_path / "report.md").read_text())
    assert is_harmless(page, name)


@pytest.mark.parametrize("name", HOSTILE)
def test_tables_show_labels_as_text(name):
    """As a row, a head and a cell; in HTML and in Markdown."""
    cells = pd.DataFrame({name: [Entry((name,))]}, index=[name])
    table = frame_grid(
        cells,
        pd.DataFrame(),
        "A caption",
        corner="label",
    )
    assert is_harmless(table._repr_html_(), name)
    assert is_harmless(markdown_to_html(table.to_markdown()), name)


def own_data_named(name):
    """Six bags of nine equal instances; each name is that of a label and of a feature."""
    bags = np.arange(6.0)[:, None, None] * np.ones((9, 15))
    bags[:, :, 0] = 1.0  # a constant feature
    Y = np.array([[1, 1]] + 5 * [[0, 1]])  # a rare label, and one of every bag
    features = [name, *map(str, range(14))]
    labelled = labelled_bags(
        bags,
        Y,
        [name, f"{name}2"],
        feature_names=features,
    )
    return own_data.OwnData(labelled, None, {})


@pytest.mark.parametrize("name", PRINTABLE)
def test_warnings_about_own_data_show_labels_and_features_as_text(name):
    warned = own_data.warnings_about(own_data_named(name), n_folds=5)
    rare, everywhere, constant, _ = map(markdown_to_html, warned)
    assert is_harmless(rare, f"have these labels: {name} (1)")
    assert is_harmless(everywhere, f"Every bag has these labels: {name}2")
    assert is_harmless(constant, f"one value only: 1 ({name})")


class SameScores:
    """Scores of two labels: for the first, against the second."""

    def decision_function(self, bags):
        return np.tile([1.0, -1.0], (len(bags), 1))

    def predict(self, bags):
        return self.decision_function(bags) > 0

    def instance_scores(self, bags):
        return np.tile([1.0, -1.0], (bags.n_instances, 1))


def test_the_bars_of_own_data_show_labels_as_text(tmp_path):
    Y = np.eye(len(PRINTABLE), dtype=bool)
    bags = [np.zeros((1, 1))] * len(PRINTABLE)
    bars = own_data.label_figure(labelled_bags(bags, Y, PRINTABLE))
    png, svg = figures.save_figure(bars, tmp_path, "named")
    plt.close(bars)
    assert png.stat().st_size > 0
    assert not {"script", "img", "onerror"} & set(Elements(svg.read_text()).names)
    ticks = [tick.get_text() for tick in bars.axes[0].get_yticklabels()]
    assert ticks == PRINTABLE[::-1]


@pytest.mark.parametrize("name", PRINTABLE)
def test_titles_of_explained_images_show_labels_as_text(name):
    """A name with dollars is no formula."""
    labelled = own_data_named(name).labelled
    explained = explained_images(
        SameScores(), labelled.X[:2], labelled.label_names, true=labelled.Y[:2]
    )
    titles = [axes.title for axes in explained.axes]
    plt.close(explained)
    assert not any(title.get_parse_math() for title in titles)
    texts = [title.get_text() for title in titles]
    assert texts[:2] == [f"{name}\n{name}2", f"{name}\n+1.00, right"]


# What begins a formula, a command of TeX or a tag.
TO_A_FIGURE = [name for name in HOSTILE if {*"$\\<"} & {*name}]


@pytest.mark.parametrize("name", TO_A_FIGURE)
def test_the_note_above_a_figure_shows_a_question_as_text(name, tmp_path, monkeypatch):
    monkeypatch.setenv(folders.FIGURES, str(tmp_path))
    paper = Companion(profile="smoke", learner=name)
    figure = plt.figure(figsize=(2, 1))
    paper.save_figure(figure, "own_labels", shows="Bars.")
    assert name in figures.caption_of(tmp_path / "own_labels.png")
    (note,) = figure.texts
    assert note.get_text() == f"Explored: learner = {name}."
    assert not note.get_parse_math()


@pytest.mark.parametrize("name", HOSTILE)
def test_the_page_of_a_notebook_shows_what_a_cell_prints_as_text(name, tmp_path):
    """Printed text, a frame with a label of that name, and an error's message."""
    frame = pd.DataFrame({name: [1]})
    outputs = [
        nbformat.v4.new_output("stream", name="stdout", text=name),
        nbformat.v4.new_output("display_data", {"text/html": frame._repr_html_()}),
        nbformat.v4.new_output("error", ename="ValueError", evalue=name, traceback=[name]),
    ]
    cell = nbformat.v4.new_code_cell(
        "pass",
        outputs=outputs,
        execution_count=1,
    )
    notebook = nbformat.v4.new_notebook(cells=[cell])
    write_page(notebook, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    body = re.search("<main>(.*)</main>", page, re.DOTALL)
    elements = Elements(body[1])
    shown = " ".join(elements.text.split())
    # In a head, pandas writes the end of a line as two characters.
    assert shown.count(" ".join(name.split())) >= 2
    assert "onerror" not in elements.names
    assert "script" not in elements.names
    assert not any("javascript" in (link or "") for link in elements.links)


def test_labels_of_a_data_set_are_shown_as_text_in_its_frame():
    scenes = load_synthetic_scene(n_images=3)
    frame = pd.DataFrame(scenes.Y, columns=["<script>"] * scenes.Y.shape[1])
    assert "<script>" not in frame._repr_html_()


def test_a_question_with_marks_has_a_folder_with_a_plain_name():
    for name in HOSTILE:
        folder = parameters.output_folder("paper", {"file": name})
        assert re.fullmatch(r"[\w.,=-]+", folder.name)
