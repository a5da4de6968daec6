"""The project's folders, and files that are written whole or not at all."""

import os

import pytest

from mimlpaper import paths
from mimlpaper.paths import write_whole
from mimlstudy import folders
from tests.made_up_study import raising
from tests.systems import on_posix


def rights_of(path):
    return path.stat().st_mode & 0o777


def test_paths_of_a_checkout():
    root = paths.project_root()
    assert (root / "pyproject.toml").is_file()
    assert (folders.printed_data() / "results.csv").is_file()
    assert paths.raw_data() == root / "data" / "raw"
    assert folders.build("x") == root / "build" / "x"


def test_paths_of_a_wheel(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "IN_WHEEL", tmp_path)
    monkeypatch.setattr(folders, "IN_WHEEL", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert paths.packaged_data() == tmp_path
    assert paths.project_root() == tmp_path
    assert folders.study_data() == tmp_path
    assert folders.figures() == tmp_path / "figures"


def test_a_study_reads_its_own_checkout_whatever_library_it_runs_on(tmp_path, monkeypatch):
    checkout = folders.project_root()
    monkeypatch.setattr(paths, "IN_WHEEL", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert folders.results() == checkout / "data" / "results"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Bäume\r\n", "Bäume\r\n".encode()),
        (b"\xff\n", b"\xff\n"),
    ],
)
def test_a_file_has_the_content_and_no_other_stands_beside_it(tmp_path, content, expected):
    path = tmp_path / "new" / "file.txt"
    for _ in range(2):
        assert write_whole(path, content) == path
        assert path.read_bytes() == expected
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError("no space left"), KeyboardInterrupt()])
def test_a_file_takes_its_place_when_it_is_whole(tmp_path, monkeypatch, error):
    """Not where the last bytes fail only when they are synced."""
    path = write_whole(tmp_path / "file.txt", "before\n")
    rights = rights_of(path)
    monkeypatch.setattr(os, "fsync", raising(error))
    with pytest.raises(type(error)):
        write_whole(path, "content")
    assert path.read_text() == "before\n"
    assert rights_of(path) == rights
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_just_after_the_renaming_stays_an_interrupt(tmp_path, monkeypatch):
    rename = os.replace

    def rename_and_interrupt(*paths):
        rename(*paths)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", rename_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "file.txt", "content")
    assert (tmp_path / "file.txt").read_text() == "content"


@on_posix
@pytest.mark.parametrize("rights", [0o600, 0o640, 0o666])
def test_a_private_file_stays_private(tmp_path, rights):
    path = write_whole(tmp_path / "private.txt", "")
    path.chmod(rights)
    write_whole(path, "longer")
    assert rights_of(path) == rights


@on_posix
@pytest.mark.parametrize(("umask", "rights"), [(0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_follows_the_umask(tmp_path, umask, rights):
    before = os.umask(umask)
    try:
        path = write_whole(tmp_path / "new.txt", "")
    finally:
        os.umask(before)
    assert rights_of(path) == rights


@on_posix
def test_only_regular_files_are_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="a file is needed, got a folder"):
        paths.check_file(tmp_path, max_bytes=10)
    with pytest.raises(ValueError, match="got a pipe or a device"):
        paths.check_file(pipe, max_bytes=10)
    with pytest.raises(ValueError, match="got a pipe or a device"):
        paths.check_file("/dev/zero", max_bytes=10)


def test_only_files_of_a_limited_size_are_read(tmp_path):
    file = write_whole(tmp_path / "ten", b"0123456789")
    paths.check_file(file, max_bytes=10)
    with pytest.raises(ValueError, match="at most max_bytes=9 bytes, got 10"):
        paths.check_file(file, max_bytes=9)
