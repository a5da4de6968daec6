"""A headless Chromium of the system, and what a page did wrong while it was open."""

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "site"))
NAMES = ("chromium", "chromium-browser", "google-chrome")
OWN = ("file://", "data:", "blob:", "http://127.0.0.1:")  # addresses that ask no other host


@pytest.fixture(scope="session")
def browser():
    """A running Chromium; tests are skipped where there is none."""
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the path, CHROMIUM is not set")
    playwright = pytest.importorskip("playwright.sync_api", reason="make check installs it")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """An empty page, 1,280 pixels wide; ``page.faults`` lists what should not have happened."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.faults = []
    page.on("console", lambda line: line.type == "error" and page.faults.append(line.text))
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("requestfailed", lambda request: page.faults.append(f"failed: {request.url}"))
    page.on("request", lambda it: it.url.startswith(OWN) or page.faults.append(f"foreign {it.url}"))
    yield page
    page.close()
