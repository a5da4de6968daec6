"""The project's folders, and files that are written whole or not at all."""

import os

import pytest

from mimlpaper import paths
from mimlpaper.paths import whole_file
from tests.made_up_study import raising


def test_paths_of_a_checkout_and_of_a_wheel(tmp_path, monkeypatch):
    assert (paths.project_root() / "pyproject.toml").is_file()
    assert (paths.published() / "results.csv").is_file()
    assert paths.raw_data() == paths.project_root() / "data" / "raw"
    monkeypatch.setattr(paths, "IN_WHEEL", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert paths.packaged_data() == tmp_path == paths.project_root()


def test_a_file_takes_its_place_when_it_is_whole(tmp_path, monkeypatch):
    """Not after an error, nor where the last bytes fail only when they are synced."""
    path = tmp_path / "new" / "file.txt"
    for content in ("Bäume\r\n", "shorter\n"):
        with whole_file(path) as file:
            file.write(content)
            assert not path.exists() or path.read_bytes() == "Bäume\r\n".encode()
        assert path.read_bytes() == content.encode()
    for error in OSError("disk full"), KeyboardInterrupt():
        with pytest.raises(type(error)), whole_file(path) as file:
            file.write("half of ")
            raise error
    with whole_file(path, "wb") as file:
        file.write(b"\xff\n")
    monkeypatch.setattr(os, "fsync", raising(OSError("no space left")))
    with pytest.raises(OSError, match="no space left"), whole_file(path) as file:
        file.write("content")
    assert path.read_bytes() == b"\xff\n" and path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]
