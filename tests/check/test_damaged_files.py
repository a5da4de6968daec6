"""Files damaged at random: bags or a DataError, in little time and memory, and nothing else.

Small files of bags in every format and dialect are damaged: cut, overwritten, doubled, bits turned,
tokens put in, members of archives changed. ``MINUTES=60 pytest tests/check/test_damaged_files.py``
goes on for longer than one minute. MATLAB files are left out: SciPy's compiled reader crashes on
some damaged ones, and so the loaders give it none whose hash is not that of the manifest.
"""

import io
import os
import resource
import signal
import time
import warnings
import zipfile

import numpy as np
import pytest

from mimlpaper.datasets import DataError, load_synthetic_scene, read_bags, write_bags

# Single instances with nominal features, missing values, sparse and weighted rows; a table with the
# number of labels first; LIBSVM's form; names of labels.
DIALECTS = {
    "dialect.arff": (
        "@relation 'toy: -C 1'\n@attribute a {no,yes}\n@attribute x real [0,9]\n"
        "@attribute y {red,blue}\n@attribute z {0,1}\n@data\nyes,1,red,?\n{1 3},{0.5}\n"
        "no, ?, 'blue', 1, {2}\n"
    ),
    "dialect.csv": "2\nid, x, y, a, b\nq, 1, , 0, 1\nq, ?, 2, 0, 1\np, 3, 4, yes, no\n",
    "dialect.svm": "0,2 1:0.5 4:-1 # remark\n 3:2\n1 1:1e3\n",
}
WHOLE = ("whole.arff", "whole.csv", "whole.npz", "whole.xml")
MEMORY = 4 * 2**30
SECONDS = 20  # for one file
TOKENS = (
    b"@data\n", b"@end bag\n", b"@attribute x relational\n", b"{0 1, 1 2}", b"{999999999 1}",
    b",", b'"', b"'", b"\x00", b"\xff\xfe", b"nan", b"1e999", b"1_0", b"label:", b"\r\n",
    b"\\u0000", b"\\n", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"<label name='",
    b"<![CDATA[", b"PK\x01\x02", b"\x93NUMPY", b"'descr': '|O'", b"(999999999, 99999)",
    b"'fortran_order': True", b"{0.5}", b"?", b"-C 1", b"real [0,1]", b"{no,yes}", b"1:2 2:3",
    b"999999999999:1",
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
    for ending in ("arff", "csv", "npz"):
        write_bags(tmp_path / f"whole.{ending}", load_synthetic_scene(n_images=4))
    for dialect, content in DIALECTS.items():
        (tmp_path / dialect).write_text(content)
    whole = (tmp_path / name).read_bytes()
    case = tmp_path / name if name == "whole.xml" else tmp_path / f"case_{name}"
    rng = np.random.default_rng(0)
    end = time.monotonic() + 60 * float(os.environ.get("MINUTES", 1)) / len([*WHOLE, *DIALECTS])
    while time.monotonic() < end:
        content = damaged(whole, case.suffix, rng)
        case.write_bytes(content)
        signal.alarm(SECONDS)
        try:
            read(case)
        except DataError:
            pass
        except Exception as error:
            pytest.fail(f"{error!r} from {content!r}")


def read(path):
    """Read the file, or the ARFF file that an XML file belongs to; what is read must be sound."""
    path = path.with_name("whole.arff") if path.suffix == ".xml" else path
    missing = {"missing": 0.0} if path.suffix in (".arff", ".csv") else {}
    with warnings.catch_warnings(action="ignore"):
        found = read_bags(path, max_bytes=10**7, **missing)
    assert np.isfinite(found.X.instances).all()
    assert found.Y.shape == (len(found.X), len(found.label_names))


def damaged(content, ending, rng):
    if ending == ".npz" and rng.random() < 0.7:
        return damaged_archive(content, rng)
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


def damaged_archive(content, rng):
    """An archive that is one, of members that are not what they should be."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(result, "w") as new:
        for name in old.namelist():
            member, how = old.read(name), rng.random()
            if how > 0.05:
                new.writestr(name, damaged(member, "", rng) if how < 0.3 else member)
    return result.getvalue()
