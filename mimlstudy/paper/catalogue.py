"""The paper's data sets for the engine, and where their trials are recorded."""

from dataclasses import dataclass
from functools import cache

from mimlpaper.datasets import fetch, loaders
from mimlstudy import folders
from mimlstudy.engine.catalogue import content_hash
from mimlstudy.engine.records import Store
from mimlstudy.paper.contents import listed_contents

# By the name before a colon, so that all data of Yahoo have one stand-in.
STAND_INS = {
    "yeast": "synthetic_genes",
    "yahoo": "synthetic_pages",
    "reuters": "synthetic_texts",
    "dbpedia": "synthetic_texts",
    "musk1": "synthetic_africa",
    "musk2": "synthetic_africa",
    "elephant": "synthetic_africa",
    "tiger": "synthetic_africa",
    "fox": "synthetic_africa",
    "scene": "synthetic_scene",
    "hja": "synthetic_scene",
    "letter_carroll": "synthetic_scene",
    "letter_frost": "synthetic_scene",
}
SMALL_DRAWN = "drawn:240x4x4"  # for drawn data of any size


@dataclass(frozen=True)
class PaperCatalogue:
    """All data sets that the library loads by name, see ``mimlstudy.engine.catalogue``."""

    how_to_list = "if that is meant: python -m mimlstudy.paper.contents"

    def load(self, name, data_home=None):
        dataset = loaders.load(name, data_home)
        if dataset.name != name:
            raise fetch.DataError(f"{name} was asked for, and {dataset.name} was loaded")
        return dataset

    def loader(self, name):
        return loaders.loader_of(name)

    def content(self, name):
        return listed_contents().get(name, "") if fetch.source_of(name).files else None

    def drawn_content(self, name):
        return None if fetch.source_of(name).files else _drawn_content(name)

    def is_present(self, name, data_home=None):
        return fetch.is_present(name, data_home)

    def fetch(self, names, data_home=None):
        fetch.fetch_all(data_home, names, replace=False)

    def n_labels(self, name):
        return fetch.source_of(name).n_labels

    def stand_in(self, name):
        """Of "scene:10%" the synthetic scenes with the same share, "synthetic_scene:10%"."""
        if name.startswith(fetch.DRAWN):
            return SMALL_DRAWN
        base, percentage = fetch.split_percentage(name)
        origin, _, _ = base.partition(":")
        stand_in = STAND_INS.get(origin, origin)
        return stand_in if percentage is None else f"{stand_in}:{percentage}%"


@cache
def _drawn_content(name):
    return content_hash(loaders.load(name))


CATALOGUE = PaperCatalogue()


def default_store(profile: str = "paper") -> Store:
    """Where ``mimlpaper compute`` records; a wheel reads the records that it carries as well."""
    if profile == "smoke":
        return Store(folders.smoke_results(), CATALOGUE)
    carried = None
    if folders.IN_WHEEL.is_dir():
        carried = Store(folders.IN_WHEEL / "results", CATALOGUE)
    return Store(folders.results(), CATALOGUE, base=carried)


def explored_store(profile: str = "paper") -> Store:
    """Where notebooks record: ``build/explored``, over the records of ``data/results``.

    The profile "smoke" has one store for all, ``build/smoke/results``.
    """
    recorded = default_store(profile)
    if profile == "smoke":
        return recorded
    return Store(folders.explored_results(), CATALOGUE, base=recorded)
