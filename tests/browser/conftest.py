"""A headless Chromium of the system, and what a page did wrong while it was open."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = (ROOT / "build" / "site-smoke", ROOT / "build" / "site")
SITES = [site for site in BUILT if site.is_dir()]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Addresses that ask no other host.
LOCAL = ("file://", "data:", "blob:", "http://127.0.0.1:")
HEIGHT = 900  # pixels of the screen


def named(path):
    """A page or a site as the names of tests show it."""
    return str(path.relative_to(ROOT / "build"))


def file_of(address):
    """The file of an address; None for what stands in the page itself."""
    parts = urlparse(address)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


@pytest.fixture(scope="session")
def browser():
    """A running Chromium; tests are skipped where there is none."""
    program = os.environ.get("CHROMIUM") or installed_chromium()
    if program is None:
        pytest.skip(
            f"no browser: CHROMIUM is not set, none of {', '.join(PROGRAMS)} is there"
        )
    playwright = pytest.importorskip("playwright.sync_api", reason="make check installs it")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def installed_chromium():
    paths = map(shutil.which, PROGRAMS)
    return next(filter(None, paths), None)


@contextmanager
def watched_page(browser, width):
    """An empty page; ``page.faults`` lists what should not have happened while it is open."""
    page = browser.new_page(
        viewport={"width": width, "height": HEIGHT},
        reduced_motion="reduce",
    )
    page.faults = []

    def note_error(line):
        if line.type == "error":
            page.faults.append(line.text)

    def note_failure(request):
        # A click that leaves the page ends what the page still loads.
        if request.failure != "net::ERR_ABORTED":
            page.faults.append(f"failed: {request.url}, {request.failure}")

    def note_host(request):
        if not request.url.startswith(LOCAL):
            page.faults.append(f"foreign {request.url}")

    page.on("console", note_error)
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("requestfailed", note_failure)
    page.on("request", note_host)
    yield page
    page.close()


@pytest.fixture
def page(browser):
    """An empty page, 1,280 pixels wide."""
    with watched_page(browser, 1280) as page:
        yield page
