"""Do explanations point at the right instance? Measured where the right one is known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.bags import Bags
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.datasets import load_synthetic_scene
from mimlpaper.experiments.section4_methods import AS_PUBLISHED, UNIT_RANGE
from mimlpaper.experiments.trial import set_random_states
from mimlpaper.explain import explain
from mimlpaper.report.rendering import ReportTable, text_entry

__all__ = ["EXPLAINED", "explanation_check", "explanation_hits", "explanation_table"]

# The configurations of Table 1, D-MimlSvm with its default parameters, and mi-SVM stopped where
# every instance still has all labels of its bag.
EXPLAINED = {
    **{name: AS_PUBLISHED["scene"][name] for name in ("MimlBoost", "MimlSvm_mi")},
    "MimlSvm_mi, 1 alternation": make_pipeline(
        UNIT_RANGE, MimlSvmMi(gamma=5.0, C=10.0, max_alternations=1)
    ),
    "D-MimlSvm": make_pipeline(UNIT_RANGE, DMimlSvm()),
    **{name: AS_PUBLISHED["scene"][name] for name in ("MimlSvm", "MimlNn")},
}
CHANCE = "an instance at random"
TAUGHT = "taught the instances' labels"


def explanation_hits(
    scores: np.ndarray, bags: Bags, Y: np.ndarray, instance_labels: np.ndarray
) -> pd.DataFrame:
    """Whether the top-scored instance shows the label, for each label that a bag has.

    Parameters
    ----------
    scores : (n_instances, n_labels), as from :func:`~mimlpaper.explain.explain`.
    bags : Bags
    Y : bool array (n_bags, n_labels)
    instance_labels : bool array (n_instances, n_labels)

    Returns
    -------
    hits : DataFrame
        One row for each bag and label: ``bag``, ``label``, ``n_labels`` of the bag, ``hit``,
        the share of instances that show the label among those with the highest score, and
        ``chance``, their share in the whole bag.
    """
    top = scores == np.repeat(bags.max(scores), bags.sizes, axis=0)
    hit = bags.sum(1.0 * (top & instance_labels)) / bags.sum(1.0 * top)  # (n_bags, n_labels)
    chance = bags.mean(1.0 * instance_labels)
    bag, label = np.nonzero(Y)
    return pd.DataFrame(
        {
            "bag": bag,
            "label": label,
            "n_labels": Y.sum(axis=1)[bag],
            "hit": hit[bag, label],
            "chance": chance[bag, label],
        }
    )


def explanation_check(
    estimators: Mapping | None = None,
    *,
    n_runs: int = 5,
    n_images: int = 400,
    random_state: int = 0,
) -> pd.DataFrame:
    """How often methods point at the right instance, on drawn scenes.

    Each run draws images anew, fits on one half and explains the other. The right
    instances are those whose central blob lies at least half in the label's region. An
    instance describes its neighbouring blobs as well, so that one *beside* a region may tell
    its label as surely. How well the right ones can be told at all says a support vector machine
    that is taught the labels of the training instances, which no MIML learner is told.

    Parameters
    ----------
    estimators : mapping from names to unfitted estimators of bags; None for :data:`EXPLAINED`.
    n_runs : int, default 5
    n_images : int, default 400
        Images in a run, both halves together.
    random_state : int, default 0
        Seed of the first run; the next ones count on.

    Returns
    -------
    check : DataFrame
        The rows of :func:`explanation_hits` for all methods and runs, with ``method``, ``run``,
        and labels by name; the method "taught the instances' labels" comes first.
    """
    estimators = EXPLAINED if estimators is None else estimators
    parts = []
    for run in range(n_runs):
        scenes = load_synthetic_scene(n_images=n_images, random_state=random_state + run)
        n_train = n_images // 2
        first_test = scenes.X.offsets[n_train]
        test, shown = scenes.X[n_train:], scenes.instance_labels[first_test:]
        explained = {TAUGHT: _taught(scenes, first_test)}
        for name, estimator in estimators.items():
            fitted = clone(estimator)
            set_random_states(fitted, random_state + run)
            fitted.fit(scenes.X[:n_train], scenes.Y[:n_train])
            explained[name] = explain(fitted, test)
        for name, scores in explained.items():
            hits = explanation_hits(scores, test, scenes.Y[n_train:], shown)
            hits["label"] = np.array(scenes.label_names)[hits["label"]]
            parts.append(hits.assign(method=name, run=run))
    return pd.concat(parts, ignore_index=True)


def explanation_table(check: pd.DataFrame) -> ReportTable:
    """Shares of right instances, mean ± std over runs: overall, in images with several labels,
    and for each label; above them, chance and what can be reached.
    """
    several = check[check["n_labels"] > 1]
    groups = {"all": check, "several labels": several, **dict(iter(check.groupby("label")))}
    tidy = pd.concat(
        _shares(rows).assign(images_or_label=name, pairs=_pairs(rows))
        for name, rows in groups.items()
    ).reset_index()
    rows = {
        method: tuple(
            text_entry(_number(mean, std))
            for mean, std in zip(cells["mean"], cells["std"], strict=True)
        )
        for method, cells in tidy.groupby("method", sort=False)
    }
    return ReportTable(
        caption=(
            "How often the top-scored instance lies in the label's region, for the true labels "
            f"of drawn scenes that were not trained on: mean ± std over {check['run'].nunique()} "
            "runs."
        ),
        corner="method",
        columns=tuple(groups),
        rows=rows,
        tidy=tidy,
        rule_above=check["method"].unique()[1],
    )


def _taught(scenes, first_test):
    """Scores of the test instances by a machine on instances with their own labels."""
    instances = scenes.X.instances
    machine = make_pipeline(MinMaxScaler(), MlSvm(gamma=5.0, C=10.0))
    machine.fit(instances[:first_test], scenes.instance_labels[:first_test])
    return machine.decision_function(instances[first_test:])


def _shares(rows):
    """Mean and std over runs of the share of hits, by method; chance above them."""
    by_run = rows.groupby(["method", "run"], sort=False)[["hit", "chance"]].mean()
    chance = by_run["chance"].groupby("run").first()
    over_runs = by_run["hit"].groupby("method", sort=False).agg(["mean", "std"])
    first = pd.DataFrame({"mean": chance.mean(), "std": chance.std()}, index=[CHANCE])
    return pd.concat([first, over_runs]).rename_axis("method")


def _pairs(rows):
    """Bags and labels that were judged, over all runs."""
    return len(rows[["run", "bag", "label"]].drop_duplicates())


def _number(mean, std):
    return f"{mean:.3f}" if np.isnan(std) else f"{mean:.3f} ± {std:.3f}"
