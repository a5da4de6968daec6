"""What the base classes promise for every learner: whole fits, one BLAS thread, complete help."""

import ast
import inspect
import logging
import re
import subprocess
import sys
from contextlib import redirect_stderr
from dataclasses import fields
from io import StringIO

import joblib
import numpy as np
import pytest
from numba import njit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import mimlpaper as miml
from mimlpaper import compiled as compilation
from mimlpaper import paths
from mimlpaper.algorithms.medoid_map import KMedoids
from mimlpaper.base import BagClassifier, MultiLabelEstimator
from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.classifier import OnStatistics
from mimlpaper.compiled import compiled
from mimlpaper.computing import computing
from mimlpaper.datasets import Dataset, ImageBags, LabelledBags, TextBags
from tests.docstrings import entries, section_of
from tests.learners import (
    OF_BAGS,
    OF_ONE_LABEL,
    OF_VECTORS,
    input_of,
    name_of,
)
from tests.systems import n_blas_threads, with_known_blas

pytestmark = pytest.mark.filterwarnings(
    "ignore::mimlpaper.base.ConstantLabelWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
CLASSIFIER = miml.MimlClassifier(
    {"MimlNn": miml.MimlNn()},
    n_folds=2,
    random_state=0,
)
LEARNERS = [*OF_BAGS, *OF_VECTORS, *OF_ONE_LABEL, CLASSIFIER]
PUBLIC = [getattr(miml, name) for name in miml.__all__]
CLASSES = [kind for kind in PUBLIC if inspect.isclass(kind)]
# Bags are data: their docstring has another form.
DOCUMENTED = [kind for kind in CLASSES if kind is not miml.Bags]
NOT_AT_THE_TOP = [
    LabelFrequencies,
    OnStatistics,
    KMedoids,
    ImageBags,
    TextBags,
]


@pytest.fixture(params=LEARNERS, ids=name_of)
def learner(request):
    return clone(request.param)


@pytest.fixture
def X(learner, bags):
    return input_of(learner, bags)


@pytest.fixture
def Y(learner, labels, y):
    return y if isinstance(learner, BagClassifier) else labels[:, :2]


def class_name(kind):
    return kind.__name__


@pytest.mark.parametrize(
    "kind",
    [*DOCUMENTED, *NOT_AT_THE_TOP],
    ids=class_name,
)
def test_every_parameter_has_an_entry_with_its_type_and_default(kind):
    documented = entries(kind)
    parameters = inspect.signature(kind).parameters
    assert set(documented) == set(parameters)
    for name, parameter in parameters.items():
        stated_type, _, default = documented[name].partition(", default ")
        assert stated_type
        if parameter.default is parameter.empty:
            assert not default
        else:
            assert ast.literal_eval(default) == parameter.default


@pytest.mark.parametrize(
    "kind",
    [*DOCUMENTED, *NOT_AT_THE_TOP],
    ids=class_name,
)
def test_every_parameter_is_explained_below_its_entry(kind):
    text = section_of(kind, "Parameters")
    for name in entries(kind):
        entry = re.search(
            rf"^{name} : .*\n    \S",
            text,
            flags=re.MULTILINE,
        )
        assert entry, f"{name} has no meaning"
    # What a parameter means stands in its entry, not on another page.
    assert not re.search(r"\b[Ss]ee (:|there)", text)


@pytest.mark.parametrize("kind", [Dataset, LabelledBags], ids=class_name)
def test_every_field_of_data_is_explained(kind):
    documented = entries(kind, "Attributes")
    assert list(documented) == [field.name for field in fields(kind)]


POSITIONAL = inspect.Parameter.POSITIONAL_OR_KEYWORD
KEYWORD = inspect.Parameter.KEYWORD_ONLY


def shifted(kind):
    """A subclass with one more parameter, by which its scores are higher."""

    def __init__(self, *, shift=5.0, **parameters):
        super(subclass, self).__init__(**parameters)
        self.shift = shift

    def _fit(self, X, Y):
        super(subclass, self)._fit(X, Y)
        self.shift_ = self.shift

    def _scores(self, X):
        return super(subclass, self)._scores(X) + self.shift_

    # get_params of scikit-learn reads names from the signature.
    parameters = [inspect.Parameter("self", POSITIONAL)]
    for parameter in inspect.signature(kind).parameters.values():
        parameters.append(parameter.replace(kind=KEYWORD))
    parameters.append(inspect.Parameter("shift", KEYWORD, default=5.0))
    __init__.__signature__ = inspect.Signature(parameters)
    steps = {"__init__": __init__, "_fit": _fit, "_scores": _scores}
    subclass = type(f"Shifted{kind.__name__}", (kind,), steps)
    return subclass


def test_a_subclass_with_one_more_parameter_and_a_changed_step(learner, X, Y):
    expected = clone(learner).fit(X, Y).decision_function(X)
    subclass = shifted(type(learner))
    changed = subclass(**learner.get_params(deep=False), shift=7.0)
    scores = clone(changed).fit(X, Y).decision_function(X)
    assert np.allclose(scores, expected + 7.0)
    assert clone(changed).set_params(shift=0.5).fit(X, Y).shift_ == 0.5


def test_a_subclass_of_a_transformer_to_vectors_changes_its_step(bags):
    class Halves(miml.BagStatistics):
        def __init__(self, statistics=("mean",), *, divisor=2.0):
            super().__init__(statistics)
            self.divisor = divisor

        def _vectors(self, bags):
            return super()._vectors(bags) / self.divisor

    expected = miml.BagStatistics(("mean",)).fit_transform(bags)
    halves = clone(Halves(divisor=4.0)).fit_transform(bags)
    assert np.array_equal(halves, expected / 4.0)


@pytest.mark.parametrize(
    "transformer",
    [
        miml.PrototypeDifferences(),
        miml.SingleInstances(),
        miml.NeighbourMeans(),
        miml.DifferenceFeatures(),
    ],
    ids=name_of,
)
def test_a_subclass_of_a_transformer_to_bags_changes_its_step(transformer, bags, labels):
    class Moved(type(transformer)):
        def __init__(self, by=1.0):
            super().__init__()
            self.by = by

        def _transform(self, X):
            of_features = super()._transform(X)
            return of_features.with_instances(of_features.instances + self.by)

    X = miml.SumInstances().fit_transform(bags)
    expected = transformer.fit(X, labels).transform(X)
    moved = clone(Moved(by=3.0)).fit(X, labels).transform(X)
    assert np.allclose(moved.instances, expected.instances + 3.0)


def test_a_subclass_of_a_transformer_of_instances_changes_its_step(bags):
    class Logarithms(miml.OnInstances):
        def __init__(self, transformer, *, offset=1.0):
            super().__init__(transformer)
            self.offset = offset

        def _table(self, bags):
            return np.log(bags.instances + self.offset)

    logarithms = bags.with_instances(np.log(bags.instances + 2.0))
    expected = miml.OnInstances(StandardScaler()).fit_transform(logarithms)
    scaled = clone(Logarithms(StandardScaler(), offset=2.0)).fit_transform(bags)
    assert np.array_equal(scaled.instances, expected.instances)


@pytest.mark.parametrize("kind", [miml.MedoidMap, miml.LandmarkMap], ids=class_name)
def test_a_subclass_of_a_map_to_medoids_changes_its_step(kind, bags):
    class FirstMedoids(kind):
        def __init__(self, ratio=0.2, *, n_kept=2, random_state=None):
            super().__init__(ratio=ratio, random_state=random_state)
            self.n_kept = n_kept

        def _fit(self, X):
            z = super()._fit(X)
            self.medoid_indices_ = self.medoid_indices_[: self.n_kept]
            self.medoids_ = X[self.medoid_indices_]
            return z

    expected = kind(ratio=0.5, random_state=0).fit(bags).transform(bags)
    few = clone(FirstMedoids(0.5, n_kept=3, random_state=0)).fit(bags).transform(bags)
    assert np.allclose(few, expected[:, :3])


def test_a_subclass_of_k_medoids_changes_its_step(bags):
    class OfPowers(miml.KMedoids):
        def __init__(self, n_clusters, *, power=2.0, random_state=None):
            super().__init__(n_clusters, random_state=random_state)
            self.power = power

        def _fit(self, D):
            super()._fit(D**self.power)

    distances = miml.max_hausdorff(bags)
    expected = miml.KMedoids(3, random_state=0).fit(distances**3.0)
    clusters = clone(OfPowers(3, power=3.0, random_state=0)).fit(distances)
    assert clusters.inertia_ == expected.inertia_
    assert clusters.labels_.tolist() == expected.labels_.tolist()


def test_a_step_of_dmimlsvm_that_a_subclass_changes_is_used_in_its_fit(bags, labels):
    class OfFirstInstances(miml.DMimlSvm):
        def _of_bags(self, features):
            return features.instances[features.offsets[:-1]]

    Y = labels[:, :2]
    bags_of_one = [bag[:1] for bag in bags]
    parameters = dict(lam=0.0, rank=None, set_kernel="mean", gamma=1.0)
    changed = OfFirstInstances(**parameters).fit(bags, Y)
    scores = changed.decision_function(bags)
    learner = miml.DMimlSvm(**parameters).fit(bags_of_one, Y)
    expected = learner.decision_function(bags_of_one)
    # Both fits stop at the same gap, not at the same functions.
    assert np.allclose(scores, expected, atol=0.05)


def interrupted(kind):
    """A subclass whose fit is interrupted at its end, when attributes are set."""

    def _fit(self, X, Y):
        kind._fit(self, X, Y)
        raise KeyboardInterrupt

    return type(kind.__name__, (kind,), {"_fit": _fit})


def test_an_interrupted_fit_leaves_the_learner_as_it_was(learner, X, Y):
    learner.fit(X, Y)
    expected = learner.decision_function(X)
    attributes = set(vars(learner))
    # The fitted object itself, whose next fit ends too early.
    learner.__class__ = interrupted(type(learner))
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X[10:], Y[10:])
    assert set(vars(learner)) == attributes
    assert np.array_equal(learner.decision_function(X), expected)


def test_an_interrupted_first_fit_leaves_the_learner_unfitted(learner, X, Y):
    learner.__class__ = interrupted(type(learner))
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, Y)
    with pytest.raises(NotFittedError):
        learner.predict(X)


@with_known_blas
def test_fit_and_scores_have_one_blas_thread_whatever_the_caller_set(learner, X, Y):
    seen = []

    class Watched(type(learner)):
        def _fit(self, X, Y):
            seen.append(n_blas_threads())
            super()._fit(X, Y)

        def _scores(self, X):
            seen.append(n_blas_threads())
            return super()._scores(X)

    learner.__class__ = Watched
    with threadpool_limits(2, user_api="blas"):
        before = n_blas_threads()
        assert 2 in before
        learner.fit(X, Y).predict(X)
        assert n_blas_threads() == before
    assert seen[0] == {1}
    assert seen[-1] == {1}


@with_known_blas
def test_computations_within_each_other_restore_the_threads_at_the_end():
    with threadpool_limits(2, user_api="blas"):
        before = n_blas_threads()
        assert 2 in before
        with computing():
            with computing():
                pass
            assert n_blas_threads() == {1}
        assert n_blas_threads() == before


def test_an_interrupt_that_numba_hides_is_an_interrupt():
    inner = SystemError("_numba_unpickle returned a result with an exception set")
    inner.__cause__ = KeyboardInterrupt()
    outer = SystemError("CPUDispatcher returned a result with an exception set")
    with pytest.raises(KeyboardInterrupt), computing():
        raise outer from inner
    with pytest.raises(SystemError), computing():
        raise SystemError("another one")


@pytest.mark.parametrize("kind", [miml.MimlNn, miml.MimlSvm])
def test_labels_are_checked_before_distances_are_computed(kind, bags, labels):
    def unwanted(A, B):
        raise AssertionError("distances of bags whose labels are wrong")

    with pytest.raises(ValueError, match="booleans, or 0 and 1"):
        kind(metric=unwanted).fit(bags, np.where(labels, 1, -1))


def test_errors_name_the_parameter_as_its_class_does(bags, y):
    learner = miml.SubCod(covariance="x")
    message = r"'covariance' parameter of SubCod must be .* Got 'x'"
    with pytest.raises(ValueError, match=message):
        learner.fit(bags, y)


def test_a_learner_without_its_steps_says_which_are_missing(bags, labels):
    class Incomplete(MultiLabelEstimator):
        label_rule = "sign"

    message = r"Incomplete must define _fit\(X, Y\)"
    with pytest.raises(NotImplementedError, match=message):
        Incomplete().fit(bags, labels)


def test_functions_compile_where_no_folder_can_be_written(monkeypatch):
    def without_folder(cache=False, **options):
        if cache:
            message = "cannot cache function 'twice': no locator available"
            raise RuntimeError(message)
        return njit(**options)

    monkeypatch.setattr(compilation, "njit", without_folder)

    @compiled
    def twice(x):
        return 2 * x

    assert twice(21) == 42


INVENTED = """
from numba import njit

from mimlpaper import compiled

compiled._announce_compilations()
for factor in (2, 3):
    def times(x, factor=factor):
        return factor * x
    times.__module__ = "mimlpaper.invented"
    function = njit(times)
    function(14)
    function(15)
"""


def test_the_first_compilation_of_a_process_is_announced_once_on_stderr():
    """Two functions are compiled; nothing is configured to show logs."""
    command = [sys.executable, "-c", INVENTED]
    run = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stderr == "compiling loops for this computer; this fit takes seconds longer\n"
    assert run.stdout == ""


def test_workers_announce_no_compilation():
    (errors,) = joblib.Parallel(2)([joblib.delayed(_errors_of_compiling)()])
    assert errors == ""


def _errors_of_compiling():
    """What a worker writes to stderr while it compiles."""
    with redirect_stderr(StringIO()) as errors:
        exec(INVENTED, {})
    return errors.getvalue()


def test_each_compiled_function_has_an_entry_of_the_log(caplog):
    def thrice(x):
        return 3 * x

    thrice.__module__ = "mimlpaper.invented"
    with caplog.at_level(logging.INFO, logger="mimlpaper"):
        function = njit(thrice)
        compilation._announce_compilations()
        function(14)
        function(15)
    assert caplog.messages[-1] == "compiling mimlpaper.invented.thrice"


WITH_BAR = [learner for learner in LEARNERS if "verbose" in learner.get_params(deep=False)]


@pytest.mark.parametrize("learner", WITH_BAR, ids=name_of, indirect=True)
def test_verbose_learners_show_their_progress(learner, X, Y, capsys):
    learner.fit(X, Y).predict(X)
    assert capsys.readouterr().err == ""
    learner.set_params(verbose=1).fit(X, Y).predict(X)
    assert re.search("it/s|s/it", capsys.readouterr().err)


def test_the_guide_names_the_learners_that_show_their_progress():
    guide = paths.project_root() / "site" / "guide.md"
    sentence = re.search(r"With `verbose=1` these.*?\.", guide.read_text(), re.S)[0]
    named = set(re.findall(r"`(\w+)`", sentence))
    with_bar = set()
    for kind in CLASSES:
        if "verbose" in inspect.signature(kind).parameters:
            with_bar.add(kind.__name__)
    assert named == with_bar


@pytest.mark.parametrize("value", [0.1, 0.3, 0.5, 1e6])
@pytest.mark.parametrize("n", [10, 24, 30, 97])
def test_constant_features_are_taken_whatever_rounding_makes_of_their_mean(value, n):
    Y = np.arange(n)[:, None] % 2
    miml.MlSvm().fit(np.full((n, 3), value), Y)


def test_vectors_of_integers_that_would_be_rounded_are_refused():
    X = np.array([[2**60 + i] for i in range(6)])
    with pytest.raises(ValueError, match=r"X must hold integers of at most 2\^53"):
        miml.MlKnn(n_neighbors=2).fit(X, np.arange(6)[:, None] % 2)


class WithUnderscore(MultiLabelEstimator):
    """A learner whose parameter has a name that Python keeps for itself, as a user may write it."""

    label_rule = "sign"

    def __init__(self, lambda_=1.0):
        self.lambda_ = lambda_

    def _fit(self, X, Y):
        self.shares_ = self.lambda_ * Y.mean(axis=0)

    def _scores(self, X):
        return np.tile(self.shares_, (len(X), 1))


def test_a_parameter_may_end_with_an_underscore():
    learner = WithUnderscore(lambda_=2.0).fit([np.eye(2)] * 2, [[1], [0]])
    assert learner.lambda_ == 2
    assert learner.shares_.tolist() == [1]
