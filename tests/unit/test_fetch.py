"""Files are found, checked and downloaded; every error names its cause and its remedy."""

import dataclasses
import hashlib
import os
import re
import threading
import traceback
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pandas as pd
import pooch
import pytest

from mimlpaper import paths
from mimlpaper.datasets import DataError, describe, fetch_all, load
from mimlpaper.datasets import fetch as fetching
from mimlpaper.datasets.fetch import SOURCES, data_folder, fetch, manifest
from mimlpaper.paths import write_whole
from tests.systems import on_posix

FILE = "scene/miml-image-data.mat"
CONTENT = b"the very bytes"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
# No server listens there.
NOBODY = "http://127.0.0.1:9"


class Handler(BaseHTTPRequestHandler):
    """Answers with the server's ``content``, after some failures; keeps the paths asked for."""

    def do_GET(self):
        self.server.asked.append(self.path)
        # The first requests fail.
        failed = self.server.n_requests <= self.server.failures
        status = self.server.statuses.get(self.path, 500 if failed else 200)
        self.send_response(status)
        self.send_header("Content-Length", str(len(self.server.content)))
        self.end_headers()
        # A client may end a download.
        with suppress(ConnectionError):
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
    assert data_folder() == data / "raw"
    assert data_folder("") == data / "raw"
    monkeypatch.setenv("MIMLPAPER_DATA", str(tmp_path / "env"))
    assert data_folder() == tmp_path / "env"
    argument = tmp_path / "argument"
    assert data_folder(argument) == argument


@pytest.mark.parametrize("named", ["~nobody-of-this-name/data", __file__])
def test_what_is_no_folder_of_data_is_refused_with_who_named_it(monkeypatch, named):
    monkeypatch.setenv("MIMLPAPER_DATA", named)
    with pytest.raises(ValueError, match="MIMLPAPER_DATA must be a folder, got"):
        data_folder()
    with pytest.raises(ValueError, match="data_home must be a folder, got"):
        data_folder(named)


@pytest.fixture
def two_retries(monkeypatch):
    """Failed requests are repeated twice, without a pause."""
    monkeypatch.setattr(fetching, "RETRIES", 2)
    monkeypatch.setattr(pooch.core.time, "sleep", lambda seconds: None)


def test_a_missing_file_is_downloaded_once(tmp_path, server, two_retries):
    """Failed requests are repeated, and nothing temporary is left."""
    server.failures = 2
    path = fetch(FILE, tmp_path / "new")
    assert path.read_bytes() == CONTENT
    assert list(path.parent.iterdir()) == [path]
    assert fetch(FILE, tmp_path / "new") == path
    assert fetch_all(tmp_path / "new", ["scene"]) == [path]
    # Two failures and a download; later calls ask nobody.
    assert server.n_requests == 3


def test_a_download_shows_a_bar_and_logs_nothing(
    tmp_path, server, two_retries, monkeypatch, capfd, caplog
):
    monkeypatch.setattr(pooch.get_logger(), "handlers", [caplog.handler])
    server.failures = 2
    fetch(FILE, tmp_path / "new")
    out, err = capfd.readouterr()
    assert f"{FILE}: 100%" in err
    assert not out
    assert not caplog.messages


def test_a_failed_download_says_why_and_what_to_do(tmp_path, server):
    server.failures = 2
    folder = tmp_path / "my data"
    with pytest.raises(DataError) as caught:
        fetch(FILE, folder)
    message = str(caught.value)
    assert f"{folder / FILE} is missing or damaged" in message
    assert f"it must have {len(CONTENT)} bytes and sha256 {SHA256}" in message
    assert f"{server.url}: 500" in message
    assert re.search(f"{NOBODY}: .*refused", message)
    assert "by hand: there; it must have" in message
    remedy = "Or put the files there by hand. Or take --profile smoke"
    assert remedy in message
    assert f"mimlpaper data --fetch --data '{folder}'" in message


def test_the_default_folder_needs_no_option(server):
    server.failures = 1
    message = r"try again: mimlpaper data --fetch \("
    with pytest.raises(DataError, match=message):
        fetch(FILE)


def test_where_no_server_listens_the_network_shows_no_tracebacks(tmp_path, data):
    ask_for(CONTENT, data, NOBODY)
    message = r":9: .*refused.*\n"
    with pytest.raises(DataError, match=message) as caught:
        fetch(FILE, tmp_path)
    lines = traceback.format_exception(caught.value)
    trace = "".join(lines)
    assert trace.count("Traceback") == 1
    assert "urllib3" not in trace
    assert "requests" not in trace


def test_where_the_first_address_has_no_file_the_second_is_asked(tmp_path, server, data):
    """Once: a file that is not there is not asked for again, as a server in trouble is."""
    ask_for(CONTENT, data, server.url, second_url=f"{server.url}/copy")
    server.statuses[f"/{FILE}"] = 404
    path = fetch(FILE, tmp_path)
    assert path.read_bytes() == CONTENT
    assert server.asked == [f"/{FILE}", f"/{FILE}/copy"]


def test_a_download_ends_at_the_size_of_the_manifest(tmp_path, server):
    server.content = CONTENT + bytes(10**7)
    message = f"the server sends more than {len(CONTENT)} bytes"
    with pytest.raises(DataError, match=message):
        fetch(FILE, tmp_path)
    folder = (tmp_path / FILE).parent
    assert not list(folder.iterdir())


COPY = f"{FILE}.copy"


@pytest.fixture
def two_files(data, server, monkeypatch):
    """The scenes are a file and its copy."""
    path = data / "manifest.csv"
    entry = pd.read_csv(path)
    copy = entry.assign(file=COPY, url=f"{server.url}.copy")
    pd.concat([entry, copy]).to_csv(path, index=False)
    source = dataclasses.replace(SOURCES["scene"], files=(FILE, COPY))
    monkeypatch.setitem(fetching.SOURCES, "scene", source)


def test_a_file_that_fails_stops_no_other(tmp_path, server, two_files):
    server.statuses[f"/{FILE}"] = 404
    with pytest.raises(DataError, match=f"{FILE} is missing or damaged"):
        fetch_all(tmp_path, ["scene"])
    assert (tmp_path / COPY).read_bytes() == CONTENT


def test_all_files_that_fail_are_counted_in_one_error(tmp_path, server, two_files):
    server.statuses[f"/{FILE}"] = 404
    server.statuses[f"/{COPY}"] = 404
    with pytest.raises(DataError, match="2 of 2 files could not be had") as caught:
        fetch_all(tmp_path, ["scene"])
    assert str(caught.value).count("try again") == 1


@on_posix
def test_a_pipe_is_no_data_file(tmp_path):
    pipe = tmp_path / FILE
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    with pytest.raises(DataError, match="is damaged or another file"):
        fetch(FILE, tmp_path)


TRUNCATED = CONTENT[:5]
REVERSED = CONTENT[::-1]


@pytest.mark.parametrize("content", [TRUNCATED, REVERSED])
def test_a_damaged_file_is_named_and_left(tmp_path, server, content):
    path = write_whole(tmp_path / FILE, content)
    with pytest.raises(DataError) as caught:
        fetch(FILE, tmp_path)
    message = str(caught.value)
    damage = f"{path} is damaged or another file; it must have {len(CONTENT)} b"
    assert damage in message
    assert f"mimlpaper data --fetch --data {tmp_path}" in message
    assert path.read_bytes() == content
    assert server.n_requests == 0


def test_nothing_is_replaced_if_the_server_sends_another_file(tmp_path, server):
    path = write_whole(tmp_path / FILE, REVERSED)
    server.content = b"an error page"
    with pytest.raises(DataError) as caught:
        fetch_all(tmp_path, ["scene"])
    message = str(caught.value)
    assert SHA256 in message
    assert hashlib.sha256(server.content).hexdigest() in message
    assert len(message.splitlines()) == 6
    assert path.read_bytes() == REVERSED
    assert list(path.parent.iterdir()) == [path]
    assert server.n_requests == 1


def test_a_damaged_file_is_replaced_where_all_are_fetched(tmp_path, server, capsys):
    path = write_whole(tmp_path / FILE, REVERSED)
    assert fetch_all(tmp_path, ["scene"]) == [path]
    assert path.read_bytes() == CONTENT
    assert server.n_requests == 1
    # It may be the user's own.
    assert path.with_name(f"{path.name}.old").read_bytes() == REVERSED
    assert f"is kept as {path.name}.old" in capsys.readouterr().err


@pytest.mark.usefixtures("server")
def test_what_was_kept_before_is_kept_when_another_file_is_replaced(tmp_path):
    for content in (REVERSED, TRUNCATED):
        path = write_whole(tmp_path / FILE, content)
        fetch_all(tmp_path, ["scene"])
    assert path.with_name(f"{path.name}.old").read_bytes() == REVERSED
    assert path.with_name(f"{path.name}.old2").read_bytes() == TRUNCATED


def test_an_unknown_data_set_is_refused_before_any_is_fetched(tmp_path, server):
    with pytest.raises(ValueError, match="no data set is named 'a'"):
        fetch_all(tmp_path, ["scene", "a"])
    assert server.n_requests == 0


def test_content_is_parsed_only_after_its_hash(tmp_path, data):
    path = write_whole(tmp_path / FILE, b"junk")
    with pytest.raises(DataError, match="is damaged or another"):
        load("scene", tmp_path)
    ask_for(b"junk", data, NOBODY)
    message = rf"{path} is not laid out as expected: \w+:"
    with pytest.raises(DataError, match=message):
        load("scene", tmp_path)


@pytest.fixture
def two_sources(monkeypatch):
    sources = {name: SOURCES[name] for name in ("scene", "synthetic_scene")}
    monkeypatch.setattr(fetching, "SOURCES", sources)


@pytest.mark.parametrize(
    ("content", "state"),
    [
        (None, "missing"),
        (TRUNCATED, "damaged"),
        (CONTENT, "present"),
    ],
)
def test_the_state_of_a_file_is_that_of_its_size(tmp_path, two_sources, content, state):
    if content:
        write_whole(tmp_path / FILE, content)
    scene, _ = describe(tmp_path)
    assert scene["state"] == state
    is_present = fetching.is_present("scene", tmp_path)
    assert is_present == (state == "present")


def test_describe_reads_no_content(tmp_path, two_sources):
    scene, synthetic = describe(tmp_path)
    shape = "2,000 bags, 18,000 instances, 15 features"
    assert scene["shape"] == shape
    assert scene["labels"] == 5
    assert scene["source"] == "there"
    assert scene["terms"] == "free"
    assert synthetic["state"] == "built in"
    assert fetching.is_present("synthetic_scene")


def test_the_manifest_and_the_sources_name_the_same_files(monkeypatch):
    # The project's manifest, not that of these tests.
    monkeypatch.undo()
    files = set()
    for source in SOURCES.values():
        files |= set(source.files)
    assert set(manifest()) == files


LAST_LINE = "beta.mat,12,abc,https://a.org,https://b.org,a home,free"


@pytest.mark.parametrize(
    "damaged",
    [
        LAST_LINE[: len(LAST_LINE) // 2],
        LAST_LINE + ",too,many",
        LAST_LINE.replace("12", "12x"),
        LAST_LINE.replace("https://a.org", ""),
    ],
)
def test_a_damaged_line_of_the_manifest_is_named(data, damaged):
    path = data / "manifest.csv"
    n_lines = len(path.read_text().splitlines())
    with path.open("a") as file:
        file.write(damaged)
    with pytest.raises(DataError) as caught:
        describe()
    assert str(caught.value).startswith(f"line {n_lines + 1} of {path} is damaged: ")
    assert "git checkout" in str(caught.value)


def test_a_file_that_the_manifest_lacks_is_named(data, tmp_path):
    path = data / "manifest.csv"
    head, *_ = path.read_text().splitlines()
    path.write_text(head + "\n")
    with pytest.raises(
        DataError, match=f"manifest.csv must list each file .*, it lacks {FILE}"
    ):
        fetch(FILE, tmp_path)


def host_of(url):
    return urlsplit(url).hostname


def test_the_manifest_names_two_servers_for_each_file(monkeypatch):
    monkeypatch.undo()
    for entry in manifest().values():
        assert entry.bytes > 0
        assert len(entry.sha256) == 64
        for url in entry.url, entry.second_url:
            assert url.startswith("https://")
            assert " " not in url
        assert host_of(entry.url) != host_of(entry.second_url)
