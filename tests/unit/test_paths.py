"""The project's folders, and files that are written whole or not at all."""

import os

import pytest

from mimlpaper import paths
from mimlpaper.paths import whole_file


def test_paths_of_a_checkout_and_of_a_wheel(tmp_path, monkeypatch):
    assert (paths.project_root() / "pyproject.toml").is_file()
    assert (paths.published() / "results.csv").is_file()
    assert paths.raw_data() == paths.project_root() / "data" / "raw"
    monkeypatch.setattr(paths, "IN_WHEEL", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert paths.packaged_data() == tmp_path == paths.project_root()


def test_a_file_takes_its_place_when_it_is_whole(tmp_path):
    path = tmp_path / "new" / "file.txt"
    for content in ("Bäume\r\n", "shorter\n"):
        with whole_file(path) as file:
            file.write(content)
            assert not path.exists() or path.read_bytes() == "Bäume\r\n".encode()
        assert path.read_bytes() == content.encode()
    with whole_file(path, "wb") as file:
        file.write(b"\xff\n")
    assert path.read_bytes() == b"\xff\n"
    assert path.stat().st_mode & 0o777 == 0o644
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_after_an_error_nothing_has_changed(tmp_path, error):
    path = tmp_path / "file.txt"
    path.write_text("as it was")
    with pytest.raises(type(error)), whole_file(path) as file:
        file.write("half of ")
        raise error
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_be_synced_is_not_renamed(tmp_path, monkeypatch):
    """As on a full disk, where the last bytes fail only when they are flushed."""

    def refuse(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="no space left"), whole_file(tmp_path / "file.txt") as file:
        file.write("content")
    assert list(tmp_path.iterdir()) == []
