"""Settings: every value in a row of a table, with its basis, the kind of reason for it.

A :class:`Layer` has values with one basis, and the source behind it.

A *row* is a method of a printed table, and a *column* one of the kinds of settings that it runs
with. A row lists its settings in layers, and the last layer that names a parameter counts. The
column of settings closest to print takes all layers. The column fixed in advance leaves out what
was chosen because it comes closest to the printed row, and adds what the row has ``in_advance``;
its rule is in :mod:`mimlstudy.paper.common`. An *override* replaces some values of a row. An
*alternative setting* is an override that the paper's text allows as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    StandardScaler,
)

from mimlpaper.preprocessing import OnInstances
from mimlstudy.engine.holdouts import HoldOut, full_names
from mimlstudy.engine.trials import NO_OVERRIDE

HELD_OUT, CLOSEST = "held out", "closest to print"
BASES = (
    "stated",
    "authors' program",
    "method's own paper",
    "library default",
    "our choice",
    HELD_OUT,
    CLOSEST,
)

# Settings that are steps before the learner. Constant ones come first, in the order in which a row
# names them, then those that a hold-out chooses.
STEPS = ("storage", "vector", "scaling")
# Settings of the hold-out itself.
OF_HOLD_OUT = ("criterion", "test_size", "stratified")

# Steps of scaling by the names that rows and overrides use: of a bag's instances, and of vectors.
SCALINGS: dict[str, TransformerMixin | None] = {
    "none": None,
    "columns": OnInstances(MinMaxScaler()),  # by the range of the training instances
    "rows": OnInstances(Normalizer()),
    "variance": OnInstances(StandardScaler()),
    "vector columns": MinMaxScaler(),
    "sparse columns": MaxAbsScaler(),
}

Override = Mapping[str, object]


@dataclass(frozen=True)
class Layer:
    """Settings that have their values for the same reason.

    Parameters
    ----------
    basis : str, one of :data:`BASES`.
    source : str, such as a section of the paper, a program, or another paper.
    on : tuple of str, the data sets where the settings hold; all if it is empty.
    values : mapping from names to values. A list is a grid of candidates for the hold-out. The name
        "grid" takes a list of grids, which are searched one after another. Names are those of the
        learner's parameters, of :data:`STEPS` and of :data:`OF_HOLD_OUT`. A scaling is one name of
        :data:`SCALINGS`, and no hold-out chooses it.
    """

    basis: str
    source: str
    on: tuple[str, ...]
    values: Mapping[str, object]


def stated(source="", /, *, on: Sequence[str] = (), **values) -> Layer:
    """Settings that the paper states, in section ``source``."""
    return Layer("stated", source, tuple(on), values)


def program(source="", /, *, on: Sequence[str] = (), **values) -> Layer:
    """Settings of a program that the authors published."""
    return Layer("authors' program", source, tuple(on), values)


def own_paper(source="", /, *, on: Sequence[str] = (), **values) -> Layer:
    """Settings of the paper that proposed the method."""
    return Layer("method's own paper", source, tuple(on), values)


def default(source="", /, *, on: Sequence[str] = (), **values) -> Layer:
    """Defaults of the named library, or else of this one."""
    return Layer("library default", source, tuple(on), values)


def ours(reason: str, /, *, on: Sequence[str] = (), **values) -> Layer:
    """Settings that nobody states: we chose them for this reason, without the printed results."""
    return Layer("our choice", reason, tuple(on), values)


def held_out(source="", /, *, on: Sequence[str] = (), **values) -> Layer:
    """Settings that a hold-out on the training part chooses, among the candidates listed."""
    return Layer(HELD_OUT, source, tuple(on), values)


def closest(source="", /, *, on: Sequence[str] = (), **values) -> Layer:
    """Settings that were chosen because they come closest to the printed row."""
    return Layer(CLOSEST, source, tuple(on), values)


class Setting(NamedTuple):
    """The value of a parameter, and the layer that it is from."""

    value: object
    layer: Layer


def each(**values) -> list[dict]:
    """Overrides of one parameter each: one for a value, or one for each value of a list."""
    overrides = []
    for name, value in values.items():
        alternatives = value if isinstance(value, list) else [value]
        overrides += [{name: alternative} for alternative in alternatives]
    return overrides


def mixed(alternatives: Sequence[Override], n: int) -> list[dict]:
    """Up to ``n`` different mixtures of at least two overrides, drawn with a seed from their text.

    Overrides with the same alphabetically first parameter are alternatives of one choice: a mixture
    has at most one of them.
    """
    groups: dict[str, list[Override]] = {}
    for override in alternatives:
        groups.setdefault(min(override), [NO_OVERRIDE]).append(override)
    rng = np.random.default_rng(crc32(str(alternatives).encode()))
    mixtures: list[dict] = []
    for _ in range(10 * n):  # more than n, because some are equal or no mixtures
        chosen = [group[rng.integers(len(group))] for group in groups.values()]
        mixture = {name: value for override in chosen for name, value in override.items()}
        if sum(map(bool, chosen)) > 1 and mixture not in mixtures:
            mixtures.append(mixture)
    return mixtures[:n]


@dataclass(frozen=True)
class Row:
    """A method of a table: its settings, and the alternatives where the paper leaves them open.

    Parameters
    ----------
    learner : unfitted estimator. Its sub-estimators and seeds keep their values. Every other
        parameter that it uses must have a setting.
    settings : sequence of Layer, on top of those of :data:`EVERYWHERE`.
    alternatives : sequence of overrides, as from :func:`each`.
    n_mixed : int, default 4, alternatives that mix overrides; fewer where a fit takes minutes.
    in_advance : sequence of Layer, default none
        Settings of the column fixed in advance alone, in place of those closest to print.
    base_method : str, default "", the printed name of the method whose learner the row has, such
        as "MlSvm" of "MlSvm, mean" and "MimlNn" of "InsDif"; "" for the row's own name.
    layout : str, default "", how a bag becomes the vector of a learner that takes no bags.
    """

    learner: BaseEstimator
    settings: Sequence[Layer] = ()
    alternatives: Sequence[Override] = ()
    n_mixed: int = 4
    in_advance: Sequence[Layer] = ()
    base_method: str = ""
    layout: str = ""

    def fixed(self) -> "Row":
        """The row without the settings closest to print, with those fixed in advance."""
        kept = [layer for layer in self.settings if layer.basis != CLOSEST]
        return replace(self, settings=[*kept, *self.in_advance], in_advance=())

    def is_fixed(self) -> bool:
        """Whether nothing was chosen by closeness to print, so that both columns are the same."""
        return not self.in_advance and all(layer.basis != CLOSEST for layer in self.settings)

    def estimator_for(self, dataset: str = "", override: Override = NO_OVERRIDE):
        """The unfitted estimator on a data set, with some settings overridden."""
        values = resolve(self.settings_on(dataset), override)
        constants, grids = split_grid(values)
        pipeline, places = build_pipeline(self.learner, constants, grids)
        return wrap_hold_out(pipeline, places, grids, constants) if grids else pipeline

    def full_names(self, override: Override) -> dict:
        """The override unchanged: a row records settings by its own names, not a pipeline's."""
        return dict(override)

    def settings_on(self, dataset: str = "") -> dict[str, Setting]:
        """Each parameter's setting on a data set: that of the last layer that names it.

        Settings of the hold-out are among them only if some parameter has a list to search.
        """
        settings: dict[str, Setting] = {}
        for layer, values in self._layers():
            if not layer.on or dataset in layer.on:
                settings |= {name: Setting(value, layer) for name, value in values.items()}
        if any(isinstance(setting.value, list) for setting in settings.values()):
            return _settings_of_hold_outs() | settings
        return {name: setting for name, setting in settings.items() if name not in OF_HOLD_OUT}

    def alternatives_on(self, dataset: str = "") -> list[dict]:
        """Each alternative alone, then mixtures, without what the row has on a data set anyway."""
        settings = self.settings_on(dataset)
        mixtures = mixed(self.alternatives, self.n_mixed)
        overrides: list[dict] = []
        for override in (*self.alternatives, *mixtures):
            # What the row has anyway would be recorded twice.
            new = {}
            for name, value in override.items():
                if name not in settings or settings[name].value != value:
                    new[name] = value
            if new and new not in overrides:
                overrides.append(new)
        return overrides

    def _layers(self) -> Iterator[tuple[Layer, Mapping[str, object]]]:
        yield from _defaults_of(self.learner)
        for layer in self.settings:
            yield layer, layer.values


class Table(dict[str, Row]):
    """The rows of a table or figure by method."""

    def fixed_where_different(self) -> "Table":
        """The rows fixed in advance, without those that are the same in both columns."""
        with_choice = {name: row for name, row in self.items() if not row.is_fixed()}
        return Table((name, row.fixed()) for name, row in with_choice.items())

    def alternatives_on(self, dataset: str = "") -> dict[str, list[dict]]:
        """The alternative settings of each method that has some, on a data set."""
        overrides = {name: row.alternatives_on(dataset) for name, row in self.items()}
        return {name: of_row for name, of_row in overrides.items() if of_row}


def resolve(settings: Mapping[str, Setting], override: Override) -> dict[str, object]:
    """The values after an override, without those that the kernel or solver ignores.

    Lists are grids; names of scalings become steps.
    """
    values = {name: setting.value for name, setting in settings.items()} | dict(override)
    # Once more, because an override may have the first list.
    if any(isinstance(value, list) for value in values.values()):
        of_hold_out = {name: setting.value for name, setting in _settings_of_hold_outs().items()}
        values = of_hold_out | values
    skipped = unread(values)
    values = {name: value for name, value in values.items() if name not in skipped}
    if "scaling" in values:
        values["scaling"] = _scaling(values["scaling"])
    return values


def _scaling(name):
    """The step of a scaling by its name."""
    if not isinstance(name, str) or name not in SCALINGS:
        raise ValueError(f"scaling must be one of {[*SCALINGS]}, got {name!r}")
    return SCALINGS[name]


def split_grid(values: Mapping[str, object]) -> tuple[dict, list[dict]]:
    """The values that are constant, and the grids for a hold-out: none, one, or a union."""
    # A list is always a grid: no parameter takes one as its value.
    lists = {name: value for name, value in values.items() if isinstance(value, list)}
    constants = {name: value for name, value in values.items() if name not in lists}
    # Several grids, such as one for each kernel; without "grid" the lists are one grid.
    union = lists.pop("grid", [{}])
    grids = [lists | grid for grid in union]
    if not any(grids):
        return constants, []
    return constants, grids


def build_pipeline(
    learner: BaseEstimator, constants: dict, grids: Sequence[Mapping]
) -> tuple[Pipeline, dict[str, str]]:
    """The steps of a row and its learner, and the pipeline's name for each step of the row.

    A step that a hold-out chooses gets its first candidate, which the search replaces. Steps are
    copies: a trial seeds its own, and never a candidate of the grid. A step that a hold-out chooses
    must stand in the first grid, with a first candidate that is not None, which gives it its place.
    """
    candidates = {}
    if grids:
        candidates = {name: values[0] for name, values in grids[0].items()}
    steps = {}
    for name, step in (constants | candidates).items():
        if name in STEPS and step is not None:
            steps[name] = clone(step)
    not_parameters = (*STEPS, *OF_HOLD_OUT)
    parameters = {name: v for name, v in constants.items() if name not in not_parameters}
    pipeline = make_pipeline(*steps.values(), clone(learner).set_params(**parameters))
    return pipeline, dict(zip(steps, pipeline.named_steps, strict=False))


def wrap_hold_out(
    pipeline: Pipeline,
    places: Mapping[str, str],
    grids: Sequence[Mapping],
    constants: Mapping,
) -> HoldOut:
    """The hold-out among the grids' settings; ``places`` are the steps' names in the pipeline."""
    named = []
    for grid in grids:
        by_place = {places.get(name, name): values for name, values in grid.items()}
        named.append(full_names(pipeline, by_place))
    # What a row does not name is the search's own default.
    options = {name: constants[name] for name in OF_HOLD_OUT if name in constants}
    return HoldOut(pipeline, named if len(named) > 1 else named[0], **options)


# Parameters that a kernel or a solver does not read: settings that differ in them alone are one.
UNREAD = {
    "linear": ("gamma", "degree", "coef0"),
    "rbf": ("degree", "coef0"),
    "block_ascent": ("linear_program", "step_accuracy"),
    "frank_wolfe": ("tol",),
}


def unread(values: Mapping[str, object]) -> set[str]:
    """Names of parameters that the kernels and solvers among the values do not read."""
    names: set[str] = set()
    for name, value in values.items():
        for chooser in ("kernel", "solver"):
            if name.endswith(chooser) and isinstance(value, str):
                prefix = name.removesuffix(chooser)
                names |= {prefix + parameter for parameter in UNREAD.get(value, ())}
    return names


def settings_table(table: Mapping[str, Row], datasets: Sequence[str] = ("",)) -> pd.DataFrame:
    """Every setting of a table, in the column closest to print and in that fixed in advance."""
    rows = []
    for method, row in table.items():
        for dataset in datasets:
            in_tables = row.settings_on(dataset)
            in_advance = row.fixed().settings_on(dataset)
            for parameter in in_tables | in_advance:
                described = (
                    *_described(in_tables, parameter),
                    *_described(in_advance, parameter),
                )
                if any(described):
                    rows.append((method, dataset, parameter, *described))
    columns = "method dataset parameter value basis source fixed fixed_basis fixed_source"
    return pd.DataFrame(rows, columns=columns.split())


def n_closest_to_print(table: Mapping[str, Row], datasets: Sequence[str] = ("",)) -> dict[str, int]:
    """For each method, the number of its parameters that were chosen by closeness to print."""
    described = settings_table(table, datasets)
    marked = described[described["basis"] == CLOSEST]
    chosen = marked.groupby("method")["parameter"].nunique()
    return {method: int(chosen.get(method, 0)) for method in table}


def _described(settings, parameter):
    """(value, basis, source) as text; empty if the row has or reads no such thing."""
    values = {name: setting.value for name, setting in settings.items()}
    if parameter not in values or parameter in unread(values):
        return "", "", ""
    value, layer = settings[parameter]
    text = getattr(value, "__name__", None) or str(value)
    # The range is stated somewhere; the value in use is chosen on training data.
    if isinstance(value, list) and layer.basis != HELD_OUT:
        return text, HELD_OUT, f"range {layer.basis} {layer.source}".strip()
    return text, layer.basis, layer.source


def _defaults_of(learner):
    """Layers of :data:`EVERYWHERE`, and their values by the names that a learner has for them."""
    # A learner within another one has defaults of its own.
    parts = {"": learner}
    for name, part in learner.get_params().items():
        if hasattr(part, "fit"):
            parts[f"{name}__"] = part
    for prefix, part in parts.items():
        for layer in EVERYWHERE.get(type(part).__name__, ()):
            named = {f"{prefix}{name}": value for name, value in layer.values.items()}
            yield layer, named


def _settings_of_hold_outs():
    (layer,) = EVERYWHERE["HoldOut"]
    return {name: Setting(value, layer) for name, value in layer.values.items()}


ANDREWS, LIBSVM = "Andrews et al. 2003", "LIBSVM"
# A hold-out of a learner of one label.
BY_ACCURACY = ours("one label has no ranking", criterion="accuracy", stratified=True)
MI_SVM = [
    BY_ACCURACY,
    own_paper(ANDREWS, kernel="rbf"),
    default(LIBSVM, gamma="auto", C=1.0),
    default(rank="auto", tol=1e-4, max_alternations=50),
]

# Settings of every row that does not change them, independent of the classes' defaults.
EVERYWHERE: dict[str, list[Layer]] = {
    "MimlBoost": [
        stated("Table 6", label_rule="sign"), stated("4.1", weighting="weights"),
        program("MimlBoost", kernel="rbf", gamma=1.0, C=1.0, label_code="feature"),
        default(rank="auto", tol=1e-3, max_iter=200)],
    "MimlSvm": [
        stated("4.2", metric="max_hausdorff", label_rule="top"),
        program("MimlSvm", ratio=0.2, start="partition", kernel="rbf", gamma=0.2, C=1.0)],
    "MimlSvmMi": [
        own_paper(ANDREWS, label_rule="sign"),
        default(LIBSVM, kernel="rbf", gamma="auto", C=1.0),
        default(rank="auto", tol=1e-3),
        # Until nothing changes, as in the paper of mi-SVM, would take hours.
        ours("for time", max_alternations=10)],
    "MimlNn": [
        program("MimlNn", metric="max_hausdorff", ratio=0.4, start="partition", ridge=1.0,
                label_rule="sign")],
    "AdtBoostMH": [
        own_paper("De Comité et al. 2003", label_rule="sign"),
        own_paper("Freund and Mason 1999", smoothing=1.0)],
    "RankSvm": [
        own_paper("Elisseeff and Weston 2002", label_rule="sign"),
        program("RankSvm", C=1.0), ours("the plain (x·z + 1)^degree", gamma=1.0, coef0=1.0),
        default(normalise=True, solver="block_ascent", tol=1e-3, max_iter=2000)],
    "MlSvm": [stated("4.2", label_rule="top"), default(LIBSVM, gamma="auto", C=1.0)],
    "MlKnn": [program("Ml-knn", smoothing=1.0, label_rule="sign")],
    "Cnmf": [default(gamma="scale", C=1.0, tol=1e-5, max_iter=200, label_rule="sign")],
    "InsDif": [default(shortcut=True)],
    "DifferenceFeatures": [default(LIBSVM, gamma="auto"), default(rank="auto")],
    "DMimlSvm": [
        stated("5.1", label_rule="sign"), stated("5.2", relatedness="mean"),
        ours("Eq. 24 is the problem that Section 5.5 solves", imbalance=True),
        default(rank="auto", set_kernel="unit", solver="bundle", max_iter=None, cccp_tol=1e-3,
                max_cccp=30),
        ours("held out where it counts", gamma=1.0), ours("for time", tol=1e-2)],
    "SubCod": [
        BY_ACCURACY, default("HiGHS", optimum="vertex"),
        # Eq. 33 has the full matrix, which is singular if a component has fewer instances than
        # there are features.
        ours("full matrices are singular here", covariance="diag"),
        default(C=1.0, tol=1e-3, max_alternations=100)],
    "DiverseDensity": [
        own_paper("Maron and Lozano-Pérez 1998", threshold="learned"),
        default("PRTools", initial_scale=0.1), default(tol=1e-4, max_iter=300),
        ours("for time", n_start_bags=3)],
    "EmDd": [
        own_paper("Zhang and Goldman 2002", n_start_bags=3, initial_scale=0.1, threshold=0.5),
        default(tol=1e-3, max_iter=100)],
    "MiSvmInstance": MI_SVM,
    "MiSvmBag": MI_SVM,
    "ChFd": [
        BY_ACCURACY,
        default(LIBSVM, kernel="rbf", gamma="auto"),
        default(nu=1.0, rank="auto", tol=1e-3, max_alternations=200)],
    "HoldOut": [ours("the paper states neither", criterion="average_precision", test_size=0.25)],
}  # fmt: skip
