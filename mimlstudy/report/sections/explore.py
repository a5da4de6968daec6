"""Recorded means behind a slider: HTML for a page of the site or for a cell of a notebook.

``explore.js`` draws; :func:`fragment` puts the numbers into the page, so no kernel and no host is
asked.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.compare import compare_with_paper
from mimlstudy.judge.selection import records_of, runs_by
from mimlstudy.judge.statistics import ranks_of_means
from mimlstudy.report.figures import in_order, look_of
from mimlstudy.report.sections.curves import CHOSEN, in_percent
from mimlstudy.report.sections.early_stop import CONVERGED, STOPPED

MODULE = Path(__file__).with_suffix(".js")
STORY = MODULE.with_name("story.csv")  # where the slider stands, and the words
ANSWER = (
    "RankSvm comes closest to its printed row if it stops after step {near}: it is then {far:.1f} "
    "printed standard deviations away on average. At which step the authors stopped it, if they "
    "did, is unknown."
)
CLOSE = 0.25  # of a printed standard deviation, on average
FIGURES = (  # experiment, title, what varies, methods
    ("figure6", "Fig. 6: boosting on scene", "rounds", ("MimlBoost", "AdtBoost.MH")),
    ("figure7", "Fig. 7: MimlSvm on scene", "k, % of the training images", ("MimlSvm",)),
    ("figure8", "Fig. 8: InsDif on yeast", "M, % of the training genes", ("InsDif",)),
    ("figure9", "Fig. 9: AdtBoost.MH on yeast", "rounds", ("AdtBoost.MH",)),
)
NAMES = [f"{criterion.title} {criterion.arrow}" for criterion in CRITERIA.values()]
# Braces of JavaScript are doubled, since format fills what stands in single ones.
FRAGMENT = """\
<div class="miml-explore"><noscript>This needs JavaScript.</noscript></div>
<script>
(() => {{
{module}explore(document.currentScript.previousElementSibling, {data});
}})();
</script>"""


def fragment(given: dict) -> str:
    """HTML that draws what :func:`sweeps` or :func:`early_stop` returns."""
    # A script ends at the first such sign, also within a text.
    data = json.dumps(given).replace("</", r"<\/")
    return FRAGMENT.format(module=MODULE.read_text(encoding="utf-8"), data=data)


def sweeps(read: Callable[[str], pd.DataFrame]) -> dict:
    """Figs. 6 to 9 from the records that ``read`` has of an experiment."""
    shown = []
    for experiment, title, parameter, methods in FIGURES:
        records = read(experiment)
        if len(records):
            panel = {
                "title": title,
                "parameter": parameter,
                "curves": [*_swept(records, parameter, methods)],
            }
            shown.append(panel)
    return {"criteria": NAMES, "shown": shown}


def _swept(records, parameter, methods):
    """The curve of each method over rounds or over percentages, with the paper's value."""
    x = "stage"
    if parameter != "rounds":
        records, x = in_percent(records), "%"
    by_method = records.groupby("method")
    for method in methods:
        if method in by_method.groups:
            curve = _curve(by_method.get_group(method), x, method)
            yield curve | {"paper": CHOSEN[method]}


def early_stop(read: Callable[[str], pd.DataFrame]) -> dict | None:
    """RankSvm's steps on scene, in chapters; None if records are missing."""
    cells = compare_with_paper(records_of(read, "table1"), 1)
    means = _by_method(cells, "mean")
    stds = _by_method(cells, "std")
    printed = _by_method(cells, "printed_mean")
    printed_stds = _by_method(cells, "printed_std")
    steps = read("ranksvm_steps")
    if steps.empty or not {CONVERGED, *printed.index} <= {*means.index}:
        return None
    curve = _curve(steps, "stage", STOPPED)
    means_of_steps = _by_step(curve, "mean")
    ends = {
        "printed": printed.loc[STOPPED],
        "converged": means.loc[CONVERGED],
    }
    spreads = {
        "printed": printed_stds.loc[STOPPED],
        "converged": stds.loc[CONVERGED],
        "last": _by_step(curve, "std").iloc[-1],
    }
    rivals = means.loc[printed.index].drop(STOPPED)
    orders = _orders(rivals, means_of_steps, ends["converged"], printed)
    facts = {"n": len(printed)} | _facts(means_of_steps, ends, spreads)
    levels = []
    for name, row in ends.items():
        levels.append({"name": name, "values": _rounded(row)})
    story = {
        "title": "RankSvm on scene",
        "parameter": "steps",
        "curves": [curve],
        "levels": levels,
        "orders": orders,
        "chapters": [*_chapters(facts, orders)],
    }
    return {"criteria": NAMES, "shown": [story], "answer": ANSWER.format(**facts)}


def _by_method(cells, value):
    """A row for each method, a column for each criterion."""
    table = cells.pivot_table(value, "algorithm", "criterion")
    return table.reindex(columns=[*CRITERIA])


def _by_step(curve, value):
    """A row for each step, a column for each criterion."""
    by_criterion = pd.DataFrame(curve[value], [*CRITERIA], curve["x"])
    return by_criterion.T


def _orders(rivals, means_of_steps, converged, printed):
    """The order of the methods as printed, and with RankSvm converged or after a step."""
    orders = {"printed": _order(printed, printed)}
    orders["converged"] = _order_with(rivals, converged, printed)
    for step, row in means_of_steps.iterrows():
        # Keys of JSON are texts.
        orders[str(step)] = _order_with(rivals, row, printed)
    return orders


def _order_with(rivals, row, printed):
    """The order of the methods if RankSvm has the means of a row."""
    means = pd.concat([rivals, row.to_frame(STOPPED).T])
    return _order(means, printed)


def _chapters(facts, orders):
    """Where the slider stands in each chapter, and its words."""
    for place, words in pd.read_csv(STORY, dtype=str).itertuples(index=False):
        at = place.format(**facts)
        names = [name for name, _ in orders[at]]
        rank = 1 + names.index(STOPPED)
        yield {"at": at, "words": words.format(**facts, place=rank)}


def _facts(means, ends, spreads):
    """What the words of the story name: counts, steps, and distances in printed std."""
    printed = ends["printed"]
    is_loss = [criterion.lower_is_better for criterion in CRITERIA.values()]
    signs = pd.Series(np.where(is_loss, 1, -1), [*CRITERIA])
    loss_of_converged = signs * (ends["converged"] - printed)
    loss_of_last = signs * (means.iloc[-1] - printed)
    in_stds = (means - printed).abs() / spreads["printed"]
    far = in_stds.mean(axis=1)
    near = int(far.idxmin())
    neighbours = far.reindex([near - 1, near + 1])
    printed_spread = spreads["printed"] / spreads["converged"]
    our_spread = spreads["last"] / spreads["converged"]
    return {
        "last": int(means.index[-1]),
        "better": int((loss_of_converged < 0).sum()),
        "worse": int((loss_of_last > 0).sum()),
        "near": near,
        "far": far[near],
        "beside": neighbours.max(),
        "close": int((far <= CLOSE).sum()),
        "CLOSE": CLOSE,
        "printed": printed_spread.median(),
        "ours": our_spread.median(),
    }


def _curve(records, x, name):
    """Mean and std over splits at each ``x``; a run that stopped early keeps its last values."""
    runs = [runs_by(records, x, criterion) for criterion in CRITERIA]
    return {
        "name": name,
        "color": look_of(name).color,
        "x": [round(value) for value in runs[0].columns],
        "mean": [_rounded(values.mean()) for values in runs],
        "std": [_rounded(values.std()) for values in runs],
    }


def _rounded(row):
    return np.round(row, 7).tolist()


def _order(means, printed):
    """Names and mean ranks, best first, over the criteria that are printed for all."""
    criteria = printed.dropna(axis=1).columns
    of_criteria = ranks_of_means(means[criteria])
    ranks = of_criteria.mean(axis=1).round(2)
    # Equal ranks stand in the order of the methods everywhere.
    names = sorted(in_order(ranks.index), key=ranks.get)
    return [[name, float(ranks[name])] for name in names]
