"""Section 6's experiments: the rows of Tables 3 and 4, and their differences."""

import numpy as np
import pytest

from mimlpaper.algorithms.insdif import InsDif
from mimlpaper.datasets import load
from mimlpaper.study.holdouts import HoldOut
from mimlpaper.study.published import TABLES
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.section6 import SECTION6
from mimlpaper.study.trials import Trial


def configured(name, dataset, method):
    return get_experiment(name).estimator(Trial(name, dataset, method, "{}", 0))


@pytest.mark.parametrize("experiment", SECTION6, ids=lambda experiment: experiment.name)
def test_parameters_of_every_trial_exist(experiment):
    for trial in experiment.trials("quick"):
        assert hasattr(experiment.estimator(trial), "fit")


@pytest.mark.parametrize("number", [3, 4])
def test_every_row_of_the_tables_is_run(number):
    """In the order of printing; a table may have more rows."""
    experiment = get_experiment(f"table{number}")
    printed = TABLES[number].algorithms
    assert tuple(name for name in experiment.methods if name in printed) == printed
    n_runs = len({(trial.dataset, trial.split) for trial in experiment.trials()})
    assert n_runs == TABLES[number].n_runs


def test_yeast_and_the_web_pages_differ_only_as_the_paper_says():
    """A sparse first step, and RankSvm's degree by hold-out."""
    for method in TABLES[3].algorithms:
        genes, pages = (
            configured(name, dataset, method)
            for name, dataset in (("table3", "yeast"), ("table4", "yahoo:Arts"))
        )
        if method == "RankSvm":
            assert isinstance(pages, HoldOut) and genes[-1].degree == 8
            assert pages.grid == {"ranksvm__degree": [2, 3, 4, 5, 6, 7, 8, 9]}
            pages = pages.estimator
            genes.set_params(ranksvm__degree=3)
        assert len(pages) == len(genes) + 1
        assert repr(pages[-1]) == repr(genes[-1])


def test_figure_8_sweeps_what_table_3_has():
    experiment = get_experiment("figure8")
    estimators = [experiment.estimator(trial) for trial in experiment.trials()]
    ratios = [estimator[-1].learner.ratio for estimator in estimators[:10]]
    assert np.allclose(ratios, np.arange(1, 11) / 10)
    assert repr(estimators[1]) == repr(configured("table3", "yeast", "InsDif"))


def test_the_ablation_changes_bags_and_keeps_learners():
    pairs = ("InsDif", "InsDif_MimlSvm_mi", "InsDif_MimlBoost")
    for method in pairs:
        own, without = (
            configured("ablation", "yeast", name)[-1] for name in (method, f"{method}, no bags")
        )
        assert isinstance(own, InsDif) and type(own.learner) is type(without.learner)
        assert type(own.transformation) is not type(without.transformation)


def test_stand_ins():
    pages, genes = load("synthetic_pages"), load("synthetic_genes")
    assert [trial.dataset for trial in get_experiment("mlsvm_yahoo").trials("smoke")] == [
        "synthetic_pages", "synthetic_pages",
    ]  # fmt: skip
    assert {trial.dataset for trial in get_experiment("table3").trials("smoke")} == {genes.name}
    assert pages.n_train == len(pages) // 2
    for dataset in pages, genes:
        assert np.allclose(np.linalg.norm(dataset.X, axis=1), 1.0)
        assert dataset.Y.any(axis=1).all() and dataset.Y[:100].any(axis=0).all()
    assert (pages.X > 0).mean() < 0.4
