"""What an open choice changes: its rows with other settings, on the splits that both have.

``choice_sweeps.csv`` says for a choice of ``divergences.csv`` which parameter of which rows was
varied, and which criterion shows its effect. Each effect is made from the records.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from mimlstudy.judge.multiverse import (
    listed_alternatives,
    override_in_words,
)
from mimlstudy.judge.selection import (
    ALTERNATIVES,
    Records,
    as_in_our_tables,
    checked_for_means,
    records_of,
)
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.printed import ALL_CRITERIA, choice_sweeps


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
    for sweep in choice_sweeps().to_dict("records"):
        recorded = records_of(get_records, sweep["experiment"])
        overrides = _overrides_of(sweep, alternatives)
        varied = alternatives[alternatives["override"].isin(overrides)]
        effects[sweep["id"]] += _effects(as_in_our_tables(recorded), varied, sweep)
    return dict(effects)


def _overrides_of(sweep, alternatives) -> set[str]:
    """The recorded overrides that vary a sweep's parameter, but no mixtures of alternatives."""
    recorded = {text: json.loads(text) for text in {*alternatives["override"]}}
    if sweep["experiment"] == ALTERNATIVES:
        # One setting, whose parameters vary one at a time: a mixture changes two or more.
        singles = [override for override in recorded.values() if len(override) == 1]
    else:
        singles = listed_alternatives(sweep["experiment"])
    named = [override for override in singles if sweep["parameter"] in override]
    return {text for text, override in recorded.items() if override in named}


def _effects(our_rows, alternatives, sweep):
    """The effect of each override of one sweep."""
    method = sweep["method"]
    if method:
        our_rows = our_rows[our_rows["method"] == method]
        alternatives = alternatives[alternatives["method"] == method]
    criterion = sweep["criterion"]
    keys = ["dataset", "method", "split"]
    values_of_rows = checked_for_means(our_rows)[[*keys, criterion]]
    # On the splits that both have: others may be easier.
    pairs = checked_for_means(alternatives, "override").merge(
        values_of_rows,
        on=keys,
        suffixes=("", "_row"),
    )
    effects = []
    groups = pairs.groupby(["method", "override"], sort=False)
    for (name, override), rows in groups:
        effects.append(
            Effect(
                experiment=sweep["experiment"],
                method=name,
                setting=override_in_words(override),
                criterion=criterion,
                row=rows[f"{criterion}_row"].mean(),
                other=rows[criterion].mean(),
            )
        )
    return effects


def effect_in_words(effects: Sequence[Effect]) -> str:
    """Effects as text, by experiment and criterion: ``method, setting: row → other setting``."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for effect in effects:
        change = f"{effect.row:.3f} → {effect.other:.3f}"
        text = f"{effect.method}, {effect.setting}: {change}"
        groups[effect.experiment, effect.criterion].append(text)
    sentences = []
    for (experiment, criterion), texts in groups.items():
        title = ALL_CRITERIA[criterion].title.lower()
        changes = "; ".join(texts)
        sentences.append(f"{_place(experiment)}, {title}: {changes}.")
    return " ".join(sentences)


def _place(experiment):
    """The table or figure of an experiment, as the paper names it."""
    if experiment == ALTERNATIVES:
        return "At one setting"
    return EXPERIMENTS[experiment].title


def divergences_with_effects(
    divergences: pd.DataFrame,
    measured: Mapping[str, Sequence[Effect]],
) -> pd.DataFrame:
    """The log of open choices; in each effect what was measured stands first.

    ``measured`` is :func:`effects_of_choices`.
    """
    texts = []
    for row in divergences.to_dict("records"):
        in_numbers = effect_in_words(measured.get(row["id"], []))
        # Where one is empty there is no space to part them.
        texts.append(f"{in_numbers} {row['effect']}".strip())
    return divergences.assign(effect=texts)
