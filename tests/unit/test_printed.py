"""The printed values are complete, consistent, and the same as in the paper's text."""

import math
import os
import re
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from mimlstudy.folders import printed_data
from mimlstudy.paper import printed as module
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.printed import ALL_CRITERIA, printed_tables

ROOT = Path(__file__).resolve().parents[2]
PAPER = Path(
    os.environ.get("MIMLPAPER_PAPER", ROOT.parent / "shared" / "paper" / "paper.tex")
)
LABELS = {
    1: "scene",
    2: "reuters",
    3: "yeastResult",
    4: "yahooResult",
    5: "MILresult",
}
MISPRINT = "{189$\\pm$.009}"  # Table 1, MimlSvm, hamming loss: the point is missing

ROW = re.compile(r"\\multicolumn\{1\}\{l\}\{(?P<name>.*?)\}\s*&(?P<values>.*)")

needs_paper = pytest.mark.skipif(
    not PAPER.is_file(), reason=f"no paper at {PAPER}; MIMLPAPER_PAPER may name it"
)


def test_cells_are_counted():
    """257 printed, 21 of them N/A, and 26 of rows left out."""
    cells = module.printed_cells()
    assert cells["printed"].value_counts().to_dict() == {
        "value": 236,
        "blank": 26,
        "N/A": 21,
    }
    assert not cells.duplicated(["table", "dataset", "algorithm", "criterion"]).any()
    literature = cells[cells["std"].isna() & cells["mean"].notna()]
    assert set(literature["table"]) == {5}
    assert set(literature["algorithm"]) == set(printed_tables()[5].compared)


def test_bold_values_are_the_best_of_their_column():
    """The paper's boldface is the printed optimum; ties are bold together."""
    cells = module.printed_cells()
    for _, column in cells.groupby(["table", "dataset", "criterion"]):
        criterion = ALL_CRITERIA[column["criterion"].iloc[0]]
        means = column["mean"]
        best = means.min() if criterion.lower_is_better else means.max()
        is_best = means == best
        assert column["best"].tolist() == is_best.tolist()


def test_divergences_are_whole():
    divergences = module.listed_divergences()
    assert divergences["id"].is_unique
    filled = divergences[["id", "where", "open", "choice", "alternatives"]]
    assert (filled != "").all().all()


def test_a_divergence_without_a_sweep_states_its_effect():
    divergences = module.listed_divergences()
    measured = divergences["id"].isin(module.choice_sweeps()["id"])
    assert (divergences.loc[~measured, "effect"] != "").all()


def test_sweeps_of_divergences_are_experiments():
    sweeps = set()
    for names in module.listed_divergences()["sweep"]:
        if names:
            sweeps |= set(names.split(", "))
    assert sweeps <= set(EXPERIMENTS)


KEY = ["algorithm", "dataset", "criterion"]


@needs_paper
@pytest.mark.parametrize("number", printed_tables())
def test_a_table_agrees_with_the_text(number):
    """Every number, N/A and boldface of its LaTeX source."""
    cells = module.printed_cells(number).query("printed != 'blank'")
    ours = cells.set_index(KEY)[["mean", "std", "best"]].sort_index()
    text = _printed_cells(number).set_index(KEY).sort_index()
    pd.testing.assert_frame_equal(ours, text, check_exact=True)


def _printed_cells(number):
    """Mean, std and boldface of each cell, from the table's LaTeX source."""
    table = printed_tables()[number]
    source = _table_source(LABELS[number]).replace("\n", " ")
    source = source.replace(MISPRINT, "{.189$\\pm$.009}")
    cells = []
    for row in source.split(r"\\"):
        without_rules = re.sub(
            r"\\(hline|noalign\{\\smallskip\})",
            "",
            row,
        )
        match = ROW.match(without_rules.strip())
        if match:
            places = product(
                [_name(match["name"])],
                table.datasets,
                table.criteria,
            )
            values = map(_value, match["values"].split("&"))
            for place, value in zip(places, values, strict=True):
                cells.append((*place, *value))
    return pd.DataFrame(cells, columns=[*KEY, "mean", "std", "best"])


@needs_paper
def test_claims_are_where_they_are_said_to_be():
    """The words that lead to a claim's sentence, in the text without its typesetting."""
    text = _letters(PAPER.read_text())
    places = pd.read_csv(printed_data() / "claim_places.csv")
    for words in places["words"]:
        assert _letters(words) in text


def _letters(text):
    without_commands = re.sub(r"\\[a-z]+\b", "", text.lower())
    return re.sub(r"[^a-z0-9]", "", without_commands)


@needs_paper
def test_characteristics_agree_with_the_text():
    printed = []
    for line in _table_source("yahoo").splitlines():
        if re.match(r"\w+(\\&\w+)? & \\multicolumn\{1\}\{c\}\{\d", line):
            printed.append(_characteristics_of(line))
    ours = module.printed_characteristics()
    assert printed == list(ours.itertuples(index=False, name=None))


def _characteristics_of(line):
    """The name of a set of pages and its numbers."""
    # An escaped & is part of a name; the others divide columns.
    name, *columns = line.replace(r"\&", "\0").split("&")
    numbers = []
    for column in columns:
        text = _braced(column)
        if text:
            numbers.append(float(re.sub(r"[ %\\]", "", text)))
    return name.strip().replace("\0", "&"), *numbers


def _table_source(label):
    text = PAPER.read_text()
    start = text.index(rf"\label{{table:{label}}}")
    return text[start : text.index(r"\end{tabular}", start)]


def _name(latex):
    """The name in print of an algorithm from its small capitals, e.g. InsDif_MimlSvm_mi."""
    plain = re.sub(r"\\(textsc|sc|rm)\b|[{}$]", "", latex).replace(" ", "")
    plain = plain.replace("MIMLSVM", "MimlSvm").replace("MIMLNN", "MimlNn")
    return plain.replace("DiverseDensity", "Diverse Density")


def _value(text):
    """Mean, std and boldface of a cell."""
    inner = _braced(text)
    bold = r"\bf" in inner
    inner = re.sub(r"\\bf|[{}\s]", "", inner)
    if inner == "N/A":
        return math.nan, math.nan, bold
    mean, _, std = inner.partition(r"$\pm$")
    return float(mean), float(std or math.nan), bold


def _braced(text):
    return re.match(r"\s*\\multicolumn\{1\}\{c\}\{(.*)\}[\s\\]*$", text)[1]
