"""Claims judged by a reader's rules: in Python, and the same in the browser's JavaScript."""

import json
import random
import shutil
import subprocess
import sys
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtr, stdtrit

from mimlpaper import paths
from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claims import argue, evaluate_claims, without_splits
from mimlstudy.judge.rules import PART_TESTS, Rules
from mimlstudy.judge.statistics import holm, signed_rank_test, t_test
from tests.made_up_records import as_in_the_paper, level

ROOT = paths.project_root()
sys.path.append(str(ROOT / "site"))
argument = import_module("argument").argument

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="there is no node on the path")
# Runs the site's scripts as a page does, then what a test asks for.
PROGRAM = """
const vm = require("node:vm");
const { readFileSync } = require("node:fs");
for (const file of %s) vm.runInThisContext(readFileSync(file, "utf8"));
const given = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(vm.runInThisContext("(given) => " + given.code)(given)));
"""
SCRIPTS = [str(ROOT / "site" / "static" / name) for name in ("statistics.js", "argue.js")]


def in_javascript(code, **given):
    """The value of an expression about ``given`` in the site's scripts."""
    text = json.dumps(given | {"code": code})
    command = [NODE, "-e", PROGRAM % json.dumps(SCRIPTS)]
    ran = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@needs_node
def test_javascript_has_students_distribution():
    places = [(n, t) for n in (1, 2, 9, 29, 99) for t in (-40.0, -2.5, -0.1, 0.0, 0.7, 3.0)]
    code = "given.places.map(([n, t]) => Statistics.studentBelow(n, t))"
    assert in_javascript(code, places=places) == pytest.approx([stdtr(*p) for p in places])
    places = [(n, p) for n in (1, 4, 29, 99) for p in (0.6, 0.95, 0.9995)]
    code = "given.places.map(([n, p]) => Statistics.studentQuantile(n, p))"
    assert in_javascript(code, places=places) == pytest.approx([stdtrit(*p) for p in places])


@needs_node
def test_javascript_has_the_tests_of_python(rng):
    lists = [np.round(rng.normal(0.3, 1, n), d).tolist() for n in (2, 5, 11) for d in (0, 1, 9)]
    lists += [[0.0, 0.0, 0.0], [0.1, 0.1], [-0.1, -0.1]]
    code = "given.lists.map((values) => [Statistics.signedRankTest(values), "
    code += "Statistics.tTest(values), Statistics.tTest(values, 0.3)])"
    expected = [[float(p) for p in (signed_rank_test(v), t_test(v), t_test(v, 0.3))] for v in lists]
    assert in_javascript(code, lists=lists) == [pytest.approx(row) for row in expected]
    p_values = [0.01, 0.04, 0.03, 0.5, 0.01]
    code = "Statistics.holm(given.values)"
    assert in_javascript(code, values=p_values) == pytest.approx(holm(p_values))


@pytest.fixture(scope="module")
def records():
    """Two tables as in print, and curves of three methods."""
    figure = [
        level("figure4", f"scene:{share}%", method, 0.3 + 0.02 * i, n=3, seed=[share, i])
        for share in (10, 20, 30, 40, 50)
        for i, method in enumerate(("D-MimlSvm", "MimlSvm", "MimlSvm_mi"))
    ]
    return {
        "table1": as_in_the_paper(1, n_runs=4),
        "table4": as_in_the_paper(4),
        "figure4": pd.concat(figure),
    }


def rules_by_chance(n):
    """So many rules, drawn by a seed."""
    rng = random.Random(1)
    for _ in range(n):
        yield Rules(
            level=rng.choice([0.001, 0.01, 0.05, 0.2]),
            margin=rng.choice([0.0, 0.02, 0.05, 0.2]),
            power=rng.choice([0.0, 0.5, 0.9]),
            test=rng.choice(PART_TESTS),
            column=rng.choice(["closest", "closest", "fixed", "equal"]),
            criteria=tuple(rng.sample([*CRITERIA], rng.choice([0, 0, 1, 4]))),
            left_out=tuple(rng.sample(range(4), rng.choice([0, 0, 1, 3]))),
        )


def words_in_python(records, rules):
    """Each claim's id, word, counts, and its parts with their words."""
    for claim in argue(records.get, rules):
        verdict = claim.verdict
        counts = [verdict.n_parts, verdict.supported, verdict.contradicted]
        words = [
            [part.subject, part.aspect, part.paper, part.paired, part.corrected]
            for part in claim.parts
        ]
        yield [claim.id, verdict.word, *counts, verdict.n_printed, verdict.power, words]


ARGUED = """given.rules.map((rules) => Argue.argue(given.data, rules).map((claim) => [
  claim.id, claim.word, claim.nParts, claim.supported, claim.contradicted, claim.nPrinted,
  claim.power, claim.parts.map((part) => [
    part.subject, part.aspect, part.paper, part.paired, part.corrected])]))"""


def as_form(rules):
    """Rules as the page's form gives them."""
    return {
        "level": rules.level,
        "margin": rules.margin,
        "power": rules.power,
        "test": rules.test,
        "column": rules.column,
        "criteria": rules.criteria,
        "leftOut": rules.left_out,
    }


@needs_node
def test_browser_and_python_judge_alike_by_rules_of_any_kind(records):
    chosen = [*rules_by_chance(12)]
    data = argument(records.get)
    judged = in_javascript(ARGUED, data=data, rules=[as_form(rules) for rules in chosen])
    for rules, claims in zip(chosen, judged, strict=True):
        assert claims == [*words_in_python(records, rules)], rules


@needs_node
def test_the_browser_puts_methods_in_the_order_of_their_mean_ranks(records):
    rules = as_form(Rules(criteria=("coverage", "one_error")))
    code = "Argue.order(given.data, given.data.tables[0], given.rules)"
    order = in_javascript(code, data=argument(records.get), rules=rules)
    means = records["table1"].groupby("method")[["coverage", "one_error"]].mean()
    expected = means.rank().mean(axis=1).sort_values()
    assert order[0][0] == expected.index[0]
    assert dict(map(tuple, order)) == pytest.approx(expected.to_dict())


def test_the_rules_of_all_tables_are_the_default(records):
    evaluated = {
        claim.id: claim.verdicts["corrected test"] for claim in evaluate_claims(records.get)
    }
    assert {claim.id: claim.verdict for claim in argue(records.get)} == evaluated


def test_a_stricter_level_never_supports_more(records):
    counts = [
        sum(claim.verdict.supported for claim in argue(records.get, Rules(level=level, power=0.0)))
        for level in (0.2, 0.001)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1]


def test_a_criterion_that_does_not_count_has_no_part(records):
    argued = argue(records.get, Rules(criteria=("coverage",)))
    (claim,) = [claim for claim in argued if claim.id == "S4.2"]
    assert {part.aspect for part in claim.parts} == {"coverage"}


def test_splits_are_left_out_where_there_are_several(records):
    table = without_splits(records["table1"], (0, 1))
    assert {*table["split"]} == {2, 3}
    assert len(without_splits(records["table4"], (0,))) == len(records["table4"])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"level": 0.0}, "level must be between 0 and 1, got 0.0"),
        ({"margin": -1.0}, "margin must be at least 0"),
        ({"power": 50.0}, "power must be from 0 to 1, got 50.0"),
        ({"test": "strict"}, "test must be one of .*got 'strict'"),
        ({"column": "blind"}, "column must be one of .*got 'blind'"),
        ({"criteria": ("hloss",)}, r"criteria must be among .*got \['hloss'\]"),
    ],
)
def test_rules_that_cannot_be_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        Rules(**fields)
