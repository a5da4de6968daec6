"""Bags of any size, drawn to measure costs: "drawn:400x8x4" is 400 bags of 8, with 4 labels."""

from functools import partial

from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.synthetic import make_bags

DRAWN = "drawn:"


def drawn_sizes(name: str) -> tuple[int, int, int]:
    """Number of bags, of instances in each, and of labels of "drawn:400x8x4"."""
    n_bags, n_instances, n_labels = name.removeprefix(DRAWN).split("x")
    return int(n_bags), int(n_instances), int(n_labels)


def load_drawn(name: str, *, data_home=None) -> Dataset:
    """The bags of :func:`~mimlpaper.datasets.make_bags` with the sizes in their name."""
    X, Y = make_bags(*drawn_sizes(name))
    return Dataset(
        name, X, tuple(f"label {i}" for i in range(Y.shape[1])), "synthetic", "", "", "", Y=Y
    )


def loader_of_drawn(name: str):
    return partial(load_drawn, name)
