"""The API reference: a page for each public name, with an example that was run."""

import contextlib
import inspect
import io
import re
import warnings

import mimlpaper

SCENES = "load_synthetic_scene(n_images=60)"
GENES = "load_synthetic_genes(n_genes=60)"
AFRICA = "load_synthetic_africa(n_bags=40)"
LEARN = "model = {}.fit(X[:40], Y[:40])\nprint(1 * model.predict(X[40:43]))"
LEARN_ONE = "model = {}.fit(X[:30], y[:30])\nprint(1 * model.predict(X[30:]), 1 * y[30:])"
TRANSFORM = "print({}.fit(X, Y).transform(X))"
SHAPE = "print({}.fit(X, Y).transform(X).shape)"
SCORED = "model = NoisyOr(rank=50, random_state=0).fit(X, Y)\n"

# What each example is about: the data, how the name is used, and with which arguments.
EXAMPLES = {
    "AdtBoostMH": (GENES, LEARN, "n_rounds=10"),
    "BagStatistics": (SCENES, SHAPE, ""),
    "Bags": (
        "",
        "bags = {}\nprint(bags, bags.sizes, bags.max(bags.instances))",
        "instances=[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], offsets=[0, 2, 3]",
    ),
    "ChFd": (AFRICA, LEARN_ONE, "random_state=0"),
    "Cnmf": (GENES, LEARN, ""),
    "ConcatenateInstances": (SCENES, SHAPE, ""),
    "DMimlSvm": (SCENES, LEARN, "rank=50, random_state=0"),
    "DifferenceFeatures": (GENES, TRANSFORM, "rank=10, random_state=0"),
    "DiverseDensity": (AFRICA, LEARN_ONE, "random_state=0"),
    "EmDd": (AFRICA, LEARN_ONE, "random_state=0"),
    "InsDif": (GENES, LEARN, "random_state=0"),
    "KMedoids": (
        "",
        "points = np.array([0, 1, 2, 8, 9])\n"
        "distances = abs(np.subtract.outer(points, points))\n"
        "print({}.fit(distances).labels_)",
        "n_clusters=2, random_state=1",
    ),
    "LandmarkMap": (SCENES, SHAPE, "n_sample=20, random_state=0"),
    "MeanInstances": (SCENES, SHAPE, ""),
    "MedoidMap": (SCENES, SHAPE, "ratio=0.1, random_state=0"),
    "MiSvmBag": (AFRICA, LEARN_ONE, ""),
    "MiSvmInstance": (AFRICA, LEARN_ONE, ""),
    "MimlBoost": (
        SCENES,
        LEARN,
        'n_rounds=5, rank=50, label_rule="top", random_state=0',
    ),
    "MimlClassifier": (SCENES, LEARN, "random_state=0"),
    "MimlNn": (SCENES, LEARN, "random_state=0"),
    "MimlSvm": (SCENES, LEARN, "random_state=0"),
    "MimlSvmMi": (SCENES, LEARN, "rank=50, random_state=0"),
    "MlKnn": (GENES, LEARN, "n_neighbors=5"),
    "MlSvm": (GENES, LEARN, ""),
    "NeighbourMeans": (GENES, TRANSFORM, ""),
    "NoisyOr": (SCENES, LEARN, "rank=50, random_state=0"),
    "OnInstances": (
        SCENES,
        "scaled = {}.fit(X, Y).transform(X)\nprint(scaled.instances.min(), scaled.instances.max())",
        "MinMaxScaler()",
    ),
    "OneLabel": (AFRICA, LEARN_ONE, "MimlNn(random_state=0)"),
    "PrototypeDifferences": (GENES, TRANSFORM, ""),
    "RankSvm": (GENES, LEARN, "random_state=0"),
    "SingleInstances": (GENES, TRANSFORM, ""),
    "SubCod": (AFRICA, LEARN_ONE, "n_concepts=5, random_state=0"),
    "SumInstances": (SCENES, SHAPE, ""),
    "evaluate": (
        SCENES,
        SCORED + "print({})",
        "Y, model.decision_function(X), model.predict(X)",
    ),
    "explain": (SCENES, SCORED + "print({}.round(1))", "model, X[:1]"),
    "max_hausdorff": (SCENES, "print({}.round())", "X[:2], X[2:5]"),
    "scorers": (
        SCENES,
        SCORED + 'print(scorers["average_precision"](model, X, Y), *scorers)',
        "",
    ),
    "telling_features": (SCENES, SCORED + "print({}.shape)", "model, X[0], 4"),
}


def example(name):
    """The code of a name's example."""
    data, use, arguments = EXAMPLES[name]
    lines = use.format(f"{name}({arguments})")
    if data:
        labels = "y" if data == AFRICA else "Y"
        lines = f"data = {data}\nX, {labels} = data.X, data.{labels}\n{lines}"
    return "\n".join(imports_of(lines, data)) + "\n\n" + lines


def imports_of(lines, data):
    """The imports that an example needs."""
    if "np." in lines:
        yield "import numpy as np"
    if "MinMaxScaler" in lines:
        yield "from sklearn.preprocessing import MinMaxScaler"
    names = [word for word in mimlpaper.__all__ if re.search(rf"\b{word}\b", lines)]
    yield f"from mimlpaper import {', '.join(names)}"
    if data:
        yield f"from mimlpaper.datasets import {data.partition('(')[0]}"


def printed(code):
    """What the code prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small data
        exec(code, {})
    return out.getvalue()


def api_pages():
    """Pages by name: one for each public name, and ``api/index``."""
    pages = {f"api/{name}": _page(name) for name in mimlpaper.__all__}
    return {"api/index": index_page(), **pages}


def index_page():
    """All names with the first lines of their docstrings."""
    rows = [f"| [{name}]({name}.md) | {first_line(name)} |" for name in mimlpaper.__all__]
    return INDEX.format(rows="\n".join(rows), pages="\n".join(mimlpaper.__all__))


def first_line(name):
    """What a public name is, as a cell of a table."""
    thing = getattr(mimlpaper, name)
    # A dict has the docstring of all dicts.
    text = "Scorers by criterion." if isinstance(thing, dict) else inspect.getdoc(thing)
    return text.splitlines()[0].replace("|", r"\|")


INDEX = """# API reference

`import mimlpaper` and these names; data sets and readers are in `mimlpaper.datasets`.

| name | what it is |
|---|---|
{rows}

```{{toctree}}
:hidden:
{pages}
```
"""

PAGE = """# {name}

```{{eval-rst}}
.. {kind}:: mimlpaper.{name}
```

## Example

```python
{code}
```

prints

```text
{output}
```
"""


def _page(name):
    thing = getattr(mimlpaper, name)
    kind = "autoclass" if inspect.isclass(thing) else "autofunction"
    if not callable(thing):
        kind = "autodata"
    code = example(name)
    return PAGE.format(name=name, kind=kind, code=code, output=printed(code).rstrip())
