"""Read files damaged at random, for some minutes: bags or a DataError, and nothing else.

``python tests/fuzz/fuzz_readers.py --minutes 60`` (``make fuzz MINUTES=60``) writes small files of
bags in every format and dialect, damages them (cut, overwritten, doubled, bits turned, tokens put
in, archives' members and headers changed) and reads them, each in 20 seconds and 2 GiB at the
most. A reader that raises anything but DataError, hangs, takes more memory or kills its process
fails; the file is kept in ``build/fuzz``. MATLAB files are left out: SciPy's compiled reader
crashes on some damaged ones, and so the loaders give it none whose hash is not that of the
manifest.
"""

from __future__ import annotations

import argparse
import io
import resource
import signal
import subprocess
import sys
import time
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np

from mimlpaper.datasets import DataError, load_synthetic_scene, read_bags, write_bags
from mimlpaper.datasets.bag_files import read_label_names

# Single instances with nominal features, missing values, sparse and weighted rows; LIBSVM's form;
# a table with the number of labels first.
DIALECTS = {
    "dialect.arff": (
        "@relation 'toy: -C 1'\n@attribute a {no,yes}\n@attribute x real [0,9]\n"
        "@attribute y {red,blue}\n@attribute z {0,1}\n@data\nyes,1,red,?\n{1 3},{0.5}\n"
        "no, ?, 'blue', 1, {2}\n"
    ),
    "dialect.csv": "2\nid, x, y, a, b\nq, 1, , 0, 1\nq, ?, 2, 0, 1\np, 3, 4, yes, no\n",
    "dialect.svm": "0,2 1:0.5 4:-1 # remark\n 3:2\n1 1:1e3\n",
}
KEPT = Path(__file__).resolve().parents[2] / "build" / "fuzz"
MAX_BYTES = 10**7
MEMORY = 2 * 2**30
SECONDS = 20  # for one file
ROUND = 60  # seconds of one process
TOKENS = (
    b"@data\n", b"@end bag\n", b"@attribute x relational\n", b"{0 1, 1 2}", b"{999999999 1}",
    b",", b'"', b"'", b"\x00", b"\xff\xfe", b"nan", b"1e999", b"1_0", b"label:", b"\r\n",
    b"\\u0000", b"\\n", b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"<label name='",
    b"<![CDATA[", b"PK\x01\x02", b"\x93NUMPY", b"'descr': '|O'", b"(999999999, 99999)",
    b"'fortran_order': True", b"{0.5}", b"?", b"-C 1", b"real [0,1]", b"{no,yes}", b"1:2 2:3",
    b"999999999999:1",
)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--round", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.round is not None:
        return one_round(options.round, options.minutes * 60)
    KEPT.mkdir(parents=True, exist_ok=True)
    end, failures, number = time.monotonic() + options.minutes * 60, 0, options.seed
    while (left := end - time.monotonic()) > 0:
        command = [sys.executable, __file__, "--round", str(number),
                   "--minutes", str(min(left, ROUND) / 60)]  # fmt: skip
        done = subprocess.run(command)
        if done.returncode:
            failures += 1
            print(f"round {number} ended with {done.returncode}; its file is in {KEPT}")
        number += 1
    print(f"{number - options.seed} rounds, {failures} failed")
    return 1 if failures else 0


def one_round(seed, seconds):
    """Files from one seed, for so long; exit status 1 at the first failure."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _too_long)
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(seed)
    folder = KEPT / f"round{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    whole = {path.name: path.read_bytes() for path in written(folder)}
    outcomes, end = Counter(), time.monotonic() + seconds
    while time.monotonic() < end:
        name = str(rng.choice(list(whole)))
        ending = Path(name).suffix
        case = folder / f"{ending[1:]}_case{ending}"  # no XML file has the name of an ARFF file
        case.write_bytes(damaged(whole[name], ending, rng))
        signal.alarm(SECONDS)
        try:
            read(case)
            outcomes[ending, "read"] += 1
        except DataError:
            outcomes[ending, "refused"] += 1
        finally:
            signal.alarm(0)
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    print(f"round {seed}: " + ", ".join(f"{n} {'{} {}'.format(*k)}" for k, n in outcomes.items()))
    return 0


def written(folder):
    """One whole file of each kind."""
    scenes = load_synthetic_scene(n_images=4)
    for ending in (".arff", ".csv", ".npz"):
        write_bags(folder / f"whole{ending}", scenes)
        yield folder / f"whole{ending}"
    yield folder / "whole.xml"
    for name, content in DIALECTS.items():
        (folder / name).write_text(content)
        yield folder / name


def read(path):
    """What a reader makes of it; whatever is read must be sound."""
    if path.suffix == ".xml":
        assert all(read_label_names(path))
    else:
        missing = {"missing": 0.0} if path.suffix in (".arff", ".csv") else {}
        found = read_bags(path, max_bytes=MAX_BYTES, **missing)
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
            member = old.read(name)
            how = rng.random()
            if how < 0.3:
                member = damaged(member, "", rng)
            if how > 0.05:
                new.writestr(name, member)
            if how > 0.97:
                new.writestr(f"more{name}", member)
    return result.getvalue()


def _too_long(*_):
    raise TimeoutError(f"more than {SECONDS} seconds")


if __name__ == "__main__":
    sys.exit(main())
