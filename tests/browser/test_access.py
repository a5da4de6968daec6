"""What axe-core, a checker of the accessibility of pages, finds on the site: nothing."""

import pytest
from conftest import ROOT

SITES = [path for path in (ROOT / "build" / "site-smoke", ROOT / "build" / "site") if path.is_dir()]
# Of the API's pages, which are made alike, the list, a class and a function.
OF_API = ("index.html", "MimlSvm.html", "evaluate.html")
WIDTHS = {"desk": 1280, "phone": 375}


def pages_to_check():
    """The pages that readers open, without pages that are made like one of these."""
    for site in SITES:
        for path in sorted(site.rglob("*.html")):
            if "_static" in path.relative_to(site).parts:
                continue
            if path.parent.name != "api" or path.name in OF_API:
                yield path


def named(path):
    return str(path.relative_to(ROOT / "build"))


RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]


def violations(page):
    """Each rule that the page breaks, and the elements that break it."""
    checker = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {"runOnly": {"type": "tag", "values": RULES}}
    broken = checker.run(page, options=options).response["violations"]
    return {rule["id"]: [node["html"][:150] for node in rule["nodes"]] for rule in broken}


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", pages_to_check(), ids=named)
def test_a_page_breaks_no_rule_of_access(page, path, theme, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(path.as_uri())
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert violations(page) == {}


def test_a_planted_fault_is_found(page):
    page.set_content('<html lang="en"><title>A</title><main><h1>A</h1><img src=""></main></html>')
    assert "image-alt" in violations(page)
