"""The catalogue of data sets: their contents are listed, their stand-ins are drawn."""

import csv

import pytest

from mimlpaper.datasets import DATASETS, DataError, fetch, load, loaders
from mimlstudy import folders
from mimlstudy.engine.catalogue import content_hash
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.contents import files_hash
from mimlstudy.paper.experiments import EXPERIMENTS
from tests.real_data import real_data

CONTENTS = folders.study_data() / "contents.csv"
LISTED = list(csv.DictReader(CONTENTS.open()))


def test_every_data_set_of_files_is_listed_with_the_files_of_the_manifest():
    of_files = [name for name in DATASETS if fetch.source_of(name).files]
    listed_names = [row["dataset"] for row in LISTED]
    listed_hashes = [row["files"] for row in LISTED]
    assert listed_names == of_files
    assert listed_hashes == [files_hash(name) for name in of_files]


@real_data
@pytest.mark.parametrize("name", ["scene", "hja", "scene:30%", "musk1"])
def test_a_data_set_is_loaded_as_it_is_listed(name):
    assert content_hash(CATALOGUE.load(name)) == CATALOGUE.content(name)


def test_all_that_a_trial_can_see_is_in_the_hash():
    scenes = load("synthetic_scene")
    hashes = {
        content_hash(scenes),
        content_hash(scenes[:100]),
        content_hash(scenes[::-1]),
    }
    assert len(hashes) == 3
    again = load("synthetic_scene")
    assert content_hash(again) == content_hash(scenes)
    genes = load("synthetic_genes")
    pages = load("synthetic_pages")
    assert content_hash(genes) != content_hash(pages)


def test_drawn_data_have_no_listed_content():
    assert CATALOGUE.content("synthetic_scene") is None
    assert CATALOGUE.content("drawn:40x3x8") is None


def test_drawn_data_have_the_content_that_is_drawn_here():
    assert CATALOGUE.drawn_content("drawn:40x3x8") == content_hash(load("drawn:40x3x8"))
    assert CATALOGUE.drawn_content("scene") is None


def test_a_loader_that_gives_another_set_is_found_out(monkeypatch):
    scenes = load("synthetic_scene")
    monkeypatch.setattr(loaders, "load", lambda *given: scenes)
    message = "yeast was asked for, and synthetic_scene was loaded"
    with pytest.raises(DataError, match=message):
        CATALOGUE.load("yeast")


def test_stand_ins_have_the_kind_of_examples_and_the_share_of_the_data_set():
    assert CATALOGUE.stand_in("scene:10%") == "synthetic_scene:10%"
    assert CATALOGUE.stand_in("yahoo:Arts") == "synthetic_pages"
    assert CATALOGUE.stand_in("drawn:100000x8x8") == "drawn:240x4x4"
    names = set()
    for experiment in EXPERIMENTS.values():
        names.update(experiment.datasets)
    for name in names:
        source = fetch.source_of(name)
        of_stand_in = fetch.source_of(CATALOGUE.stand_in(name))
        assert not of_stand_in.files
        # A trial of one label has a stand-in of one label.
        has_one_label = source.n_labels == 1
        assert has_one_label == (of_stand_in.n_labels == 1), name
