"""The trace of a number names its value, trials, configuration and code."""

import re

import pytest

from mimlpaper import paths
from mimlpaper.cli import main
from mimlpaper.study.trace import trace


def test_a_cell_of_table_1(capsys):
    assert main(["trace", "1", "MimlSvm", "hamming_loss"]) == 0
    text = capsys.readouterr().out
    for words in (
        "printed   0.189 ± 0.009",
        "; agrees up to ",
        "seeds 0 to 29",
        "ratio = 0.2                                        stated 4.3.2",
        "gamma = 0.2                                        authors' program MimlSvm",
        "RandomSplits(n_splits=30, train=0.75); study/section4.py",
        "algorithms/mimlsvm.py",
        "metrics.py",
    ):
        assert words in text
    assert re.search(r"data/results/table1.csv, lines \d+ to \d+$", text, re.MULTILINE)
    assert len(text.splitlines()) <= 40


def test_settings_nearest_to_print_are_marked():
    text = trace(1, "MimlSvm_mi", "coverage")
    assert "gamma = 5.0                                        nearest to print †" in text
    assert text.count("†") == 4


def test_a_method_with_a_comma_in_its_name():
    text = trace(1, "RankSvm, converged", "coverage")
    assert re.search(r"data/results/table1.csv, lines \d+ to \d+$", text, re.MULTILINE)


def test_every_file_that_it_names_is_there():
    for line in trace(5, "Em-dd", "accuracy", "musk2").splitlines():
        if "definitions in use" in line:
            assert (paths.PACKAGE / line.split()[-6]).is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((6, "MimlSvm", "coverage"), r"table must be one of \[1, 2, 3, 4, 5\], got 6"),
        ((1, "SubCod", "coverage"), "method must be one of .*'MimlSvm'.*got 'SubCod'"),
        ((1, "MimlSvm", "accuracy"), "criterion must be one of .*'coverage'.*got 'accuracy'"),
        ((5, "SubCod", "accuracy", "scene"), "dataset must be one of .*'fox'.*got 'scene'"),
    ],
)
def test_cells_that_are_not_there(arguments, message):
    with pytest.raises(ValueError, match=message):
        trace(*arguments)
