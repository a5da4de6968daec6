"""SubCod: one label of a bag from many sub-concepts, which an MIML learner predicts."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import highspy
import numpy as np
from scipy.sparse import block_array, csr_array, eye_array
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.base import (
    BagClassifier,
    ConstantLabelWarning,
    check_bags,
    is_constant,
    last_step,
    without_label_warnings,
)
from mimlpaper.kernels import integer_seed
from mimlpaper.linear_svm import fit_linear_svm
from mimlpaper.parameters import COUNT, POSITIVE, SEED, SHARE, words
from mimlpaper.sharing import shared

DUAL_SIMPLEX = 1  # HiGHS's number of it
OPTIMA = ("budget", "minimal", "vertex")


@dataclass(kw_only=True, eq=False, repr=False)
class SubCod(BagClassifier):
    """Sub-concept discovery: from bags with one binary label to MIML, and back.

    Sub-concepts are the components of a Gaussian mixture of all instances: c_ij = ±1 says whether
    bag i has an instance of component j. These labels are corrected by solving Eq. 37,

        min_{w, b, ξ, Z}  ½||w||² + C Σ_i ξ_i
        s.t.  y_i (<w, c_i ⊙ z_i> + b) >= 1 - ξ_i,  ξ_i >= 0,
              -1 <= z_ij <= 1,  Σ_ij z_ij >= 2θ - mM

    alternately for (w, b) and for Z, from Z = 1. An MIML learner predicts c̃_ij = [c_ij z_ij > 0],
    and a linear SVM y from them. Choose it if the label is a broad concept with many variants.

    Parameters
    ----------
    n_concepts : int >= 1, default 30
        The paper's M, at most the number of instances.
    kept_share : float in [0, 1], default 0.5
        The paper's θ as a share of mM; 1 inverts no label.
    C : float > 0, default 1.0
        Cost of the slacks ξ.
    optimum : {"budget", "minimal", "vertex"}, default "budget"
        The Z, of many optimal ones. "minimal" inverts the few labels that make every margin 1, as
        far as mM - θ inversions allow. "budget" spends the inversions that are left on all others
        that raise a margin, the largest gains first; for θ up to about mM/2 SubCod then equals its
        learner on the bag label. "vertex", where HiGHS's dual simplex ends, lies between the two.
    learner : MIML estimator or None, default None
        Predicts the sub-concepts; unfitted. None stands for ``MimlSvm()``.
    covariance : {"diag", "spherical", "tied", "full"}, default "diag"
        Shape of the components.
    tol : float > 0, default 1e-3
        Least gain of an alternation, as a share of the objective.
    max_alternations : int >= 1, default 100
        Largest number of alternations; a ConvergenceWarning says that they still gained.
    random_state : int, RandomState or None, default None
        Seed of the mixture, and of the default learner.

    Attributes
    ----------
    mixture_ : GaussianMixture
        The sub-concepts.
    concepts_ : bool array (n_bags, n_concepts)
        The c of the training bags, True for 1.
    polished_ : bool array (n_bags, n_concepts)
        The c̃ of the training bags.
    objective_ : array (n_alternations,)
        The objective after each alternation.
    learner_ : MIML estimator
        Fitted to the distinct columns of ``polished_``.
    label_of_concept_ : array (n_concepts,)
        The learner's label for each sub-concept.
    classifier_ : SVC
        From c̃ as 0 and 1 to y; linear, with C = 1.
    classes_ : array (2,)
        The classes of a bag, the positive one last.

    References
    ----------
    Section 7.1 and Table 10. The last machine follows the defaults of Weka's SMO.
    """

    n_concepts: int = 30
    kept_share: float = 0.5
    C: float = 1.0
    optimum: str = "budget"
    learner: BaseEstimator | None = None
    covariance: str = "diag"
    tol: float = 1e-3
    max_alternations: int = 100
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = {
        "n_concepts": [COUNT],
        "kept_share": [SHARE],
        "C": [POSITIVE],
        "optimum": [words(*OPTIMA)],
        "covariance": [words("diag", "spherical", "tied", "full")],
        "tol": [POSITIVE],
        "max_alternations": [COUNT],
        "random_state": [SEED],
    }

    def predict_concepts(self, X) -> np.ndarray:
        """The learner's label sets, as booleans (n_bags, M).

        Sub-concepts with the same training bags have the same scores. If the label rule takes the
        highest score alone, it takes the first of equal ones.
        """
        check_is_fitted(self)
        scores = np.asarray(self.learner_.decision_function(check_bags(X, self)))
        return last_step(self.learner_).decide(scores[:, self.label_of_concept_])

    def _fit(self, bags, y):
        if self.n_concepts > bags.n_instances:
            message = f"n_concepts must be at most {bags.n_instances}, the number of instances"
            raise ValueError(f"{message}, got {self.n_concepts}")
        mixture = GaussianMixture(
            self.n_concepts,
            covariance_type=self.covariance,
            init_params="random_from_data",
            random_state=integer_seed(self.random_state),
        )
        self.mixture_ = shared(GaussianMixture.fit, mixture, bags.instances)  # Table 10, step 1
        self.concepts_ = np.zeros((len(bags), self.n_concepts), dtype=bool)
        components = self.mixture_.predict(bags.instances)  # step 2, Eq. 36: (n_instances,)
        self.concepts_[bags.bag_of_instance, components] = True
        options = {
            "kept_share": self.kept_share,
            "C": self.C,
            "optimum": self.optimum,
            "tol": self.tol,
            "max_alternations": self.max_alternations,
        }
        corrected = shared(correct_concepts, self.concepts_, y, **options)
        self.polished_, self.objective_ = corrected
        # The learner sees each label once; equal columns share it.
        labels, label_of_concept = np.unique(self.polished_, axis=1, return_inverse=True)
        self.label_of_concept_ = label_of_concept.ravel()
        self.learner_ = self._fit_learner(bags, labels)
        self.classifier_ = SVC(kernel="linear", C=1.0).fit(self.polished_, y)  # step 4

    def _scores(self, bags):
        """Decision values of the last machine for the predicted sub-concepts: (n_bags,)."""
        concepts = self.predict_concepts(bags)
        return self.classifier_.decision_function(concepts)  # step 5

    def _fit_learner(self, bags, labels):
        if is_constant(labels).all():
            message = "all bags have the same sub-concepts, and get one label; raise n_concepts"
            warnings.warn(message, ConstantLabelWarning, stacklevel=4)
        learner = self.learner
        if learner is None:
            learner = MimlSvm(random_state=self.random_state)
        with without_label_warnings():
            return clone(learner).fit(bags, labels)


def correct_concepts(
    concepts, y, *, kept_share, C=1.0, optimum="budget", tol=1e-3, max_alternations=100
) -> tuple[np.ndarray, np.ndarray]:
    """Corrected labels c̃ (n_bags, M), and the objectives, for boolean ``concepts`` c and ``y``."""
    c = np.where(concepts, 1.0, -1.0)
    target = np.where(y, 1.0, -1.0)
    n_inversions = (1.0 - kept_share) * c.size  # mM - θ
    q = c  # c ⊙ z, from Z = 1
    objective: list[float] = []
    for _ in range(max_alternations):
        machine = fit_linear_svm(q, y, C)  # step 3: the best (w, b)
        gains = -2.0 * target[:, None] * c * machine.weights  # (n_bags, M)
        deficits = 1.0 - target * machine.decision_function(c)  # (n_bags,)
        u = best_inversions(gains, deficits, n_inversions, optimum)  # step 3: the best Z = 1 - 2u
        q = c * (1.0 - 2.0 * u)
        gained = (gains * u).sum(axis=1)
        slacks = np.maximum(deficits - gained, 0.0)
        norm = 0.5 * machine.weights @ machine.weights
        objective.append(norm + C * slacks.sum())
        if len(objective) > 1 and objective[-2] - objective[-1] <= tol * objective[-2]:
            break
    else:
        message = f"the objective still falls after max_alternations={max_alternations} turns"
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
    return q > 0, np.array(objective)


def best_inversions(gains, deficits, n_inversions, optimum) -> np.ndarray:
    """Solution u = (1 - z) / 2 of the linear program over Z for given (w, b): (n_bags, M).

    min_u Σ_i max(0, deficits_i - Σ_j gains_ij u_ij)  s.t.  0 <= u <= 1, Σ u <= n_inversions.
    """
    if optimum == "vertex":
        return _vertex(gains, deficits, n_inversions)
    u = _buy(gains, _needed(gains, deficits), n_inversions)
    if optimum == "budget":
        useful = np.where(gains > 0, 1.0 - u, 0.0)
        u += _buy(gains, useful, n_inversions - u.sum())
    return u


def _needed(gains, deficits):
    """The share of each inversion that its bag needs if it takes the largest gains first."""
    order = np.argsort(-gains, axis=1, kind="stable")
    ordered = np.maximum(np.take_along_axis(gains, order, axis=1), 0.0)  # the largest first
    gained_before = np.cumsum(ordered, axis=1) - ordered
    left = deficits[:, None] - gained_before
    shares = np.divide(left, ordered, out=np.zeros_like(gains), where=ordered > 0)
    needed = np.empty_like(gains)
    np.put_along_axis(needed, order, np.clip(shares, 0.0, 1.0), axis=1)
    return needed


def _buy(gains, offered, n_inversions):
    """The shares taken of the offered inversions, in the order of gain, ``n_inversions`` in all."""
    order = np.argsort(-gains, axis=None, kind="stable")
    pieces = offered.ravel()[order]
    before = np.cumsum(pieces) - pieces
    bought = np.empty(gains.size)
    bought[order] = np.clip(n_inversions - before, 0.0, pieces)
    return bought.reshape(gains.shape)


def _vertex(gains, deficits, n_inversions):
    """Where HiGHS's dual simplex ends; SciPy's ``linprog`` calls it too, in twice the time."""
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("solver", "simplex")
    solver.setOptionValue("simplex_strategy", DUAL_SIMPLEX)
    solver.passModel(_linear_program(gains, deficits, n_inversions))
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        message = f"the linear program over Z was not solved: {solver.modelStatusToString(status)}"
        raise RuntimeError(message)
    u = np.array(solver.getSolution().col_value[: gains.size])
    return np.clip(u, 0.0, 1.0).reshape(gains.shape)


def _linear_program(gains, deficits, n_inversions):
    """The program of :func:`best_inversions`, over the variables u, then ξ."""
    n_bags, n_concepts = gains.shape
    n_u = gains.size
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = n_u + n_bags, n_bags + 1
    program.col_cost_ = np.repeat([0.0, 1.0], [n_u, n_bags])  # Σ ξ
    program.col_lower_ = np.zeros(n_u + n_bags)
    program.col_upper_ = np.repeat([1.0, np.inf], [n_u, n_bags])
    program.row_lower_ = np.full(n_bags + 1, -np.inf)
    program.row_upper_ = np.append(-deficits, n_inversions)
    starts = np.arange(0, n_u + 1, n_concepts)
    by_bag = csr_array((gains.ravel(), np.arange(n_u), starts))  # (n_bags, n_bags M)
    budget = np.ones((1, n_u))
    rows = block_array([[-by_bag, -eye_array(n_bags)], [budget, None]], format="csc")
    matrix = program.a_matrix_
    matrix.start_, matrix.index_, matrix.value_ = rows.indptr, rows.indices, rows.data
    return program


class OneLabel(BagClassifier):
    """An MIML estimator with a single label, as a learner of one binary label a bag.

    Parameters
    ----------
    learner : MIML estimator
        The learner, unfitted.

    Attributes
    ----------
    learner_ : MIML estimator
        The fitted learner.
    classes_ : array (2,)
        The classes of a bag, the positive one last.

    References
    ----------
    Section 7; MIML with one label is multi-instance learning.
    """

    def __init__(self, learner):
        self.learner = learner

    def _fit(self, bags, positive):
        self.learner_ = clone(self.learner).fit(bags, positive[:, None])

    def _scores(self, bags):
        return np.asarray(self.learner_.decision_function(bags))[:, 0]
