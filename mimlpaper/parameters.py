"""Rules for parameters: a class lists them beside its fields, ``fit`` checks them.

``_parameter_constraints`` maps a parameter's name to alternatives, one of which must hold, in the
form that scikit-learn has for its own estimators. A subclass lists the rules of its own parameters
only; the rules of its base classes hold too.
"""

from numbers import Integral, Real

# Private in scikit-learn, so that no other module imports it.
from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)


def words(*options: str) -> StrOptions:
    """The rule that a parameter is one of these words."""
    return StrOptions(set(options))


def above(limit: float) -> Interval:
    """The rule that a parameter is a finite number greater than ``limit``."""
    return Interval(Real, limit, None, closed="neither")


def at_least(limit: int) -> Interval:
    """The rule that a parameter is an integer of at least ``limit``."""
    return Interval(Integral, limit, None, closed="left")


POSITIVE = above(0)
NOT_NEGATIVE = Interval(Real, 0, None, closed="left")
COUNT = at_least(1)
SHARE = Interval(Real, 0, 1, closed="both")
PROPER_SHARE = Interval(Real, 0, 1, closed="neither")
POSITIVE_SHARE = Interval(Real, 0, 1, closed="right")
FLAG = "boolean"
SEED = "random_state"
VERBOSITY = "verbose"
ARRAY = "array-like"


def check_parameters(estimator):
    """Raise a ValueError that names the first parameter that breaks its rule."""
    rules: dict = {}
    for kind in reversed(type(estimator).__mro__):
        rules |= vars(kind).get("_parameter_constraints", {})
    values = estimator.get_params(deep=False)
    validate_parameter_constraints(rules, values, type(estimator).__name__)


def set_random_states(estimator, seed: int):
    """Seed every part of a composed estimator that draws random numbers."""
    names = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
    estimator.set_params(**dict.fromkeys(names, seed))
