"""The page's JavaScript computes what the library computes."""

import copy
import json
import shutil
import subprocess

import numpy as np
import pytest

from mimlpaper.datasets import SCENE_LABELS, ImageBags, make_scenes
from mimlpaper.reasons import explain
from mimlpaper.study import play

NODE = shutil.which("node")
SCRIPT = """
import { readFileSync } from "node:fs";
import { features, scores } from "./play.mjs";
const network = JSON.parse(readFileSync("network.json"));
const images = readFileSync("images.bin");
const results = [];
const milliseconds = [];
let start = 0;
for (const [height, width] of JSON.parse(readFileSync("shapes.json"))) {
  const pixels = images.subarray(start, (start += 4 * height * width));
  const before = performance.now();
  results.push(scores(network, features(pixels, width, height)));
  milliseconds.push(performance.now() - before);
}
process.stdout.write(JSON.stringify({ milliseconds, results }));
"""


@pytest.fixture(scope="module")
def model():
    return play.trained_on_scenes(n_images=60, rank=40)


def in_node(folder, model, images):
    """Scores of RGBA images and of their parts by the module, and milliseconds for each image."""
    shutil.copy(play.MODULE, folder / "play.mjs")
    (folder / "run.mjs").write_text(SCRIPT)
    (folder / "network.json").write_text(json.dumps(play.exported(model)))
    (folder / "shapes.json").write_text(json.dumps([image.shape[:2] for image in images]))
    (folder / "images.bin").write_bytes(b"".join(image.tobytes() for image in images))
    told = subprocess.run([NODE, "run.mjs"], cwd=folder, check=True, capture_output=True, text=True)
    found = json.loads(told.stdout)
    bags, parts = ([scores[name] for scores in found["results"]] for name in ("bag", "parts"))
    return np.array(bags), np.concatenate(parts), found["milliseconds"]


@pytest.mark.skipif(NODE is None, reason="there is no node on the path")
def test_javascript_agrees_on_a_thousand_drawn_images(tmp_path, model, rng):
    drawn = make_scenes(998, random_state=5)[0]
    opaque = np.full((*drawn.shape[:3], 1), 255, np.uint8)
    images = [*np.concatenate([drawn, opaque], axis=-1)]
    images += [rng.integers(0, 256, shape, dtype=np.uint8) for shape in ((8, 9, 4), (61, 300, 4))]
    bag_scores, part_scores, milliseconds = in_node(tmp_path, model, images)
    bags = ImageBags().transform(images)
    assert np.abs(bag_scores - model.decision_function(bags)).max() < 1e-9
    assert np.abs(part_scores - explain(model, bags)).max() < 1e-9
    assert np.median(milliseconds) < 100


def test_only_what_the_module_computes_is_exported(model):
    model = copy.deepcopy(model).set_params(noisyor__kernel="linear")
    with pytest.raises(ValueError, match="got NoisyOr"):
        play.exported(model)


def test_scenes_say_what_is_drawn():
    scenes = play.drawn_scenes(n_images=20, size=16)
    assert len({scene["name"] for scene in scenes}) == len(scenes) > 4
    assert all(scene["source"].startswith("data:image/png;base64,") for scene in scenes)
    assert all(
        set(scene["name"].removeprefix("Drawn as ").split(" and ")) <= set(SCENE_LABELS)
        for scene in scenes
    )


@pytest.mark.skipif(play.anywidget is not None, reason="widgets are installed")
def test_without_widgets_nothing_is_shown():
    assert play.player({}, []) is None
    assert play.sliders(lambda i: 1 / 0, i=(0, 3)) is None
