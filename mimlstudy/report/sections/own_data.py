"""A report on data of a reader's own: what is in them, who learns them best, and the answers.

The data are bags with labels, from a file or a folder of images. Learners of bags are compared
with simple rivals by cross-validation. The best learner is fitted to all labelled bags, saved, and
asked for the labels of new ones.
"""

import atexit
import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

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
from tqdm import tqdm

from mimlpaper import DMimlSvm, MeanInstances, MimlBoost, MimlNn, MimlSvm, MimlSvmMi, MlSvm, NoisyOr
from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.classifier import OnStatistics
from mimlpaper.datasets import (
    SCENE_LABELS,
    DataError,
    ImageBags,
    LabelledBags,
    labelled_bags,
    make_scenes,
    read_bags,
)
from mimlpaper.datasets.bag_files import read_labels, read_new_bags
from mimlpaper.datasets.frames import names_in
from mimlpaper.datasets.images_and_texts import FORMATS
from mimlpaper.explanations import explain
from mimlpaper.metrics import evaluate, scores_of
from mimlpaper.parameters import set_random_states
from mimlpaper.plots import explained_images
from mimlpaper.preprocessing import OnInstances
from mimlstudy.judge.statistics import ZERO, SplitSizes, extra_variance, t_test
from mimlstudy.report.figures import BLUE, GREEN, LINE, VERMILION
from mimlstudy.report.parameters import caller_folder, number_in
from mimlstudy.report.plain import markdown_text
from mimlstudy.report.sentences import listed

LABELS_FILE = "labels.csv"
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
# Criteria that rank learners, of several labels and of one, and their titles.
RANKING = {"average_precision": "average precision", "area_under_curve": "area under the curve"}
SIGNIFICANT = 0.05
# The notebook's parameters that name a file and say how it is read.
OF_FILE = ("file", "labels", "new_file", "label_sets", "separator", "bag", "missing", "encoding")
N_NEW = 12  # drawn images without labels
FEW_BAGS = 100  # with fewer, a fold has so few test bags that its criteria vary much


@dataclass(frozen=True)
class OwnData:
    """Labelled bags to learn from, and new ones whose labels are to be predicted.

    Parameters
    ----------
    labelled : LabelledBags.
    new : LabelledBags without labels, or None.
    images : mapping from names of bags to files, empty if the bags are no images.
    unread : names of other files beside the images.
    reading : mapping, the options of ``read_bags`` that the file of labelled bags needed.

    Raises ValueError for a single labelled bag, which cannot both train and test a learner.
    """

    labelled: LabelledBags
    new: LabelledBags | None
    images: Mapping[str, Path]
    unread: Sequence[str] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        if len(self.labelled) < 2:
            raise ValueError(
                f"at least two labelled bags are needed, one to learn from and one to test on, "
                f"got {len(self.labelled)}"
            )


def check_question(folder: str, file: str, **how_to_read):
    """Raise a ValueError for parameters that do not go together.

    ``how_to_read`` are the parameters beside the file itself, by name.
    """
    if file and folder:
        raise ValueError(f"give file or folder, got both: {file} and {folder}")
    given = [name for name, value in how_to_read.items() if value]
    if folder and "encoding" in given:
        given.remove("encoding")  # that of its file of labels
    if given and not file:
        raise ValueError(
            f"{', '.join(given)}: these say how a file is read, and no file is given; for "
            f"{LABELS_FILE} of a folder, which has 0 and 1 as labels, only encoding may be given"
        )


def data_of_file(
    file: str,
    labels: Sequence[str] = (),
    new_file: str = "",
    *,
    label_sets: str = "",
    separator: str = "",
    bag: str = "",
    missing: str = "",
    encoding: str = "",
) -> OwnData:
    """Bags of a file that :func:`~mimlpaper.datasets.read_bags` reads, and new ones of another.

    Parameters
    ----------
    file : str
    labels : sequence of str, default none
        The columns with labels; none if the file marks them.
    new_file : str, default ""
        The file of the new bags, which have the same features. Their labels are not read.
    label_sets : str, default ""
        In place of ``labels`` the column that holds sets of labels, such as "sea;trees".
    separator : str, default ""
        What stands between the labels of a set; "" for a semicolon or bar.
    bag : str, default ""
        The column that names the bags; "" for ``bag``, else the first.
    missing : str, default ""
        The number that replaces missing ones; "" refuses them.
    encoding : str, default ""
        Of text files; "" for UTF-8.
    """
    if labels and label_sets:
        raise ValueError(f"give labels or label_sets, got both: {[*labels]} and {label_sets!r}")
    if separator and not label_sets:
        raise ValueError(f"separator is for label_sets, which are not given, got {separator!r}")
    reading: dict[str, Any] = {
        "bag": bag or None,
        "missing": number_in("missing", missing) if missing else None,
        "encoding": encoding or "utf-8-sig",
    }
    with _first_column_named(file):
        labelled = _read_labelled(
            file,
            [*labels],
            label_sets,
            separator or None,
            reading,
        )
    new = None
    if new_file:
        _check_is_file(new_file)
        of_labels = [label_sets] if label_sets else labelled.label_names
        # A feature may have the name of a label.
        unread = {*of_labels} - {*labelled.feature_names}
        with _first_column_named(new_file):
            read = read_new_bags(new_file, unread, **reading)
        new = _with_features(read, labelled.feature_names, new_file)
    asked = {"bag": bag, "missing": missing, "encoding": encoding}
    needed = {name: reading[name] for name, value in asked.items() if value}
    return OwnData(labelled, new, {}, reading=needed)


@contextmanager
def _first_column_named(file):
    """Say what is to be done about a first column without a name: here bag="" asks for nothing."""
    try:
        yield
    except DataError as error:
        if "give bag=''" not in str(error):
            raise
        raise DataError(
            f"{file}: the first column must have a name, got none; write bag into its head if it "
            "names the bags, or delete the column"
        ) from error


def _read_labelled(file, labels, label_sets, separator, reading):
    _check_is_file(file)
    if label_sets:
        return read_bags(file, labels=label_sets, separator=separator, **reading)
    try:
        return read_bags(file, labels=labels or None, **reading)
    except DataError as error:
        for name in labels:
            if _holds_sets(file, name, reading):
                raise ValueError(
                    f"{file}: the column {name!r} holds sets of labels; give label_sets={name} in "
                    "place of labels"
                ) from error
        raise


def _holds_sets(file, column, reading):
    """Whether a column that is not 0 and 1 is read as sets of labels."""
    without_gaps = reading | {"missing": 0.0}  # missing numbers are another error
    for separator in (None, ","):
        with suppress(DataError):
            read_bags(file, labels=column, separator=separator, **without_gaps)
            return True
    return False


def _check_is_there(path):
    if not Path(path).exists():
        raise ValueError(f"{path} is not there; a relative path begins at {caller_folder()}")


def _check_is_file(path):
    _check_is_there(path)
    if Path(path).is_dir():
        raise ValueError(f"file must be a file, got the folder {path}; give images as folder")


def _with_features(new, feature_names, new_file):
    """The new bags without labels, with the features of the labelled ones in their order."""
    n, n_new = len(feature_names), len(new.feature_names)
    if Path(new_file).suffix.lower() == ".mat" and n_new != n:  # which names no features
        raise ValueError(f"{new_file} must have {n} features, as the labelled bags, got {n_new}")
    missing = sorted({*feature_names} - {*new.feature_names})
    if missing:
        raise ValueError(
            f"{new_file} must have the features of the labelled bags; it lacks {len(missing)}: "
            f"{missing[:5]}"
        )
    places = [new.feature_names.index(name) for name in feature_names]
    bags = new.X.with_instances(new.X.instances[:, places], feature_names)
    return _unlabelled(bags, new.bag_names)


def _unlabelled(bags, names):
    """Bags whose labels are not known."""
    return labelled_bags(bags, np.zeros((len(bags), 0)), bag_names=names)


def data_of_folder(folder: str | Path, encoding: str = "") -> OwnData:
    """The images of a folder: those that ``labels.csv`` names, and all others as new ones.

    ``labels.csv`` has the file's name in its first column, and a column of 0 and 1 a label, as
    :func:`~mimlpaper.datasets.bag_files.read_labels` reads it, in ``encoding``, or in UTF-8 if that
    is "". Hidden files are no images. Raises ValueError if ``labels.csv`` is not there, or names an
    image that is not there.
    """
    folder = Path(folder)
    _check_is_there(folder)
    if folder.is_file():
        raise ValueError(f"folder must be a folder, got the file {folder}; give it as file")
    table_file = folder / LABELS_FILE
    if not table_file.exists():
        raise ValueError(
            f"{folder} must have a file {LABELS_FILE}: a line of heads, such as image,sea,trees, "
            "then a line for each labelled image, such as beach.png,1,0"
        )
    table = read_labels(table_file, encoding=encoding or "utf-8-sig")
    files = [folder / name for name in table.index]
    absent = [path.name for path in files if not path.is_file()]
    if absent:
        raise ValueError(f"{table_file} names images that are not there: {absent[:3]}")
    known = {path.resolve() for path in files}
    visible = _visible_files(folder)
    new_files = [path for path in _images_among(visible) if path.resolve() not in known]
    to_bags = ImageBags()
    bags = to_bags.fit_transform(files)
    labelled = labelled_bags(bags, table, bag_names=[*table.index])
    new = None
    if new_files:
        new_bags = to_bags.transform(new_files)
        new = _unlabelled(new_bags, [path.name for path in new_files])
    by_name = {path.name: path for path in new_files}
    # A name of the table may lie in a folder of the folder.
    by_name.update(zip(table.index, files, strict=True))
    read = {path.resolve() for path in (table_file, *by_name.values())}
    unread = [path.name for path in visible if path.is_file() and path.resolve() not in read]
    return OwnData(labelled, new, by_name, unread)


def _visible_files(folder):
    """What lies in a folder and is not hidden, in the order of the names.

    macOS writes hidden files, such as ._beach.png, beside images on other systems' disks.
    """
    return sorted(folder.glob("[!.]*"))


def _images_among(paths):
    """The files that end as images do."""
    kinds = Image.registered_extensions()  # of all endings that Pillow knows
    return [path for path in paths if kinds.get(path.suffix.lower()) in FORMATS]


def source_in_words(file: str, folder: str) -> str:
    """Which file or folder was read, by its name alone, in Markdown."""
    if not file and not folder:
        return "Synthetic images, since no data are given."
    return f"Read from {markdown_text(Path(file or folder).name)}."


def overview(data: OwnData) -> pd.DataFrame:
    """What is in the data: a row for each number, as text."""
    labelled = data.labelled
    sizes = labelled.X.sizes
    n_labels = labelled.Y.sum(axis=1)  # (n_bags,)
    numbers = {
        "labelled bags": len(labelled),
        "new bags": len(data.new or ()),
        "instances of a bag, fewest": sizes.min(),
        "instances of a bag, median": np.median(sizes),
        "instances of a bag, most": sizes.max(),
        "features": labelled.X.n_features,
        "labels": len(labelled.label_names),
        "bags with several labels": int((n_labels > 1).sum()),
        "bags without a label": int((n_labels == 0).sum()),
    }
    # As text: in a column of numbers a median would give all the others decimals.
    texts = {name: f"{number:,.10g}" for name, number in numbers.items()}
    return pd.DataFrame({"number": texts})


def warnings_about(data: OwnData, n_folds: int) -> list[str]:
    """What a reader should know before numbers on these data are believed, in Markdown."""
    labelled = data.labelled
    sentences = _warnings_about_labels(labelled, n_folds)
    spread = np.ptp(labelled.X.instances, axis=0)
    constant = np.array(labelled.feature_names)[spread == 0]
    if len(constant):
        names = _listed(constant[:5])  # there may be hundreds
        sentences.append(f"Features with one value only: {len(constant)} ({names}).")
    n_different = len({bag.tobytes() for bag in labelled.X})
    n_copies = len(labelled) - n_different
    if n_copies:
        sentences.append(f"Bags that are copies of others: {n_copies}. Folds may share them.")
    n_without = int((~labelled.Y.any(axis=1)).sum())
    if n_without:
        sentences.append(
            f"Labelled bags without a label: {n_without}. They count as bags that have none, and "
            "not as bags whose labels are unknown."
        )
    if data.unread:
        names = _listed(data.unread[:5])
        sentences.append(
            f"Files that are not read, since they do not end as images do: {len(data.unread)} "
            f"({names})."
        )
    if len(labelled) < FEW_BAGS:
        sentences.append(f"{len(labelled)} bags are few: differences below will be uncertain.")
    return sentences


def _warnings_about_labels(labelled, n_folds):
    sentences = []
    counts = pd.Series(labelled.Y.sum(axis=0), labelled.label_names)
    # In some fold no training bag, or no test bag, has such a label.
    rare = counts[counts < n_folds]
    if len(rare):
        names = _listed(f"{name} ({count})" for name, count in rare.items())
        sentences.append(f"Fewer bags than folds have these labels: {names}.")
    everywhere = counts[counts == len(labelled)]
    if len(everywhere):
        names = _listed(everywhere.index)
        sentences.append(f"Every bag has these labels: {names}.")
    return sentences


def _listed(names):
    """Names of the reader's data with commas between them, as text in Markdown."""
    return ", ".join(map(markdown_text, names))


def pipeline_of(learner: str, seed: int = 0) -> Pipeline:
    """The unfitted learner behind a scaling of features to [0, 1]."""
    _, estimator = LEARNERS[learner]
    scaling = OnInstances(MinMaxScaler())
    scaled = make_pipeline(scaling, clone(estimator))
    set_random_states(scaled, seed)
    return scaled


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
    DataFrame with the columns learner, fold, n_test and the criteria of
    :func:`~mimlpaper.metrics.evaluate`.
    """
    if learner and learner not in LEARNERS:
        raise ValueError(f"learner must be one of {[*LEARNERS]}, got {learner!r}")
    rivals = [name for name, (sees, _) in LEARNERS.items() if sees != BAGS]
    asked = {learner, *rivals} if learner else {*LEARNERS}
    names = [name for name in LEARNERS if name in asked]
    # The same folds for all learners: their differences have less noise.
    splitter = KFold(min(n_folds, len(data)), shuffle=True, random_state=0)
    folds = list(splitter.split(data.Y))
    tasks = []
    for name in names:
        for fold, (train, test) in enumerate(folds):
            task = joblib.delayed(_criteria)(data, name, fold, train, test)
            tasks.append(task)
    fits = joblib.Parallel(jobs, return_as="generator")(tasks)
    rows = tqdm(fits, "comparing learners", len(tasks), unit="fit", leave=False)
    return pd.DataFrame(rows)


def _criteria(data, name, fold, train, test):
    model = pipeline_of(name)
    model.fit(data.X[train], data.Y[train])
    test_bags = data.X[test]
    scores = scores_of(model, test_bags)
    predicted = np.asarray(model.predict(test_bags), dtype=bool)
    criteria = evaluate(data.Y[test], scores, predicted)
    return {"learner": name, "fold": fold, "n_test": len(test), **criteria}


def criterion_of(compared: pd.DataFrame) -> str:
    """The criterion that ranks the learners; a single label has no average precision."""
    return next(name for name in RANKING if name in compared)


def comparison_table(compared: pd.DataFrame) -> pd.DataFrame:
    """A row for each learner, the best first, with its mean criterion and hamming loss.

    Among equals the first of :data:`LEARNERS` stands first.

    ``behind`` is the mean difference of the criterion to the first learner, over folds that define
    it. ``p`` is that of the corrected resampled t-test of this difference, since training sets of
    folds overlap.
    """
    criterion = criterion_of(compared)
    by_fold = _folds_that_define(criterion, compared)
    in_order = [name for name in LEARNERS if name in by_fold]
    means = by_fold[in_order].mean().sort_values(ascending=False, kind="stable")
    best = means.index[0]
    # The best minus each, so that a learner behind it has a positive number.
    differences = by_fold.rsub(by_fold[best], axis=0)
    groups = compared.groupby("learner")
    columns = {
        "sees": {name: LEARNERS[name][0] for name in means.index},
        RANKING[criterion]: means,
        "std": by_fold.std(),
        "behind": differences.mean(),
        "p": _p_values(differences, compared),
        "hamming loss": groups["hamming_loss"].mean(),
    }
    table = pd.DataFrame(columns)
    return table.loc[means.index]


def _folds_that_define(criterion, compared):
    """A criterion of each learner, a fold a row; a fold in which no bag has a label has none."""
    return compared.pivot(index="fold", columns="learner", values=criterion).dropna()


def _p_values(differences, compared):
    """Two-sided p of each learner's mean difference to the best; differences are a fold a row."""
    if len(differences) < 2:
        return pd.Series(np.nan, differences.columns)
    n_test = compared["n_test"].mean()
    # Each bag is in one fold of a learner, so that these sum to all bags.
    n_bags = compared.groupby("learner")["n_test"].sum().iloc[0]
    sizes = SplitSizes(n_bags - n_test, n_test)
    one_sided = t_test(differences.T.to_numpy(), extra_variance(sizes))
    two_sided = np.minimum(1.0, 2 * one_sided)
    return pd.Series(two_sided, differences.columns)


def comparison_in_words(compared: pd.DataFrame) -> str:
    """What the comparison shows, in a few sentences."""
    table = comparison_table(compared)
    criterion = criterion_of(compared)
    title = RANKING[criterion]
    highest = table[title].iloc[0]
    if np.isnan(highest):
        return f"Learners cannot be compared: no fold defines {title}."
    is_best = table["behind"] < ZERO
    best, rivals = table.index[is_best], table.index[~is_best]
    has, it_is = ("has", "It is") if len(best) == 1 else ("have", "They are")
    sentences = [f"{listed(best)} {has} the highest {title}, {highest:.3f}."]
    n_folds, n_defining = compared["fold"].nunique(), len(_folds_that_define(criterion, compared))
    if n_defining < n_folds:
        sentences.append(f"Only {n_defining} of {n_folds} folds define it.")
    # A NaN, of a single fold, shows no difference.
    similar = [name for name in rivals if not table.loc[name, "p"] < SIGNIFICANT]
    if similar:
        sentences.append(f"These are not significantly worse: {listed(similar)}.")
    elif len(rivals):
        sentences.append(f"{it_is} significantly better than every other learner.")
    return " ".join(sentences)


def predictions(model: Pipeline, new: LabelledBags, label_names: Sequence[str]) -> pd.DataFrame:
    """A row for each new bag: its labels, and the score of each."""
    scores = pd.DataFrame(scores_of(model, new.X), new.bag_names, label_names)
    labels = np.asarray(model.predict(new.X), dtype=bool)
    names = np.array(label_names, dtype=object)
    answers = [_text_of_set(names[row].tolist()) for row in labels]
    scores.insert(0, "labels", answers, allow_duplicates=True)  # a label may have this name
    return scores.rename_axis("bag")


def _text_of_set(names):
    """Names as ``read_bags`` reads a set: with semicolons between them, else as a list in JSON."""
    text = "; ".join(names)
    return text if names_in(text, None) == names else json.dumps(names, ensure_ascii=False)


def explained_bags(
    model: Pipeline, bags: LabelledBags, label_names: Sequence[str], n_shown: int = 2
) -> pd.DataFrame:
    """For each bag and each of its highest labels, the instance that speaks most for the label.

    ``instance`` counts from 0; ``instance_score`` is that of
    :func:`~mimlpaper.explanations.explain`.
    """
    scores = scores_of(model, bags.X)
    offsets = bags.X.offsets
    by_bag = np.split(explain(model, bags.X), offsets[1:-1])
    rows = []
    for i, (name, in_bag) in enumerate(zip(bags.bag_names, by_bag, strict=True)):
        highest = np.argsort(-scores[i], kind="stable")[:n_shown]
        for label in highest:
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


def how_to_load(path: Path, data: OwnData) -> str:
    """The lines that load a model, saved in the folder where they run, in Markdown."""
    options = "".join(f", {name}={value!r}" for name, value in data.reading.items())
    reader, bags = "read_bags", f'read_bags("new_bags.csv", labels=[]{options}).X'
    if data.images:
        reader, bags = "ImageBags", 'ImageBags().transform(["new.png"])'
    return f"""
```python
import joblib
from mimlpaper.datasets import {reader}

saved = joblib.load("{path.name}")
model, labels = saved["model"], saved["labels"]
model.predict({bags})
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
    has_one = data.Y.sum(axis=1, keepdims=True) == 1
    columns = {
        "alone": (data.Y & has_one).sum(axis=0),
        "with others": (data.Y & ~has_one).sum(axis=0),
    }
    counts = pd.DataFrame(columns, index=data.label_names)
    height = 0.9 + 0.24 * len(counts)
    figure, ax = plt.subplots(figsize=(6.2, height), layout="constrained")
    # Bars are drawn from below, and the first label stands on top.
    upwards = counts[::-1]
    upwards.plot.barh(stacked=True, ax=ax, color=[BLUE, GREEN], legend=False)
    ax.legend(
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=2,
        frameon=False,
    )
    # A dollar in a name begins no formula.
    ax.set_yticks(range(len(upwards)), upwards.index, parse_math=False)
    ax.set(xlabel="number of bags", ylabel="")
    ax.locator_params(axis="x", integer=True)
    return figure


def comparison_figure(compared: pd.DataFrame) -> Figure:
    """The criterion of each learner: a dot a fold, a line at the mean, the best on top."""
    table = comparison_table(compared)
    criterion = criterion_of(compared)
    title = RANKING[criterion]
    size = (6.2, 0.9 + 0.3 * len(table))
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    places = {name: place for place, name in enumerate(table.index)}
    colors = {BAGS: BLUE, ONE_VECTOR: VERMILION, NO_FEATURES: LINE}
    for sees, color in colors.items():
        names = table.index[table["sees"] == sees]
        folds = compared[compared["learner"].isin(names)]
        heights = folds["learner"].map(places)
        label = f"sees {sees}"
        ax.scatter(folds[criterion], heights, s=14, color=color, label=label)
        means = table.loc[names, title]
        ax.scatter(means, names.map(places), color=color, marker="|", s=220)
    ax.set_yticks(range(len(table)), table.index)
    ax.invert_yaxis()
    ax.set(xlabel=f"{title} of a fold (dot), and the mean (line)")
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 1.25),
        ncols=3,
        frameon=False,
    )
    return figure


def explanation_figure(model: Pipeline, data: OwnData, shown: LabelledBags) -> Figure:
    """Pictures with the parts that speak for their highest labels, see ``explained_images``."""
    files = [data.images[name] for name in shown.bag_names]
    true = shown.Y if shown.label_names else None
    return explained_images(model, files, data.labelled.label_names, true=true)


def drawn_folder(profile: str) -> Path:
    """A folder of images that the library draws, with ``labels.csv`` of all but the last twelve."""
    n_images = {"paper": 112, "quick": 92, "smoke": 42}[profile]
    folder = Path(mkdtemp(prefix="images-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    pictures, Y, _ = make_scenes(n_images, size=48, random_state=7)
    names = [f"{i:03d}.png" for i in range(n_images)]
    for name, pixels in zip(names, pictures, strict=True):
        Image.fromarray(pixels).save(folder / name)
    table = pd.DataFrame(Y.astype(int), names, SCENE_LABELS)
    labelled = table[:-N_NEW]
    labelled.to_csv(folder / LABELS_FILE, index_label="image")
    return folder
