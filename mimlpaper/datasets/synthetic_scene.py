"""Drawn scenes: a small data set that needs no file, with known labels of the instances."""

from __future__ import annotations

import hashlib

import numpy as np
from scipy.ndimage import zoom

from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.images import CENTRES, SIDE, ImageBags, blob_means
from mimlpaper.datasets.scene import SCENE_FEATURES
from mimlpaper.datasets.sources import Source

__all__ = ["SCENE_LABELS", "SYNTHETIC_SCENE", "load_synthetic_scene", "make_scenes"]

SYNTHETIC_SCENE = Source(
    name="synthetic_scene",
    files=(),
    n_examples=200,
    n_instances=1800,
    n_features=15,
    n_labels=5,
    citation="drawn by mimlpaper",
    kind="synthetic",
)

SCENE_LABELS = ("desert", "mountains", "sea", "sunset", "trees")
DESERT, MOUNTAINS, SEA, SUNSET, TREES = range(5)
NOTHING = -1

# How many of 1,000 images show these labels together, after the scene data set.
LABEL_SETS = {
    (DESERT,): 170, (MOUNTAINS,): 134, (SEA,): 170, (SUNSET,): 108, (TREES,): 191,
    (DESERT, MOUNTAINS): 10, (DESERT, SUNSET): 13, (DESERT, TREES): 12,
    (MOUNTAINS, SEA): 22, (MOUNTAINS, SUNSET): 10, (MOUNTAINS, TREES): 50,
    (SEA, SUNSET): 75, (SEA, TREES): 12, (SUNSET, TREES): 15,
    (MOUNTAINS, SEA, SUNSET): 8,
}  # fmt: skip

# Each surface has a random mixture of its colours.
PALETTES = {
    "sky": ((60, 110, 190), (150, 185, 225), (165, 170, 175), (205, 190, 165)),
    "dusk": ((200, 80, 50), (120, 60, 90), (240, 140, 60), (90, 80, 120)),
    "glow": ((250, 200, 110), (240, 140, 60), (225, 160, 130)),
    "rock": ((95, 95, 110), (120, 100, 85), (70, 80, 75), (150, 140, 135)),
    "water": ((30, 80, 140), (50, 110, 120), (110, 130, 145), (140, 170, 190)),
    "sand": ((210, 170, 115), (185, 125, 80), (220, 200, 165), (150, 110, 80)),
    "leaves": ((40, 75, 30), (90, 110, 45), (70, 90, 60), (150, 105, 45)),
    "field": ((120, 130, 80), (140, 120, 95), (95, 105, 85), (165, 160, 140)),
}


def load_synthetic_scene(*, n_images: int = 200, random_state: int = 0) -> Dataset:
    """Drawn scenes of five labels as bags of nine instances, laid out as the scene data set.

    ``instance_labels`` tells which labels' regions an instance lies in: those that cover at
    least half of its central blob. See :func:`make_scenes`.
    """
    images, Y, regions = make_scenes(n_images, random_state=random_state)
    return Dataset(
        name=SYNTHETIC_SCENE.name,
        X=ImageBags().transform(images),
        Y=Y,
        label_names=SCENE_LABELS,
        feature_names=SCENE_FEATURES,
        kind=SYNTHETIC_SCENE.kind,
        sha256=hashlib.sha256(images.tobytes() + Y.tobytes()).hexdigest(),
        citation=SYNTHETIC_SCENE.citation,
        terms="BSD-3-Clause",
        instance_labels=_labels_of_blobs(regions),
    )


def make_scenes(
    n_images: int = 200, *, size: int = 48, random_state: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw small landscapes of desert, mountains, sea, sunset and trees.

    About 22 % show two labels or more. Colours, light and noise vary, and unlabelled sky and
    fields resemble labelled surfaces, so that no learner is perfect.

    Parameters
    ----------
    n_images : int, default 200
    size : int, default 48
        Height and width in pixels, a multiple of 8.
    random_state : int, default 0

    Returns
    -------
    images : uint8 array (n_images, size, size, 3)
    Y : bool array (n_images, 5), the labels in the order of :data:`SCENE_LABELS`.
    regions : int8 array (n_images, size, size)
        The label that each pixel shows, -1 for none. Each label of an image covers at least
        half of the centre of one of its nine instances.
    """
    if size < SIDE or size % SIDE:
        raise ValueError(f"size must be a positive multiple of {SIDE}, got {size}")
    if n_images < 1:
        raise ValueError(f"n_images must be at least 1, got {n_images}")
    rng = np.random.default_rng(random_state)
    label_sets = _in_proportion(LABEL_SETS, n_images, rng)
    canvases = [_drawn(labels, size, rng) for labels in label_sets]
    Y = np.zeros((n_images, len(SCENE_LABELS)), dtype=bool)
    for i, labels in enumerate(label_sets):
        Y[i, list(labels)] = True
    images = np.stack([canvas.photograph() for canvas in canvases])
    return images, Y, np.stack([canvas.region for canvas in canvases])


def _drawn(labels, size, rng):
    """A canvas on which every label shows in one of the nine instances."""
    while True:
        canvas = _Canvas(size, rng)
        canvas.draw(labels)
        if _labels_of_blobs(canvas.region[None])[:, list(labels)].any(axis=0).all():
            return canvas


def _labels_of_blobs(regions):
    """Labels that cover at least half of each instance's centre: bool (9 n_images, 5)."""
    n_images, size, _ = regions.shape
    shows = regions[..., None] == np.arange(len(SCENE_LABELS))  # (n_images, size, size, 5)
    pixel = size // SIDE
    shares = shows.reshape(n_images, SIDE, pixel, SIDE, pixel, -1).mean(axis=(2, 4))
    return blob_means(shares)[:, *CENTRES].reshape(9 * n_images, -1) >= 0.5


class _Canvas:
    """A picture painted layer by layer, and the label that each pixel shows."""

    def __init__(self, size, rng):
        self.rng = rng
        self.colours = np.zeros((size, size, 3))
        self.region = np.full((size, size), NOTHING, dtype=np.int8)
        self.y, self.x = np.mgrid[:size, :size] / size  # (size, size), from the upper left

    def draw(self, labels):
        """Sky, mountains, then what lies below the horizon."""
        horizon = self.rng.uniform(0.4, 0.65)
        self.light = self.rng.uniform(0.25, 0.6) if SUNSET in labels else 1.0
        self.sky(horizon, SUNSET in labels)
        if MOUNTAINS in labels:
            self.mountains(horizon)
        if SEA in labels:
            self.sea(horizon, SUNSET in labels)
        elif DESERT in labels:
            self.desert(horizon)
        elif TREES not in labels:
            self.field(horizon)
        if TREES in labels:
            self.trees(horizon, alone=labels == (TREES,), aside=SEA in labels or DESERT in labels)

    def sky(self, horizon, sunset):
        height = np.clip(self.y / horizon, 0, 1)[..., None]
        high, low = ("dusk", "glow") if sunset else ("sky", "sky")
        colours = (1 - height) * self.colour(high) + height * self.colour(low)
        clouds = 0.25 * self.texture(6, 3)
        if sunset:
            sun = np.hypot(self.x - self.rng.uniform(0.2, 0.8), self.y - horizon + 0.12) / 0.08
            colours = colours + np.exp(-(sun**2))[..., None] * (90, 80, 50)
        self.paint(np.ones_like(self.y, bool), colours, clouds, SUNSET if sunset else NOTHING)

    def mountains(self, horizon):
        ridge = self.line(horizon - self.rng.uniform(0.15, 0.3), 0.12)
        self.paint(self.y > ridge, "rock", 0.3 * self.texture(10, 10), MOUNTAINS, self.light)
        snow = (self.y > ridge) & (self.y < ridge + self.rng.uniform(-0.05, 0.1))
        self.paint(snow, (225, 228, 235), 0.1 * self.texture(10, 10), MOUNTAINS, self.light)

    def sea(self, horizon, sunset):
        water = self.colour("water")
        if sunset:
            water = 0.5 * water + 0.5 * self.colour("glow") / self.light
        ripples = 0.2 * self.texture(24, 4)
        self.paint(self.y > horizon, water, ripples, SEA, self.light)

    def desert(self, horizon):
        dunes = 0.3 * self.texture(5, 2)
        self.paint(self.y > self.line(horizon, 0.05), "sand", dunes, DESERT, self.light)

    def field(self, horizon):
        grass = 0.15 * self.texture(12, 12)
        self.paint(self.y > self.line(horizon, 0.03), "field", grass, NOTHING, self.light)

    def trees(self, horizon, alone, aside):
        if aside:  # one crown to the left or right, in front of what lies behind
            across = (self.x - self.rng.choice((0.25, 0.75))) / 0.28
            down = (self.y - horizon) / 0.25
            mask = np.hypot(across, down) < 1 + 0.15 * self.texture(8, 8)
        else:
            rise = self.rng.uniform(0.1, 0.45) if alone else 0.0
            mask = self.y > self.line(horizon - rise, 0.06)
        self.paint(mask, "leaves", 0.4 * self.texture(16, 16), TREES, self.light)

    def paint(self, mask, surface, shade, label=NOTHING, light=1.0):
        """Cover ``mask`` with a palette's mixture, or given colours, times 1 + ``shade``."""
        colours = self.colour(surface) if isinstance(surface, str) else surface
        layer = np.broadcast_to(colours, self.colours.shape) * (light * (1 + shade[..., None]))
        self.colours[mask] = layer[mask]
        self.region[mask] = label

    def colour(self, palette):
        mixture = self.rng.dirichlet(np.full(len(PALETTES[palette]), 0.6))
        return mixture @ np.array(PALETTES[palette], dtype=float)  # (3,)

    def texture(self, rows, columns):
        """Smooth random relief with this many bumps down and across: (size, size)."""
        size = len(self.y)
        bumps = self.rng.standard_normal((rows, columns))
        return zoom(bumps, (size / rows, size / columns), order=1)

    def line(self, height, relief):
        """A rugged line around ``height``: one y for each column, (size,)."""
        size = len(self.y)
        coarse, fine = (self.rng.standard_normal(n) for n in (4, 12))
        return height + relief * (zoom(coarse, size / 4, order=1) + 0.3 * zoom(fine, size / 12))

    def photograph(self):
        """The picture in some light and with a camera's noise: uint8 (size, size, 3)."""
        exposure = self.rng.uniform(0.7, 1.15)
        tint = self.rng.normal(0, 8, size=3)
        noise = self.rng.normal(0, 10, size=self.colours.shape)
        return np.clip(self.colours * exposure + tint + noise, 0, 255).round().astype(np.uint8)


def _in_proportion(weights, n, rng):
    """``n`` of the keys in random order, each as often as its weight says, up to rounding."""
    upper = np.cumsum(list(weights.values())) / sum(weights.values())
    chosen = np.searchsorted(upper, (np.arange(n) + 0.5) / n)
    return [list(weights)[i] for i in rng.permutation(chosen)]
