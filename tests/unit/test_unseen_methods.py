"""The rows on unseen data: no setting nearest to print, and everything runs."""

import numpy as np
import pytest

from mimlpaper.kernels import kernel_matrix
from mimlpaper.preprocessing import ConcatenateInstances
from mimlpaper.study.records import Store
from mimlpaper.study.registry import get_experiment, settings_nearest_to_print
from mimlpaper.study.runner import compute
from mimlpaper.study.unseen import UNSEEN, UNSEEN_TEXTS

FAST = ["MimlNn", "MlSvm", "Ml-knn", "Guess", "Set kernel", "Max pooling", "NoisyOr"]


@pytest.mark.parametrize("name", ["unseen", "unseen_texts"])
def test_no_setting_is_near_to_print(name):
    assert set(settings_nearest_to_print(name).values()) == {0}
    assert UNSEEN.keys() == UNSEEN_TEXTS.keys()
    assert get_experiment(f"{name}_tuned").methods == tuple(m for m in UNSEEN if m != "Guess")


def test_bags_of_any_size_are_not_concatenated():
    for row in UNSEEN.values():
        for configured in (row.published(), row.tuned()):
            steps = getattr(configured, "estimator", configured)
            assert not any(isinstance(step, ConcatenateInstances) for step in steps)


def test_every_kind_of_row_runs_on_drawn_data(tmp_path):
    records = compute("unseen", profile="smoke", methods=FAST, jobs=1, store=Store(tmp_path))
    assert records["method"].tolist() == FAST
    precision = records.set_index("method")["average_precision"]
    assert precision.idxmin() == "Guess"


def test_the_set_kernel_is_that_of_section_5(bags):
    """The mean of k(x, z) over pairs of instances, of unit length for each bag with itself."""
    step = UNSEEN["Set kernel"].published()[1].set_params(oninstances__transformer__rank=None)
    vectors = step.fit_transform(bags)
    means = np.array([[kernel_matrix(a, b, gamma=1.0).mean() for b in bags] for a in bags])
    scale = np.sqrt(np.diag(means))
    assert vectors @ vectors.T == pytest.approx(means / np.outer(scale, scale), abs=1e-6)
