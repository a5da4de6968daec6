"""Files are found, checked and downloaded; every error names its cause and its remedy."""

import hashlib
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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
    """Answers with the server's ``content``, after some failures; counts requests."""

    def do_GET(self):
        self.server.n_requests += 1
        self.send_response(500 if self.server.n_requests <= self.server.failures else 200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        serving.content, serving.failures, serving.n_requests = CONTENT, 0, 0
        serving.url = f"http://127.0.0.1:{serving.server_port}/{FILE}"
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


def ask_for(content, data, url):
    """Let the manifest ask for ``content`` at ``url``."""
    row = f"{FILE},{len(content)},{hashlib.sha256(content).hexdigest()},{url} (a remark),there,free"
    header = "file,bytes,sha256,url,original_source,data_terms"
    (data / "manifest.csv").write_text(f"{header}\n{row}\n")


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
        f"from {server.url} failed: 500",
        f"mimlpaper data --fetch --data '{tmp_path / 'my data'}'",
    ):
        assert part in str(error.value)
    with pytest.raises(DataError, match="try again: mimlpaper data --fetch \\("):
        fetch(FILE)  # the default folder needs no option
    ask_for(CONTENT, data, NOBODY)
    with pytest.raises(DataError, match=r"9 failed: .Errno 111. Connection refused. To t") as error:
        fetch(FILE, tmp_path)
    trace = "".join(traceback.format_exception(error.value))
    assert trace.count("Traceback") == 1 and "urllib3" not in trace and "requests" not in trace


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
        assert entry.url.startswith("https://") and " " not in entry.url
        assert len(entry.sha256) == 64 and entry.bytes > 0
