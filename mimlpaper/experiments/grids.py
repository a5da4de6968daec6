"""Estimators that choose the parameters of their last step by hold-out."""

from __future__ import annotations

from sklearn.pipeline import make_pipeline

from mimlpaper.experiments.holdout import HoldOut

__all__ = ["by_hold_out"]


def by_hold_out(*steps, **grid) -> HoldOut:
    """A pipeline of ``steps`` with a grid for its last one, judged by average precision.

    ``by_hold_out(scaler, MlSvm(), C=[1, 10])`` tries two settings on a quarter of the training
    set that is held out.
    """
    pipeline = make_pipeline(*steps)
    learner = pipeline.steps[-1][0]
    settings = {f"{learner}__{name}": list(values) for name, values in grid.items()}
    return HoldOut(pipeline, settings, criterion="average_precision")
