"""Composed texts: a small data set that needs no file, with known labels of the instances."""

from __future__ import annotations

import hashlib

import numpy as np

from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.sources import Source
from mimlpaper.datasets.texts import TextBags

__all__ = ["SYNTHETIC_TEXTS", "TEXT_LABELS", "load_synthetic_texts", "make_texts"]

SYNTHETIC_TEXTS = Source(
    name="synthetic_texts",
    files=(),
    n_examples=200,
    n_instances=814,
    n_features=86,
    n_labels=7,
    citation="composed by mimlpaper",
    kind="synthetic",
)

TOPICS = {
    "earnings": "shares profit net quarter dividend loss results income revenue payout",
    "mergers": "shares merger stake offer takeover bid acquisition board holders buyout",
    "currency": "dollar bank yen exchange currency intervention mark dealers francs rate",
    "oil": "prices oil crude barrels opec output refinery petroleum energy pipeline",
    "grain": "tonnes prices wheat grain corn harvest export crop maize farmers",
    "trade": "export dollar trade tariffs deficit imports surplus gatt quotas tonnes",
    "interest": "rate bank discount prime interest lending money credit bills fed",
}
TEXT_LABELS = tuple(TOPICS)

NEWS = (
    "agreement analyst change company country demand figures group growth industry level market "
    "meeting minister month official plan policy president report source statement week year"
)
GRAMMAR = "a and as at be by for from has in is it of on that the to was were with"

# Where the words of a passage come from.
SHARES = {"grammar": 0.4, "news": 0.35, "its topic": 0.2, "any topic": 0.05}


def load_synthetic_texts(*, n_texts: int = 200, random_state: int = 0) -> Dataset:
    """Composed texts of seven topics as bags of passages of at most 50 words.

    ``instance_labels`` tells which topics an instance is about: those that at least half of
    its passage was written about. See :func:`make_texts`.
    """
    texts, Y, topics = make_texts(n_texts, random_state=random_state)
    text_bags = TextBags(top_share=1.0).fit(texts)  # the vocabulary is small by itself
    return Dataset(
        name=SYNTHETIC_TEXTS.name,
        X=text_bags.transform(texts),
        Y=Y,
        label_names=TEXT_LABELS,
        feature_names=tuple(text_bags.vocabulary_),
        kind=SYNTHETIC_TEXTS.kind,
        sha256=hashlib.sha256("\n".join(texts).encode() + Y.tobytes()).hexdigest(),
        citation=SYNTHETIC_TEXTS.citation,
        terms="BSD-3-Clause",
        instance_labels=_labels_of_passages(topics, text_bags),
    )


def make_texts(
    n_texts: int = 200, *, random_state: int = 0
) -> tuple[list[str], np.ndarray, list[np.ndarray]]:
    """Compose texts about earnings, mergers, currency, oil, grain, trade and interest.

    15 % are about two topics, one after the other. Most words are common to all topics, and
    topics share some of their own.

    Parameters
    ----------
    n_texts : int, default 200
    random_state : int, default 0

    Returns
    -------
    texts : list of str
    Y : bool array (n_texts, 7), the labels in the order of :data:`TEXT_LABELS`.
    topics : list of int arrays (n_words,), the topic that each word was written about.
    """
    if n_texts < 1:
        raise ValueError(f"n_texts must be at least 1, got {n_texts}")
    rng = np.random.default_rng(random_state)
    n_topics = np.where(rng.permutation(n_texts) < round(0.15 * n_texts), 2, 1)
    Y = np.zeros((n_texts, len(TOPICS)), dtype=bool)
    texts, topics = [], []
    for i in range(n_texts):
        chosen = rng.choice(len(TOPICS), size=n_topics[i], replace=False)
        # 50 words or more: with half a passage between starts, one passage is mostly about each.
        lengths = rng.integers(50, 150, size=n_topics[i])
        passages = [_passage(topic, n, rng) for topic, n in zip(chosen, lengths, strict=True)]
        texts.append(" ".join(passages))
        topics.append(np.repeat(chosen, lengths))
        Y[i, chosen] = True
    return texts, Y, topics


def _passage(topic, n_words, rng):
    """Words about a topic."""
    pools = [words.split() for words in (GRAMMAR, NEWS, *TOPICS.values())]
    in_topics = np.full(len(TOPICS), SHARES["any topic"] / len(TOPICS))
    in_topics[topic] += SHARES["its topic"]
    shares = [SHARES["grammar"], SHARES["news"], *in_topics]
    chosen = rng.choice(len(pools), size=n_words, p=shares)
    places = rng.random(n_words)
    return " ".join(
        pools[i][int(place * len(pools[i]))] for i, place in zip(chosen, places, strict=True)
    )


def _labels_of_passages(topics, text_bags):
    """Topics of at least half the words of each passage: bool (n_instances, 7)."""
    as_texts = (" ".join(map(str, words)) for words in topics)  # for the very same windows
    passages = [np.array(p.split(), int) for text in as_texts for p in text_bags.passages(text)]
    counts = np.stack([np.bincount(words, minlength=len(TOPICS)) for words in passages])
    return counts >= counts.sum(axis=1, keepdims=True) / 2
