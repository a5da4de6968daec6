"""Executed notebooks as pages of the site: pictures, tables, numbers and estimators."""

import executed
import nbformat

CAPTION = "Curves & bands."
FIGURE_10 = {
    "artefact": "figure10",
    "caption": CAPTION,
    "image/png": {"alt": f"Fig. 10. {CAPTION}"},
}


def notebook_of(output, source="show()", tags=()):
    """A notebook with one executed cell."""
    metadata = {"tags": [*tags]}
    cell = nbformat.v4.new_code_cell(
        source,
        outputs=[output],
        metadata=metadata,
    )
    return nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {}})


def notebook_with_picture(metadata, **cell):
    data = {"image/png": "B64"}
    picture = nbformat.v4.new_output(
        "display_data",
        data,
        metadata=metadata,
    )
    return notebook_of(picture, **cell)


def notebook_with_html(html, **metadata):
    data = {"text/html": html}
    output = nbformat.v4.new_output(
        "display_data",
        data,
        metadata=metadata,
    )
    return notebook_of(output)


def html_shown(cell):
    return cell.outputs[0].data["text/html"]


def test_a_figure_has_its_text_its_caption_and_its_svg(tmp_path):
    """Its name and caption are those that its output says."""
    (tmp_path / "figure10.svg").write_text("<svg/>")
    notebook = notebook_with_picture(FIGURE_10)
    shown = executed.page_of(notebook, "6_insdif", tmp_path)
    assert shown == ["figure10"]
    assert "widgets" not in notebook.metadata
    cell, caption = notebook.cells
    assert cell.metadata["mystnb"] == {"image": {"alt": f"Fig. 10. {CAPTION}"}}
    assert cell.outputs[0].data == {"image/svg+xml": "<svg/>"}
    title = '<a href="../gallery.html#fig-10">Fig. 10</a>'
    words = "Curves &amp; bands."
    assert caption.source == f'<p class="named" id="figure10">{title}. {words}</p>'


def tags_on_page(tags, figures):
    notebook = notebook_with_picture(
        FIGURE_10,
        source="a = 1\ndraw(a)",
        tags=tags,
    )
    executed.page_of(notebook, "6_insdif", figures)
    return notebook.cells[0].metadata["tags"]


def test_code_is_folded_where_its_tag_says_so(tmp_path):
    assert tags_on_page([], tmp_path) == []
    assert tags_on_page(["hide-input"], tmp_path) == ["hide-input"]


def test_what_papermill_put_in_is_left_out(tmp_path):
    tags = tags_on_page(["injected-parameters"], tmp_path)
    assert "remove-cell" in tags


def test_an_artefact_of_another_notebook_has_its_words_but_no_place(tmp_path):
    notebook = notebook_with_picture(FIGURE_10 | {"artefact": "figure4"})
    assert executed.page_of(notebook, "6_insdif", tmp_path) == []
    assert 'id="figure4"' not in notebook.cells[1].source


def test_a_picture_that_is_no_artefact_has_its_words_below_it(tmp_path):
    notebook = notebook_with_picture({"image/png": {"alt": "A & B"}})
    executed.page_of(notebook, "6_insdif", tmp_path)
    _, caption = notebook.cells
    assert caption.source == '<p class="named">A &amp; B</p>'


def test_a_table_leads_to_its_file_and_has_no_empty_heads(tmp_path):
    (tmp_path / "table4.csv").write_text("a,b")
    empty_head = '<th class="blank">&nbsp;</th>'
    head = '<th scope="col">a</th>'
    html = f"<table><tr>{empty_head}{head}</tr></table>"
    notebook = notebook_with_html(html, artefact="table4")
    assert executed.page_of(notebook, "6_insdif", tmp_path) == ["table4"]
    table, caption = notebook.cells
    assert f'<td class="blank"></td>{head}' in html_shown(table)
    assert '(<a href="../csv/table4.csv">CSV</a>)' in caption.source


def test_a_number_of_a_table_leads_to_its_runs(tmp_path):
    address = "table1/MlSvm/coverage/scene"
    number = "<b>.5±.1</b>"
    notebook = notebook_with_html(f'<td><span data-address="{address}">{number}</span></td>')
    executed.page_of(notebook, "4_degeneration", tmp_path)
    link = f'<a class="number" href="../cell.html#{address}">{number}</a>'
    assert html_shown(notebook.cells[0]) == f"<td>{link}</td>"


def test_a_sentence_that_was_printed_leads_to_pages(tmp_path):
    data = {"text/markdown": "So it is ([evidence](4_degeneration.ipynb#table-1))."}
    notebook = notebook_of(nbformat.v4.new_output("display_data", data))
    executed.page_of(notebook, "0_scorecard", tmp_path)
    (cell,) = notebook.cells
    shown = cell.outputs[0].data["text/markdown"]
    assert shown == "So it is ([evidence](4_degeneration.html#table-1))."


def test_an_estimator_is_shown_as_text(tmp_path):
    data = {"text/html": '<div id="sk-container-id-1">', "text/plain": "MimlNn()"}
    notebook = notebook_of(nbformat.v4.new_output("execute_result", data))
    executed.page_of(notebook, "6_insdif", tmp_path)
    assert notebook.cells[0].outputs[0].data == {"text/plain": "MimlNn()"}
