"""One arithmetic for all trials, whatever the processor.

Trials have one arithmetic on every x86-64 processor with AVX2 and FMA, so that they give the same
digits. NumPy, OpenBLAS and Numba choose instructions for the processor that they find, and with
them the order in which sums are rounded. :func:`pin` lets them choose those of 2013, x86-64-v3. It
sets environment variables, which count only before NumPy is imported; worker processes inherit
them.
"""

import os
import platform
import sys
from functools import cache
from importlib.metadata import version

import llvmlite.binding

PINNED, OWN = "x86-64-v3", "own arithmetic"
FEATURES = [
    "avx",
    "avx2",
    "bmi",
    "bmi2",
    "cmov",
    "cx16",
    "f16c",
    "fma",
    "fxsr",
    "lzcnt",
    "mmx",
    "movbe",
    "popcnt",
    "sahf",
    "sse",
    "sse2",
    "sse3",
    "sse4.1",
    "sse4.2",
    "ssse3",
    "xsave",
]


def variables() -> dict[str, str]:
    """The environment variables that pin the arithmetic."""
    # What NumPy may use beyond x86-64-v3 had other names before its version 2.4.
    renamed = tuple(map(int, version("numpy").split(".")[:2])) >= (2, 4)
    beyond = "X86_V4" if renamed else "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL"
    return {
        "OPENBLAS_CORETYPE": "Haswell",
        # Without the name, LLVM uses the wider registers of a newer processor all the same.
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": ",".join(f"+{feature}" for feature in FEATURES),
        "NPY_DISABLE_CPU_FEATURES": f"{beyond} AVX512_ICL AVX512_SPR",
    }


@cache
def pin() -> str:
    """Pin the arithmetic; :data:`PINNED`, or :data:`OWN` if that cannot be done.

    It cannot on another kind of processor, after NumPy was imported, and where one of the
    variables is set to something else, which stays.
    """
    wanted = variables()
    late = "numpy" in sys.modules and not wanted.items() <= os.environ.items()
    has = llvmlite.binding.get_host_cpu_features()
    if platform.machine() not in ("x86_64", "AMD64") or not all(has.get(f) for f in FEATURES):
        return OWN
    for name, value in wanted.items():
        os.environ.setdefault(name, value)
    return PINNED if wanted.items() <= os.environ.items() and not late else OWN
