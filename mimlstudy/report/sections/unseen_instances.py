"""Data with labelled instances: a recording, words and their letters, tables of explanations."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.patches import Patch, Rectangle

from mimlpaper import Bags, explain
from mimlpaper.datasets import Dataset
from mimlstudy.judge.multiverse import override_in_words
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.paper.measures import POINTING
from mimlstudy.paper.unseen import CEILING, DEFAULTS_FROM
from mimlstudy.report.figures import LINE, RIGHT, WRONG
from mimlstudy.report.sections.explained_report import measured_explanations
from mimlstudy.report.sections.unseen_orders import SETS
from mimlstudy.report.tables import (
    Entry,
    ReportTable,
    crossed,
    frame_grid,
    number_text,
    signed_text,
)

BOX = ["duration", "lowest frequency", "highest frequency"]  # features of a segment of sound
TINTS = ["C0", "C1", "C3", "#56B4E9", "#333333"]  # that few readers confuse
PALE = "#dddddd"
NO_LABEL = -1


def sizes_table(sets: Sequence[Dataset]) -> ReportTable:
    """Numbers of bags, instances and labels of data sets whose instances are labelled."""
    sizes = {data.name: _sizes(data) for data in sets}
    table = pd.DataFrame.from_dict(sizes, orient="index")
    table = table.rename_axis("dataset")
    shown = table.map("{:,}".format)
    caption = "The data. The last column counts bags with a label that none of their instances has."
    return frame_grid(shown, table.reset_index(), caption, corner="data")


def _sizes(data):
    bags, labelled = _bags_and_truth(data)
    Y = cast(np.ndarray, data.Y)
    of_instances = bags.max(labelled)  # (n_bags, n_labels)
    without_instance = (Y & ~of_instances).any(axis=1)
    return {
        "bags": len(data),
        "instances": bags.n_instances,
        "features": bags.n_features,
        "labels": data.n_labels,
        "labels a bag": round(Y.sum(axis=1).mean(), 2),
        "instances labelled": labelled.any(axis=1).sum(),
        "bags with labels without an instance": without_instance.sum(),
    }


def _bags_and_truth(data: Dataset) -> tuple[Bags, np.ndarray]:
    """The bags of data whose instances are labelled, and these labels."""
    return cast(Bags, data.X), cast(np.ndarray, data.instance_labels)


def recording_figure(birds: Dataset) -> plt.Figure:
    """The recording with the most species: a box for each segment, coloured by its species."""
    bags, labelled = _bags_and_truth(birds)
    n_species = bags.max(labelled).sum(axis=1)  # (n_bags,)
    bag = int(n_species.argmax())
    of_segments = _rows_of_bag(bags, bag, labelled)
    is_labelled = of_segments.any(axis=1)
    species = np.where(is_labelled, of_segments.argmax(axis=1), NO_LABEL)
    names = [*birds.label_names, "no label"]  # which NO_LABEL counts from the end
    figure, ax = plt.subplots(figsize=(5.6, 2.6))
    segments = _segments(birds, bag)
    groups = segments.groupby(species, sort=False)
    for place, (label, boxes) in enumerate(groups):
        color = PALE if label == NO_LABEL else TINTS[place % len(TINTS)]
        look = dict(align="edge", color=color, edgecolor=LINE, label=names[label])
        heights = boxes["high"] - boxes["low"]
        ax.bar(boxes["start"], heights, boxes["width"], boxes["low"], **look)
    ax.set_xlabel("segments side by side (columns of the spectrogram)")
    ax.set_ylabel("frequency (rows)")
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def _rows_of_bag(bags, bag, of_instances):
    """Of an array with a row for each instance the rows of one bag."""
    begin, end = bags.offsets[bag], bags.offsets[bag + 1]
    return of_instances[begin:end]


def _segments(birds, bag):
    """Width, lowest and highest frequency of a recording's segments, and where each starts."""
    segments = pd.DataFrame(birds.X[bag], columns=birds.feature_names)
    is_known = {*BOX} <= {*segments}
    # Synthetic data have no such features: their first three stand in.
    segments = segments[BOX if is_known else segments.columns[:3]]
    segments.columns = ["width", "low", "high"]
    # Times are not in the file, so that segments follow each other with a gap.
    starts = (segments["width"] + 3).cumsum().shift(fill_value=0)
    return segments.assign(start=starts)


def words_figure(model, words: Dataset, places: Sequence[int]) -> plt.Figure:
    """Bags that are words: a column for each letter, a row for each label, darker if higher.

    A frame around the letter with the highest score of a label is green if the letter has the
    label, else orange. ``model`` is fitted; ``places`` are those of the words.
    """
    figure, axes = plt.subplots(
        1,
        len(places),
        figsize=(5.6, 3.0),
        layout="constrained",
        squeeze=False,
    )
    for ax, place in zip(axes.flat, places, strict=True):
        _draw_word(ax, model, words, place)
    frame: dict[str, Any] = dict(fill=False, linewidth=2)
    handles = [
        Patch(edgecolor=RIGHT, label="highest score, has the label", **frame),
        Patch(edgecolor=WRONG, label="highest score, lacks it", **frame),
        Patch(color="#888888", label="darker: higher score"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)
    return figure


def _draw_word(ax, model, words, place):
    names = np.array(words.label_names)
    labels = np.flatnonzero(words.Y[place])
    bags, labelled = _bags_and_truth(words)
    of_letters = _rows_of_bag(bags, place, labelled)
    is_right = of_letters[:, labels]  # (n_letters, n_labels)
    letters = names[of_letters.argmax(axis=1)]
    scores = explain(model, [bags[place]])[:, labels]
    # Each label has its own range, so that its letters differ.
    shades = (scores - scores.min(axis=0)) / np.ptp(scores, axis=0)
    table = pd.DataFrame(shades.T, names[labels], letters)
    sns.heatmap(table, cmap="Greys", vmin=0, vmax=1.6, cbar=False, ax=ax)
    for row, top in enumerate(scores.argmax(axis=0)):
        color = RIGHT if is_right[top, row] else WRONG
        frame = dict(fill=False, edgecolor=color, linewidth=2, clip_on=False)
        ax.add_patch(Rectangle((top, row), 1, 1, **frame))
    ax.set(xlabel="letters of the word", ylabel="its labels")
    ax.tick_params(rotation=0)


def explanations_table(records: pd.DataFrame) -> ReportTable:
    """Four measures of explanations without calibration, by method and data set."""
    tidy = measured_explanations(records, [*POINTING])
    # What was taught the answers does not compete.
    rivals = tidy.drop(CEILING, level="method", errors="ignore")
    highest = rivals.groupby("dataset").transform("max")
    is_best = tidy == highest.reindex(tidy.index)
    texts = tidy.map(number_text)
    rows = zip(
        texts.itertuples(index=False),
        is_best.itertuples(index=False),
        strict=True,
    )
    entries = [Entry(lines, bold) for lines, bold in rows]
    names = tidy.index.get_level_values("method")
    sets = tidy.index.get_level_values("dataset")
    shown = crossed(names, sets, entries)
    caption = (
        "Explanations compared with true labels. From top to bottom, a cell has the accuracy of an "
        "instance's top label among all labels; the same among its bag's labels; the area under "
        "the curve; pointing. Means over splits."
    )
    in_order = [name for name in SETS if name in shown]
    return frame_grid(
        shown[in_order],
        tidy.reset_index(),
        caption,
        corner="method",
        rules_above=(CEILING,),
    )


def areas_table(ours: pd.DataFrame, printed: Mapping[str, tuple[float, float]]) -> ReportTable:
    """Areas under one curve for all labels on DBpedia: of bags and of sentences."""
    of_others = pd.DataFrame(printed, ours.columns).T
    of_others = of_others.rename("{}, printed".format)
    tidy = pd.concat([of_others, ours]).rename_axis("method")
    shown = tidy.map(number_text).set_axis(["bags", "sentences"], axis=1)
    caption = (
        "DBpedia: area under one curve for all labels (micro-AUC), printed and ours. Our methods "
        "see the most frequent 2% of the words. The printed methods see all words."
    )
    below_printed = tuple(ours.index[:1])
    return frame_grid(
        shown,
        tidy.reset_index(),
        caption,
        rules_above=below_printed,
    )


def defaults_table(trials: pd.DataFrame) -> ReportTable:
    """The defaults of the paper's learners, and what each change of them adds."""
    keys = ["method", "override", "dataset"]
    groups = checked_for_means(trials, "override").groupby(keys, sort=False)
    means = groups[["average_precision", "hamming_loss"]].mean()
    by_default = means.xs("{}", level="override")
    # Each row's default, in the order of the rows.
    defaults = by_default.reindex(means.index.droplevel("override"))
    changes = means - defaults.to_numpy()
    names, entries = [], []
    for (method, override, _), mean in means.iterrows():
        if override == "{}":
            names.append(method)
            entries.append(Entry(tuple(map(number_text, mean))))
        else:
            names.append(f"{method}: {override_in_words(override)}")
            change = changes.loc[mean.name]
            entries.append(Entry(tuple(map(signed_text, change))))
    shown = crossed(names, means.index.get_level_values("dataset"), entries)
    n_splits = trials["split"].nunique()
    caption = (
        "Defaults, and the differences when they are changed: average precision above hamming "
        f"loss, means over {n_splits} splits. Defaults were chosen on "
        f"{' and '.join(DEFAULTS_FROM)}; the other sets took no part."
    )
    return frame_grid(
        _chosen_first(shown),
        means.reset_index(),
        caption,
        corner="defaults, or a change",
    )


def _chosen_first(shown):
    """The data sets that defaults were chosen on come first, and their heads say so."""
    chosen_on = [name for name in DEFAULTS_FROM if name in shown]
    in_order = shown[[*chosen_on, *shown.columns.drop(chosen_on)]]
    return in_order.rename(columns={name: f"{name} (chosen)" for name in chosen_on})
