"""An interactive page and widget: which part of an image brings a label.

``play.js`` computes features and scores in the browser. It needs the numbers of a fitted learner,
:func:`exported`, and images to choose from, :func:`choices`.
"""

import base64
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps
from scipy.linalg import solve_triangular
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.datasets import SCENE_LABELS, load_synthetic_scene, make_scenes
from mimlpaper.paths import RUN
from mimlpaper.preprocessing import OnInstances

try:
    import anywidget
    import ipywidgets
    import traitlets
except ImportError:  # the extra "lab"
    anywidget = None

MODULE = Path(__file__).with_suffix(".js")


def trained_on_scenes(*, n_images: int = 400, rank: int = 100) -> Pipeline:
    """A NoisyOr of a rank that a page can hold, fitted on drawn scenes."""
    scenes = load_synthetic_scene(n_images=n_images, random_state=1)
    learner = NoisyOr(rank=rank, ridge=0.3, random_state=1)
    return make_pipeline(OnInstances(MinMaxScaler()), learner).fit(scenes.X, scenes.Y)


def exported(model: Pipeline, label_names: Sequence[str] = SCENE_LABELS) -> dict:
    """The numbers of a fitted NoisyOr behind a MinMaxScaler: s_y(x) = Σ_k k(x, l_k) a_ky + b_y.

    The l_k are the landmarks of the :class:`~mimlpaper.kernels.KernelFactor`.
    """
    scaler, learner = model[0].transformer_, model[-1]
    if not (isinstance(learner, NoisyOr) and learner.kernel == "rbf"):
        raise ValueError(f'model must end in a NoisyOr with kernel="rbf", got {learner!r}')
    factor = learner.factor_
    weights = solve_triangular(factor.triangle_, learner.coef_.T, lower=True, trans="T")
    return {
        "labels": list(label_names),
        "scale": scaler.scale_.tolist(),
        "shift": scaler.min_.tolist(),
        "gamma": factor.gamma,
        "landmarks": factor.landmarks_.tolist(),
        "weights": weights.tolist(),
        "intercept": learner.intercept_.tolist(),
    }


def drawn_scenes(*, n_images: int = 100, size: int = 96) -> list[dict]:
    """One drawn image of each set of labels that ``n_images`` have, as :func:`choices`."""
    images, Y, _ = make_scenes(n_images, size=size, random_state=2)
    label_sets, firsts = np.unique(Y, axis=0, return_index=True)
    names = [" and ".join(np.array(SCENE_LABELS)[y]) for y in label_sets]
    return choices(list(images[firsts]), [f"Drawn as {name}" for name in names])


def choices(images: Sequence, names: Sequence[str]) -> list[dict]:
    """Images to choose from, by path or as bytes (height, width, 3): names and data URLs."""
    sources = map(_data_url, images)
    return [{"name": name, "source": url} for name, url in zip(names, sources, strict=True)]


def _data_url(image):
    picture = Image.fromarray(image) if isinstance(image, np.ndarray) else Image.open(image)
    file = io.BytesIO()
    ImageOps.exif_transpose(picture).convert("RGBA").save(file, "png")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def player(network: dict, scenes: list[dict]):
    """A widget that scores images in the browser; None if widgets cannot be shown."""
    if not _is_live():
        return None
    traits: dict[str, Any] = {
        name: traitlets.Any().tag(sync=True) for name in ("network", "scenes")
    }
    traits |= {name: traitlets.Int(0).tag(sync=True) for name in ("label", "scene")}
    kind = type("Player", (anywidget.AnyWidget,), {"_esm": MODULE, **traits})
    return kind(network=network, scenes=scenes)


def sliders(draw: Callable, **ranges):
    """Call ``draw`` as sliders move, see ``ipywidgets.interact``, if widgets can be shown."""
    if _is_live():
        ipywidgets.interact(draw, **ranges)


def _is_live():
    """Whether widgets are installed, the extra "lab", and a reader runs the notebook."""
    return anywidget is not None and RUN not in os.environ
