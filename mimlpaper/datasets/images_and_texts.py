"""Images as bags of nine colour blobs with their neighbours, and texts as bags of passages."""

import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from numbers import Integral, Real

import numpy as np
from PIL import Image, ImageOps
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils.validation import check_is_fitted

from mimlpaper.arrays import WHOLE_OR_REAL, check_type
from mimlpaper.bags import Bags, names_of_examples
from mimlpaper.paths import check_file

PLACES = ("centre", "left", "up", "right", "down")
SCENE_FEATURES = tuple(f"{place} {colour}" for place in PLACES for colour in "RGB")
# What Pillow may open. It knows dozens more, among them programs in PostScript.
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
LARGEST_FILE = 2**30  # bytes
MOST_COLOURS = 4  # of a pixel: red, green, blue and opacity
SIDE = 8  # the subsampled image has SIDE x SIDE pixels, and 7 x 7 blobs

# Rows and columns, among the 7 x 7 blobs, of the nine centres, and of their neighbours in the
# order of the features; a neighbour lies two positions away, so that blobs do not overlap.
BEFORE, MIDDLE, AFTER = slice(0, 3), slice(2, 5), slice(4, 7)
CENTRES = (MIDDLE, MIDDLE)
NEIGHBOURS = (
    (MIDDLE, BEFORE),
    (BEFORE, MIDDLE),
    (MIDDLE, AFTER),
    (AFTER, MIDDLE),
)


class ImageBags(TransformerMixin, BaseEstimator):
    """Transformer of images into bags by the SBN method, as in the scene data set.

    A Gaussian filter smooths the image, which is subsampled to 8 x 8 pixels; the means of 2 x 2 of
    them are 7 x 7 blobs. The nine instances are the central 3 x 3 blobs, row by row.
    The 15 features (:data:`SCENE_FEATURES`) are the blob's R, G, B in [0, 255], then the blobs two
    positions to the left, up, right and down minus this blob. Source: Maron, Ratan:
    Multiple-instance learning for natural scene classification, ICML 1998.

    Parameters
    ----------
    smoothing : float > 0, default 0.5
        Standard deviation of the Gaussian, in pixels of the subsampled image.

    Examples
    --------
    >>> ImageBags().transform([np.full((32, 32), 128, dtype=np.uint8)])
    Bags(1 bags, 9 instances, 15 features)
    """

    def __init__(self, *, smoothing=0.5):
        self.smoothing = smoothing

    def fit(self, X, Y=None):
        return self

    def transform(self, X: Iterable) -> Bags:
        """Bags of nine instances with 15 features, one for each image.

        Keys of a dict and the index of a Series name the bags.
        An image is the path of a BMP, GIF, JPEG, PNG, TIFF or WebP file, a Pillow image, or an
        array (height, width) or (height, width, 1 to 4) of integers in [0, 255] or floats in
        [0, 1], of at least 8 x 8 pixels. Transparency becomes white. A ValueError names an image
        that cannot be read or is none of these.
        """
        if not (isinstance(self.smoothing, Real) and self.smoothing > 0):
            raise ValueError(f"smoothing must be a positive number, got {self.smoothing!r}")
        small = []
        for i, image in enumerate(_values(X, "images")):
            pixels = _pixels(image, f"image {i}")
            small.append(self._subsampled(pixels))
        if not small:
            raise ValueError("X must hold at least one image, got none")
        blobs = blob_means(np.stack(small))
        instances = _instances(blobs)
        offsets = np.arange(0, len(instances) + 1, 9)
        return Bags(instances, offsets, names=names_of_examples(X))

    def _subsampled(self, pixels):
        height, width, _ = pixels.shape
        rows = _gaussian_samples(height, self.smoothing)
        columns = _gaussian_samples(width, self.smoothing)
        # (8, 8, 3)
        return np.einsum("ih,hwc,jw->ijc", rows, pixels, columns, optimize=True)

    def __sklearn_is_fitted__(self):
        return True


def scene_mosaic(bag: np.ndarray) -> np.ndarray:
    """Colours (7, 7, 3) of the blobs that a raw bag (9, 15) shows; NaN in the unknown corners."""
    bag = np.asarray(bag, dtype=np.float64)
    if bag.shape != (9, len(SCENE_FEATURES)):
        raise ValueError(f"bag must have shape (9, 15), got {bag.shape}")
    by_place = np.moveaxis(bag.reshape(3, 3, 5, 3), 2, 0)
    centres, *differences = by_place  # five of (3, 3, 3)
    mosaic = np.full((7, 7, 3), np.nan)
    for place, difference in zip(NEIGHBOURS, differences, strict=True):
        mosaic[place] = centres + difference
    mosaic[CENTRES] = centres
    return mosaic


def blob_means(pixels: np.ndarray) -> np.ndarray:
    """Means of 2 x 2 pixels at stride 1, of (n, 8, 8, n_channels): (n, 7, 7, n_channels)."""
    pairs = pixels[:, :-1] + pixels[:, 1:]
    return (pairs[:, :, :-1] + pairs[:, :, 1:]) / 4


def _instances(blobs):
    """Nine instances of each image, from its blobs (n, 7, 7, 3): (9 n, 15)."""
    centres = blobs[:, *CENTRES]  # (n, 3, 3, 3)
    differences = [blobs[:, *place] - centres for place in NEIGHBOURS]
    features = np.concatenate([centres, *differences], axis=-1)
    return features.reshape(-1, len(SCENE_FEATURES))


def _gaussian_samples(size, smoothing):
    """Weights (8, size) that smooth ``size`` pixels and take 8 evenly spaced samples."""
    pitch = size / SIDE
    centres = (np.arange(SIDE) + 0.5) * pitch - 0.5
    squared = ((np.arange(size) - centres[:, None]) / (smoothing * pitch)) ** 2
    # Less the least, so that a narrow Gaussian does not vanish between two pixels.
    weights = np.exp((squared.min(axis=1, keepdims=True) - squared) / 2)
    return weights / weights.sum(axis=1, keepdims=True)


def _pixels(image, name):
    """An image on white, as floats (height, width, 3) in [0, 255]."""
    if isinstance(image, (str, os.PathLike)):
        name = f"{name} ({os.fspath(image)})"
    try:
        image = _opened(image).convert("RGBA")
    except FileNotFoundError:
        raise
    except Exception as error:  # Pillow's decoders raise many types
        raise ValueError(f"{name} cannot be read: {error}") from error
    if min(image.size) < SIDE:
        raise ValueError(
            f"{name} must have at least {SIDE} x {SIDE} pixels, got {image.size}; a single image "
            "is given as [image]"
        )
    channels = np.asarray(image, dtype=np.float64)
    colours, opacity = np.split(channels, [3], axis=2)
    return opacity / 255 * colours + (1 - opacity / 255) * 255.0


def _opened(image):
    if isinstance(image, (str, os.PathLike)):
        check_file(image, LARGEST_FILE)
        with Image.open(image, formats=FORMATS) as opened:
            opened.load()
        image = opened
    if isinstance(image, Image.Image):
        if image.mode in ("I", "F") or image.mode.startswith("I;"):
            raise ValueError(f"8 bits a colour are needed, got Pillow's mode {image.mode}")
        return ImageOps.exif_transpose(image)
    array = _array_of_image(image)
    largest = 1 if array.dtype.kind in "fb" else 255
    if array.size and not (0 <= array.min() and array.max() <= largest):
        raise ValueError("arrays must hold integers in [0, 255] or floats in [0, 1]")
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    in_bytes = np.rint(array * (255.0 / largest))
    return Image.fromarray(in_bytes.astype(np.uint8))


def _array_of_image(image):
    """An image in memory as an array (height, width), or with colours (height, width, 1 to 4)."""
    check_type("the array", image)
    array = np.asarray(image)
    if array.ndim == 0:
        kind = type(image).__name__
        raise ValueError(f"a path, a Pillow image or an array is needed, got {kind}")
    if array.dtype.kind not in WHOLE_OR_REAL:
        raise ValueError("the array must hold integers or floats, got objects; give .astype(int)")
    if array.ndim == 2 or (array.ndim == 3 and 1 <= array.shape[2] <= MOST_COLOURS):
        return array
    colours_first = array.ndim == 3 and 1 <= array.shape[0] <= MOST_COLOURS
    hint = "; give np.moveaxis(image, 0, -1)" if colours_first else ""
    raise ValueError(
        f"the array must be (height, width) or (height, width, 1 to 4), got {array.shape}{hint}"
    )


def images_in(images) -> list:
    """The images of a list, dict or Series, without their names; a ValueError for a single one."""
    is_array = isinstance(images, np.ndarray) and _is_image(images)
    if is_array or isinstance(images, Image.Image):
        raise ValueError("a list of images is needed, got a single image; give [image]")
    return list(_values(images, "images"))


def picture_of(image) -> Image.Image:
    """An image as :class:`ImageBags` reads it, upright, in red, green, blue and opacity."""
    return _opened(image).convert("RGBA")


def _is_image(array):
    """Whether an array is one image; the last axis of many grey ones is their width."""
    return array.ndim == 2 or (array.ndim == 3 and array.shape[2] <= MOST_COLOURS)


class TextBags(TransformerMixin, BaseEstimator):
    """Transformer of texts into bags of overlapping passages, each a vector of word counts.

    It counts the words that most training texts contain: the share ``top_share`` of all words
    (Section 4.3.3). scikit-learn's stop list stands for SMART's, and passages overlap by half, on
    which the paper is silent. A text without words is
    a bag of one row of zeros. Sources: Andrews, Tsochantaridis, Hofmann: Support vector machines
    for multiple-instance learning, NIPS 15, 2003; Yang, Pedersen: A comparative study on feature
    selection in text categorization, ICML 1997.

    Parameters
    ----------
    window : int >= 1, default 50
        Most words in a passage.
    step : int >= 1, default 25
        Words between the starts of successive passages, at most ``window``.
    top_share : float in (0, 1], default 0.02
        Share of the words to keep, words in the most texts first, ties in alphabetical order.
    stop_words : "english", list of str, or None, default "english"
        Words to leave out before that share is taken.

    Attributes
    ----------
    vocabulary_ : array (n_words,)
        The counted words in alphabetical order.

    Examples
    --------
    >>> texts = ["Oil is up. Oil stocks are down again.", "Wheat stocks and oil."]
    >>> text_bags = TextBags(window=4, step=2, top_share=0.6).fit(texts)
    >>> text_bags.vocabulary_.tolist()
    ['oil', 'stocks']
    >>> text_bags.transform(texts)[0].tolist()
    [[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """

    def __init__(
        self,
        *,
        window=50,
        step=25,
        top_share=0.02,
        stop_words="english",
    ):
        self.window = window
        self.step = step
        self.top_share = top_share
        self.stop_words = stop_words

    def fit(self, X: Sequence[str], Y=None):
        """Choose the vocabulary from the texts ``X``."""
        for name, n_words in ("window", self.window), ("step", self.step):
            if not isinstance(n_words, Integral):
                raise ValueError(f"{name} must be a number of words, got {n_words!r}")
        if not 1 <= self.step <= self.window:
            raise ValueError(f"step must be from 1 to window = {self.window}, got {self.step}")
        if not (isinstance(self.top_share, Real) and 0 < self.top_share <= 1):
            raise ValueError(f"top_share must be a number in (0, 1], got {self.top_share!r}")
        counter = CountVectorizer(stop_words=self.stop_words, binary=True)
        has_word = counter.fit_transform(_checked(X))  # (n_texts, all words)
        n_texts_with = np.ravel(has_word.sum(axis=0))
        n_words = max(1, round(self.top_share * len(n_texts_with)))
        # The vocabulary is in alphabetical order, which a stable sort keeps for ties.
        kept = np.argsort(-n_texts_with, kind="stable")[:n_words]
        self.vocabulary_ = counter.get_feature_names_out()[np.sort(kept)]
        return self

    def transform(self, X: Sequence[str]) -> Bags:
        """Bags of passages, each the counts of the words in ``vocabulary_``.

        Keys of a dict and the index of a Series name the bags.
        """
        check_is_fitted(self)
        by_text = [self.passages(text) for text in _checked(X)]
        passages = list(chain.from_iterable(by_text))
        counter = CountVectorizer(vocabulary=self.vocabulary_)
        counts = counter.transform(passages)
        offsets = np.cumsum([0, *map(len, by_text)])
        return Bags(counts.toarray(), offsets, names=names_of_examples(X))

    def passages(self, text: str) -> list[str]:
        """The passages of a text, one for each instance of its bag, in order."""
        return list(map(" ".join, self.windows(text.split())))

    def windows(self, words: Sequence) -> list[Sequence]:
        """The parts of a sequence of words that are the passages."""
        overlap = self.window - self.step
        # A passage that begins later would lie within the one before it.
        last = max(len(words) - overlap, 1)
        starts = range(0, last, self.step)
        return [words[start : start + self.window] for start in starts]


def _values(examples, what):
    """The images or texts, without their names."""
    if isinstance(examples, str | os.PathLike | Image.Image):
        raise ValueError(f"a list of {what} is needed, got the single one {str(examples)!r:.60}")
    if hasattr(examples, "columns"):
        raise ValueError(f"a list of {what} is needed, got a table; give its column of {what}")
    if isinstance(examples, set | frozenset):
        raise ValueError(f"a list of {what} in the order of Y is needed, got a set")
    return examples.values() if isinstance(examples, Mapping) else examples


def _checked(texts):
    texts = list(_values(texts, "texts"))
    strange = [i for i, text in enumerate(texts) if not isinstance(text, str)]
    if not texts:
        raise ValueError("X must hold at least one text, got none; of a generator give list(X)")
    if strange:
        raise ValueError(f"X must hold texts, strings only, got others at {strange!s:.60}")
    # A letter and its accent may be one character or two.
    return [unicodedata.normalize("NFC", text) for text in texts]
