"""Data sets of the paper, data sets that it did not use, synthetic ones, and files of bags."""

from mimlpaper.datasets.bag_files import read_bags, write_bags
from mimlpaper.datasets.dataset import Dataset, with_percentage
from mimlpaper.datasets.fetch import DataError, describe, fetch_all
from mimlpaper.datasets.images_and_texts import SCENE_FEATURES, ImageBags, TextBags, scene_mosaic
from mimlpaper.datasets.labelled import LabelledBags, labelled_bags
from mimlpaper.datasets.loaders import DATASETS, YAHOO_NAMES, load, loader_of
from mimlpaper.datasets.synthetic import (
    SCENE_LABELS,
    TEXT_LABELS,
    THINGS,
    load_synthetic_africa,
    load_synthetic_genes,
    load_synthetic_pages,
    load_synthetic_scene,
    load_synthetic_texts,
    make_africa,
    make_bags,
    make_scenes,
    make_texts,
)
