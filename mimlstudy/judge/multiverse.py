"""The multiverse: what a claim and a printed row look like under other readings of the paper.

A *reading* of a method is its published row with some open choices made otherwise, see
:meth:`~mimlstudy.paper.settings.Row.alternatives_on`. The published ones are recorded in the
tables, the others in the experiment "readings".
"""

import json
from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claims import CLAIM_TESTS, QUOTED
from mimlstudy.judge.compare import Records, as_published, records_of, unmixed
from mimlstudy.paper.experiments import READ_SPLITS, ROWS
from mimlstudy.paper.published import ALL_CRITERIA

# Rows of a table that are other readings of a method.
READ_AS = {"RankSvm, converged": "RankSvm", "MimlSvm, set kernel": "MimlSvm"}
N_DRAWN = 200  # readings of everything together, for each claim
FIRM = 0.9  # share of drawn readings with a lead in the paper's direction


def readings_of(name: str, get_records: Records) -> pd.DataFrame:
    """Records of all readings of a table's methods; ``reading`` is in words, empty as published."""
    own = as_published(records_of(get_records, name))
    own = own[own["split"] < READ_SPLITS[name]].assign(reading="")
    others = records_of(get_records, "readings")
    others = others[others["dataset"].isin(own["dataset"]) & others["method"].isin(ROWS[name])]
    others = others.assign(reading=others["parameters"].map(in_words))
    table = pd.concat([own, others[others["reading"] != ""]], ignore_index=True)
    row = table["method"].map(READ_AS)
    as_row = "row: " + table["method"] + table["reading"].where(table["reading"] == "", "; ")
    reading = table["reading"].where(row.isna(), as_row + table["reading"])
    return table.assign(reading=reading, method=row.fillna(table["method"]))


def single_changes(name: str, get_records: Records) -> pd.DataFrame:
    """Of :func:`readings_of` the published readings, and those in which one choice differs."""
    table = readings_of(name, get_records)
    return table[table["reading"].isin({"", *_choices(name)})]


def _choices(name):
    choices = (choice for row in ROWS[name].values() for choice in row.alternatives)
    return {in_words(dict(sorted(choice.items()))) for choice in choices}  # as in records


def with_readings(table: pd.DataFrame) -> pd.DataFrame:
    """``table`` with the reading as part of the method's name."""
    reading = table["reading"]
    return table.assign(method=table["method"] + (", " + reading).where(reading != "", ""))


def in_words(parameters: str | Mapping) -> str:
    """``C = 10.0`` for one setting, several with commas; "" for none."""
    changes = json.loads(parameters) if isinstance(parameters, str) else parameters
    return ", ".join(f"{name.split('__')[-1]} = {value}" for name, value in changes.items())


def claim_effects(get_records: Records, *, n_drawn: int = N_DRAWN) -> pd.DataFrame:
    """How far the favoured methods of each claim lead under other readings.

    ``effect`` is the mean over all leads that the claim names, in percent of the rival's loss.
    Columns: claim, kind, change, effect. The kind is "published"; "one change", which every method
    of the claim makes that leaves this choice open; or "drawn": of each method any reading.
    """
    effects, rng = [], np.random.default_rng(0)
    for name in ROWS:
        cases = _cases_of_leads(name)
        losses = _losses(readings_of(name, get_records)) if cases else {}
        alone = _choices(name) | {f"row: {row}" for row in READ_AS}
        measured = {one for means in losses.values() for column in means for one in column}
        for claim, named in cases.items():
            own = [case for case in named if case[2] in measured]
            if own and {method for *pair, _ in own for method in pair} <= {*losses}:
                effects.append(_effects(claim, own, losses, alone, n_drawn, rng))
    nothing = pd.DataFrame(columns=["claim", "kind", "change", "effect"])
    return pd.concat(effects or [nothing], ignore_index=True)


def _cases_of_leads(experiment):
    cases = defaultdict(list)
    for claim, tests in CLAIM_TESTS.items():
        leads = [t for t in tests if t.test in ("better", "shares") and t.experiment == experiment]
        for (method,), (rival,), name in (case for one in leads for case in one.cases()):
            if rival not in QUOTED:
                cases[claim].append((method, rival, name))
    return cases


def _losses(table):
    """Each method's mean losses: a row a reading, else the published; columns (criterion, set)."""
    criteria = [name for name in ALL_CRITERIA if name in table]
    groups = unmixed(table, "reading").groupby(["method", "reading", "dataset"])
    means = groups[criteria].mean()
    means = means.dropna(axis=1, how="all")
    scores = [name for name in means if not ALL_CRITERIA[name].lower_is_better]
    means[scores] = 1 - means[scores]
    frames = {m: own.droplevel("method").unstack() for m, own in means.groupby("method")}
    return {m: own.fillna(own.loc[""]) for m, own in frames.items() if "" in own.index}


def _effects(claim, cases, losses, alone, n_drawn, rng):
    methods = sorted({method for *pair, _ in cases for method in pair})
    readings = [losses[method].index for method in methods]  # "" is the first
    changes = sorted(alone & set().union(*readings))
    places = [[max(own.get_indexer([one])[0], 0) for own in readings] for one in ["", *changes]]
    drawn = rng.integers(np.tile([len(own) for own in readings], (n_drawn, 1)))
    places = dict(zip(methods, np.concatenate([places, drawn]).T, strict=True))
    shares = []
    for *pair, name in cases:
        column = name if name in CRITERIA else [("accuracy", name)]
        ours, theirs = (losses[one][column].to_numpy()[places[one]] for one in pair)
        shares.append(1 - ours / theirs)
    kinds = ["published", *["one change"] * len(changes), *["drawn"] * n_drawn]
    effect = 100 * np.concatenate(shares, axis=1).mean(axis=1)
    about = {"claim": claim, "kind": kinds, "change": ["", *changes, *[""] * n_drawn]}
    return pd.DataFrame(about | {"effect": effect})


def flips(effects: pd.DataFrame) -> pd.DataFrame:
    """For each claim how its effect varies, and the single changes that turn its sign.

    Of the drawn readings ``spread`` is the standard deviation, ``in_favour`` the share above 0.
    ``turned`` is a tuple of changes, the strongest first.
    """
    rows = []
    for claim, own in effects.groupby("claim", sort=False):
        kinds = {kind: part.set_index("change")["effect"] for kind, part in own.groupby("kind")}
        published, drawn = kinds["published"].iloc[0], kinds["drawn"]
        single = kinds.get("one change", pd.Series(dtype=float))
        turned = single[np.sign(single) != np.sign(published)]
        turned = tuple(turned.sort_values(ascending=published > 0).index)
        about = (drawn.mean(), drawn.std(), (drawn > 0).mean())
        rows.append((claim, published, *map(float, about), turned, len(single)))
    columns = ["claim", "effect", "mean", "spread", "in_favour", "turned", "n_changes"]
    return pd.DataFrame(rows, columns=columns)


def in_sentences(turns: pd.DataFrame) -> str:
    """How many claims lead in the paper's direction, and how many one choice turns."""
    if turns.empty:
        return "Nothing is recorded yet."
    led, firm = (turns["effect"] > 0).sum(), (turns["in_favour"] >= FIRM).sum()
    large, turned = (turns["mean"] > turns["spread"]).sum(), turns["turned"].map(bool).sum()
    return (
        f"Of {len(turns)} claims that say which methods are better, these lead in {led} under the "
        f"published readings. In {firm} they lead in at least {FIRM:.0%} of the drawn readings, in "
        f"{large} by more than the spread over these; in {turned} a single choice turns the sign. "
        "So few splits allow no test."
    )
