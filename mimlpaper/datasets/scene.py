"""The scene images of Section 4.3.2, each a bag of nine instances."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mimlpaper.bags import Bags
from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.matlab import label_matrix, read_variables
from mimlpaper.datasets.sources import Source, load_source

__all__ = ["SCENE", "SCENE_FEATURES", "load_scene"]

SCENE = Source(
    name="scene",
    files=("scene/miml-image-data.mat",),
    n_examples=2000,
    n_instances=18_000,
    n_features=15,
    n_labels=5,
    citation=(
        "Zhou, Zhang: Multi-instance multi-label learning with application to scene "
        "classification, Advances in Neural Information Processing Systems 19, 2007."
    ),
)

SCENE_FEATURES = tuple(
    f"{place} {colour}" for place in ("centre", "left", "up", "right", "down") for colour in "RGB"
)


def load_scene(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """2,000 natural scenes: desert, mountains, sea, sunset, trees; 22.85 % have several labels.

    Each bag holds nine instances of 15 features (``feature_names``): raw colours in
    [0, 255] and differences of colours. :func:`scene_mosaic` draws a bag.

    Parameters
    ----------
    data_home : path or None
        The data folder; None for ``$MIMLPAPER_DATA``, else ``data/raw``.
    """
    return load_source(SCENE, _read, data_home)


def _read(path: Path) -> dict[str, Any]:
    bags, targets, names = read_variables(path, "bags", "targets", "class_name")
    return {
        "X": Bags.from_list(bags.ravel()),
        "Y": label_matrix(targets),
        "label_names": tuple(str(name.item()) for name in names.ravel()),
        "feature_names": SCENE_FEATURES,
    }
