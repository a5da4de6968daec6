"""An interactive page and widget: which part of an image shows a label.

``play.js`` computes features and scores in the browser. It needs the numbers of a fitted learner,
:func:`exported`, and images to choose from, :func:`scenes_to_choose`.
"""

import base64
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from IPython import get_ipython
from PIL import Image, ImageOps
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.datasets import SCENE_LABELS, load_synthetic_scene, make_scenes
from mimlpaper.datasets.images_and_texts import FORMATS
from mimlpaper.preprocessing import OnInstances

try:
    import anywidget
    import ipywidgets
    import traitlets

    HAS_WIDGETS = True
except ImportError:  # the extra "lab"
    HAS_WIDGETS = False

MODULE = Path(__file__).with_suffix(".js")
# The paper's own and a probabilistic one, of a rank that a page can hold.
LEARNERS = (DMimlSvm(rank=100, random_state=1), NoisyOr(rank=100, ridge=0.3, random_state=1))


def trained_on_scenes(learner=LEARNERS[0], *, n_images: int = 400) -> Pipeline:
    """A learner behind a MinMaxScaler, fitted on drawn scenes."""
    scenes = load_synthetic_scene(n_images=n_images, random_state=1)
    return make_pipeline(OnInstances(MinMaxScaler()), clone(learner)).fit(scenes.X, scenes.Y)


def exported(model: Pipeline, label_names: Sequence[str] = SCENE_LABELS) -> dict:
    """The numbers of a fitted D-MimlSvm or NoisyOr behind a MinMaxScaler.

    Features of x are φ(x) = L⁻¹ (k(x, l_1), ..., k(x, l_r)), with the landmarks l_k and the
    triangle L of the :class:`~mimlpaper.kernels.KernelFactor`; a label has weights, an intercept.
    """
    scaler, learner = model[0].transformer_, model[-1]
    is_unit = isinstance(learner, DMimlSvm) and learner.set_kernel == "unit"
    is_noisy_or = isinstance(learner, NoisyOr)
    if not (is_unit or is_noisy_or) or learner.kernel != "rbf":
        raise ValueError(
            "model must end in a NoisyOr, or a DMimlSvm of unit sets, "
            f'with kernel="rbf", got {learner!r}'
        )
    factor = learner.factor_
    weights = learner.weights_ if is_unit else learner.coef_.T
    # Zeros above the diagonal are left out.
    triangle = [row[: i + 1].tolist() for i, row in enumerate(factor.triangle_)]
    return {
        "learner": "D-MimlSvm" if is_unit else "NoisyOr",
        "labels": list(label_names),
        "scale": scaler.scale_.tolist(),
        "shift": scaler.min_.tolist(),
        "gamma": factor.gamma,
        "landmarks": factor.landmarks_.tolist(),
        "triangle": triangle,
        "weights": weights.tolist(),
        "intercept": learner.intercept_.tolist(),
    }


def drawn_scenes(*, n_images: int = 100, size: int = 96) -> list[dict]:
    """One drawn image of each set of labels that ``n_images`` have, as :func:`scenes_to_choose`."""
    images, Y, _ = make_scenes(n_images, size=size, random_state=2)
    label_sets, places = np.unique(Y, axis=0, return_index=True)
    labels = np.array(SCENE_LABELS)
    names = []
    for has_label in label_sets:
        names.append(f"Synthetic: {' and '.join(labels[has_label])}")
    return scenes_to_choose(list(images[places]), names)


def scenes_to_choose(images: Sequence, names: Sequence[str]) -> list[dict]:
    """Images to choose from, by path or as bytes (height, width, 3): names and data URLs."""
    scenes = []
    for name, image in zip(names, images, strict=True):
        scenes.append({"name": name, "source": _data_url(image)})
    return scenes


def _data_url(image):
    if isinstance(image, np.ndarray):
        picture = Image.fromarray(image)
    else:
        picture = Image.open(image, formats=FORMATS)
    # A photograph may say in its metadata how it is to be turned.
    upright = ImageOps.exif_transpose(picture)
    file = io.BytesIO()
    upright.convert("RGBA").save(file, "png")
    content = base64.b64encode(file.getvalue()).decode()
    return f"data:image/png;base64,{content}"


def player(networks: dict | list[dict], scenes: list[dict]):
    """A widget that scores images in the browser; None if widgets cannot be shown.

    ``networks`` are one or more of :func:`exported`, for the same labels.
    """
    if not _is_live():
        return None
    traits: dict[str, traitlets.TraitType] = {}
    for name in ("networks", "scenes"):
        traits[name] = traitlets.Any().tag(sync=True)
    for name in ("learner", "label", "scene"):
        traits[name] = traitlets.Int(0).tag(sync=True)
    members = {"_esm": MODULE, **traits}
    # Made here: without the extra "lab" there is no class to inherit from.
    player_class = type("Player", (anywidget.AnyWidget,), members)
    return player_class(networks=networks, scenes=scenes)


def sliders(draw: Callable, **ranges):
    """Call ``draw`` as sliders move, see ``ipywidgets.interact``, if widgets can be shown."""
    if _is_live():
        ipywidgets.interact(draw, **ranges)


def _is_live():
    """Whether widgets are installed, the extra "lab", and someone is there to move them.

    Papermill and nbconvert ask nobody, and may wait for ever for a cell with sliders.
    """
    kernel = getattr(get_ipython(), "kernel", None)
    if kernel is None or not HAS_WIDGETS:
        return False
    return kernel.get_parent()["content"].get("allow_stdin", False)
