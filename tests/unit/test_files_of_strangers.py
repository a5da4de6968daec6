"""Untrusted files: cut off, with false sizes, with code inside, or with other encodings."""

import os
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimlpaper.datasets import DataError, load, load_synthetic_scene, loaders, read_bags, write_bags
from mimlpaper.datasets import fetch as fetching
from mimlpaper.datasets.bag_files import WRITERS, read_label_names
from mimlpaper.datasets.fetch import ManifestEntry, download
from tests.made_up_files import TABLE, TWO, TWO_XML, many, refused


@pytest.mark.parametrize("ending", WRITERS)
@many(50)
@given(data=st.data())
def test_cut_off_at_any_byte(data, tmp_path, ending):
    """Refused; or, if cut between two rows, read as the first bags written.

    The last bag of a table may have lost its last rows: no CSV file says how long it should be.
    """
    path, whole = tmp_path / f"bags{ending}", load_synthetic_scene(n_images=3)
    write_bags(path, whole)
    content = path.read_bytes()
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    try:
        found = read_bags(path)
    except DataError:
        return
    assert ending != ".npz"
    n = found.X.n_instances
    assert np.array_equal(found.X.instances, whole.X.instances[:n])
    assert np.array_equal(found.Y, whole.Y[: len(found.Y)])


@many(30)
@given(cut=st.integers(0, len(TWO_XML.encode()) - 2))
def test_label_names_cut_off_at_any_byte(cut, tmp_path):
    (tmp_path / "labels.xml").write_bytes(TWO_XML.encode()[:cut])
    with pytest.raises(DataError, match=r"labels.xml, line \d"):
        read_label_names(tmp_path / "labels.xml")


@pytest.mark.parametrize(("size", "fault"), [(519, "holds 519 bytes"), (631_869, "has sha256")])
def test_damaged_matlab_files_are_not_even_parsed(tmp_path, monkeypatch, size, fault):
    """The hash is compared first: SciPy's reader of damaged files may crash the process."""
    (tmp_path / "scene").mkdir()
    (tmp_path / "scene" / "miml-image-data.mat").write_bytes(b"MATLAB 5.0 MAT-file".ljust(size))
    monkeypatch.setattr(loaders, "loadmat", lambda *_, **__: pytest.fail("was parsed"))
    with pytest.raises(DataError, match=rf"miml-image-data.mat {fault}.*, needed"):
        load("scene", tmp_path)


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("sprung",)


@pytest.mark.parametrize("name", ["instances", "Y", "label_names", "extra"])
def test_no_object_is_unpickled(tmp_path, monkeypatch, name):
    """As any array of an archive, or in the archive's place."""
    monkeypatch.chdir(tmp_path)
    content = {
        "instances": np.ones((3, 2)), "offsets": np.array([0, 1, 3]),
        "Y": np.eye(2, dtype=bool), "label_names": np.array(["a", "b"]),
    }  # fmt: skip
    np.savez(tmp_path / "trap.npz", **(content | {name: np.array([Trap()], dtype=object)}))
    if name == "extra":  # is not asked for, and not read
        assert len(read_bags(tmp_path / "trap.npz").X) == 2
    else:
        with pytest.raises(DataError, match="Object arrays cannot be loaded"):
            read_bags(tmp_path / "trap.npz")
    refused(tmp_path / "pickle.npz", pickle.dumps(Trap()), "not a zip file")
    assert not (tmp_path / "sprung").exists()


def npy(descr, shape, body=b""):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body


@pytest.mark.parametrize("kind", ["bomb", "lie", "table", "sparse row"])
def test_memory_is_bounded(tmp_path, kind):
    """High compression, a header for 8 GB, and texts with too many numbers."""
    path = tmp_path / {"table": "a.csv", "sparse row": "a.arff"}.get(kind, "a.npz")
    if kind == "bomb":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("instances.npy", npy("<f8", (2**22, 1), bytes(2**25)))
    elif kind == "lie":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("instances.npy", npy("<f8", (10**9, 1), bytes(80)))
    elif kind == "table":
        path.write_text("bag,x,label:b\n" + "q,1,0\n" * 130_000)
    else:
        header = TWO[: TWO.index(" bag1,")].replace("{bag1,bag2}", "string")
        wide = "f3 numeric\n" + "".join(f" @attribute g{i} numeric\n" for i in range(2000))
        rows = "".join(f'b{i},"{{1 2}}",0,1,1,0\n' for i in range(100))
        path.write_text(header.replace("f3 numeric\n", wide) + rows)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="more than max_bytes=1,000,000"):
            read_bags(path, max_bytes=10**6)
        assert tracemalloc.get_traced_memory()[1] < 2 * 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp1252", "utf-7", "cp037"])
def test_encodings_that_are_not_utf8(tmp_path, encoding):
    """Read as meant or refused; a name is never turned into another one."""
    text = TABLE.replace("label:b", "label:Bäume")
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    try:
        found = read_bags(tmp_path / "t.csv")
    except DataError as error:
        assert str(error).startswith(f"{tmp_path / 't.csv'}, line ")
        return
    assert encoding == "utf-7" and found.label_names == ("B+AOQ-ume",)  # plain ASCII, as written


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_label_names_in_the_encodings_of_xml(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><labels><label name="Bäume"/></labels>'
    (tmp_path / "l.xml").write_bytes(text.encode(encoding))
    assert read_label_names(tmp_path / "l.xml") == ("Bäume",)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE l SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE l [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]>',
        '<!DOCTYPE l [<!ATTLIST label name CDATA "given">]>',
    ],
)
def test_no_other_file_is_read_for_label_names(tmp_path, declaration):
    (tmp_path / "l.xml").write_text(f"{declaration}<labels><label name='&x;'/></labels>")
    with pytest.raises(DataError, match="document type declaration is refused"):
        read_label_names(tmp_path / "l.xml")


def test_very_deep_and_very_large_label_files(tmp_path, monkeypatch):
    deep = "<label name='a'>" * 50_000 + "</label>" * 50_000
    (tmp_path / "l.xml").write_text(f"<labels>{deep}</labels>")
    with pytest.raises(DataError, match="label names must differ"):
        read_label_names(tmp_path / "l.xml")
    monkeypatch.setattr("mimlpaper.datasets.bag_files.MAX_XML", 1000)
    with pytest.raises(DataError, match="the file is larger than 1,000 bytes"):
        read_label_names(tmp_path / "l.xml")


@pytest.mark.parametrize("sha256", ["", "0" * 64])
def test_nothing_is_downloaded_without_its_hash(tmp_path, monkeypatch, sha256):
    """What a server sends is kept only with the manifest's hash."""

    def send(url, output_file, *_):
        with open(output_file, "wb") as file:
            file.write(b"anything")

    monkeypatch.setattr(fetching.pooch, "HTTPDownloader", lambda **_: send)
    monkeypatch.setattr(fetching, "RETRIES", 0)
    entry = ManifestEntry("a.mat", 8, sha256, "https://example.org/a.mat", "there", "free")
    with pytest.raises(DataError, match=r"downloading it from https://example.org/a.mat failed"):
        download(entry, tmp_path)
    assert not (tmp_path / "a.mat").exists()
