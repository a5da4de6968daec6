"""Claims judged by a reader's rules: in Python, and the same in the browser's JavaScript."""

import ast
import json
import random
import shutil
import subprocess
from itertools import product

import numpy as np
import pandas as pd
import pytest
from argument import argument
from scipy.special import stdtr, stdtrit

from mimlpaper.metrics import CRITERIA
from mimlstudy import folders
from mimlstudy.judge.claims import argue, evaluate_claims, without_splits
from mimlstudy.judge.rules import DEFAULT_RULES, PART_TESTS, Rules
from mimlstudy.judge.statistics import holm, signed_rank_test, t_test
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.sections.argued import (
    argued_table,
    ranks_by_rules,
    ranks_table,
    rules_of,
)
from tests.docstrings import entries
from tests.judged_claims import COUNTS_IN_JAVASCRIPT, counts_of
from tests.made_up_records import as_in_the_paper, level

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
STATIC = folders.project_root() / "site" / "static"
SCRIPTS = [str(STATIC / "statistics.js"), str(STATIC / "argue.js")]


def test_each_rule_is_documented_with_its_default():
    documented = entries(Rules)
    assert list(documented) == [*Rules.__dataclass_fields__]
    for name, entry in documented.items():
        _, _, default = entry.partition(", default ")
        assert ast.literal_eval(default) == getattr(DEFAULT_RULES, name)


def in_javascript(code, **given):
    """The value of an expression about ``given`` in the site's scripts."""
    text = json.dumps(given | {"code": code})
    command = [NODE, "-e", PROGRAM % json.dumps(SCRIPTS)]
    ran = subprocess.run(
        command,
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stdout)


def pairs_of(left, right):
    return [list(pair) for pair in product(left, right)]


@needs_node
def test_javascript_has_students_distribution():
    degrees_and_values = pairs_of([1, 2, 9, 29, 99], [-40.0, -2.5, -0.1, 0.0, 0.7, 3.0])
    code = "given.pairs.map(([n, t]) => Statistics.studentBelow(n, t))"
    below = in_javascript(code, pairs=degrees_and_values)
    expected = [stdtr(n, t) for n, t in degrees_and_values]
    assert below == pytest.approx(expected)


@needs_node
def test_javascript_has_the_quantiles_of_students_distribution():
    degrees_and_shares = pairs_of([1, 4, 29, 99], [0.6, 0.95, 0.9995])
    code = "given.pairs.map(([n, p]) => Statistics.studentQuantile(n, p))"
    quantiles = in_javascript(code, pairs=degrees_and_shares)
    expected = [stdtrit(n, p) for n, p in degrees_and_shares]
    assert quantiles == pytest.approx(expected)


# Three tests of each list of values.
TESTED = """given.samples.map((values) => [
  Statistics.signedRankTest(values),
  Statistics.tTest(values),
  Statistics.tTest(values, 0.3)])"""


@needs_node
def test_javascript_has_the_tests_of_python(rng):
    samples = [[0.0, 0.0, 0.0], [0.1, 0.1], [-0.1, -0.1]]
    for n, decimals in product((2, 5, 11), (0, 1, 9)):
        values = rng.normal(0.3, 1, n)
        samples.append(np.round(values, decimals).tolist())
    p_values = in_javascript(TESTED, samples=samples)
    for values, of_sample in zip(samples, p_values, strict=True):
        signed_rank, plain, against_margin = of_sample
        assert signed_rank == pytest.approx(signed_rank_test(values))
        assert plain == pytest.approx(t_test(values))
        assert against_margin == pytest.approx(t_test(values, 0.3))


@needs_node
def test_javascript_corrects_for_many_tests_as_python_does():
    p_values = [0.01, 0.04, 0.03, 0.5, 0.01]
    corrected = in_javascript("Statistics.holm(given.values)", values=p_values)
    assert corrected == pytest.approx(holm(p_values))


@pytest.fixture(scope="module")
def records():
    """Two tables as in print, and curves of three methods."""
    figure = []
    for share in (10, 20, 30, 40, 50):
        for i, method in enumerate(("D-MimlSvm", "MimlSvm", "MimlSvm_mi")):
            mean = 0.3 + 0.02 * i
            seed = [share, i]
            figure.append(level("figure4", f"scene:{share}%", method, mean, 3, seed))
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


def words_of_part(part):
    return [part.subject, part.aspect, part.paper, part.paired, part.corrected]


def words_in_python(records, rules):
    """Each claim's id, word, counts, and its parts with their words."""
    claims = []
    for claim in argue(records.get, rules):
        parts = [words_of_part(part) for part in claim.parts]
        claims.append([*counts_of(claim), parts])
    return claims


IN_JAVASCRIPT = f"""given.rules.map((rules) => Argue.argue(given.data, rules).map((claim) => [
  {COUNTS_IN_JAVASCRIPT}, claim.parts.map((part) => [
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
    chosen = [*rules_by_chance(5)]
    forms = [as_form(rules) for rules in chosen]
    judged = in_javascript(
        IN_JAVASCRIPT,
        data=argument(records.get),
        rules=forms,
    )
    for rules, claims in zip(chosen, judged, strict=True):
        assert claims == words_in_python(records, rules), rules


@needs_node
def test_browser_and_python_take_each_of_several_data_sets_as_one_pair(records):
    pages = records["table4"]
    other_split = pages.assign(split=1, one_error=pages["one_error"] + 0.01)
    given = {"table4": pd.concat([pages, other_split])}
    rules = Rules()
    (claims,) = in_javascript(
        IN_JAVASCRIPT,
        data=argument(given.get),
        rules=[as_form(rules)],
    )
    assert claims == words_in_python(given, rules)


@needs_node
def test_the_browser_puts_methods_in_the_order_of_their_mean_ranks(records):
    rules = as_form(Rules(criteria=("coverage", "one_error")))
    code = "Argue.order(given.data, given.data.tables[0], given.rules)"
    order = in_javascript(code, data=argument(records.get), rules=rules)
    by_method = records["table1"].groupby("method")
    ranks = by_method[["coverage", "one_error"]].mean().rank()
    expected = ranks.mean(axis=1).sort_values()
    best, _ = order[0]
    assert best == expected.index[0]
    ranks_in_javascript = {method: rank for method, rank in order}
    assert ranks_in_javascript == pytest.approx(expected.to_dict())


@needs_node
def test_browser_and_python_order_methods_alike_by_rules_of_any_kind(records):
    given = {name: untied(table) for name, table in records.items()}
    given["table5"] = untied(as_in_the_paper(5, n_runs=2))
    code = """given.rules.map((rules) => given.data.tables.map((table) =>
      Argue.order(given.data, table, rules)))"""
    chosen = [*rules_by_chance(5)]
    forms = [as_form(rules) for rules in chosen]
    ordered = in_javascript(code, data=argument(given.get), rules=forms)
    for rules, tables in zip(chosen, ordered, strict=True):
        for number, in_browser in zip(printed_tables(), tables, strict=True):
            ranks = ranks_by_rules(given.get, rules, number)
            assert [method for method, _ in in_browser] == [*ranks.index], (rules, number)
            assert [rank for _, rank in in_browser] == pytest.approx([*ranks])


def untied(records):
    """Records in which no two methods have the same mean, which rounding would order."""
    number_of_method = pd.factorize(records["method"])[0]
    names = records.columns.intersection([*CRITERIA, "accuracy"])
    shifted = records[names].add(1e-6 * number_of_method, axis=0)
    return records.assign(**shifted)


def test_a_table_of_orders_has_a_column_for_each_table(records):
    table = ranks_table(records.get, Rules(criteria=("coverage",)))
    assert [*table.entries.columns] == [f"Table {number}" for number in printed_tables()]
    best = ranks_by_rules(records.get, Rules(criteria=("coverage",)), 1).index[0]
    assert table.entries.at["1", "Table 1"].lines == (f"{best}, 1.0",)
    assert "criteria coverage" in table.caption


def test_a_table_of_verdicts_has_the_claims_that_are_asked_for(records):
    table = argued_table(records.get, Rules(level=0.01), ["S4.1", "S7"])
    ids = [*table.entries.index]
    assert "S4.13" in ids
    assert all(name.startswith(("S4.1", "S7")) for name in ids)
    assert len(argued_table(records.get, Rules()).entries) > len(ids)


def test_the_rules_of_all_tables_are_the_default(records):
    evaluated = {}
    for claim in evaluate_claims(records.get):
        evaluated[claim.id] = claim.verdicts["corrected test"]
    argued = {claim.id: claim.verdict for claim in argue(records.get)}
    assert argued == evaluated


def test_a_notebook_can_ask_what_the_site_can():
    """Also a margin and a power of 0; what is empty stays as in all tables."""
    assert rules_of(margin="0", power="0") == Rules(margin=0.0, power=0.0)
    assert rules_of(level=0.0, margin="", power="", left_out=[]) == DEFAULT_RULES
    assert rules_of(margin="0.1", left_out=[1, 2]) == Rules(margin=0.1, left_out=(1, 2))


def test_a_stricter_level_supports_less(records):
    def n_supported(level):
        claims = argue(records.get, Rules(level=level, power=0.0))
        return sum(claim.verdict.supported for claim in claims)

    assert n_supported(level=0.001) < n_supported(level=0.2)


def test_a_criterion_that_does_not_count_has_no_part(records):
    argued = argue(records.get, Rules(criteria=("coverage",)))
    parts_of = {claim.id: claim.parts for claim in argued}
    aspects = {part.aspect for part in parts_of["S4.2"]}
    assert aspects == {"coverage"}


def test_splits_are_left_out_where_there_are_several(records):
    table = without_splits(records["table1"], (0, 1))
    assert set(table["split"]) == {2, 3}
    with_single_split = records["table4"]
    assert without_splits(with_single_split, (0,)).equals(with_single_split)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"level": 0.0}, "level must be between 0 and 1, got 0.0"),
        ({"margin": -1.0}, "margin must be from 0 to 1, got -1.0"),
        ({"margin": 5.0}, "margin must be from 0 to 1, got 5.0"),
        ({"left_out": (0, -1)}, r"left_out must be numbers of splits from 0, got \(0, -1\)"),
        ({"power": 50.0}, "power must be from 0 to 1, got 50.0"),
        ({"test": "strict"}, "test must be one of .*got 'strict'"),
        ({"column": "blind"}, "column must be one of .*got 'blind'"),
        ({"criteria": ("hloss",)}, r"criteria must be among .*got \['hloss'\]"),
    ],
)
def test_rules_that_cannot_be_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        Rules(**fields)
