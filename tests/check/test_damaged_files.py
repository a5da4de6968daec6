"""Files damaged at random: bags or a DataError, in little time and memory, and nothing else.

``MINUTES=60 pytest tests/check/test_damaged_files.py`` goes on for longer than one minute. MATLAB
files are left out: SciPy's compiled reader crashes on some damaged ones, and so the loaders give it
none whose hash is not that of the manifest.
"""

import os
import resource
import signal
import time

import numpy as np
import pytest

from mimlpaper.datasets import DataError, load_synthetic_scene, read_bags, write_bags

DIALECTS = {
    "dialect.arff": (
        "@relation toy\n@attribute a {no,yes}\n@attribute x real [0,9]\n"
        "@attribute y {red,blue}\n@attribute z {0,1}\n@data\nyes,1,red,?\n{1 3}\n"
        "no, ?, 'blue', 1\n"
    ),
    "dialect.csv": "id, x, y, a, label:b\nq, 1, , 0, 1\nq, ?, 2, 0, 1\np, 3, 4, yes, no\n",
}
WHOLE = ("whole.arff", "whole.csv")
MEMORY = 4 * 2**30
SECONDS = 20  # for one file
TOKENS = (
    b"@data\n", b"@end bag\n", b"@attribute x relational\n", b"{0 1, 1 2}", b"{999999999 1}",
    b",", b'"', b"'", b"\\'", b"\x00", b"\xff\xfe", b"nan", b"1e999", b"label:", b"\r\n",
    b"\\n", b"?", b"real [0,1]", b"{no,yes}",
)  # fmt: skip


@pytest.fixture
def bounded():
    """Bounded memory, and a failure for a file that takes too long."""

    def too_long(*_):
        raise TimeoutError(f"more than {SECONDS} seconds")

    limits = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGALRM, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limits[1]))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, handler)
    resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.mark.parametrize("name", [*WHOLE, *DIALECTS])
def test_damaged_at_random(name, tmp_path, bounded):
    for ending in ("arff", "csv"):
        write_bags(tmp_path / f"whole.{ending}", load_synthetic_scene(n_images=4))
    for dialect, content in DIALECTS.items():
        (tmp_path / dialect).write_text(content)
    whole = (tmp_path / name).read_bytes()
    case = tmp_path / f"case_{name}"
    rng = np.random.default_rng(0)
    end = time.monotonic() + 60 * float(os.environ.get("MINUTES", 1)) / len([*WHOLE, *DIALECTS])
    while time.monotonic() < end:
        content = damaged(whole, rng)
        case.write_bytes(content)
        signal.alarm(SECONDS)
        try:
            read(case)
        except DataError:
            pass
        except Exception as error:
            pytest.fail(f"{error!r} from {content!r}")


def read(path):
    """Read the file; what is read must be sound."""
    labels = ["a"] if "dialect.arff" in path.name else None
    found = read_bags(path, max_bytes=10**7, missing=0.0, labels=labels)
    assert np.isfinite(found.X.instances).all()
    assert found.Y.shape == (len(found.X), len(found.label_names))


def damaged(content, rng):
    content = bytearray(content)
    for _ in range(rng.integers(1, 5)):
        start = int(rng.integers(0, len(content) + 1))
        end = min(len(content), start + int(rng.integers(0, 60)))
        how = rng.integers(0, 6)
        if how == 0:
            del content[start:]
        elif how == 1:
            content[start:end] = rng.bytes(int(rng.integers(0, 8)))
        elif how == 2:
            content[start:start] = content[start:end] * int(rng.integers(1, 4))
        elif how == 3 and start < len(content):
            content[start] ^= 1 << int(rng.integers(0, 8))
        elif how == 4:
            content[start:end] = TOKENS[rng.integers(0, len(TOKENS))]
        else:
            content[start:start] = TOKENS[rng.integers(0, len(TOKENS))]
    return bytes(content)
