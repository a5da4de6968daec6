"""The paper's claims, and ranks, on data that the authors never saw."""

import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlpaper.study.claims import judged, significance
from mimlpaper.study.compare import Records, as_published, column_records
from mimlpaper.study.published import TABLES
from mimlpaper.study.unseen import BAGS, CEILING, CHANCE, OWN_CHOSEN_ON

OWN = "NoisyOr"
MIML, MULTI_LABEL = TABLES[1].proposed, TABLES[1].compared

# The paper's claims about scenes and texts, for data that its authors never saw; the last three
# are questions of our own.
N_OF_PAPER = 6
NEW_CLAIMS = {
    f"{', '.join(firsts)}: better than {', '.join(seconds)}": (firsts, seconds)
    for firsts, seconds in (
        (MIML, ("AdtBoost.MH",)),
        (MIML, ("MlSvm",)),
        (MIML, ("RankSvm",)),
        (("MimlNn",), ("Ml-knn",)),
        (("MimlSvm", "MimlSvm_mi"), MULTI_LABEL),
        (("D-MimlSvm",), ("MimlSvm", "MimlSvm_mi")),
        (MIML, ("Guess",)),
        (MIML, ("Set kernel",)),
        (("MimlSvm_mi",), ("Max pooling",)),
    )
}


def unseen_records(get_records: Records) -> pd.DataFrame:
    """Records of all four sets with a column ``column``: "blind" or "tuned"."""
    names = {"blind": "matched", "tuned": "tuned"}  # the rows of the experiment are blind
    return pd.concat(
        as_published(column_records(get_records, "unseen", column)).assign(column=name)
        for name, column in names.items()
    )


def new_claims(get_records: Records) -> pd.DataFrame:
    """Verdicts of :data:`NEW_CLAIMS`: columns claim, dataset, column, verdict, held, parts.

    Each claim is tested on all seven criteria, by the strict tests of the paper's claims. A single
    split, as of texts, allows no test.
    """
    records, rows = unseen_records(get_records), []
    for column in ("blind", "tuned"):
        for dataset in BAGS:
            own = records[(records["dataset"] == dataset) & (records["column"] == column)]
            for claim, (firsts, seconds) in NEW_CLAIMS.items():
                claimed = dict(test="better", methods=firsts, rivals=seconds, on=CRITERIA)
                verdict, parts = judged(significance(own, **claimed))
                held = sum(part.holds is True for part in parts)
                rows.append((claim, dataset, column, verdict, held, len(parts)))
    columns = ["claim", "dataset", "column", "verdict", "held", "parts"]
    return pd.DataFrame(rows, columns=columns)


def losses_everywhere(get_records: Records) -> pd.DataFrame:
    """1 - average precision of tuned methods: independent data sets by the methods run on all.

    The eleven sets of web pages count as one. A learner on InsDif's bags has its own name.
    """
    tables = {"scene": 1, "reuters": 2, "yeast": 3, "web pages": 4}
    sets = {name: column_records(get_records, f"table{n}", "tuned") for name, n in tables.items()}
    sets |= dict(iter(unseen_records(get_records).query("column == 'tuned'").groupby("dataset")))
    means = {}
    for name, rows in sets.items():
        if len(rows):
            own = as_published(rows).replace({"method": {"InsDif": "MimlNn"}})
            methods = own["method"].str.removeprefix("InsDif_")
            means[name] = own["average_precision"].groupby(methods).mean()
    return 1 - pd.DataFrame(means).T.dropna(axis=1)


def in_words(get_records: Records, measured: pd.DataFrame) -> str:
    """Three sentences: the paper's claims that hold, the best ranks, whose reasons are right."""
    losses = losses_everywhere(get_records)
    if losses.empty or measured.empty:
        return "Nothing is recorded yet."
    claims = new_claims(get_records).query("verdict != 'not evaluated'")
    counts = claims.loc[claims["claim"].isin([*NEW_CLAIMS][:N_OF_PAPER]), "verdict"].value_counts()
    verdicts = ", ".join(f"{counts.get(v, 0)} {v}" for v in ("holds", "partly", "fails"))
    order = losses.rank(axis=1).mean().sort_values()
    first = " and ".join(sorted(order.index[order == order.iloc[0]]))
    return (
        f"Of {counts.sum()} verdicts on the paper's orders: {verdicts}. Over {len(losses)} "
        f"independent data sets, everyone tuned, the best mean rank is that of {first}, "
        f"{order.iloc[0]:.1f} of {len(order)}, and the worst that of {order.index[-1]}, "
        f"{order.iloc[-1]:.1f}. {_ahead(measured)}"
    )


def _ahead(measured):
    """On which sets our own explainer is ahead of all methods that no instance taught."""
    rows = measured.query("calibration == 'none' and kind != 'synthetic'")
    rivals = rows[~rows["method"].isin((CHANCE, CEILING))]
    means = rivals.groupby(["method", "dataset"])[["pointing", "accuracy"]].mean()
    own = means.reindex([OWN], level="method").droplevel("method")
    ahead = own > means.drop(OWN, level="method").groupby("dataset").max().reindex(own.index)
    confirming = ahead[~ahead.index.isin(OWN_CHOSEN_ON)]
    return (
        f"{OWN} points at a right instance more often than every other method that no instance "
        f"taught on {ahead['pointing'].sum()} of {len(ahead)} sets, on "
        f"{confirming['pointing'].sum()} of the {len(confirming)} that took no part in choosing "
        f"its settings; by the top label of an instance it is ahead on {ahead['accuracy'].sum()} "
        f"and {confirming['accuracy'].sum()}."
    )
