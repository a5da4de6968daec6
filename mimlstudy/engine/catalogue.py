"""What the engine needs to know of data sets: a catalogue that the paper's room hands to it."""

from collections.abc import Callable, Iterable
from typing import Protocol

from mimlpaper.datasets import Dataset


class Catalogue(Protocol):
    """Data sets by name. It is sent to worker processes."""

    def __hash__(self) -> int:
        """Of equal catalogues the same, also in another process."""

    def load(self, name: str, data_home=None) -> Dataset:
        """The data set; a DataError if its files are missing or damaged."""

    def loader(self, name: str) -> Callable:
        """The function that loads it, which a fingerprint covers."""

    def content(self, name: str) -> str | None:
        """The hash that a record of it must have; None if its loader draws the data."""

    def is_present(self, name: str, data_home=None) -> bool:
        """Whether it can be loaded without a download."""

    def fetch(self, names: Iterable[str], data_home=None) -> None:
        """Download what is missing; a DataError if that fails, or a file is damaged."""

    def n_labels(self, name: str) -> int:
        """How many labels it has."""

    def stand_in(self, name: str) -> str:
        """The drawn data set that stands for it in the profile "smoke"."""
