"""Drawn genes and pages: two small multi-label sets of single instances that need no file."""

from __future__ import annotations

import hashlib

import numpy as np

from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.sources import Source

__all__ = [
    "SYNTHETIC_GENES",
    "SYNTHETIC_PAGES",
    "load_synthetic_genes",
    "load_synthetic_pages",
]

SYNTHETIC_GENES = Source(
    name="synthetic_genes",
    files=(),
    n_examples=200,
    n_instances=None,
    n_features=20,
    n_labels=6,
    citation="drawn by mimlpaper",
    kind="synthetic",
)

SYNTHETIC_PAGES = Source(
    name="synthetic_pages",
    files=(),
    n_examples=240,
    n_instances=None,
    n_features=80,
    n_labels=8,
    citation="drawn by mimlpaper",
    kind="synthetic",
)

GENE_SHARES = (0.55, 0.45, 0.35, 0.3, 0.2, 0.1)  # of the genes that have each label
PAGE_SHARES = (0.45, 0.25, 0.2, 0.15, 0.1, 0.1, 0.05, 0.03)
COMMON_SHARE = 0.6  # of a page's words that tell no topic


def load_synthetic_genes(*, n_genes: int = 200, random_state: int = 0) -> Dataset:
    """Drawn genes in the manner of the yeast data: dense rows of unit length, about two labels.

    A gene is the sum of its labels' profiles and noise. Labels come together or keep apart by a
    hidden state of each gene.
    """
    rng = np.random.default_rng(random_state)
    n_features, n_labels = SYNTHETIC_GENES.n_features, SYNTHETIC_GENES.n_labels
    Y = _label_sets(n_genes, GENE_SHARES, rng)
    profiles = rng.standard_normal((n_labels, n_features))
    X = Y @ profiles + 3.0 * rng.standard_normal((n_genes, n_features))
    return _dataset(SYNTHETIC_GENES, _unit_rows(X), Y)


def load_synthetic_pages(*, n_pages: int = 240, random_state: int = 0) -> Dataset:
    """Drawn pages in the manner of the yahoo data: sparse counts as rows of unit length.

    Words follow Zipf's law, most of them whatever the topic; rare topics are left to the rare
    labels. The first half is for training, the second for testing.
    """
    rng = np.random.default_rng(random_state)
    n_words, n_labels = SYNTHETIC_PAGES.n_features, SYNTHETIC_PAGES.n_labels
    Y = _label_sets(n_pages, PAGE_SHARES, rng)
    zipf = 1.0 / np.arange(1, n_words + 1)
    common = zipf / zipf.sum()
    topics = np.stack([rng.permutation(common) for _ in range(n_labels)])
    rates = COMMON_SHARE * common + (1 - COMMON_SHARE) * (Y @ topics) / Y.sum(axis=1)[:, None]
    counts = rng.poisson(rng.integers(20, 60, size=(n_pages, 1)) * rates)
    return _dataset(SYNTHETIC_PAGES, _unit_rows(counts), Y, n_train=n_pages // 2)


def _label_sets(n_examples, shares, rng):
    """Labels that these shares of the examples have, or a few more: none is left without."""
    n_labels = len(shares)
    mixing = rng.standard_normal((2, n_labels))
    hidden = rng.standard_normal((n_examples, 2)) @ mixing + rng.standard_normal(
        (n_examples, n_labels)
    )
    above = hidden - np.diagonal(np.quantile(hidden, 1.0 - np.array(shares), axis=0))
    return (above > 0) | (above == above.max(axis=1, keepdims=True))


def _unit_rows(X):
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)


def _dataset(source, X, Y, n_train=None):
    return Dataset(
        name=source.name,
        X=X,
        Y=Y,
        label_names=tuple(f"label {i + 1}" for i in range(Y.shape[1])),
        kind=source.kind,
        sha256=hashlib.sha256(X.tobytes() + Y.tobytes()).hexdigest(),
        citation=source.citation,
        terms="BSD-3-Clause",
        n_train=n_train,
    )
