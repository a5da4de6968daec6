"""Texts as bags of passages."""

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from mimlpaper.bags import Bags


class TextBags(TransformerMixin, BaseEstimator):
    """Transformer of texts into bags of overlapping passages, each a vector of word counts.

    It counts the words of the most fitted texts, without stop words (Section 4.3.3). The paper
    takes SMART's stop list and does not say how much passages overlap. Here the list is
    scikit-learn's, and passages overlap by half. A passage without a counted word is a row of
    zeros; a text without words is a bag of one such row.

    Parameters
    ----------
    window : int, default 50, most words in a passage.
    step : int, default 25, words between the starts of successive passages, at most ``window``.
    top_share : float in (0, 1], default 0.02
        Share of the words to keep, words in the most texts first, ties in alphabetical order.
    stop_words : "english", list of str, or None, default "english"
        Words left out of the vocabulary before the share is taken.

    Attributes
    ----------
    vocabulary_ : array of str (n_words,), the counted words in alphabetical order.

    References
    ----------
    Andrews, Tsochantaridis, Hofmann: Support vector machines for multiple-instance
    learning, NIPS 15, 2003. Yang, Pedersen: A comparative study on feature selection in
    text categorization, ICML 1997.

    Examples
    --------
    >>> texts = ["Oil is up. Oil stocks are down again.", "Wheat stocks and oil."]
    >>> text_bags = TextBags(window=4, step=2, top_share=0.6).fit(texts)
    >>> text_bags.vocabulary_.tolist()
    ['oil', 'stocks']
    >>> [bag.tolist() for bag in text_bags.transform(texts)]
    [[[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]], [[1.0, 1.0]]]
    """

    def __init__(self, *, window=50, step=25, top_share=0.02, stop_words="english"):
        self.window = window
        self.step = step
        self.top_share = top_share
        self.stop_words = stop_words

    def fit(self, X: Sequence[str], Y=None):
        """Choose the vocabulary from the texts ``X``."""
        if not 1 <= self.step <= self.window:
            raise ValueError(
                f"step must be at least 1 and at most window = {self.window}, got {self.step}"
            )
        if not 0 < self.top_share <= 1:
            raise ValueError(f"top_share must lie in (0, 1], got {self.top_share}")
        counter = CountVectorizer(stop_words=self.stop_words, binary=True)
        n_texts_with = counter.fit_transform(_checked(X)).sum(axis=0).A1  # (all words,)
        n_words = max(1, round(self.top_share * len(n_texts_with)))
        kept = np.argsort(-n_texts_with, kind="stable")[:n_words]
        self.vocabulary_ = counter.get_feature_names_out()[np.sort(kept)]
        return self

    def transform(self, X: Sequence[str]) -> Bags:
        """Bags of passages, each the counts of the words in ``vocabulary_``."""
        check_is_fitted(self)
        passages = [self.passages(text) for text in _checked(X)]
        counter = CountVectorizer(vocabulary=self.vocabulary_)
        counts = counter.transform([passage for bag in passages for passage in bag])
        sizes = [len(bag) for bag in passages]
        return Bags(counts.toarray(), np.concatenate([[0], np.cumsum(sizes)]))

    def passages(self, text: str) -> list[str]:
        """The passages of a text, one for each instance of its bag, in order."""
        words = text.split()
        last = max(len(words) - (self.window - self.step), 1)
        return [" ".join(words[i : i + self.window]) for i in range(0, last, self.step)]


def _checked(texts):
    if isinstance(texts, str):
        raise ValueError("X must be a list of texts, got a single string")
    texts = list(texts)
    if not texts:
        raise ValueError("X must hold at least one text, got none")
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"X must hold strings, got {type(text).__name__} as text {i}")
    return texts
