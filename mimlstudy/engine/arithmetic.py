"""One arithmetic for all trials, whatever the processor.

Trials have one arithmetic on every x86-64 processor with AVX2 and FMA, so that they give the same
digits. NumPy, OpenBLAS and Numba choose instructions for the processor that they find, and with
them the order in which sums are rounded. :func:`pin` lets them choose those of 2013, x86-64-v3. It
sets environment variables, which count only before NumPy is imported; worker processes inherit
them. The command, the notebooks' companion and the tests call it before they import anything else.
"""

import os
import platform
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

import llvmlite.binding
from threadpoolctl import threadpool_info

PINNED, OWN = "x86-64-v3", "own arithmetic"
ENABLING = "NPY_ENABLE_CPU_FEATURES"
# Variables that change what Numba compiles, whatever their value.
OF_COMPILER = (
    "NUMBA_DISABLE_JIT",
    "NUMBA_ENABLE_AVX",
    "NUMBA_LOOP_VECTORIZE",
    "NUMBA_OPT",
    "NUMBA_SLP_VECTORIZE",
)
# The BLAS of NumPy and SciPy where the arithmetic is pinned; another, as MKL, cannot be pinned.
PINNED_KERNELS = ["openblas Haswell"]
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
    variables is set to something else, which stays, or one that changes what Numba compiles.
    """
    return OWN if _obstacle() else PINNED


@cache
def _obstacle():
    """Pin the arithmetic, or say why that cannot be done."""
    wanted = variables()
    late = "numpy" in sys.modules and not wanted.items() <= os.environ.items()
    has = llvmlite.binding.get_host_cpu_features()
    lacking = [feature for feature in FEATURES if not has.get(feature)]
    if platform.machine() not in ("x86_64", "AMD64") or lacking:
        return f"this processor is no {PINNED}"
    if os.environ.get(ENABLING):  # NumPy refuses to start if a variable of ours is beside it
        return f"{ENABLING} is set; unset it"
    for name, value in wanted.items():
        os.environ.setdefault(name, value)  # what somebody set has a reason, and stays
    set_otherwise = [name for name, value in wanted.items() if os.environ[name] != value]
    set_otherwise += [name for name in OF_COMPILER if os.environ.get(name)]
    if set_otherwise:
        return f"{' and '.join(set_otherwise)} is set to another value; unset it"
    return "NumPy was imported before" if late else ""


def warn_of_own_arithmetic():
    """Say on the terminal that trials may lack the pinned arithmetic, and why."""
    if obstacle := _obstacle():
        print(
            f"{OWN}: {obstacle}. Trials with it may differ from recorded ones in the last digits, "
            "and their records count on machines with the same arithmetic only.",
            file=sys.stderr,
        )


def dask_setup(nanny):
    """Pin the arithmetic of a Dask worker: ``--preload-nanny mimlstudy.engine.arithmetic``."""
    pin()


def arithmetic() -> str:
    """The arithmetic of this process: :data:`PINNED`, or a description of its own."""
    kernels = blas_kernels()
    if pin() == PINNED and kernels == PINNED_KERNELS:
        return PINNED
    processor = os.environ.get("NUMBA_CPU_NAME") or llvmlite.binding.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES", "")
    compiled = f"{processor} {features}".strip()
    return "; ".join([OWN, f"compiled for {compiled}", *kernels])


def blas_kernels() -> list[str]:
    """The BLAS that NumPy and SciPy call; not the libraries of other loaded packages."""
    kernels = set()
    for pool in threadpool_info():
        folder = Path(pool["filepath"]).parent.name
        of_others = folder.endswith("libs") and not folder.startswith(("numpy", "scipy"))
        if pool["user_api"] == "blas" and not of_others:
            kernels.add(f"{pool['internal_api']} {pool.get('architecture', '')}".strip())
    return sorted(kernels)
