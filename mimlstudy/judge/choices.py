"""What an open choice changes: its rows with other settings, on the splits that both have.

``choice_sweeps.csv`` says for a choice of ``divergences.csv`` which parameter of which rows was
varied, and which criterion shows its effect. Each effect is made from the records.
"""

import json
from collections import defaultdict
from typing import NamedTuple

import pandas as pd

from mimlstudy.judge.multiverse import in_words
from mimlstudy.judge.selection import ALTERNATIVES, Records, as_published, records_of
from mimlstudy.paper.experiments import ROWS
from mimlstudy.paper.published import ALL_CRITERIA, TABLES, published_sweeps


class Effect(NamedTuple):
    """A mean of a row, and the one with another setting, over data sets and shared splits."""

    experiment: str
    method: str
    setting: str  # in words, such as "C = 10.0"
    criterion: str
    row: float
    other: float


def effects_of_choices(get_records: Records) -> dict[str, list[Effect]]:
    """The measured effects of each choice by its id, in the order of ``choice_sweeps.csv``."""
    alternatives = records_of(get_records, ALTERNATIVES)
    effects: dict[str, list[Effect]] = defaultdict(list)
    for sweep in published_sweeps().to_dict("records"):
        published = as_published(records_of(get_records, sweep["experiment"]))
        is_varied = alternatives["override"].isin(_overrides_of(sweep, alternatives))
        effects[sweep["id"]] += _effects(published, alternatives[is_varied], sweep)
    return dict(effects)


def _overrides_of(sweep, alternatives) -> set[str]:
    """The recorded overrides that vary a sweep's parameter, but no mixtures of alternatives."""
    texts = {*alternatives["override"]}
    overrides = {text: json.loads(text) for text in texts}
    if sweep["experiment"] == ALTERNATIVES:  # one setting, whose parameters vary one at a time
        singles = [override for override in overrides.values() if len(override) == 1]
    else:
        rows = ROWS[sweep["experiment"]].values()
        singles = [dict(override) for row in rows for override in row.alternatives]
    named = [override for override in singles if sweep["parameter"] in override]
    return {text for text, override in overrides.items() if override in named}


def _effects(published, alternatives, sweep):
    method = sweep["method"]
    if method:
        published = published[published["method"] == method]
        alternatives = alternatives[alternatives["method"] == method]
    key, criterion = ["dataset", "method", "split"], sweep["criterion"]
    pairs = alternatives.merge(published[[*key, criterion]], on=key, suffixes=("", "_row"))
    effects = []
    for (name, override), rows in pairs.groupby(["method", "override"], sort=False):
        means = rows[[f"{criterion}_row", criterion]].mean()
        effects.append(Effect(sweep["experiment"], name, in_words(override), criterion, *means))
    return effects


def effect_in_words(effects: list[Effect]) -> str:
    """Effects as text: of each experiment and criterion, ``method, setting: before → after``."""
    sentences = []
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for effect in effects:
        text = f"{effect.method}, {effect.setting}: {effect.row:.3f} → {effect.other:.3f}"
        groups[effect.experiment, effect.criterion].append(text)
    for (experiment, criterion), texts in groups.items():
        title = ALL_CRITERIA[criterion].title.lower()
        sentences.append(f"{_place(experiment)}, {title}: {'; '.join(texts)}.")
    return " ".join(sentences)


def _place(experiment):
    """The table or figure of an experiment, as the paper names it."""
    for number, table in TABLES.items():
        if table.experiment == experiment:
            return f"Table {number}"
    if experiment == ALTERNATIVES:
        return "At one setting"
    return experiment.replace("figure", "Fig. ")


def divergences_with_effects(divergences: pd.DataFrame, get_records: Records) -> pd.DataFrame:
    """The log of open choices, each effect with what was measured before what is known of it."""
    measured = effects_of_choices(get_records)
    texts = [effect_in_words(measured.get(name, [])) for name in divergences["id"]]
    known = divergences["effect"]
    both = [" ".join(filter(None, pair)) for pair in zip(texts, known, strict=True)]
    return divergences.assign(effect=both)
