"""Recorded means behind a slider: HTML for a page of the site or for a cell of a notebook.

``explore.js`` draws; :func:`fragment` brings it the numbers, so no kernel and no host is asked.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.compare import compare_with_paper
from mimlstudy.judge.selection import records_of, unmixed
from mimlstudy.judge.statistics import ranks_of_means, swept_values
from mimlstudy.report.figures import in_order, look_of

MODULE = Path(__file__).with_suffix(".js")
STORY = MODULE.with_name("story.csv")  # where the slider stands, and the words
CLOSE = 0.25  # of a printed standard deviation, on average
SWEEPS = (  # experiment, title, what varies, and the paper's value by method
    ("figure6", "Fig. 6: boosting on scene", "rounds", {"MimlBoost": 50, "AdtBoost.MH": 25}),
    ("figure7", "Fig. 7: MimlSvm on scene", "k, % of the training images", {"MimlSvm": 20}),
    ("figure8", "Fig. 8: InsDif on yeast", "M, % of the training genes", {"InsDif": 20}),
    ("figure9", "Fig. 9: AdtBoost.MH on yeast", "rounds", {"AdtBoost.MH": 25}),
)
NAMES = [f"{criterion.title} {criterion.arrow}" for criterion in CRITERIA.values()]
EARLY, CONVERGED = "RankSvm", "RankSvm, converged"


def fragment(given: dict) -> str:
    """HTML that draws what :func:`sweeps` or :func:`early_stop` returns."""
    data = json.dumps(given).replace("</", r"<\/")
    place = "document.currentScript.previousElementSibling"
    return (
        '<div class="miml-explore"><noscript>This needs JavaScript.</noscript></div>\n'
        f"<script>\n(() => {{\n{MODULE.read_text()}explore({place}, {data});\n}})();\n</script>"
    )


def sweeps(read: Callable[[str], pd.DataFrame]) -> dict:
    """Figs. 6 to 9 from the records that ``read`` has of an experiment."""
    shown = []
    for experiment, title, parameter, published in SWEEPS:
        records = read(experiment)
        if len(records):
            staged = parameter == "rounds"
            x = records["stage"] if staged else 100 * swept_values(records, default=0.2)
            methods = records.assign(x=x.round().astype(int)).groupby("method")
            curves = [
                _curve(methods.get_group(name), name, look_of(name).color) | {"paper": value}
                for name, value in published.items()
                if name in methods.groups
            ]
            shown.append({"title": title, "parameter": parameter, "curves": curves})
    return {"criteria": NAMES, "shown": shown}


def early_stop(read: Callable[[str], pd.DataFrame]) -> dict | None:
    """RankSvm's steps on scene, told in chapters; None if records are missing."""
    table, steps = records_of(read, "table1"), read("ranksvm_steps")
    cells = compare_with_paper(table, 1)
    ours, spread, printed, printed_spread = (
        cells.pivot_table(value, "algorithm", "criterion").reindex(columns=[*CRITERIA])
        for value in ("mean", "std", "published_mean", "published_std")
    )
    if steps.empty or not {CONVERGED, *printed.index} <= {*ours.index}:
        return None
    curve = _curve(steps.assign(x=steps["stage"]), EARLY, look_of(EARLY).color)
    means, stds = (pd.DataFrame(curve[side], [*CRITERIA], curve["x"]).T for side in ("mean", "std"))
    ends = {"printed": printed.loc[EARLY], "converged": ours.loc[CONVERGED]}
    orders, others = {"printed": _order(printed, printed)}, ours.loc[printed.index].drop(EARLY)
    for at, row in {**dict(means.iterrows()), "converged": ends["converged"]}.items():
        orders[str(at)] = _order(pd.concat([others, row.to_frame(EARLY).T]), printed)
    spreads = {"printed": printed_spread.loc[EARLY], "converged": spread.loc[CONVERGED]}
    facts = {"n": len(printed)} | _facts(means, stds.iloc[-1], ends, spreads)
    told = []
    for at, words in pd.read_csv(STORY, dtype=str).itertuples(index=False):
        here = at.format(**facts)
        place = 1 + [name for name, _ in orders[here]].index(EARLY)
        told.append({"at": here, "words": words.format(**facts, place=place)})
    levels = [{"name": name, "values": _rounded(row)} for name, row in ends.items()]
    story = {"title": "RankSvm on scene", "parameter": "steps", "curves": [curve]}
    story |= {"levels": levels, "orders": orders, "chapters": told}
    return {"criteria": NAMES, "shown": [story]}


def _facts(means, last_spread, ends, spreads):
    """What the words of the story name: counts, steps, and distances in printed std."""
    printed, converged = ends["printed"], ends["converged"]
    loss = pd.Series({name: 1 if c.lower_is_better else -1 for name, c in CRITERIA.items()})
    far = (means - printed).abs().div(spreads["printed"]).mean(axis=1)
    near = int(far.idxmin())
    return {
        "last": int(means.index[-1]),
        "better": int((loss * (converged - printed) < 0).sum()),
        "worse": int((loss * (means.iloc[-1] - printed) > 0).sum()),
        "near": near,
        "far": far[near],
        "beside": far.reindex([near - 1, near + 1]).max(),
        "close": int((far <= CLOSE).sum()),
        "CLOSE": CLOSE,
        "printed": (spreads["printed"] / spreads["converged"]).median(),
        "ours": (last_spread / spreads["converged"]).median(),
    }


def _curve(records, name, color):
    """Mean and std over splits at each x; a run that stopped early keeps its last values."""
    runs = unmixed(records, "x").pivot_table([*CRITERIA], "split", "x").T.groupby(level=0).ffill()
    sides = {"mean": runs.mean(axis=1), "std": runs.std(axis=1)}
    numbers = {side: [_rounded(of[name]) for name in CRITERIA] for side, of in sides.items()}
    return {"name": name, "color": color, "x": sorted(set(records["x"]))} | numbers


def _rounded(row):
    return np.round(row, 4).tolist()


def _order(means, printed):
    """Names and mean ranks, best first, over the criteria that are printed for all."""
    criteria = printed.dropna(axis=1).columns
    ranks = ranks_of_means(means[criteria]).mean(axis=1).round(2)
    return [[name, float(ranks[name])] for name in sorted(in_order(ranks.index), key=ranks.get)]
