"""Files are found, checked and downloaded; every error names its cause and its remedy."""

import dataclasses
import hashlib
import os
import threading
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pooch
import pytest

from mimlpaper import paths
from mimlpaper.datasets import DataError, describe, fetch_all, load
from mimlpaper.datasets import fetch as fetching
from mimlpaper.datasets.fetch import SOURCES, data_folder, fetch, manifest
from mimlpaper.paths import write_whole

FILE = "scene/miml-image-data.mat"
CONTENT = b"the very bytes"
NOBODY = "http://127.0.0.1:9"  # where no server listens


class Handler(BaseHTTPRequestHandler):
    """Answers with the server's ``content``, after some failures; keeps the paths asked for."""

    def do_GET(self):
        self.server.asked.append(self.path)
        failed = self.server.n_requests <= self.server.failures
        status = self.server.statuses.get(self.path, 500 if failed else 200)
        self.send_response(status)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        with suppress(ConnectionError):  # a client may end a download
            self.wfile.write(self.server.content)


class Server(ThreadingHTTPServer):
    """Counts requests; ``statuses`` are the answers at chosen paths."""

    content = CONTENT
    failures = 0

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[str] = []
        self.statuses: dict[str, int] = {}
        self.url = f"http://127.0.0.1:{self.server_port}/{FILE}"

    @property
    def n_requests(self):
        return len(self.asked)


@pytest.fixture
def server():
    with Server() as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch, server):
    """A project's folder of data, whose manifest has one small file, served by this machine."""
    folder = tmp_path / "data"
    folder.mkdir()
    ask_for(CONTENT, folder, server.url)
    monkeypatch.setattr(paths, "packaged_data", lambda: folder)
    monkeypatch.setattr(paths, "raw_data", lambda: folder / "raw")
    monkeypatch.setattr(fetching, "RETRIES", 0)
    monkeypatch.delenv("MIMLPAPER_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return folder


def ask_for(content, data, url, second_url=NOBODY):
    """Let the manifest ask for ``content`` at two addresses."""
    row = {
        "file": FILE,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "url": f"{url} (a remark)",
        "second_url": second_url,
        "original_source": "there",
        "data_terms": "free",
    }
    pd.DataFrame([row]).to_csv(data / "manifest.csv", index=False)


def test_a_named_folder_comes_first(tmp_path, monkeypatch, data):
    assert data_folder() == data_folder("") == data / "raw"
    monkeypatch.setenv("MIMLPAPER_DATA", str(tmp_path / "env"))
    assert data_folder() == tmp_path / "env"
    assert data_folder(tmp_path / "argument") == tmp_path / "argument"


def test_a_missing_file_is_downloaded_once(tmp_path, server, monkeypatch, capfd, caplog):
    """Failed requests are repeated; a bar is shown, nothing logged, nothing temporary left."""
    monkeypatch.setattr(fetching, "RETRIES", 2)
    monkeypatch.setattr(pooch.core.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(pooch.get_logger(), "handlers", [caplog.handler])
    server.failures = 2
    path = fetch(FILE, tmp_path / "new")
    assert path.read_bytes() == CONTENT and list(path.parent.iterdir()) == [path]
    out, err = capfd.readouterr()
    assert f"{FILE}: 100%" in err and not out and not caplog.messages
    assert fetch(FILE, tmp_path / "new") == path
    assert fetch_all(tmp_path / "new", ["scene"]) == [path]
    assert server.n_requests == 3


def test_missing_and_offline(tmp_path, server, data):
    """Where no server listens the error gives the first cause, without the network's tracebacks."""
    server.failures = 2
    with pytest.raises(DataError) as error:
        fetch(FILE, tmp_path / "my data")
    for part in (
        f"{tmp_path / 'my data' / FILE} is missing or damaged",
        f"needed are {len(CONTENT)} bytes of sha256 {hashlib.sha256(CONTENT).hexdigest()}",
        f"{server.url}: 500",
        f"{NOBODY}: [Errno 111] Connection refused",
        "by hand: there; needed are",
        "Or put the files there by hand. Or take --profile smoke",
        f"mimlpaper data --fetch --data '{tmp_path / 'my data'}'",
    ):
        assert part in str(error.value)
    with pytest.raises(DataError, match=r"try again: mimlpaper data --fetch \("):
        fetch(FILE)  # the default folder needs no option
    ask_for(CONTENT, data, NOBODY)
    with pytest.raises(DataError, match=r":9: .Errno 111. Connection refused\n") as error:
        fetch(FILE, tmp_path)
    trace = "".join(traceback.format_exception(error.value))
    assert trace.count("Traceback") == 1 and "urllib3" not in trace and "requests" not in trace


def test_where_the_first_address_has_no_file_the_second_is_asked(tmp_path, server, data):
    """Once: a file that is not there is not asked for again, as a server in trouble is."""
    ask_for(CONTENT, data, server.url, second_url=f"{server.url}/copy")
    server.statuses[f"/{FILE}"] = 404
    assert fetch(FILE, tmp_path).read_bytes() == CONTENT
    assert server.asked == [f"/{FILE}", f"/{FILE}/copy"]


def test_a_download_ends_at_the_size_of_the_manifest(tmp_path, server):
    server.content = CONTENT + bytes(10**7)
    with pytest.raises(DataError, match=f"the server sends more than {len(CONTENT)} bytes"):
        fetch(FILE, tmp_path)
    assert not list((tmp_path / FILE).parent.iterdir())


def test_a_file_that_fails_stops_no_other(tmp_path, server, data, monkeypatch):
    good = f"{FILE}.copy"
    entries = pd.read_csv(data / "manifest.csv")
    copy = entries.assign(file=good, url=f"{server.url}.copy")
    pd.concat([entries, copy]).to_csv(data / "manifest.csv", index=False)
    both = dataclasses.replace(SOURCES["scene"], files=(FILE, good))
    monkeypatch.setitem(fetching.SOURCES, "scene", both)
    server.statuses[f"/{FILE}"] = 404
    with pytest.raises(DataError, match=f"{FILE} is missing or damaged"):
        fetch_all(tmp_path, ["scene"])
    assert (tmp_path / good).read_bytes() == CONTENT
    server.statuses[f"/{good}"] = 404
    with pytest.raises(DataError, match="2 of 2 files are missing") as error:
        fetch_all(tmp_path / "new", ["scene"])
    assert str(error.value).count("try again") == 1


def test_a_pipe_is_no_data_file(tmp_path):
    (tmp_path / FILE).parent.mkdir()
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(DataError, match="is damaged or another file"):
        fetch(FILE, tmp_path)


def test_damaged_files_are_named_and_left_unless_all_are_fetched(tmp_path, server):
    for content in (CONTENT[:5], CONTENT[::-1]):
        path = write_whole(tmp_path / FILE, content)
        with pytest.raises(DataError) as error:
            fetch(FILE, tmp_path)
        assert f"{path} is damaged or another file; needed are {len(CONTENT)} b" in str(error.value)
        assert f"mimlpaper data --fetch --data {tmp_path}" in str(error.value)
        assert path.read_bytes() == content and server.n_requests == 0
    # Nothing is replaced if what the server sends is wrong too.
    server.content = b"an error page"
    with pytest.raises(DataError) as error:
        fetch_all(tmp_path, ["scene"])
    for wanted_or_got in (CONTENT, server.content):
        assert hashlib.sha256(wanted_or_got).hexdigest() in str(error.value)
    assert len(str(error.value).splitlines()) == 6
    assert path.read_bytes() == content and list(path.parent.iterdir()) == [path]
    server.content = CONTENT
    assert fetch_all(tmp_path, ["scene"]) == [path]
    with pytest.raises(ValueError, match="no data set is named 'a'"):
        fetch_all(tmp_path, ["scene", "a"])
    assert path.read_bytes() == CONTENT and server.n_requests == 2


def test_content_is_parsed_only_after_its_hash(tmp_path, data):
    write_whole(tmp_path / FILE, b"junk")
    with pytest.raises(DataError, match="is damaged or another"):
        load("scene", tmp_path)
    ask_for(b"junk", data, NOBODY)
    with pytest.raises(DataError, match=rf"{tmp_path / FILE} is not laid out as expected: \w+:"):
        load("scene", tmp_path)


def test_describe_reads_no_content(tmp_path, monkeypatch):
    two = {name: SOURCES[name] for name in ("scene", "synthetic_scene")}
    monkeypatch.setattr(fetching, "SOURCES", two)
    for content, state in ((None, "missing"), (CONTENT[:5], "damaged"), (CONTENT, "present")):
        if content:
            write_whole(tmp_path / FILE, content)
        assert describe(tmp_path)[0]["state"] == state
        assert fetching.is_present("scene", tmp_path) == (state == "present")
    row, built_in = describe(tmp_path)
    assert row["shape"] == "2,000 bags, 18,000 instances, 15 features" and row["labels"] == 5
    assert (row["source"], row["terms"]) == ("there", "free")
    assert built_in["state"] == "built in" and fetching.is_present("synthetic_scene")


def test_the_manifest_and_the_sources_name_the_same_files(monkeypatch):
    monkeypatch.undo()
    entries = manifest()
    assert set(entries) == {file for source in SOURCES.values() for file in source.files}
    for entry in entries.values():
        for url in entry.url, entry.second_url:
            assert url.startswith("https://") and " " not in url
        assert entry.url.split("/")[2] != entry.second_url.split("/")[2]  # of another server
        assert len(entry.sha256) == 64 and entry.bytes > 0
