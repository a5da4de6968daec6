"""Results on data that the authors never saw: criteria, claims, ranks, reasons against truth."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from mimlpaper.datasets import Dataset
from mimlpaper.metrics import CRITERIA
from mimlpaper.study.claims import judged, significance
from mimlpaper.study.compare import Records, as_published, records_of, records_of_all
from mimlpaper.study.pointing import CEILING, CHANCE, MEASURES, MICRO_AUC
from mimlpaper.study.published import PRINTED_MICRO_AUC, TABLES
from mimlpaper.study.rendering import (
    INK,
    LINE,
    RIGHT,
    WRONG,
    Entry,
    ReportTable,
    crossed,
    frame_grid,
    grid,
)
from mimlpaper.study.tables import number_text, variant_name
from mimlpaper.study.unseen import BAGS, DEFAULTS_FROM, OWN_CHOSEN_ON

SETS = (*BAGS, "dbpedia")
COLUMNS = ("blind", "tuned")
OWN = "NoisyOr"
NOBODY = "#dddddd"
BOX = tuple(enumerate(("duration", "lowest frequency", "highest frequency")))

MIML, MULTI_LABEL = TABLES[1].proposed, TABLES[1].compared

# The paper's claims about scenes and texts, for data that its authors never saw.
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


def unseen_records(get_records: Records, column: str) -> pd.DataFrame:
    """Records of all four sets, "blind" or "tuned"; empty if there are none."""
    suffix = "_tuned" if column == "tuned" else ""
    return records_of_all(get_records, (f"unseen{suffix}", f"unseen_texts{suffix}"))


def data_table(datasets: Sequence[Dataset]) -> ReportTable:
    """Sizes of data sets, and where the labels of bags and of instances differ."""
    sizes = {one.name: _sizes(one) for one in datasets}  # drawn data may stand in for several
    tidy = pd.DataFrame.from_dict(sizes, orient="index").rename_axis("dataset").reset_index()
    return frame_grid(
        tidy.set_index("dataset").map("{:,}".format), tidy,
        "The data. Labels without an instance are labels of bags that no instance has.",
        corner="data",
    )  # fmt: skip


def _sizes(dataset):
    truth, Y = dataset.instance_labels, dataset.Y
    shown = dataset.X.max(truth)
    return {
        "bags": len(dataset), "instances": dataset.X.n_instances, "features": dataset.X.n_features,
        "labels": dataset.n_labels, "labels a bag": round(float(Y.sum(axis=1).mean()), 2),
        "instances labelled": int(truth.any(axis=1).sum()),
        "bags with labels without an instance": int((Y & ~shown).any(axis=1).sum()),
    }  # fmt: skip


def unseen_table(get_records: Records, criterion: str = "average_precision") -> ReportTable:
    """Mean ± std of one criterion, blind above tuned, by method and data set; the best is bold."""
    records = pd.concat(
        as_published(unseen_records(get_records, column)).assign(column=column)
        for column in COLUMNS
    )
    keys = ["method", "dataset", "column"]
    groups = records.groupby(keys, sort=False, as_index=False)[criterion]
    tidy = groups.agg(mean="mean", std="std", size="size")
    losses = tidy["mean"] * (1 if CRITERIA[criterion].lower_is_better else -1)
    best = losses == losses.groupby([tidy["dataset"], tidy["column"]]).transform("min")
    lines = tidy.assign(text=[*map(number_text, tidy["mean"], tidy["std"])], bold=best)
    cells = lines.groupby(keys[:2], sort=False, as_index=False)[["text", "bold"]].agg(tuple)
    shown = crossed(cells["method"], cells["dataset"], map(Entry, cells["text"], cells["bold"]))
    return frame_grid(
        shown.reindex(columns=SETS), tidy,
        f"{CRITERIA[criterion].title} on unseen data, mean ± std: blind, then tuned.",
        corner="method",
    )  # fmt: skip


def new_claims(get_records: Records) -> pd.DataFrame:
    """Verdicts of :data:`NEW_CLAIMS`: columns claim, dataset, column, verdict, held, parts.

    Each claim is tested on all seven criteria, by the strict tests of the paper's claims. A single
    split, as of texts, allows no test.
    """
    rows = []
    for column in COLUMNS:
        records = unseen_records(get_records, column)
        for dataset in BAGS:
            own = records[records["dataset"] == dataset]
            for claim, (firsts, seconds) in NEW_CLAIMS.items():
                claimed = dict(test="better", methods=firsts, rivals=seconds, on=CRITERIA)
                verdict, parts = judged(significance(own, **claimed))
                held = sum(part.holds is True for part in parts)
                rows.append((claim, dataset, column, verdict, held, len(parts)))
    return pd.DataFrame(rows, columns=["claim", "dataset", "column", "verdict", "held", "parts"])


def new_claims_table(claims: pd.DataFrame) -> ReportTable:
    """One row for each claim, one column for each data set and column of settings."""
    entries = [
        Entry((f"{claim.held} of {claim.parts}",), verdict=claim.verdict)
        if claim.verdict != "not evaluated"
        else None
        for claim in claims.itertuples()
    ]
    shown = crossed(claims["claim"], claims["dataset"] + ", " + claims["column"], entries)
    return frame_grid(
        shown[[f"{dataset}, {column}" for dataset in BAGS for column in COLUMNS]], claims,
        "The paper's claims on unseen data: parts that hold, of pairs and seven criteria.",
        corner="on all criteria",
    )  # fmt: skip


TABLE_OF = {"scene": 1, "reuters": 2, "yeast": 3, "web pages": 4}


def losses_everywhere(get_records: Records) -> pd.DataFrame:
    """1 - average precision of tuned methods: independent data sets by the methods run on all.

    The eleven sets of web pages count as one. A learner on InsDif's bags has its own name.
    """
    sets = {name: records_of(get_records, f"table{n}_tuned") for name, n in TABLE_OF.items()}
    sets |= dict(iter(unseen_records(get_records, "tuned").groupby("dataset")))
    means = {name: _precision(rows) for name, rows in sets.items() if len(rows)}
    return 1 - pd.DataFrame(means).T.dropna(axis=1)


def _precision(records):
    means = as_published(records).groupby("method")["average_precision"].mean()
    return means.rename(lambda m: "MimlNn" if m == "InsDif" else m.removeprefix("InsDif_"))


def reasons_table(measured: pd.DataFrame, calibration: str = "none") -> ReportTable:
    """Reasons against truth under a calibration; the best of four measures but the ceiling bold."""
    rows = measured[measured["calibration"] == calibration]
    tidy = rows.groupby(["method", "dataset"], sort=False)[list(MEASURES)].mean()
    rivals = tidy.drop(CEILING, level="method", errors="ignore")
    best = tidy == rivals.groupby("dataset").transform("max").reindex(tidy.index)
    texts = tidy.map(lambda share: number_text(share, np.nan))
    entries = map(Entry, map(tuple, texts.to_numpy()), map(tuple, best.to_numpy()))
    methods, datasets = map(tidy.index.get_level_values, ("method", "dataset"))
    shown = crossed(methods, datasets, entries)
    return frame_grid(
        shown.reindex(columns=SETS), tidy.reset_index(),
        f"Reasons against truth, calibration {calibration}, from above: accuracy of an instance's "
        "top label among all labels; among its bag's; area under the curve; share of a bag's "
        "labels whose top instance has the label. Means over splits.",
        corner="method", rules_above=tuple({CEILING} & set(shown.index)),
    )  # fmt: skip


def micro_auc_table(measured: pd.DataFrame) -> ReportTable:
    """What the authors of DBpedia print for two learners, and ours on their test documents."""
    ours = measured[(measured["calibration"] == "none") & (measured["dataset"] == "dbpedia")]
    means = ours.groupby("method", sort=False)[list(MICRO_AUC)].mean()
    printed = pd.DataFrame(PRINTED_MICRO_AUC, means.columns).T.rename("{}, printed".format)
    tidy = pd.concat([printed, means])
    shown = tidy.set_axis(["bags", "sentences"], axis=1).map(lambda v: number_text(v, np.nan))
    return frame_grid(
        shown, tidy.rename_axis("method").reset_index(),
        "DBpedia: area under one curve for all labels (micro-AUC), printed and ours. Ours see the "
        "2 % of words that most documents have, the printed ones all.",
        corner="method", rules_above=tuple(means.index[:1]),
    )  # fmt: skip


def defaults_table(records: pd.DataFrame) -> ReportTable:
    """The defaults on each data set, and the differences that each change of them makes."""
    keys, measures = ["method", "parameters", "dataset"], ["average_precision", "hamming_loss"]
    tidy = records.groupby(keys, sort=False)[measures].mean()
    rows = {key: variant_name(*key) for key in tidy.index.droplevel("dataset").unique()}
    sets = sorted(records["dataset"].unique(), key=lambda name: name not in DEFAULTS_FROM)

    def entry(row, dataset):
        own = tidy.loc[*row, dataset]
        if row[1] == "{}":
            return Entry(tuple(own.map("{:.3f}".format)))
        return Entry(tuple((own - tidy.loc[row[0], "{}", dataset]).map("{:+.3f}".format)))

    return grid(
        rows, {name: f"{name}{' (chosen)' * (name in DEFAULTS_FROM)}" for name in sets}, entry,
        caption=(
            "Defaults, and the differences that changes of them make: average precision above "
            f"hamming loss, means over {records['split'].nunique()} splits. Defaults were chosen "
            f"on {' and '.join(DEFAULTS_FROM)}; the other sets confirm or refute them."
        ),
        corner="defaults, or a change", tidy=tidy.reset_index(),
    )  # fmt: skip


def in_words(get_records: Records, measured: pd.DataFrame) -> str:
    """Three sentences: the paper's claims that hold, the best ranks, whose reasons are right."""
    claims = new_claims(get_records).query("verdict != 'not evaluated'")
    rivals = claims["claim"].map(lambda text: {*NEW_CLAIMS[text][1]})
    claims = claims[rivals.map({*MIML, *MULTI_LABEL}.issuperset).astype(bool)]
    counts = claims["verdict"].value_counts()
    verdicts = ", ".join(f"{counts.get(v, 0)} {v}" for v in ("holds", "partly", "fails"))
    losses = losses_everywhere(get_records)
    if losses.empty or measured.empty:
        return "Nothing is recorded yet."
    order = losses.rank(axis=1).mean().sort_values()
    first = " and ".join(sorted(order.index[order == order.iloc[0]]))
    rows = measured[(measured["calibration"] == "none") & (measured["kind"] != "synthetic")]
    return (
        f"Of {len(claims)} verdicts on the paper's orders: {verdicts}. Over {len(losses)} "
        f"independent data sets, everyone tuned, the best mean rank is that of {first}, "
        f"{order.iloc[0]:.1f} of {len(order)}, and the worst that of {order.index[-1]}, "
        f"{order.iloc[-1]:.1f}. {_ahead(rows)}"
    )


def _ahead(rows):
    """On which sets our own explainer is ahead of all methods that no instance taught."""
    rivals = rows[~rows["method"].isin((CHANCE, CEILING))]
    means = rivals.groupby(["method", "dataset"])[["pointing", "accuracy"]].mean()
    if OWN not in means.index:
        return f"{OWN} is not recorded."
    others = means.drop(OWN, level="method").groupby("dataset").max()
    ahead = means.loc[OWN] > others.reindex(means.loc[OWN].index)
    confirming = ahead[~ahead.index.isin(OWN_CHOSEN_ON)]
    return (
        f"{OWN} points at a right instance more often than every other method that no instance "
        f"taught on {ahead['pointing'].sum()} of {len(ahead)} sets, on "
        f"{confirming['pointing'].sum()} of the {len(confirming)} that took no part in choosing "
        f"its settings; by the top label of an instance it is ahead on {ahead['accuracy'].sum()} "
        f"and {confirming['accuracy'].sum()}."
    )


def draw_reasons(
    ax: Axes, scores: np.ndarray, instances: Sequence[str], label_names: Sequence[str],
    truth: np.ndarray | None = None,
):  # fmt: skip
    """A bag's scores (n_instances, n_shown): an instance a column, a label a row, darker is higher.

    A frame marks the top instance of each label; with ``truth``, green where it has the label. The
    key of the frames is :func:`key_of_reasons`.
    """
    low, high = scores.min(axis=0), scores.max(axis=0)
    shares = (scores - low) / np.where(high > low, high - low, 1.0)
    ax.imshow(shares.T, cmap="Greys", vmin=0, vmax=1.6, aspect="auto")
    for label, top in enumerate(scores.argmax(axis=0)):
        right = truth is not None and truth[top, label]
        color = INK if truth is None else RIGHT if right else WRONG
        corner = (top - 0.45, label - 0.45)
        ax.add_patch(Rectangle(corner, 0.9, 0.9, fill=False, edgecolor=color, linewidth=2))
    ax.set_xticks(range(len(instances)), instances)
    ax.set_yticks(range(len(label_names)), label_names)
    ax.tick_params(length=0)
    ax.grid(False)


def key_of_reasons(figure: Figure):
    """What shades and frames of :func:`draw_reasons` mean, below the figure."""
    frames = {"top instance, has the label": RIGHT, "top instance, lacks it": WRONG}
    handles = [Patch(fill=False, edgecolor=c, lw=2, label=name) for name, c in frames.items()]
    handles.append(Patch(color="#888888", label="darker: higher score"))
    figure.legend(handles=handles, loc="outside lower center", ncols=3)


def draw_segments(
    ax: Axes, bag: np.ndarray, truth: np.ndarray, label_names: Sequence[str],
    feature_names: Sequence[str],
):  # fmt: skip
    """A recording's segments side by side, as long and as high as they sound; pale if unlabelled.

    The file does not say when a segment sounds. Without such features, the first three are drawn.
    """
    columns = [feature_names.index(name) if name in feature_names else i for i, name in BOX]
    start, colors = 0.0, {"no label": NOBODY}
    for (width, low, high), labels in zip(bag[:, columns], truth, strict=True):
        name = label_names[labels.argmax()] if labels.any() else "no label"
        colors.setdefault(name, f"C{len(colors) - 1}")
        look = dict(facecolor=colors[name], edgecolor=LINE)
        ax.add_patch(Rectangle((start, low), width, high - low, **look))
        start += width + 3
    ax.autoscale_view()
    ax.set(xlabel="segments side by side (columns of the spectrogram)", ylabel="frequency (rows)")
    names = [Patch(facecolor=c, edgecolor=LINE, label=name) for name, c in colors.items()]
    ax.legend(handles=names, loc="center left", bbox_to_anchor=(1, 0.5))
