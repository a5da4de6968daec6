"""Files are found, checked and downloaded; every error names its cause and its remedy."""

import hashlib
import os
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pooch
import pytest

from mimlpaper import paths
from mimlpaper.datasets import DataError, describe, fetch_all, load, loaders
from mimlpaper.datasets import fetch as fetching
from mimlpaper.datasets.fetch import SOURCES, data_folder, fetch, manifest

FILE = "scene/miml-image-data.mat"
CONTENT = b"the very bytes"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HEADER = "file,bytes,sha256,url,original_source,data_terms"


class Server(ThreadingHTTPServer):
    """Serves ``content`` after ``failures`` answers of status 500, and counts requests."""

    content, failures, n_requests = CONTENT, 0, 0

    def url(self):
        return f"http://127.0.0.1:{self.server_port}/{FILE}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.n_requests += 1
        self.send_response(500 if self.server.n_requests <= self.server.failures else 200)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with Server(("127.0.0.1", 0), Handler) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch, server):
    """A project whose manifest has one small file, served by this machine."""
    root = tmp_path / "project"
    (root / "data").mkdir(parents=True)
    row = f"{FILE},{len(CONTENT)},{SHA256},{server.url()} (a remark),there,free"
    (root / "data" / "manifest.csv").write_text(f"{HEADER}\n{row}\n")
    monkeypatch.setattr(paths, "packaged_data", lambda: root / "data")
    monkeypatch.setattr(paths, "raw_data", lambda: root / "data" / "raw")
    monkeypatch.setattr(fetching, "RETRIES", 0)
    monkeypatch.delenv("MIMLPAPER_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return root


def put(folder, content):
    path = folder / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def use_manifest_row(project, content):
    """Let the manifest ask for ``content``."""
    file = project / "data" / "manifest.csv"
    sha256, url = hashlib.sha256(content).hexdigest(), "http://127.0.0.1:9"  # nobody listens there
    file.write_text(f"{HEADER}\n{FILE},{len(content)},{sha256},{url},there,free\n")


def test_a_named_folder_comes_first(tmp_path, monkeypatch, project):
    assert data_folder() == data_folder("") == project / "data" / "raw"
    monkeypatch.setenv("MIMLPAPER_DATA", str(tmp_path / "env"))
    assert data_folder() == tmp_path / "env"
    assert data_folder(tmp_path / "argument") == tmp_path / "argument"


def test_a_missing_file_is_downloaded_once(tmp_path, server, monkeypatch, capfd):
    """Failed requests are repeated; nothing but the bar is printed, nothing temporary is left."""
    monkeypatch.setattr(fetching, "RETRIES", 2)
    monkeypatch.setattr(pooch.core.time, "sleep", lambda seconds: None)
    server.failures = 2
    path = fetch(FILE, tmp_path / "new")
    assert path.read_bytes() == CONTENT and list(path.parent.iterdir()) == [path]
    out, err = capfd.readouterr()
    assert FILE in err and out == "" and "Downloading" not in err and "attempt" not in err
    assert fetch(FILE, tmp_path / "new") == path
    assert fetch_all(tmp_path / "new", ["scene"]) == [path]
    assert server.n_requests == 3


def test_missing_and_offline(tmp_path, server, project):
    """Where no server listens the error gives the first cause, without the network's tracebacks."""
    server.failures = 2
    with pytest.raises(DataError) as error:
        fetch(FILE, tmp_path / "my data")
    for part in (
        f"{tmp_path / 'my data' / FILE} is missing or damaged",
        f"needed are {len(CONTENT)} bytes of sha256 {SHA256}",
        f"from {server.url()} failed: 500",
        f"mimlpaper data --fetch --data '{tmp_path / 'my data'}'",
    ):
        assert part in str(error.value)
    with pytest.raises(DataError, match="try again: mimlpaper data --fetch \\("):
        fetch(FILE)  # the default folder needs no option
    use_manifest_row(project, CONTENT)
    with pytest.raises(DataError, match=r"9 failed: .Errno 111. Connection refused. To t") as error:
        fetch(FILE, tmp_path)
    trace = "".join(traceback.format_exception(error.value))
    assert trace.count("Traceback") == 1 and "urllib3" not in trace and "requests" not in trace


def test_damaged_files_are_named_and_left(tmp_path, server):
    path = put(tmp_path, CONTENT)
    fetch(FILE, tmp_path)
    for content in (CONTENT[:5], CONTENT[::-1]):
        path.write_bytes(content)
        os.utime(path, ns=(1, 1))
        with pytest.raises(DataError) as error:
            fetch(FILE, tmp_path)
        assert f"{path} is damaged or another file; needed are {len(CONTENT)} b" in str(error.value)
        assert f"mimlpaper data --fetch --data {tmp_path}" in str(error.value)
        assert path.read_bytes() == content
    assert server.n_requests == 0


def test_fetch_all_replaces_a_damaged_file(tmp_path, server):
    """Unless what the server sends is wrong too."""
    path = put(tmp_path, CONTENT[:5])
    server.content = b"an error page"
    with pytest.raises(DataError) as error:
        fetch_all(tmp_path, ["scene"])
    for content in (CONTENT, server.content):
        assert hashlib.sha256(content).hexdigest() in str(error.value)
    assert path.read_bytes() == CONTENT[:5] and list(path.parent.iterdir()) == [path]
    server.content = CONTENT
    assert fetch_all(tmp_path, ["scene"]) == [path]
    with pytest.raises(ValueError, match="no data set is named 'a'"):
        fetch_all(tmp_path, ["scene", "a"])
    assert path.read_bytes() == CONTENT and server.n_requests == 2


def test_content_is_parsed_only_after_its_hash(tmp_path, project, monkeypatch):
    put(tmp_path, b"junk")
    with monkeypatch.context() as patch, pytest.raises(DataError, match="is damaged or another"):
        patch.setattr(loaders, "loadmat", lambda *_, **__: pytest.fail("was parsed"))
        load("scene", tmp_path)
    use_manifest_row(project, b"junk")
    with pytest.raises(DataError, match=rf"{tmp_path / FILE} is not laid out as expected: \w+:"):
        load("scene", tmp_path)


def test_describe_reads_no_content(tmp_path, monkeypatch):
    two = {name: SOURCES[name] for name in ("scene", "synthetic_scene")}
    monkeypatch.setattr(fetching, "SOURCES", two)
    for content, state in ((None, "missing"), (CONTENT[:5], "damaged"), (CONTENT, "present")):
        if content:
            put(tmp_path, content)
        assert describe(tmp_path)[0]["state"] == state
        assert fetching.is_present("scene", tmp_path) == (state == "present")
    row, built_in = describe(tmp_path)
    assert row["shape"] == "2,000 bags, 18,000 instances, 15 features" and row["labels"] == 5
    assert (row["source"], row["terms"], row["path"]) == ("there", "free", str(tmp_path / FILE))
    assert built_in["state"] == "built in" and fetching.is_present("synthetic_scene")


def test_the_manifest_and_the_sources_name_the_same_files(monkeypatch):
    monkeypatch.undo()
    entries = manifest()
    assert set(entries) == {file for source in SOURCES.values() for file in source.files}
    for entry in entries.values():
        assert entry.url.startswith("https://") and " " not in entry.url
        assert len(entry.sha256) == 64 and entry.bytes > 0
