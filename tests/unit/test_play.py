"""The page to play with: JavaScript scores images as the library does."""

import base64
import copy
import json
import shutil
import subprocess

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.datasets import ImageBags, make_scenes
from mimlpaper.explanations import explain
from mimlstudy.report.sections import play

NODE = shutil.which("node")
SCRIPT = """
import { readFileSync } from "node:fs";
import { features, scores } from "./play.mjs";
const { network, images } = JSON.parse(readFileSync("given.json"));
const scored = ([height, width, pixels]) =>
  scores(network, features(Buffer.from(pixels, "base64"), width, height));
process.stdout.write(JSON.stringify(images.map(scored)));
"""


@pytest.fixture(scope="module", params=[DMimlSvm, NoisyOr])
def model(request):
    learner = request.param(rank=40, random_state=1)
    return play.trained_on_scenes(learner, n_images=60)


def images_of_any_shape(rng):
    """40 synthetic scenes, and noise in two other shapes; red, green, blue and opacity."""
    scenes, _, _ = make_scenes(40, random_state=5)
    opaque = np.full((*scenes.shape[:3], 1), 255, np.uint8)
    images = [*np.concatenate([scenes, opaque], axis=-1)]
    for shape in ((8, 9, 4), (61, 300, 4)):
        images.append(rng.integers(0, 256, shape, dtype=np.uint8))
    return images


def as_json(image):
    height, width, _ = image.shape
    return [height, width, base64.b64encode(image.tobytes()).decode()]


def scored_by_javascript(model, images, folder):
    """The scores of each image and of its parts."""
    shutil.copy(play.MODULE, folder / "play.mjs")
    (folder / "run.mjs").write_text(SCRIPT)
    given = {
        "network": play.exported(model),
        "images": [as_json(image) for image in images],
    }
    (folder / "given.json").write_text(json.dumps(given))
    command = [NODE, "run.mjs"]
    ran = subprocess.run(
        command,
        cwd=folder,
        check=True,
        capture_output=True,
    )
    return json.loads(ran.stdout)


@pytest.mark.skipif(NODE is None, reason="there is no node on the path")
def test_javascript_computes_features_and_scores_as_the_library_does(tmp_path, model, rng):
    images = images_of_any_shape(rng)
    scored = scored_by_javascript(model, images, tmp_path)
    bags = ImageBags().transform(images)
    of_bags = np.array([image["bag"] for image in scored])
    of_parts = np.concatenate([image["parts"] for image in scored])
    assert np.abs(of_bags - model.decision_function(bags)).max() < 1e-9
    assert np.abs(of_parts - explain(model, bags)).max() < 1e-9


def test_a_model_that_the_page_cannot_play_is_refused(model):
    scaler = copy.deepcopy(model[0])
    linear = type(model[-1])(kernel="linear")
    with pytest.raises(ValueError, match=r"got (NoisyOr|DMimlSvm)"):
        play.exported(make_pipeline(scaler, linear))


def test_scenes_to_choose_from_have_names_of_their_own_and_their_pictures():
    scenes = play.drawn_scenes(n_images=20, size=16)
    names = {scene["name"] for scene in scenes}
    assert len(names) > 4
    assert len(names) == len(scenes)
    for scene in scenes:
        assert scene["source"].startswith("data:image/png;base64,")


def test_where_nobody_looks_there_is_nothing_to_play_with():
    assert play.player([], []) is None
    assert play.sliders(lambda i: 1 / 0, i=(0, 3)) is None
