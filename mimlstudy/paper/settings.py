"""Settings: every value in a row of a table, with its basis, the reason for it.

The last of a row's layers that names a parameter counts. The published column takes all layers;
the blind column leaves out what was chosen because it came nearest to the printed row. A *reading*
is the published row with some of its open choices made otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from zlib import crc32

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

from mimlpaper.preprocessing import OnInstances
from mimlstudy.engine.holdouts import HoldOut, full_names

HELD_OUT, NEAREST = "held out", "nearest to print"
BASES = ("stated", "authors' program", "method's own paper", "library default", HELD_OUT, NEAREST)

# Settings that are steps before the learner, where None is no step; and settings of a hold-out.
STEPS = ("storage", "vector", "scaling")
OF_HOLD_OUT = ("criterion", "test_size", "stratified")

# Steps of scaling by name, for choices: of a bag's instances, and of vectors.
SCALINGS = {
    "none": None,
    "columns": OnInstances(MinMaxScaler()),
    "rows": OnInstances(Normalizer()),
    "variance": OnInstances(StandardScaler()),
    "vector columns": MinMaxScaler(),
    "sparse columns": MaxAbsScaler(),
}
SCALING_NAMES = {repr(step): name for name, step in SCALINGS.items()}


@dataclass(frozen=True)
class Basis:
    """Settings that have their values for the same reason; a list is a grid, and is held out.

    ``values`` are by names of the learner's parameters, of :data:`STEPS` and :data:`OF_HOLD_OUT`;
    "grid" has a list of grids, whose union is held out.
    """

    kind: str  # one of BASES
    source: str  # a section of the paper, a program, another paper
    on: tuple[str, ...]  # the data sets where it holds; all if empty
    values: Mapping[str, object]
    kept: bool = False  # in the blind column too, although nearest to print: others take too long


def _basis(kind, source="", /, *, on=(), kept=False, **values) -> Basis:
    return Basis(kind, source, tuple(on), values, kept)


stated, program, own_paper, default, held_out, nearest = (partial(_basis, kind) for kind in BASES)


def each(**values) -> list[dict]:
    """Changes of one parameter each: to its value, or to each value of a list."""
    lists = {name: one if isinstance(one, list) else [one] for name, one in values.items()}
    return [{name: value} for name, several in lists.items() for value in several]


def mixed(choices: Sequence[Mapping[str, object]], n: int) -> list[dict]:
    """Up to ``n`` different mixtures of at least two changes, drawn by a seed from the choices.

    Changes whose first name in the alphabet is the same are alternatives: at most one is made.
    """
    options: dict[str, list[dict]] = {}
    for change in choices:
        options.setdefault(min(change), [{}]).append(dict(change))
    rng, found = np.random.default_rng(crc32(str(choices).encode())), []
    for _ in range(10 * n):
        drawn = [several[rng.integers(len(several))] for several in options.values()]
        together = {name: value for change in drawn for name, value in change.items()}
        if sum(map(bool, drawn)) > 1 and together not in found:
            found.append(together)
    return found[:n]


@dataclass(frozen=True)
class Row:
    """A method of a table: its settings and what may be tried in their place.

    Parameters
    ----------
    learner : unfitted estimator; its parameters that are estimators stay, all others are set.
    settings : sequence of Basis, on top of those of :data:`EVERYWHERE`; later ones count.
    choices : sequence of dict, alternatives where the paper leaves a choice open: changes of the
        published settings, as from :func:`each`. A scaling has a name of :data:`SCALINGS`.
    n_mixed : int, default 4, readings with several changes; fewer where a fit takes minutes.
    """

    learner: BaseEstimator
    settings: Sequence[Basis] = ()
    choices: Sequence[Mapping[str, object]] = ()
    n_mixed: int = 4

    def published(self, dataset: str = ""):
        """The unfitted estimator with all settings."""
        return self.changed(dataset)

    def blind(self) -> "Row":
        """The row without the settings nearest to print, but for those that are kept."""
        bases = [basis for basis in self.settings if basis.kind != NEAREST or basis.kept]
        return replace(self, settings=bases)

    def readings(self, dataset: str = "") -> list[dict]:
        """Each change of an open choice, then mixtures, without what the row has anyway."""
        several = (*self.choices, *mixed(self.choices, self.n_mixed))
        found = [self.differing(one, dataset) for one in several]
        return [one for i, one in enumerate(found) if one and one not in found[:i]]

    def differing(self, reading: Mapping[str, object], dataset: str = "") -> dict:
        """The part of a reading that differs from the published settings on a data set."""
        own = {name: value for name, (value, _) in self.layers(dataset).items()}
        own["scaling"] = SCALING_NAMES.get(repr(own.get("scaling")), "")
        return {n: v for n, v in reading.items() if n not in own or own[n] != v}

    def layers(self, dataset: str = "", *further: Basis) -> dict:
        """Each name's (value, Basis) in the last layer that has it, ``further`` after all."""
        found: dict[str, tuple[object, Basis]] = {}
        own = ((basis, basis.values) for basis in (*self.settings, *further))
        for basis, values in (*_everywhere(self.learner), *own):
            if not basis.on or dataset in basis.on:
                found |= {name: (value, basis) for name, value in values.items()}
        if not any(isinstance(value, list) for value, _ in found.values()):
            return {name: one for name, one in found.items() if name not in OF_HOLD_OUT}
        return {n: (v, b) for b in EVERYWHERE["HoldOut"] for n, v in b.values.items()} | found

    def estimator_for(self, dataset: str, override: Mapping[str, object]):
        """The unfitted published estimator with some settings overridden; a list is a grid."""
        return self.changed(dataset, **override)

    def full_names(self, override: Mapping[str, object]) -> dict:
        """The override as it is: settings have names of their own."""
        return dict(override)

    def changed(self, dataset: str = "", /, **changes):
        """The unfitted published estimator with other values; a list is a grid."""
        values = {n: v for n, (v, _) in self.layers(dataset, default(**changes)).items()}
        values = {name: values[name] for name in values if name not in unread(values)}
        if isinstance(values.get("scaling"), str):
            values["scaling"] = SCALINGS[values["scaling"]]
        lists = {name: v for name, v in values.items() if isinstance(v, list)}
        grids = [lists | grid for grid in lists.pop("grid", [{}])]
        first = values | {name: several[0] for name, several in grids[0].items()}
        steps = {name: v for name, v in first.items() if name in STEPS and v is not None}
        others = (*STEPS, *OF_HOLD_OUT, "grid", *lists)
        fixed = {name: v for name, v in values.items() if name not in others}
        pipeline = make_pipeline(*steps.values(), clone(self.learner).set_params(**fixed))
        if not any(grids):
            return pipeline
        places = dict(zip(steps, pipeline.named_steps, strict=False))
        named = [{places.get(name, name): v for name, v in grid.items()} for grid in grids]
        named = [full_names(pipeline, grid) for grid in named]
        search = {name: values[name] for name in OF_HOLD_OUT if name in values}
        return HoldOut(pipeline, named if len(named) > 1 else named[0], **search)


class Table(dict[str, Row]):
    """The rows of a table or figure by method, and configurations of its experiments."""

    def blind(self) -> dict[str, Row]:
        """The blind row of each method that has a setting nearest to print."""
        return {
            method: row.blind()
            for method, row in self.items()
            if any(basis.kind == NEAREST for basis in row.settings)
        }

    def readings(self, dataset: str = "") -> dict[str, list[dict]]:
        """The readings of each method that leaves choices open, on a data set."""
        return {m: found for m, row in self.items() if (found := row.readings(dataset))}


def settings(table: Mapping[str, Row], datasets: Sequence[str] = ("",)) -> pd.DataFrame:
    """Every setting of a table's published rows, and what the blind rows have in its place."""
    rows = []
    for method, row in table.items():
        for dataset in datasets:
            ours, without_print = row.layers(dataset), row.blind().layers(dataset)
            for name in ours | without_print:
                described = *_described(ours, name), *_described(without_print, name)
                if any(described):
                    rows.append((method, dataset, name, *described))
    columns = "method dataset parameter value basis source blind blind_basis blind_source"
    return pd.DataFrame(rows, columns=columns.split())


def nearest_to_print(table: Mapping[str, Row], datasets: Sequence[str] = ("",)) -> dict[str, int]:
    """For each method, the number of its parameters that were chosen by nearness to print."""
    about = settings(table, datasets)
    chosen = about[about["basis"] == NEAREST].groupby("method")["parameter"].nunique()
    return {method: int(chosen.get(method, 0)) for method in table}


# Parameters that a kernel or a solver does not read.
UNREAD = {
    "linear": ("gamma", "degree", "coef0"),
    "rbf": ("degree", "coef0"),
    "block_ascent": ("linear_program", "step_accuracy"),
    "frank_wolfe": ("tol",),
}


def unread(values: Mapping[str, object]) -> set[str]:
    """Names of parameters that the kernels and solvers among the values do not read."""
    return {
        name.removesuffix(of) + other
        for name, value in values.items()
        for of in ("kernel", "solver")
        if name.endswith(of) and isinstance(value, str)
        for other in UNREAD.get(value, ())
    }


def _described(layers, name):
    """(value, basis, source) as text; empty if the configuration has or reads no such thing."""
    values = {n: value for n, (value, _) in layers.items()}
    if name not in values or name in unread(values):
        return "", "", ""
    value, basis = layers[name]
    text = getattr(value, "__name__", None) or str(value)
    if isinstance(value, list) and basis.kind != HELD_OUT:
        return text, HELD_OUT, f"range {basis.kind} {basis.source}".strip()
    return text, basis.kind, basis.source


def _everywhere(learner):
    """Layers of :data:`EVERYWHERE`, and their values by the names that a learner has for them."""
    parts = {"": learner} | {
        f"{name}__": part for name, part in learner.get_params().items() if hasattr(part, "fit")
    }
    for prefix, part in parts.items():
        for basis in EVERYWHERE.get(type(part).__name__, ()):
            yield basis, {f"{prefix}{name}": value for name, value in basis.values.items()}


ANDREWS, LIBSVM = "Andrews et al. 2003", "LIBSVM"
MI_SVM = [
    own_paper(ANDREWS, kernel="rbf", max_alternations=50),
    default(LIBSVM, gamma="auto", C=1.0),
    default(rank=300, tol=1e-4),
]

# Settings of every row that does not change them, independent of the classes' defaults. A library
# default is that of the named library, or else of this one.
EVERYWHERE: dict[str, list[Basis]] = {
    "MimlBoost": [
        stated("Table 6", weighting="weights", label_rule="sign"),
        program("MimlBoost", kernel="rbf", gamma=1.0, C=1.0, label_code="feature"),
        default(rank=300, tol=1e-3, max_iter=200)],
    "MimlSvm": [
        stated("4.2", metric="max_hausdorff", label_rule="top"),
        program("MimlSvm", ratio=0.2, kernel="rbf", gamma=0.2, C=1.0)],
    "MimlSvmMi": [
        own_paper(ANDREWS, label_rule="sign"),
        default(LIBSVM, kernel="rbf", gamma="auto", C=1.0),
        # Until nothing changes, as in the paper of mi-SVM, would take hours.
        default(rank=300, tol=1e-3, max_alternations=10)],
    "MimlNn": [program("MimlNn", metric="max_hausdorff", ratio=0.4, ridge=1.0, label_rule="sign")],
    "AdtBoostMH": [
        own_paper("De Comité et al. 2003", label_rule="sign"),
        own_paper("Freund and Mason 1999", smoothing=1.0)],
    "RankSvm": [
        own_paper("Elisseeff and Weston 2002", label_rule="sign"),
        program("RankSvm", gamma=1.0, coef0=1.0, C=1.0),
        default(normalise=True, solver="block_ascent", tol=1e-3, max_iter=2000)],
    "MlSvm": [stated("4.2", label_rule="top"), default(LIBSVM, gamma="auto", C=1.0)],
    "MlKnn": [program("Ml-knn", smoothing=1.0, label_rule="sign")],
    "Cnmf": [default(gamma="scale", C=1.0, tol=1e-5, max_iter=200, label_rule="sign")],
    "InsDif": [default(shortcut=True)],
    "DifferenceFeatures": [default(LIBSVM, gamma="auto"), default(rank=300)],
    "DMimlSvm": [
        stated("5.1", relatedness="mean", label_rule="sign"), stated("5.4", imbalance=True),
        default(gamma=1.0, rank=300, set_kernel="unit", solver="bundle", tol=1e-2, max_iter=None,
                cccp_tol=1e-3, max_cccp=30)],
    "SubCod": [
        default(criterion="accuracy", stratified=True), default("HiGHS", optimum="vertex"),
        default("Weka's EM", covariance="diag"),
        default(C=1.0, tol=1e-3, max_alternations=100)],
    "DiverseDensity": [
        own_paper("Maron and Lozano-Pérez 1998", threshold="learned"),
        default("PRTools", initial_scale=0.1), default(n_start_bags=3, tol=1e-4, max_iter=300)],
    "EmDd": [
        own_paper("Zhang and Goldman 2002", n_start_bags=3, initial_scale=0.1, threshold=0.5),
        default(tol=1e-3, max_iter=100)],
    "MiSvmInstance": MI_SVM,
    "MiSvmBag": MI_SVM,
    "ChFd": [
        default(LIBSVM, kernel="rbf", gamma="auto"),
        default(nu=1.0, rank=300, tol=1e-3, max_alternations=200)],
    "HoldOut": [default(criterion="average_precision", test_size=0.25)],
}  # fmt: skip
