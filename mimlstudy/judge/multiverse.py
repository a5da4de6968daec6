"""The multiverse: what a claim and a printed row look like with alternative settings.

An *alternative* of a method is its row in our tables with other settings where the paper leaves the
choice open. Rows are recorded in the experiments of the tables; the alternatives, on fewer splits,
in an experiment of their own. An alternative and its row are compared on the same splits.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claim_tests import QUOTED, claim_tests
from mimlstudy.judge.compare import PLACE, run_means
from mimlstudy.judge.selection import (
    ALTERNATIVES,
    Records,
    as_in_our_tables,
    checked_for_means,
    records_of,
)
from mimlstudy.paper.experiments import (
    ALTERNATIVE_SPLITS,
    EXPERIMENTS,
    ROWS,
)
from mimlstudy.paper.printed import (
    ALL_CRITERIA,
    printed_claims,
    printed_tables,
)
from mimlstudy.paper.variants import VARIED

# Rows of a table that are alternatives of a method; in words they begin with OTHER_ROW.
METHOD_OF_ROW = {row: VARIED[row] for table in ROWS.values() for row in table if row in VARIED}
OTHER_ROW = "row: "
# Of alternatives of all methods together, for each claim.
N_MIXTURES = 200
TESTS_OF_LEADS = ("better", "shares")
OURS, SINGLE, MIXTURE = "our settings", "one alternative", "mixture"
EFFECTS = ["claim", "kind", "alternative", "effect"]
CELL = ["dataset", "algorithm", "alternative", "criterion"]


def alternatives_of(name: str, get_records: Records) -> pd.DataFrame:
    """Records of the rows of a table or figure and of their alternatives, on the same splits.

    ``alternative`` is in words, such as "C = 10.0", and empty for the row itself. What has fewer
    splits on a data set than another setting of its method is left out there, also the row: its
    method is then left out of claims.
    """
    our_rows = as_in_our_tables(records_of(get_records, name))
    our_rows = our_rows[our_rows["split"] < ALTERNATIVE_SPLITS[name]]
    our_rows = our_rows.assign(alternative="")
    recorded = records_of(get_records, ALTERNATIVES)
    same_data = recorded["dataset"].isin(our_rows["dataset"])
    same_rows = recorded["method"].isin(ROWS[name])
    same_splits = recorded["split"] < ALTERNATIVE_SPLITS[name]
    recorded = recorded[same_data & same_rows & same_splits]
    recorded = recorded.assign(alternative=recorded["override"].map(override_in_words))
    # An override that changes nothing is the row itself, which the table has.
    recorded = recorded[recorded["alternative"] != ""]
    table = pd.concat([our_rows, recorded], ignore_index=True)
    return _of_whole_alternatives(_with_rows_as_alternatives(table))


def _of_whole_alternatives(table):
    splits = table.groupby(["method", "alternative", "dataset"])["split"]
    n_splits = splits.transform("nunique")
    most = n_splits.groupby([table["method"], table["dataset"]]).transform("max")
    # A mean over fewer splits may be of easier or harder ones.
    return table[n_splits == most]


def _with_rows_as_alternatives(table):
    """A row that is a variant of a method becomes an alternative of that method."""
    is_variant = table["method"].isin([*METHOD_OF_ROW])
    settings = table["alternative"]
    and_settings = ("; " + settings).where(settings != "", "")
    as_row = OTHER_ROW + table["method"] + and_settings
    methods = table["method"].replace(METHOD_OF_ROW)
    return table.assign(alternative=settings.mask(is_variant, as_row), method=methods)


def single_alternatives(name: str, get_records: Records) -> pd.DataFrame:
    """Of :func:`alternatives_of` the rows, and the alternatives that are listed alone.

    Left out are mixtures of several overrides, and other rows.
    """
    table = alternatives_of(name, get_records)
    kept = {"", *_single_settings(name)}
    return table[table["alternative"].isin(kept)]


def _single_settings(name):
    """The alternatives that are listed alone, in words, as recorded: with names in order."""
    settings = set()
    for override in listed_alternatives(name):
        in_order = dict(sorted(override.items()))
        settings.add(override_in_words(in_order))
    return settings


def listed_alternatives(name: str) -> list[dict]:
    """The alternatives that a table or figure lists alone, without what their row has anyway."""
    overrides = []
    for row in ROWS[name].values():
        row_without_mixtures = replace(row, n_mixed=0)
        for dataset in EXPERIMENTS[name].datasets:
            overrides += row_without_mixtures.alternatives_on(dataset)
    return overrides


def named_by_alternative(table: pd.DataFrame) -> pd.DataFrame:
    """``table`` with the alternative as part of the method's name."""
    settings = table["alternative"]
    suffix = (", " + settings).where(settings != "", "")
    return table.assign(method=table["method"] + suffix)


def override_in_words(override: str | Mapping) -> str:
    """``C = 10.0`` for one setting, several with commas; "" for none."""
    # A record has it as text, a row as a mapping.
    settings = json.loads(override) if isinstance(override, str) else override
    texts = []
    for name, value in settings.items():
        # ``C`` of ``learner__C``, since the method's name says whose it is.
        short_name = name.split("__")[-1]
        texts.append(f"{short_name} = {value}")
    return ", ".join(texts)


def alternative_means(number: int, get_records: Records) -> pd.DataFrame:
    """Cells of a table for every alternative, with its estimated mean on the whole protocol.

    The estimate is the row's mean on all splits plus the difference that the alternative makes on
    the splits that both have: few splits may be easy or hard for all settings. It is at least 0,
    and but for coverage at most 1. ``std`` and ``n`` are the row's. Columns: :data:`CELL`, mean,
    std, n.
    """
    table = printed_tables()[number]
    records = alternatives_of(table.experiment, get_records)
    whole = as_in_our_tables(records_of(get_records, table.experiment))
    if records.empty:
        return pd.DataFrame(columns=[*CELL, "mean", "std", "n"])
    on_few = _cells(records, table).drop(columns=["std", "n"])
    row_on_few = on_few[on_few["alternative"] == ""].drop(columns="alternative")
    row_on_all = _cells(whole.assign(alternative=""), table).drop(columns="alternative")
    cells = on_few.merge(row_on_few, on=PLACE, suffixes=("", "_row"))
    cells = cells.merge(row_on_all, on=PLACE, suffixes=("", "_whole"))
    change = cells["mean"] - cells["mean_row"]
    # Where the row differs much between splits, the sum may leave what a criterion can be.
    highest = np.where(cells["criterion"] == "coverage", np.inf, 1.0)
    cells = cells.assign(mean=(cells["mean_whole"] + change).clip(0.0, highest))
    return cells[[*CELL, "mean", "std", "n"]]


def _cells(records, table):
    """Mean, std and number of runs of each method and alternative."""
    # A run belongs to a method and an alternative, which together stand in place of a method.
    variants = records.groupby(["method", "alternative"], sort=False)
    runs = run_means(records.assign(method=variants.ngroup()), table)
    names = pd.DataFrame([*variants.groups], columns=["algorithm", "alternative"])
    runs = runs.merge(names, left_on="method", right_index=True)
    keys = ["dataset", "algorithm", "alternative"]
    values = runs.melt(keys, [*table.criteria], "criterion")
    groups = values.dropna(subset="value").groupby(CELL, sort=False)
    numbers = groups["value"].agg(mean="mean", std="std", n="size")
    return numbers.reset_index()


class Lead(NamedTuple):
    """A difference that a claim names: a method ahead of a rival by one criterion."""

    method: str
    rival: str
    criterion: str
    dataset: str = ""  # all that both methods have, if empty


def claim_effects(get_records: Records, *, n_mixtures: int = N_MIXTURES) -> pd.DataFrame:
    """How far the favoured methods of each claim are ahead with alternative settings.

    ``effect`` is the mean over the leads that the claim's tests "better" and "shares" name in one
    table, in percent of the rival's loss; a claim with a method without records is left out.
    Claims are in the paper's order. Columns: claim, kind, alternative, effect. The kind is
    "our settings"; "one alternative", in each method of the claim that leaves this choice open; or
    "mixture": of each method any alternative, at random.
    """
    if n_mixtures < 1:
        raise ValueError(f"n_mixtures must be at least 1, got {n_mixtures}")
    rng = np.random.default_rng(0)
    tables = []
    for name in ROWS:
        if _leads_by_claim(name):
            losses = _losses(alternatives_of(name, get_records))
            tables += _effects_of_table(name, losses, n_mixtures, rng)
    if not tables:
        return pd.DataFrame(columns=EFFECTS)
    ids = [*printed_claims()["id"]]

    def in_order(claims):
        return claims.map(ids.index)

    table = pd.concat(tables)[EFFECTS]
    return table.sort_values("claim", key=in_order, kind="stable", ignore_index=True)


def _effects_of_table(name, losses, n_mixtures, rng):
    """The effects of each claim about a table or figure whose losses are known."""
    listed_alone = _single_settings(name) | {OTHER_ROW + row for row in METHOD_OF_ROW}
    tables = []
    for claim, leads in _leads_by_claim(name).items():
        methods = {lead.method for lead in leads} | {lead.rival for lead in leads}
        if methods <= losses.keys():
            measured = [lead for lead in leads if _is_measured(lead, losses)]
            if measured:
                indices = {method: losses[method].index for method in sorted(methods)}
                draws = _draws(indices, listed_alone, n_mixtures, rng)
                tables.append(_effects(measured, losses, draws).assign(claim=claim))
    return tables


def _leads_by_claim(experiment):
    """The leads that claims name of an experiment, by claim."""
    leads = defaultdict(list)
    for claim, tests in claim_tests().items():
        for test in tests:
            if test.claimed in TESTS_OF_LEADS and test.experiments == (experiment,):
                leads[claim] += _leads(test)
    return leads


def _leads(test):
    """The leads of one test, except those over a quoted accuracy, which has no alternatives."""
    leads = []
    for (method,), (rival,), name in test.cases():
        if rival in QUOTED:
            continue
        if name in CRITERIA:
            leads.append(Lead(method, rival, name))
        else:
            leads.append(Lead(method, rival, "accuracy", name))
    return leads


def _is_measured(lead, losses):
    """Whether both methods have the losses of a lead."""
    name = (lead.criterion, lead.dataset) if lead.dataset else lead.criterion
    return all(name in losses[method].columns for method in (lead.method, lead.rival))


def _losses(table):
    """Each method's mean losses: one row per alternative; columns (criterion, data set)."""
    criteria = [name for name in ALL_CRITERIA if name in table]
    keys = ["method", "alternative", "dataset"]
    means = checked_for_means(table, "alternative").groupby(keys)[criteria].mean()
    scores = [name for name in criteria if not ALL_CRITERIA[name].lower_is_better]
    means[scores] = 1 - means[scores]
    cells = means.reset_index().melt(keys, criteria, "criterion", "loss")
    measured = cells.dropna(subset="loss")
    whole = completed(measured, "method", ["criterion", "dataset"])
    losses = {}
    for method, rows in whole.groupby("method"):
        by_alternative = rows.pivot(
            index="alternative",
            columns=["criterion", "dataset"],
            values="loss",
        )
        if "" in by_alternative.index:
            losses[method] = by_alternative
    return losses


def completed(cells: pd.DataFrame, method: str, place: Sequence[str]) -> pd.DataFrame:
    """The cells of each alternative; where it was not run, those of the row itself.

    The column ``method`` names the method of a cell, and the columns ``place`` where it stands.
    """
    of_rows = cells[cells["alternative"] == ""].drop(columns="alternative")
    keys = [method, "alternative"]
    alternatives = cells[keys].drop_duplicates()
    # Where a cell is there twice, the first is the alternative's own.
    whole = pd.concat([cells, alternatives.merge(of_rows, on=method)])
    return whole.drop_duplicates([*keys, *place])


class Draws(NamedTuple):
    """Settings of the methods of a claim: ours, then single alternatives, then mixtures."""

    alternatives: list[str]  # the single ones
    # By method: the row of its losses in each draw.
    rows: dict[str, np.ndarray]


def _draws(indices, listed_alone, n_mixtures, rng):
    """The draws of the multiverse from the alternatives of each method, whose first is ""."""
    singles = sorted(listed_alone & set().union(*indices.values()))
    of_singles = []
    for alternative in ["", *singles]:
        rows = []
        for index in indices.values():
            # A method that does not leave this choice open keeps its row.
            rows.append(index.get_loc(alternative) if alternative in index else 0)
        of_singles.append(rows)
    sizes = [len(index) for index in indices.values()]
    mixtures = rng.integers(np.tile(sizes, (n_mixtures, 1)))
    of_draws = np.concatenate([of_singles, mixtures])  # (n_draws, n_methods)
    return Draws(singles, dict(zip(indices, of_draws.T, strict=True)))


def _effects(leads, losses, draws):
    """The mean of the leads in each draw of the multiverse."""
    relative_leads = []
    for lead in leads:
        favoured = losses[lead.method][lead.criterion]
        rival = losses[lead.rival][lead.criterion]
        shared = [lead.dataset] if lead.dataset else favoured.columns.intersection(rival.columns)
        favoured = favoured[shared].to_numpy()[draws.rows[lead.method]]  # (n_draws, n_sets)
        rival = rival[shared].to_numpy()[draws.rows[lead.rival]]
        # A rival without a loss gives no relative lead.
        relative_leads.append(1 - favoured / np.where(rival == 0, np.nan, rival))
    effect = 100 * pd.DataFrame(np.concatenate(relative_leads, axis=1)).mean(axis=1)
    n_singles = len(draws.alternatives)
    n_mixtures = len(effect) - 1 - n_singles
    kinds = [OURS] + [SINGLE] * n_singles + [MIXTURE] * n_mixtures
    names = ["", *draws.alternatives] + [""] * n_mixtures
    return pd.DataFrame({"kind": kinds, "alternative": names, "effect": effect})


def flips(effects: pd.DataFrame) -> pd.DataFrame:
    """For each claim how its effect varies, and the single alternatives that take its lead away.

    ``effect`` is that of our settings, and ``n_alternatives`` the number of single alternatives. Of
    the mixtures there are ``mean`` and ``std``, and ``in_favour``, the share above 0. ``turned`` is
    a tuple of the single alternatives that bring the lead to 0 or turn its sign, the strongest
    first.
    """
    rows = []
    for claim, of_claim in effects.groupby("claim", sort=False):
        rows.append({"claim": claim} | _flips_of_claim(of_claim))
    columns = [
        "claim",
        "effect",
        "mean",
        "std",
        "in_favour",
        "turned",
        "n_alternatives",
    ]
    return pd.DataFrame(rows, columns=columns)


def _flips_of_claim(effects):
    by_kind = effects.set_index("alternative").groupby("kind")["effect"]
    ours = by_kind.get_group(OURS).iloc[0]
    mixtures = by_kind.get_group(MIXTURE)
    single = pd.Series(dtype=float)
    # A claim on methods without an open choice has no alternatives.
    if SINGLE in by_kind.groups:
        single = by_kind.get_group(SINGLE)
    turned = single[single * np.sign(ours) <= 0]
    # The strongest first: the farthest on the other side of 0.
    turned = turned.sort_values(ascending=ours > 0)
    in_favour = (mixtures > 0).mean()
    return {
        "effect": ours,
        "mean": float(mixtures.mean()),
        "std": float(mixtures.std()),
        "in_favour": float(in_favour),
        "turned": tuple(turned.index),
        "n_alternatives": len(single),
    }
