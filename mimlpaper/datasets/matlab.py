"""What the loaders of MATLAB files share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.io import loadmat

from mimlpaper.bags import Bags

__all__ = ["bags_of_runs", "label_matrix", "read_variables"]


def read_variables(path: Path, *names: str) -> list[np.ndarray]:
    """The named variables of a MATLAB file, in the order of the names.

    Only for files whose hash was compared: SciPy's compiled reader crashes on some damaged ones.
    """
    content = loadmat(path, variable_names=names)
    missing = [name for name in names if name not in content]
    if missing:
        raise ValueError(f"no variable named {', '.join(missing)}")
    return [content[name] for name in names]


def label_matrix(targets: np.ndarray) -> np.ndarray:
    """Targets -1 and 1 (n_labels, n_examples), of any dtype, as booleans (n_examples, n_labels)."""
    strange = targets[(targets != 1) & (targets != -1)]
    if len(strange):
        raise ValueError(f"targets must be -1 or 1, got {strange[0]}")
    return np.ascontiguousarray(targets.T == 1)


def bags_of_runs(instances: np.ndarray, bag_ids: np.ndarray) -> Bags:
    """Bags of instances (n_instances, n_features) whose bag's name, ``bag_ids``, is the same.

    The instances of a bag follow each other; bags keep the order of the file.
    """
    if len(instances) != len(bag_ids):
        raise ValueError(f"{len(instances)} instances, but {len(bag_ids)} names of bags")
    starts = np.flatnonzero(np.r_[True, bag_ids[1:] != bag_ids[:-1]])
    if len(starts) != len(np.unique(bag_ids)):
        raise ValueError("the instances of a bag must follow each other")
    return Bags(instances, np.append(starts, len(instances)))
