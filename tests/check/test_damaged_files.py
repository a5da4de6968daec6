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
NAMES = ("whole.arff", "whole.csv", *DIALECTS)
MEMORY = 4 * 2**30
SECONDS = 20  # for one file
TOKENS = (
    b"@data\n", b"@end bag\n", b"@attribute x relational\n", b"{0 1, 1 2}", b"{999999999 1}",
    b",", b'"', b"'", b"\\'", b"\x00", b"\xff\xfe", b"nan", b"1e999", b"label:", b"\r\n",
    b"\\n", b"?", b"real [0,1]", b"{no,yes}",
)  # fmt: skip


@pytest.fixture
def bounded():
    """Bounded memory; a file that takes too long ends the tests."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limits[1]))
    yield
    signal.alarm(0)
    resource.setrlimit(resource.RLIMIT_AS, limits)


def test_damaged_at_random(tmp_path, bounded):
    for name in NAMES:
        path = tmp_path / name
        if name in DIALECTS:
            path.write_text(DIALECTS[name])
        else:
            write_bags(path, load_synthetic_scene(n_images=4))
        whole, rng = path.read_bytes(), np.random.default_rng(0)
        end = time.monotonic() + 60 * float(os.environ.get("MINUTES", 1)) / len(NAMES)
        while time.monotonic() < end:
            content = damaged(whole, rng)
            path.write_bytes(content)
            signal.alarm(SECONDS)
            try:
                labels = ["a"] if name == "dialect.arff" else None
                found = read_bags(path, max_bytes=10**7, missing=0.0, labels=labels)
            except DataError:
                continue
            except Exception as error:
                pytest.fail(f"{error!r} from {content!r}")
            assert np.isfinite(found.X.instances).all()
            assert found.Y.shape == (len(found.X), len(found.label_names))


def damaged(content, rng):
    """Some bytes replaced by others, by a token, by a copy of themselves, or all after them cut."""
    for _ in range(rng.integers(1, 5)):
        start, length = rng.integers(0, len(content) + 1), rng.integers(0, 60)
        before, part, after = content[:start], content[start:][:length], content[start + length :]
        token = TOKENS[rng.integers(0, len(TOKENS))]
        others = (b"", rng.bytes(8), part * 3, bytes(b ^ 1 for b in part), token, token + part)
        how = rng.integers(0, len(others))
        content = before + others[how] + (after if how else b"")
    return content
