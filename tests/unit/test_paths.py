"""The project's folders, and files that are written whole or not at all."""

import os

import pytest

from mimlpaper import paths
from mimlpaper.paths import write_whole
from mimlstudy import folders
from tests.made_up_study import raising


def test_paths_of_a_checkout_and_of_a_wheel(tmp_path, monkeypatch):
    root = paths.project_root()
    assert (root / "pyproject.toml").is_file() and (folders.published() / "results.csv").is_file()
    assert paths.raw_data() == root / "data" / "raw" and folders.build("x") == root / "build" / "x"
    monkeypatch.setattr(paths, "IN_WHEEL", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert paths.packaged_data() == tmp_path == paths.project_root()
    assert folders.figures() == tmp_path / "figures"


def test_a_file_takes_its_place_when_it_is_whole(tmp_path, monkeypatch):
    """Not where the last bytes fail only when they are synced."""
    path = tmp_path / "new" / "file.txt"
    for content in ("Bäume\r\n", "shorter\n", b"\xff\n"):
        assert write_whole(path, content) == path
        assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    for error in OSError("no space left"), KeyboardInterrupt():
        monkeypatch.setattr(os, "fsync", raising(error))
        with pytest.raises(type(error)):
            write_whole(path, "content")
    assert path.read_bytes() == b"\xff\n" and path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


def test_a_private_file_stays_private_and_a_new_one_follows_the_umask(tmp_path):
    private = write_whole(tmp_path / "private.txt", "")
    for rights in 0o600, 0o640, 0o666:
        private.chmod(rights)
        write_whole(private, "longer")
        assert private.stat().st_mode & 0o777 == rights
    for umask, rights in (0o077, 0o600), (0o002, 0o664):
        before = os.umask(umask)
        new = write_whole(tmp_path / f"{umask}.txt", "")
        os.umask(before)
        assert new.stat().st_mode & 0o777 == rights


def test_only_regular_files_of_a_limited_size_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place, needed in (
        (tmp_path, "a file is needed, got a folder"),
        (tmp_path / "pipe", "got a pipe or a device"),
        ("/dev/zero", "got a pipe or a device"),
    ):
        with pytest.raises(ValueError, match=needed):
            paths.check_file(place, max_bytes=10)
    file = write_whole(tmp_path / "ten", b"0123456789")
    paths.check_file(file, max_bytes=10)
    with pytest.raises(ValueError, match="at most max_bytes=9 bytes, got 10"):
        paths.check_file(file, max_bytes=9)
