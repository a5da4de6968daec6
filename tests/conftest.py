"""Hand-made data that many tests share, and how many examples hypothesis draws.

Fixtures import the package themselves: the process that hands out the tests needs nothing of it but
``pin``.
"""

# ruff: noqa: E402
from mimlstudy.engine.arithmetic import pin

pin()  # before NumPy is imported

# isort: split
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

QUIET = {
    "deadline": None,
    "derandomize": True,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
}
settings.register_profile("daily", max_examples=3, **QUIET)
settings.register_profile("thorough", max_examples=15, **QUIET)  # pytest --hypothesis-profile
settings.load_profile("daily")


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Two threads of BLAS that wait for each other take minutes on a busy machine."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(autouse=True)
def closed_figures():
    """No figure outlives its test."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    # Without a figure it would still collect garbage, which takes a while after each test.
    if pyplot and pyplot.get_fignums():
        pyplot.close("all")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    from mimlstudy.engine.records import Store
    from mimlstudy.paper.catalogue import CATALOGUE

    return Store(tmp_path / "results", CATALOGUE)


@pytest.fixture
def bags(rng):
    """Thirty bags of one to four instances with three features."""
    from mimlpaper.bags import Bags

    return Bags.from_list([rng.random((size, 3)) for size in rng.integers(1, 5, 30)])


@pytest.fixture
def labels(bags):
    """Four labels that depend on the bags.

    Each label has bags with it and without it, and each bag has a label.
    """
    Y = np.column_stack([bags.max(bags.instances) > 0.6, bags.sizes > 2])
    Y[~Y.any(axis=1), 3] = True
    return Y


@pytest.fixture
def y(bags, rng):
    """A bag is positive if its largest first feature is large, with some noise."""
    return bags.max(bags.instances[:, 0]) + 0.2 * rng.standard_normal(len(bags)) > 0.7
