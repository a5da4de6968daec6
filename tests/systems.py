"""Marks of tests that not every system can run."""

import os
import sys

import pytest
from threadpoolctl import threadpool_info


def n_blas_threads():
    """Of each library of linear algebra, without repetitions."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return {pool["num_threads"] for pool in pools}


on_posix = pytest.mark.skipif(
    os.name != "posix", reason="needs the pipes, links and rights of POSIX"
)
on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="only there a peak of memory can be forgotten"
)
with_known_blas = pytest.mark.skipif(
    not n_blas_threads(), reason="threadpoolctl does not know this BLAS"
)
