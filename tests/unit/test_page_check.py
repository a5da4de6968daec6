"""Faults that ``site/check.py`` finds in built pages, and pages that pass."""

import runpy
from pathlib import Path

import pytest

check = runpy.run_path(Path(__file__).parents[2] / "site" / "check.py")


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<div data-mime-type="application/vnd.jupyter.stderr">', "standard error"),
        ("<pre>Traceback (most recent call last)</pre>", "a traceback"),
        ("<pre>/home/someone/mimlpaper</pre>", "a path of a machine"),
        (f"<pre>{Path(__file__).parents[2]}/data</pre>", "a path of a machine"),
        ('<script async src="https://cdn.example.org/mathjax.js">', "another host"),
        ('<link rel="stylesheet" href="//fonts.example.org/a.css">', "another host"),
        ("<style>@import url(https://fonts.example.org/a.css)</style>", "another host"),
    ],
)
def test_a_planted_fault_is_found(page, fault, tmp_path, capsys):
    (tmp_path / "page.html").write_text(f"<html>{page}</html>")
    assert check["main"]([tmp_path]) == 1
    assert f"page.html: {fault}" in capsys.readouterr().out


def test_links_that_a_reader_may_follow_are_no_fault(tmp_path):
    text = '<a href="https://doi.org/10.1016/j.artint.2011.10.002">paper</a><img src="a.png">'
    (tmp_path / "page.html").write_text(text)
    assert check["main"]([tmp_path]) == 0


def test_no_page_at_all_is_a_fault(tmp_path):
    assert check["main"]([tmp_path]) == 1
