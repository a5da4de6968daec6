"""Data sets of the paper, generators for a reader's own images and texts, and synthetic sets."""

from mimlpaper.datasets.catalogue import DATASETS, describe, fetch_all, load
from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.derived import with_percentage
from mimlpaper.datasets.fetch import DataError
from mimlpaper.datasets.files import read_bags, write_bags
from mimlpaper.datasets.images import ImageBags, scene_mosaic
from mimlpaper.datasets.labelled import LabelledBags, labelled_bags
from mimlpaper.datasets.mil import load_elephant, load_fox, load_musk1, load_musk2, load_tiger
from mimlpaper.datasets.reuters import load_reuters
from mimlpaper.datasets.scene import SCENE_FEATURES, load_scene
from mimlpaper.datasets.synthetic_africa import THINGS, load_synthetic_africa, make_africa
from mimlpaper.datasets.synthetic_bags import make_bags
from mimlpaper.datasets.synthetic_scene import SCENE_LABELS, load_synthetic_scene, make_scenes
from mimlpaper.datasets.synthetic_texts import TEXT_LABELS, load_synthetic_texts, make_texts
from mimlpaper.datasets.synthetic_vectors import load_synthetic_genes, load_synthetic_pages
from mimlpaper.datasets.texts import TextBags
from mimlpaper.datasets.yahoo import YAHOO_NAMES, load_yahoo
from mimlpaper.datasets.yeast import load_yeast

__all__ = [
    "DATASETS",
    "SCENE_FEATURES",
    "SCENE_LABELS",
    "TEXT_LABELS",
    "THINGS",
    "YAHOO_NAMES",
    "DataError",
    "Dataset",
    "ImageBags",
    "LabelledBags",
    "TextBags",
    "describe",
    "fetch_all",
    "labelled_bags",
    "load",
    "load_elephant",
    "load_fox",
    "load_musk1",
    "load_musk2",
    "load_reuters",
    "load_scene",
    "load_synthetic_africa",
    "load_synthetic_genes",
    "load_synthetic_pages",
    "load_synthetic_scene",
    "load_synthetic_texts",
    "load_tiger",
    "load_yahoo",
    "load_yeast",
    "make_africa",
    "make_bags",
    "make_scenes",
    "make_texts",
    "read_bags",
    "scene_mosaic",
    "with_percentage",
    "write_bags",
]
