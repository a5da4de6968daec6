"""Examples and labels of one data set, with their provenance."""

from dataclasses import dataclass, replace

import numpy as np

from mimlpaper.bags import Bags, chosen_places


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Examples and labels of one data set, with their provenance.

    A multi-label set has ``Y``, a single-label set ``y``.

    Attributes
    ----------
    name : str
        Its name, which :func:`~mimlpaper.datasets.load` takes.
    X : Bags, or array (n_examples, n_features)
        The examples.
    label_names : tuple of str
        The labels; of a single-label set its positive class alone.
    kind : str
        "original", "re-derived" by the authors' recipe, or "synthetic": drawn by this library.
    sha256 : str
        Hash of the file that holds the numbers, or of what was drawn.
    citation : str
        The work to cite.
    terms : str
        Terms of use, as far as the source states them.
    Y : bool array (n_examples, n_labels) or None
        Which example has which label.
    y : bool array (n_examples,) or None
        Which examples are positive.
    feature_names : tuple of str, or None
        The features, if they have names.
    n_train : int or None
        If the source fixes a split: the number of examples for training, which are the first.
    instance_labels : bool array (n_instances, n_labels) or None
        Which instance has which label, if that is known.
    """

    name: str
    X: Bags | np.ndarray
    label_names: tuple[str, ...]
    kind: str
    sha256: str
    citation: str
    terms: str
    Y: np.ndarray | None = None
    y: np.ndarray | None = None
    feature_names: tuple[str, ...] | None = None
    n_train: int | None = None
    instance_labels: np.ndarray | None = None

    def __post_init__(self):
        if (self.Y is None) == (self.y is None):
            raise ValueError(f"{self.name} must have either Y or y")
        labels = self.labels.reshape(len(self.labels), -1)
        needed_shape = (len(self.X), self.n_labels)
        if labels.dtype != bool or labels.shape != needed_shape:
            raise ValueError(
                f"labels of {self.name} must be booleans, one row for each of {len(self.X)} "
                f"examples and {self.n_labels} label(s), got {labels.dtype} {labels.shape}"
            )

    @property
    def labels(self) -> np.ndarray:
        """``Y``, or ``y`` of a single-label set."""
        return self.y if self.Y is None else self.Y

    @property
    def n_labels(self) -> int:
        return len(self.label_names)

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, key) -> "Dataset":
        """Some of the examples, by a slice, mask or index array, without a fixed split."""
        if isinstance(key, int | np.integer):
            raise TypeError(
                f"some examples are chosen by a slice, mask or list, got {key}; [[{key}]] has one"
            )
        name = "Y" if self.y is None else "y"
        chosen = chosen_places(key, getattr(self.X, "names", None), len(self))
        parts = {name: self.labels[chosen]}
        if self.instance_labels is not None:
            # As features of the instances, labels follow their bags.
            of_bags = self.X.with_instances(self.instance_labels)
            parts["instance_labels"] = of_bags[chosen].instances > 0
        return replace(self, X=self.X[chosen], n_train=None, **parts)

    def __repr__(self) -> str:
        if self.y is None:
            labels = f"{self.n_labels} labels"
        else:
            labels = f"label {self.label_names[0]!r}"
        X = self.X if isinstance(self.X, Bags) else f"array {self.X.shape}"
        return f"Dataset({self.name!r}, {X}, {labels}, {self.kind})"


# The paper does not list what it removed. One order of removal serves all percentages, so that
# neighbouring percentages differ in few examples.
ORDER_SEED = 0


def with_percentage(dataset: Dataset, percentage: int) -> Dataset:
    """``dataset`` with a percentage (1 to 99) of examples with several labels, by random removal.

    The rest keeps its order. A ValueError if the percentage is out of range, or one kind is absent.
    """
    if not 0 < percentage < 100:
        raise ValueError(f"percentage must lie between 1 and 99, got {percentage}")
    has_several = dataset.Y.sum(axis=1) > 1
    n_several = has_several.sum()
    n_single = (~has_several).sum()
    if not (n_several and n_single):
        raise ValueError(f"{dataset.name} must hold both kinds, got {n_several} with several")
    ratio = percentage / (100 - percentage)  # examples with several labels / with one label
    order = np.random.default_rng(ORDER_SEED).permutation(len(dataset))
    several_in_order = order[has_several[order]]
    single_in_order = order[~has_several[order]]
    # Of one kind all stay: where a bound is too large, the slice takes what there is.
    of_several = several_in_order[: round(n_single * ratio)]
    of_single = single_in_order[: round(n_several / ratio)]
    kept = np.sort(np.concatenate([of_several, of_single]))
    kind = "re-derived" if dataset.kind == "original" else dataset.kind
    return replace(dataset[kept], name=f"{dataset.name}:{percentage}%", kind=kind)
