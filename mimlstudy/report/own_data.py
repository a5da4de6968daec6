"""A report on data of a reader's own: what is in them, who learns them best, and the answers.

The data are bags with labels, from a file or a folder of images. Learners of bags are compared
with simple rivals by cross-validation. The best learner is fitted to all labelled bags, saved, and
asked for the labels of new ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import joblib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import DMimlSvm, MeanInstances, MimlBoost, MimlNn, MimlSvm, MimlSvmMi, MlSvm, NoisyOr
from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.classifier import OnStatistics
from mimlpaper.datasets import (
    SCENE_LABELS,
    ImageBags,
    LabelledBags,
    labelled_bags,
    make_scenes,
    read_bags,
)
from mimlpaper.explanations import explain
from mimlpaper.metrics import evaluate, scores_of
from mimlpaper.plots import explained_images
from mimlpaper.preprocessing import OnInstances
from mimlstudy.judge.statistics import SplitSizes, extra_variance, t_test
from mimlstudy.report.figures import BLUE, GREEN, LINE, VERMILION

LABELS_FILE = "labels.csv"
IMAGE_ENDINGS = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp")
BAGS, ONE_VECTOR, NO_FEATURES = "the bag", "one vector of it", "nothing of it"

# What a learner sees of a bag, and the learner. Simple rivals come last.
LEARNERS: dict[str, tuple[str, BaseEstimator]] = {
    "MimlBoost": (BAGS, MimlBoost(n_rounds=25)),
    "MimlSvm": (BAGS, MimlSvm()),
    "MimlSvm_mi": (BAGS, MimlSvmMi()),
    "MimlNn": (BAGS, MimlNn()),
    "D-MimlSvm": (BAGS, DMimlSvm()),
    "NoisyOr": (BAGS, NoisyOr()),
    "MlSvm on means": (ONE_VECTOR, make_pipeline(MeanInstances(), MlSvm())),
    "forest on statistics": (ONE_VECTOR, OnStatistics(RandomForestClassifier())),
    "label frequencies": (NO_FEATURES, LabelFrequencies()),
}
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class OwnData:
    """Labelled bags to learn from, and new ones whose labels are to be predicted.

    Parameters
    ----------
    labelled : LabelledBags.
    new : LabelledBags without labels, or None.
    images : mapping from names of bags to files, empty if the bags are no images.
    """

    labelled: LabelledBags
    new: LabelledBags | None
    images: Mapping[str, Path]


def data_of_file(file: str, labels: Sequence[str] = (), new_file: str = "") -> OwnData:
    """Bags of a file that :func:`~mimlpaper.datasets.read_bags` reads, and new ones of another.

    ``labels`` are the names of the columns with labels; none if the file marks them. The new file
    has the same features.
    """
    labelled = read_bags(file, labels=list(labels) or None)
    new = read_bags(new_file, labels=[]) if new_file else None
    if new and new.feature_names != labelled.feature_names:
        in_order = _in_order(new, labelled.feature_names, new_file)
        new = labelled_bags(in_order, new.Y, bag_names=new.bag_names)
    return OwnData(labelled, new, {})


def _in_order(new, feature_names, new_file):
    """The new bags with the features of the labelled ones, in their order."""
    missing = sorted({*feature_names} - {*new.feature_names})
    if missing:
        raise ValueError(f"{new_file} must have the features of the labelled bags; {missing} lack")
    places = [new.feature_names.index(name) for name in feature_names]
    return new.X.with_instances(new.X.instances[:, places])


def data_of_folder(folder: str | Path) -> OwnData:
    """The images of a folder: those that ``labels.csv`` names, and all others as new ones.

    ``labels.csv`` has the file's name in its first column, and a column of 0 and 1 a label.
    """
    folder = Path(folder)
    table = pd.read_csv(folder / LABELS_FILE, dtype={0: str}, index_col=0)
    names = [*table.index]
    if absent := [name for name in names if not (folder / name).is_file()]:
        raise ValueError(f"{folder / LABELS_FILE} names images that are not there: {absent[:3]}")
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in IMAGE_ENDINGS)
    new_files = [path for path in files if path.name not in table.index]
    to_bags = ImageBags()
    labelled = labelled_bags(
        to_bags.fit_transform([folder / name for name in names]), table, bag_names=names
    )
    new = None
    if new_files:
        new_names = [path.name for path in new_files]
        no_labels = np.zeros((len(new_files), 0))
        new = labelled_bags(to_bags.transform(new_files), no_labels, bag_names=new_names)
    images = {path.name: path for path in [*new_files, *(folder / name for name in names)]}
    return OwnData(labelled, new, images)


def overview(data: OwnData) -> pd.DataFrame:
    """What is in the data: a row for each number."""
    labelled = data.labelled
    sizes = labelled.X.sizes
    numbers = {
        "labelled bags": len(labelled),
        "new bags": len(data.new or ()),
        "instances of a bag, fewest": sizes.min(),
        "instances of a bag, median": int(np.median(sizes)),
        "instances of a bag, most": sizes.max(),
        "features": labelled.X.n_features,
        "labels": len(labelled.label_names),
        "bags with several labels": int((labelled.Y.sum(axis=1) > 1).sum()),
        "bags without a label": int((~labelled.Y.any(axis=1)).sum()),
    }
    return pd.DataFrame({"number": numbers})


def warnings_about(data: OwnData, n_folds: int) -> list[str]:
    """What a reader should know before numbers on these data are believed, as sentences."""
    labelled = data.labelled
    sentences = []
    counts = pd.Series(labelled.Y.sum(axis=0), labelled.label_names)
    rare = counts[counts < n_folds]
    if len(rare):
        names = ", ".join(f"{name} ({count})" for name, count in rare.items())
        sentences.append(f"Fewer bags than folds have these labels: {names}.")
    everywhere = counts[counts == len(labelled)]
    if len(everywhere):
        sentences.append(f"Every bag has these labels: {', '.join(everywhere.index)}.")
    constant = np.ptp(labelled.X.instances, axis=0) == 0
    if constant.any():
        names = ", ".join(np.array(labelled.feature_names)[constant][:5])
        sentences.append(f"Features with one value only: {constant.sum()} ({names}).")
    n_copies = len(labelled) - len({bag.tobytes() for bag in labelled.X})
    if n_copies:
        sentences.append(f"Bags that are copies of others: {n_copies}. Folds may share them.")
    if len(labelled) < 100:
        sentences.append(f"{len(labelled)} bags are few: differences below will be uncertain.")
    return sentences


def pipeline_of(learner: str, seed: int = 0) -> Pipeline:
    """The unfitted learner behind a scaling of features to [0, 1]."""
    _, estimator = LEARNERS[learner]
    scaled = make_pipeline(OnInstances(MinMaxScaler()), clone(estimator))
    seeded = [name for name in scaled.get_params() if name.endswith("random_state")]
    return scaled.set_params(**dict.fromkeys(seeded, seed))


def compare_learners(
    data: LabelledBags, learner: str = "", *, n_folds: int = 5, jobs: int = 1
) -> pd.DataFrame:
    """Criteria of each learner on each fold of one cross-validation.

    Parameters
    ----------
    data : LabelledBags.
    learner : str, default "" for all of :data:`LEARNERS`; one of them is compared with the simple
        rivals alone.
    n_folds : int, default 5.
    jobs : int, default 1, processes; -1 is one a core.

    Returns
    -------
    DataFrame with the columns learner, fold, n_test and the seven criteria.
    """
    if learner and learner not in LEARNERS:
        raise ValueError(f"learner must be one of {[*LEARNERS]}, got {learner!r}")
    names = [name for name, (sees, _) in LEARNERS.items() if learner in ("", name) or sees != BAGS]
    folds = KFold(min(n_folds, len(data)), shuffle=True, random_state=0)
    tasks = [
        joblib.delayed(_criteria)(data, name, fold, train, test)
        for name in names
        for fold, (train, test) in enumerate(folds.split(data.Y))
    ]
    return pd.DataFrame(joblib.Parallel(jobs)(tasks))


def _criteria(data, name, fold, train, test):
    model = pipeline_of(name).fit(data.X[train], data.Y[train])
    scores = scores_of(model, data.X[test])
    predicted = np.asarray(model.predict(data.X[test]), dtype=bool)
    criteria = evaluate(data.Y[test], scores, predicted)
    return {"learner": name, "fold": fold, "n_test": len(test), **criteria}


def comparison_table(compared: pd.DataFrame) -> pd.DataFrame:
    """A row for each learner, the best first, with its average precision and hamming loss.

    ``behind`` is the mean difference of average precision to the first learner. ``p`` is that of
    the corrected resampled t-test of this difference, since training sets of folds overlap.
    """
    by_fold = compared.pivot(index="fold", columns="learner", values="average_precision")
    means = by_fold.mean().sort_values(ascending=False, kind="stable")
    differences = by_fold.rsub(by_fold[means.index[0]], axis=0)
    n_test = compared["n_test"].mean()
    n_train = compared.groupby("learner")["n_test"].sum().iloc[0] - n_test
    extra = extra_variance(SplitSizes(n_train, n_test))
    p_values = np.minimum(1.0, 2 * t_test(differences.T.to_numpy(), extra))
    table = pd.DataFrame(
        {
            "sees": {name: LEARNERS[name][0] for name in means.index},
            "average precision": means,
            "std": by_fold.std(),
            "behind": differences.mean(),
            "p": pd.Series(p_values, by_fold.columns),
            "hamming loss": compared.groupby("learner")["hamming_loss"].mean(),
        }
    )
    return table.loc[means.index]


def comparison_in_words(table: pd.DataFrame) -> str:
    """What the comparison shows, in two sentences."""
    first, *others = table.index
    similar = [name for name in others if table.loc[name, "p"] >= SIGNIFICANT]
    lead = (
        f"{first} has the highest average precision, {table.loc[first, 'average precision']:.3f}."
    )
    if not others:
        return lead
    if not similar:
        return f"{lead} It is significantly better than every other learner."
    return f"{lead} These are not significantly worse: {', '.join(similar)}."


def predictions(model: Pipeline, new: LabelledBags, label_names: Sequence[str]) -> pd.DataFrame:
    """A row for each new bag: its labels, and the score of each."""
    scores = pd.DataFrame(scores_of(model, new.X), new.bag_names, label_names)
    labels = np.asarray(model.predict(new.X), dtype=bool)
    names = np.array(label_names, dtype=object)
    answers = [", ".join(names[row]) for row in labels]
    scores.insert(0, "labels", answers)
    return scores.rename_axis("bag")


def explained_bags(
    model: Pipeline, bags: LabelledBags, label_names: Sequence[str], n_shown: int = 2
) -> pd.DataFrame:
    """For each bag and each of its highest labels, the instance that speaks most for the label.

    ``instance`` counts from 0; ``instance_score`` is that of
    :func:`~mimlpaper.explanations.explain`.
    """
    scores, of_instances = scores_of(model, bags.X), explain(model, bags.X)
    rows = []
    for i, name in enumerate(bags.bag_names):
        in_bag = of_instances[bags.X.offsets[i] : bags.X.offsets[i + 1]]
        for label in np.argsort(-scores[i], kind="stable")[:n_shown]:
            instance = int(in_bag[:, label].argmax())
            rows.append(
                {
                    "bag": name,
                    "label": label_names[label],
                    "score": scores[i, label],
                    "instance": instance,
                    "instance_score": in_bag[instance, label],
                }
            )
    return pd.DataFrame(rows)


def save_model(model: Pipeline, path: Path, label_names: Sequence[str]) -> Path:
    """Write a fitted model with the names of its labels; ``joblib.load`` reads both.

    A file of joblib runs code when it is loaded: load only files that you trust, with the versions
    of packages that wrote them.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    joblib.dump({"model": model, "labels": list(label_names)}, path)
    return path


def how_to_load(path: Path) -> str:
    """The lines that load a model, saved in the folder where they run, in Markdown."""
    return f"""
```python
import joblib

saved = joblib.load("{path.name}")
model, labels = saved["model"], saved["labels"]
model.predict(bags)  # Bags, or a list with an array (n_instances, n_features) for each bag
```
"""


def bags_to_explain(data: OwnData, n_bags: int) -> LabelledBags:
    """The first new bags; if there are none, the labelled ones with the most labels."""
    if data.new:
        return data.new[:n_bags]
    order = np.argsort(-data.labelled.Y.sum(axis=1), kind="stable")
    return data.labelled[order[:n_bags]]


def label_figure(data: LabelledBags) -> Figure:
    """Bars: of each label the number of bags that have it alone, and with others."""
    alone = data.Y & (data.Y.sum(axis=1, keepdims=True) == 1)
    counts = pd.DataFrame(
        {"alone": alone.sum(axis=0), "with others": (data.Y & ~alone).sum(axis=0)},
        index=data.label_names,
    )
    height = 0.9 + 0.24 * len(counts)
    figure, ax = plt.subplots(figsize=(6.2, height), layout="constrained")
    counts[::-1].plot.barh(stacked=True, ax=ax, color=[BLUE, GREEN])
    ax.set(xlabel="number of bags", ylabel="")
    return figure


def comparison_figure(compared: pd.DataFrame) -> Figure:
    """Average precision of each learner: a dot a fold, a line at the mean, the best on top."""
    table = comparison_table(compared)
    figure, ax = plt.subplots(figsize=(6.2, 0.9 + 0.3 * len(table)), layout="constrained")
    places = dict(zip(table.index, range(len(table)), strict=True))
    colors = {BAGS: BLUE, ONE_VECTOR: VERMILION, NO_FEATURES: LINE}
    for sees, color in colors.items():
        names = table.index[table["sees"] == sees]
        rows = compared[compared["learner"].isin(names)]
        heights = rows["learner"].map(places)
        ax.scatter(rows["average_precision"], heights, color=color, s=14, label=f"sees {sees}")
        means = table.loc[names, "average precision"]
        ax.scatter(means, [places[name] for name in names], color=color, marker="|", s=220)
    ax.set_yticks(range(len(table)), table.index)
    ax.invert_yaxis()
    ax.set(xlabel="average precision of a fold (dot), and the mean (line)")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.25), ncols=3, frameon=False)
    return figure


def explanation_figure(model: Pipeline, data: OwnData, shown: LabelledBags) -> Figure:
    """Pictures with the parts that speak for their highest labels, see ``explained_images``."""
    files = [data.images[name] for name in shown.bag_names]
    true = shown.Y if shown.label_names else None
    return explained_images(model, files, data.labelled.label_names, true=true)


def drawn_folder(profile: str) -> Path:
    """A folder of images that the library draws, with ``labels.csv`` of all but the last twelve."""
    n_images = {"paper": 162, "quick": 92, "smoke": 42}[profile]
    folder = Path(mkdtemp(prefix="images-"))
    pictures, Y, _ = make_scenes(n_images, size=48, random_state=7)
    names = [f"{i:03d}.png" for i in range(n_images)]
    for name, pixels in zip(names, pictures, strict=True):
        Image.fromarray(pixels).save(folder / name)
    table = pd.DataFrame(Y.astype(int), names, SCENE_LABELS)
    table[:-12].to_csv(folder / LABELS_FILE, index_label="image")
    return folder
