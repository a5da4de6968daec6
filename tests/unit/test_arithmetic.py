"""The pinned arithmetic counts before NumPy is imported, and says so when it does not."""

import inspect
import os
import re
import subprocess
import sys

import pytest

from mimlstudy.engine import arithmetic as module
from mimlstudy.engine.arithmetic import OWN, PINNED, pin, variables
from mimlstudy.report import command

REPORT = """
from mimlstudy.engine.arithmetic import pin
pin()
from threadpoolctl import threadpool_info
import numba, numpy
from numpy._core._multiarray_umath import __cpu_features__ as used
from numba.core.registry import cpu_target
compiled_for = cpu_target.target_context.codegen()._tm_features
blas = {pool.get("architecture") for pool in threadpool_info() if pool["user_api"] == "blas"}
print(pin(), used.get("X86_V4", False), compiled_for.count("avx512f"), *blas)
"""
pinned_here = pytest.mark.skipif(pin() != PINNED, reason="this processor lacks AVX2 or FMA")


# What this process and two workers of it compute with, after NumPy was imported here. The
# process asks first: workers inherit its variables.
WORKERS = """
import numpy, joblib
from mimlstudy.engine.arithmetic import pin
of_process = pin()
of_workers = joblib.Parallel(2)(joblib.delayed(pin)() for _ in range(2))
print(of_process, *of_workers, sep=', ')
"""


def last_line_of(code, **variables_set):
    """What a new process prints last, in an environment that pins nothing."""
    environment = os.environ | variables_set
    for name in variables():
        if name not in variables_set:
            environment.pop(name, None)
    command = [sys.executable, "-c", code]
    output = subprocess.check_output(command, env=environment, text=True)
    return output.splitlines()[-1]


@pinned_here
def test_libraries_that_are_imported_later_use_no_wider_registers():
    assert last_line_of(REPORT) == f"{PINNED} False 0 Haswell"


@pinned_here
def test_workers_are_pinned_also_where_the_process_itself_is_not():
    assert last_line_of(WORKERS) == f"{OWN}, {PINNED}, {PINNED}"


SAYS = "from mimlstudy.engine.arithmetic import pin\nprint(pin())"


@pinned_here
def test_it_says_where_it_comes_too_late():
    assert last_line_of(f"import numpy\n{SAYS}") == OWN


@pinned_here
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENBLAS_CORETYPE", "Nehalem"),
        ("NUMBA_OPT", "0"),
        ("NUMBA_LOOP_VECTORIZE", "0"),
        ("NPY_ENABLE_CPU_FEATURES", "AVX2"),
    ],
)
def test_it_says_where_something_else_is_asked_for(name, value):
    """NumPy must start, though it takes no two variables about its features."""
    assert last_line_of(f"{SAYS}\nimport numpy", **{name: value}) == OWN


def test_no_command_imports_a_library_before_the_study():
    """A command with one process fits in it, and so would lack the pin."""
    source = inspect.getsource(command)
    imported = re.findall(
        r"^\s*(?:from|import) (\w+)",
        source,
        re.MULTILINE,
    )
    assert set(imported) <= {"mimlpaper", "mimlstudy", *sys.stdlib_module_names}


def test_the_blas_in_use_is_named_alone(monkeypatch):
    names = "filepath", "architecture", "user_api", "internal_api"
    pools = [
        ("/site/numpy.libs/a.so", "K1", "blas", "x"),
        ("/env/lib/b.so", "K2", "blas", "x"),
        ("/site/scs.libs/c.so", "K3", "blas", "x"),
        ("/env/lib/omp.so", "K4", "openmp", "x"),
    ]
    loaded = [dict(zip(names, pool, strict=True)) for pool in pools]
    monkeypatch.setattr(module, "threadpool_info", lambda: loaded)
    assert module.blas_kernels() == ["x K1", "x K2"]
    assert module.arithmetic().startswith("own arithmetic; compiled for ")
