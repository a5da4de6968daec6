"""Synthetic data sets: drawn from a seed, without files, with known labels of instances."""

import hashlib

import numpy as np
from scipy.ndimage import zoom

from mimlpaper.bags import Bags
from mimlpaper.datasets import images_and_texts as features
from mimlpaper.datasets.dataset import Dataset

SCENE_LABELS = ("desert", "mountains", "sea", "sunset", "trees")
DESERT, MOUNTAINS, SEA, SUNSET, TREES = range(5)
NOTHING = -1

# How many of 1,000 images show these labels together, after the scene data set.
LABEL_SETS = {
    (DESERT,): 170,
    (MOUNTAINS,): 134,
    (SEA,): 170,
    (SUNSET,): 108,
    (TREES,): 191,
    (DESERT, MOUNTAINS): 10,
    (DESERT, SUNSET): 13,
    (DESERT, TREES): 12,
    (MOUNTAINS, SEA): 22,
    (MOUNTAINS, SUNSET): 10,
    (MOUNTAINS, TREES): 50,
    (SEA, SUNSET): 75,
    (SEA, TREES): 12,
    (SUNSET, TREES): 15,
    (MOUNTAINS, SEA, SUNSET): 8,
}

# Each surface has a random mixture of its colours.
PALETTES = {
    "sky": ((60, 110, 190), (150, 185, 225), (165, 170, 175), (205, 190, 165)),
    "dusk": ((200, 80, 50), (120, 60, 90), (240, 140, 60), (90, 80, 120)),
    "glow": ((250, 200, 110), (240, 140, 60), (225, 160, 130)),
    "rock": ((95, 95, 110), (120, 100, 85), (70, 80, 75), (150, 140, 135)),
    "water": ((30, 80, 140), (50, 110, 120), (110, 130, 145), (140, 170, 190)),
    "sand": ((210, 170, 115), (185, 125, 80), (220, 200, 165), (150, 110, 80)),
    "leaves": ((40, 75, 30), (90, 110, 45), (70, 90, 60), (150, 105, 45)),
    "field": ((120, 130, 80), (140, 120, 95), (95, 105, 85), (165, 160, 140)),
}


def load_synthetic_scene(*, n_images: int = 200, random_state: int = 0) -> Dataset:
    """:func:`make_scenes` as bags; an instance has the labels of half its central blob or more."""
    images, Y, regions = make_scenes(n_images, random_state=random_state)
    X = features.ImageBags().transform(images)
    return _dataset(
        "synthetic_scene",
        images.tobytes() + Y.tobytes(),
        X=X,
        Y=Y,
        label_names=SCENE_LABELS,
        feature_names=features.SCENE_FEATURES,
        instance_labels=_labels_of_blobs(regions),
    )


def make_scenes(
    n_images: int = 200,
    *,
    size: int = 48,
    random_state: int = 0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Landscapes of desert, mountains, sea, sunset and trees, about 22% with two labels or more.

    Unlabelled sky and fields resemble labelled surfaces. Each label covers at least half of the
    centre of one instance. ``size`` is a multiple of 8. Returns the images, uint8 (n_images, size,
    size, 3); Y, bool (n_images, 5), in the order of :data:`SCENE_LABELS`; and the label of each
    pixel, -1 for none, int8 (n_images, size, size).
    """
    if size < features.SIDE or size % features.SIDE:
        raise ValueError(f"size must be a positive multiple of {features.SIDE}, got {size}")
    rng = _generator(random_state, n_images=n_images)
    known_sets = list(LABEL_SETS)
    counts = np.array(list(LABEL_SETS.values()))
    upper = np.cumsum(counts) / counts.sum()
    # Label sets in the proportion of their counts, in random order.
    shares = (np.arange(n_images) + 0.5) / n_images
    chosen = np.searchsorted(upper, shares)
    label_sets = [known_sets[i] for i in rng.permutation(chosen)]
    canvases = [_drawn(labels, size, rng) for labels in label_sets]
    every_label = range(len(SCENE_LABELS))
    Y = np.array([np.isin(every_label, labels) for labels in label_sets])
    images = np.stack([canvas.photograph() for canvas in canvases])
    regions = np.stack([canvas.region for canvas in canvases])
    return images, Y, regions


def _generator(random_state, **counts):
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} must be at least 1, got {count}")
    return np.random.default_rng(random_state)


def _drawn(labels, size, rng):
    """A canvas on which each label is in one of the nine instances."""
    while True:
        canvas = _Canvas(size, rng)
        canvas.draw(labels)
        of_instances = _labels_of_blobs(canvas.region[None])
        shown = of_instances.any(axis=0)
        if shown[list(labels)].all():
            return canvas


def _labels_of_blobs(regions):
    """Labels that cover at least half of each instance's centre: bool (9 n_images, 5)."""
    n_images, size, _ = regions.shape
    shows = regions[..., None] == np.arange(len(SCENE_LABELS))  # (n_images, size, size, 5)
    side = features.SIDE
    n_pixels = size // side
    squares = shows.reshape(n_images, side, n_pixels, side, n_pixels, -1)
    shares = squares.mean(axis=(2, 4))  # (n_images, side, side, 5)
    blobs = features.blob_means(shares)
    centres = blobs[:, *features.CENTRES]
    return centres.reshape(9 * n_images, -1) >= 0.5


class _Canvas:
    """A picture painted layer by layer, and the label that each pixel shows."""

    def __init__(self, size, rng):
        self.rng = rng
        self.light = 1.0
        self.colours = np.zeros((size, size, 3))
        self.region = np.full((size, size), NOTHING, dtype=np.int8)
        self.y, self.x = np.mgrid[:size, :size] / size  # (size, size), from the upper left

    def draw(self, labels):
        """Draw a landscape from back to front; each layer covers what lies behind it."""
        horizon = self.rng.uniform(0.4, 0.65)
        sunset = SUNSET in labels
        light = self.rng.uniform(0.25, 0.6) if sunset else 1.0
        self.sky(horizon, sunset)
        self.light = light  # after the sky, which is bright at sunset too
        if MOUNTAINS in labels:
            self.mountains(horizon)
        self.ground(horizon, labels)
        if TREES in labels:
            alone = labels == (TREES,)
            aside = SEA in labels or DESERT in labels
            self.trees(horizon, alone, aside)

    def mountains(self, horizon):
        ridge = self.line(horizon - self.rng.uniform(0.15, 0.3), 0.12)
        below_ridge = self.y > ridge
        self.paint(below_ridge, "rock", 0.3 * self.texture(10, 10), MOUNTAINS)
        snow_line = ridge + self.rng.uniform(-0.05, 0.1)
        snow = below_ridge & (self.y < snow_line)
        self.paint(snow, (225, 228, 235), 0.1 * self.texture(10, 10), MOUNTAINS)

    def ground(self, horizon, labels):
        """Sea, desert or fields below the horizon; trees need no ground."""
        if SEA in labels:
            water = self.colour("water")
            if SUNSET in labels:
                water = 0.5 * water + 0.5 * self.colour("glow") / self.light
            self.paint(self.y > horizon, water, 0.2 * self.texture(24, 4), SEA)
        elif DESERT in labels:
            dunes = 0.3 * self.texture(5, 2)
            edge = self.line(horizon, 0.05)
            self.paint(self.y > edge, "sand", dunes, DESERT)
        elif TREES not in labels:
            grass = 0.15 * self.texture(12, 12)
            edge = self.line(horizon, 0.03)
            self.paint(self.y > edge, "field", grass, NOTHING)

    def sky(self, horizon, sunset):
        height = np.clip(self.y / horizon, 0, 1)[..., None]
        high, low = ("dusk", "glow") if sunset else ("sky", "sky")
        above = (1 - height) * self.colour(high)
        colours = above + height * self.colour(low)
        clouds = 0.25 * self.texture(6, 3)
        if sunset:
            across = self.x - self.rng.uniform(0.2, 0.8)
            down = self.y - horizon + 0.12
            from_sun = np.hypot(across, down) / 0.08
            glow = np.exp(-(from_sun**2))
            colours = colours + glow[..., None] * (90, 80, 50)
        everywhere = np.ones_like(self.y, bool)
        label = SUNSET if sunset else NOTHING
        self.paint(everywhere, colours, clouds, label)

    def trees(self, horizon, alone, aside):
        if aside:  # one crown to the left or right
            across = (self.x - self.rng.choice((0.25, 0.75))) / 0.28
            down = (self.y - horizon) / 0.25
            edge = 1 + 0.15 * self.texture(8, 8)
            mask = np.hypot(across, down) < edge
        else:
            rise = self.rng.uniform(0.1, 0.45) if alone else 0.0
            edge = self.line(horizon - rise, 0.06)
            mask = self.y > edge
        self.paint(mask, "leaves", 0.4 * self.texture(16, 16), TREES)

    def paint(self, mask, surface, shade, label):
        """Cover ``mask`` with a palette's mixture or given colours, times 1 + ``shade``."""
        colours = self.colour(surface) if isinstance(surface, str) else surface
        lit = self.light * (1 + shade[..., None])
        layer = np.broadcast_to(colours, self.colours.shape) * lit
        self.colours[mask] = layer[mask]
        self.region[mask] = label

    def colour(self, palette):
        colours = np.array(PALETTES[palette], dtype=float)  # (n_colours, 3)
        mixture = self.rng.dirichlet(np.full(len(colours), 0.6))
        return mixture @ colours  # (3,)

    def texture(self, rows, columns):
        """Smooth random relief with this many bumps down and across: (size, size)."""
        size = len(self.y)
        bumps = self.rng.standard_normal((rows, columns))
        return zoom(bumps, (size / rows, size / columns), order=1)

    def line(self, height, relief):
        """A rugged line around ``height``: one y for each column, (size,)."""
        size = len(self.y)
        coarse = zoom(self.rng.standard_normal(4), size / 4, order=1)
        fine = zoom(self.rng.standard_normal(12), size / 12)
        return height + relief * (coarse + 0.3 * fine)

    def photograph(self):
        exposure = self.rng.uniform(0.7, 1.15)
        tint = self.rng.normal(0, 8, size=3)
        noise = self.rng.normal(0, 10, size=self.colours.shape)
        colours = self.colours * exposure + tint + noise
        return np.clip(colours, 0, 255).round().astype(np.uint8)


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

# Shares of a passage's words, which sum to 1.
GRAMMAR_SHARE, NEWS_SHARE = 0.4, 0.35
ITS_TOPIC, ANY_TOPIC = 0.2, 0.05


def load_synthetic_texts(*, n_texts: int = 200, random_state: int = 0) -> Dataset:
    """:func:`make_texts` as bags of passages; an instance has the topics of half its words."""
    texts, Y, topics = make_texts(n_texts, random_state=random_state)
    # The vocabulary is small already.
    text_bags = features.TextBags(top_share=1.0).fit(texts)
    drawn = "\n".join(texts).encode() + Y.tobytes()
    return _dataset(
        "synthetic_texts",
        drawn,
        X=text_bags.transform(texts),
        Y=Y,
        label_names=TEXT_LABELS,
        feature_names=tuple(text_bags.vocabulary_),
        instance_labels=_labels_of_passages(topics, text_bags),
        n_train=n_texts // 2,
    )


def make_texts(
    n_texts: int = 200,
    *,
    random_state: int = 0,
) -> tuple[list[str], np.ndarray, list[np.ndarray]]:
    """Texts about seven topics, 15% of them about two, one after the other.

    Most words are common to all topics. Returns the texts; Y, bool (n_texts, 7), in the order of
    :data:`TEXT_LABELS`; and for each text the topics of its words, int (n_words,).
    """
    rng = _generator(random_state, n_texts=n_texts)
    n_with_two = round(0.15 * n_texts)
    n_topics = np.where(rng.permutation(n_texts) < n_with_two, 2, 1)
    Y = np.zeros((n_texts, len(TOPICS)), dtype=bool)
    texts, topics = [], []
    for labels, n in zip(Y, n_topics, strict=True):
        chosen = rng.choice(len(TOPICS), size=n, replace=False)
        # At least 50 words: passages start 25 words apart, so that each topic fills half of one.
        lengths = rng.integers(50, 150, size=n)
        passages = []
        for topic, n_words in zip(chosen, lengths, strict=True):
            passages.append(_passage(topic, n_words, rng))
        texts.append(" ".join(passages))
        topics.append(np.repeat(chosen, lengths))
        labels[chosen] = True
    return texts, Y, topics


def _passage(topic, n_words, rng):
    pools = [words.split() for words in (GRAMMAR, NEWS, *TOPICS.values())]
    n_topics = len(TOPICS)
    in_topics = np.full(n_topics, ANY_TOPIC / n_topics)
    in_topics[topic] += ITS_TOPIC
    shares = [GRAMMAR_SHARE, NEWS_SHARE, *in_topics]
    chosen = rng.choice(len(pools), size=n_words, p=shares)
    words = []
    places = rng.random(n_words)
    for i, place in zip(chosen, places, strict=True):
        pool = pools[i]
        words.append(pool[int(place * len(pool))])
    return " ".join(words)


def _labels_of_passages(topics, text_bags):
    """Topics of at least half the words of each passage: bool (n_instances, 7)."""
    counts = []
    for of_words in topics:
        for passage in text_bags.windows(of_words):
            counts.append(np.bincount(passage, minlength=len(TOPICS)))
    table = np.stack(counts)  # (n_instances, 7)
    n_words = table.sum(axis=1, keepdims=True)
    return table >= n_words / 2


GENE_SHARES = (0.55, 0.45, 0.35, 0.3, 0.2, 0.1)  # of the genes that have each label
PAGE_SHARES = (0.45, 0.25, 0.2, 0.15, 0.1, 0.1, 0.05, 0.03)
COMMON_SHARE = 0.6  # of a page's words, common to all topics


def load_synthetic_genes(*, n_genes: int = 200, random_state: int = 0) -> Dataset:
    """Drawn genes like the yeast data: sums of their labels' profiles and noise, of unit length."""
    rng = _generator(random_state, n_genes=n_genes)
    Y = _label_sets(n_genes, GENE_SHARES, rng)
    profiles = rng.standard_normal((len(GENE_SHARES), 20))
    noise = 3.0 * rng.standard_normal((n_genes, 20))
    X = Y @ profiles + noise
    return _unit_rows("synthetic_genes", X, Y)


def load_synthetic_pages(*, n_pages: int = 240, random_state: int = 0) -> Dataset:
    """Drawn pages like the yahoo data: counts of words by Zipf's law as rows of unit length."""
    rng = _generator(random_state, n_pages=n_pages)
    n_words = 80
    Y = _label_sets(n_pages, PAGE_SHARES, rng)
    zipf = 1.0 / np.arange(1, n_words + 1)
    language = zipf / zipf.sum()  # shares of words on every page
    topics = np.stack([rng.permutation(language) for _ in PAGE_SHARES])
    n_topics = Y.sum(axis=1)[:, None]
    of_topics = (1 - COMMON_SHARE) * (Y @ topics) / n_topics
    rates = COMMON_SHARE * language + of_topics  # (n_pages, n_words)
    lengths = rng.integers(20, 60, size=(n_pages, 1))
    counts = rng.poisson(lengths * rates)
    return _unit_rows("synthetic_pages", counts, Y, n_train=n_pages // 2)


def _label_sets(n_examples, shares, rng):
    """Label sets with these shares of examples for each label, or a few more: no set is empty."""
    n_labels = len(shares)
    mixing = rng.standard_normal((2, n_labels))
    hidden = rng.standard_normal((n_examples, 2)) @ mixing
    hidden += rng.standard_normal((n_examples, n_labels))
    quantiles = np.quantile(hidden, 1.0 - np.array(shares), axis=0)  # (n_labels, n_labels)
    # Each label's share is that of its column.
    above = hidden - np.diagonal(quantiles)
    highest = above == above.max(axis=1, keepdims=True)
    return (above > 0) | highest


def _unit_rows(name, X, Y, n_train=None):
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    X = X / np.maximum(lengths, 1e-12)  # a page may be empty
    return _dataset(
        name,
        X.tobytes() + Y.tobytes(),
        X=X,
        Y=Y,
        label_names=tuple(f"label {i + 1}" for i in range(Y.shape[1])),
        n_train=n_train,
    )


# Means of the things in the first two features; SPREAD is the standard deviation.
THINGS = {
    "tree": (-2.0, 1.6),
    "grassland": (0.2, -1.8),
    "house": (-2.6, -1.2),
    "sea": (2.8, -1.8),
    "lion": (2.4, 0.8),
    "elephant": (0.4, 2.6),
}
SPREAD = 0.55
TELLING = ("lion", "elephant")  # a picture that shows one of them is of Africa


def load_synthetic_africa(*, n_bags: int = 80, random_state: int = 0) -> Dataset:
    """The bags of :func:`make_africa` with six features; lions and elephants are labelled."""
    X, y, things = make_africa(n_bags, n_features=6, random_state=random_state)
    known = list(THINGS)
    telling = np.isin(things, [known.index(name) for name in TELLING])
    return _dataset(
        "synthetic_africa",
        X.instances.tobytes() + y.tobytes(),
        X=X,
        y=y,
        label_names=("Africa",),
        instance_labels=telling[:, None],
    )


def make_africa(
    n_bags: int = 80,
    *,
    n_features: int = 2,
    random_state: int = 0,
) -> tuple[Bags, np.ndarray, np.ndarray]:
    """Bags of two to five things; every other one has a lion or an elephant, and is of Africa.

    A thing is a Gaussian cloud in the first two features; the others, if ``n_features`` is above 2,
    are noise of similar size.
    Returns the Bags; y, bool (n_bags,), True for Africa; and the index of each instance's thing in
    :data:`THINGS`, int (n_instances,).
    """
    rng = _generator(random_state, n_bags=n_bags)
    if n_features < 2:
        raise ValueError(f"n_features must be at least 2, for the things' places, got {n_features}")
    centres = np.array(list(THINGS.values()))
    y = np.arange(n_bags) % 2 == 0
    sizes = rng.permuted(np.arange(n_bags) % 4 + 2)
    pictures = zip(y, sizes, strict=True)
    things = np.concatenate([_things(*picture, rng) for picture in pictures])
    n = len(things)
    clouds = centres[things] + SPREAD * rng.standard_normal((n, 2))
    noise = centres.std() * rng.standard_normal((n, n_features - 2))
    instances = np.hstack([clouds, noise])
    return Bags(instances, np.cumsum([0, *sizes])), y, things


def _things(africa, size, rng):
    """Things of a picture, with at least one telling thing if it is of Africa, else none."""
    n_common = len(THINGS) - len(TELLING)
    things = rng.integers(n_common, size=size)
    if africa:
        n_telling = rng.integers(1, min(size, 2) + 1)
        things[:n_telling] = rng.integers(n_common, len(THINGS), size=n_telling)
    return things


LABELS_EACH = 4  # a bag has one label in four
CLOUD_SPREAD = 0.15


def make_bags(
    n_bags: int,
    n_instances: int,
    n_labels: int,
    *,
    n_features: int = 16,
    random_state: int = 0,
) -> tuple[Bags, np.ndarray]:
    """Bags of equal size, and their label sets Y of equal size: bool (n_bags, n_labels).

    A label is a Gaussian cloud in the unit cube. A bag has a random quarter of the labels, so that
    ``n_labels`` must be a multiple of 4. Half of its instances come from clouds of its labels, the
    others from anywhere in the cube.
    """
    if n_labels < LABELS_EACH or n_labels % LABELS_EACH:
        raise ValueError(f"n_labels must be a multiple of {LABELS_EACH}, got {n_labels}")
    rng = _generator(random_state, n_bags=n_bags, n_instances=n_instances)
    centres = rng.random((n_labels, n_features))
    ranks = rng.random((n_bags, n_labels)).argsort(axis=1)
    n_had = n_labels // LABELS_EACH
    had = ranks[:, :n_had]  # (n_bags, n_had), the labels of each bag
    Y = np.zeros((n_bags, n_labels), dtype=bool)
    np.put_along_axis(Y, had, True, axis=1)
    chosen = rng.integers(n_had, size=(n_bags, n_instances))
    labels = np.take_along_axis(had, chosen, axis=1)  # (n_bags, n_instances)
    shape = (*labels.shape, n_features)
    instances = centres[labels] + CLOUD_SPREAD * rng.standard_normal(shape)
    anywhere = rng.random(labels.shape) < 0.5
    instances[anywhere] = rng.random((anywhere.sum(), n_features))
    in_cube = instances.clip(0.0, 1.0)
    offsets = np.arange(n_bags + 1) * n_instances
    return Bags(in_cube.reshape(-1, n_features), offsets), Y


def load_drawn(n_bags: int, n_instances: int, n_labels: int) -> Dataset:
    """The bags of :func:`make_bags`, to measure costs."""
    X, Y = make_bags(n_bags, n_instances, n_labels)
    return _dataset(
        f"drawn:{n_bags}x{n_instances}x{n_labels}",
        X.instances.tobytes() + Y.tobytes(),
        X=X,
        Y=Y,
        label_names=tuple(f"label {i}" for i in range(n_labels)),
    )


def _dataset(name, drawn: bytes, **content) -> Dataset:
    return Dataset(
        name=name,
        kind="synthetic",
        sha256=hashlib.sha256(drawn).hexdigest(),
        citation="made by mimlpaper",
        terms="BSD-3-Clause",
        **content,
    )
