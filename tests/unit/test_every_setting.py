"""An estimator with each setting and with mixtures of them."""

import numpy as np

from mimlpaper import MimlNn
from mimlpaper.datasets import load_synthetic_scene
from mimlstudy.report.sections.every_setting import every_setting


def test_each_change_and_mixture_runs_on_the_same_splits():
    data = load_synthetic_scene(n_images=30)
    choices = [{"ratio": 0.2}, {"ridge": 10.0}]
    table = every_setting(
        MimlNn(),
        choices,
        data.X,
        data.Y,
        n_mixed=4,
        n_splits=2,
    )
    by_setting = table.groupby("setting", sort=False)
    assert [*by_setting.groups] == [
        "as it is",
        "ratio = 0.2",
        "ridge = 10.0",
        "ratio = 0.2, ridge = 10.0",
    ]
    assert by_setting["split"].agg(list).tolist() == [[0, 1]] * 4
    losses = by_setting["ranking_loss"].mean()
    assert np.isfinite(losses).all()
    assert losses.nunique() > 1
