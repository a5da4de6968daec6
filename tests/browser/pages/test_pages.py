"""Every page of the site: it loads, fits the screen, leads somewhere, and all can read it.

A page is opened once on a desk and once on a phone, and several tests look at it.
"""

from itertools import product
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from conftest import SITES, file_of, named, watched_page

WIDTHS = {"desk": 1280, "phone": 375}
TALLEST = 25_000  # pixels: a section that is taught, on a phone, with all its sentences
HEAVIEST = 6e6  # bytes of a page with its pictures
HEAVIEST_FIRST = 1e6  # bytes of the first page
MAIN_PAGES = {"scorecard.html", "claims.html", "gallery.html"}
# The pages of the API are made alike: axe-core reads the list, a class and a function.
OF_API = {"index.html", "MimlSvm.html", "evaluate.html"}
RULES = [
    "wcag2a",
    "wcag2aa",
    "wcag21a",
    "wcag21aa",
    "wcag22aa",
    "best-practice",
    "experimental",
]
# On a phone other things have room: these rules may find what they do not find on a desk. What
# only a phone shows is the same on all pages, so that one of each kind is read by all rules.
RULES_OF_ROOM = ["target-size", "scrollable-region-focusable"]
WHOLE_ON_PHONE = {
    "index.html",
    "scorecard.html",
    "4_degeneration.html",
    "play.html",
    "cell.html",
}

# Pictures that did not load, or that neither their own words nor those of their link name.
UNNAMED_OR_BROKEN = """
  [...document.images].filter((picture) => {
    const link = picture.closest("a");
    const words = picture.alt + (link?.textContent ?? "");
    return !picture.naturalWidth || !words.trim();
  }).map((picture) => picture.src)
"""
# What looks alike breaks the same rules, and thousands of elements take minutes.
DROP_WHAT_LOOKS_ALIKE = """() => {
  function lookOfCell(cell) {
    const markup = cell.outerHTML
      .replace(/>[^<]*\\w[^<]*</g, ">words<")
      .replace(/ (id|href|data-value)="[^"]*"/g, "")
      .replace(/\\d/g, "");
    const style = getComputedStyle(cell);
    return style.color + style.backgroundColor + markup;
  }
  const frame = (element) => element.cloneNode().outerHTML;
  const looksOfRow = (row) => [frame(row), ...[...row.children].map(lookOfCell)];
  const looksOfFormula = (formula) => [frame(formula)];
  const looksOfToken = (token) => [token.className];

  function keepNewLooks(selector, looksOf) {
    const seen = new Set();
    for (const element of document.querySelectorAll(selector)) {
      const looks = looksOf(element);
      if (looks.every((look) => seen.has(look))) element.remove();
      looks.forEach((look) => seen.add(look));
    }
  }
  keepNewLooks("tbody tr", looksOfRow);
  keepNewLooks("mjx-container", looksOfFormula);
  keepNewLooks(".highlight span", looksOfToken);
}"""
SIDE_BAR = ".bd-sidebar-primary .bd-links a"
FOCUSED_IN_SIDE_BAR = f"""() => {{
  const focused = document.activeElement;
  return focused.matches("{SIDE_BAR}") ? focused.textContent : "";
}}"""


def pages_of_sites():
    """Files of all pages."""
    pages = []
    for site in SITES:
        for path in sorted(site.rglob("*.html")):
            if "_static" not in path.relative_to(site).parts:
                pages.append(path)
    return pages


def is_like_another(path):
    return path.parent.name == "api" and path.name not in OF_API


PAGES = pages_of_sites()
PAGES_FOR_AXE = [path for path in PAGES if not is_like_another(path)]


def views(pages):
    """Each page at each width, as parameters of the fixture ``site_page``.

    Pages that are like another one are opened on the phone alone, which has less room.
    """
    return [
        pytest.param((path, width), id=f"{named(path)}-{name}")
        for path, (name, width) in product(pages, WIDTHS.items())
        if name == "phone" or not is_like_another(path)
    ]


on_all_pages = pytest.mark.parametrize(
    "site_page",
    views(PAGES),
    indirect=True,
)
on_pages_for_axe = pytest.mark.parametrize(
    "site_page",
    views(PAGES_FOR_AXE),
    indirect=True,
)


@pytest.fixture(scope="module")
def site_page(browser, request):
    """A page of the browser for a ``path`` of the site at a ``width``; nothing is loaded yet."""
    path, width = request.param
    with watched_page(browser, width) as page:
        page.path, page.width, page.is_whole = path, width, False
        yield page


@pytest.fixture
def view(site_page):
    """The page of the site in the browser, whole.

    Two processes share the tests, so the test that thins the page out may come first.
    """
    if not site_page.is_whole:
        site_page.faults.clear()
        site_page.goto(site_page.path.as_uri())
        site_page.evaluate("window.MathJax?.startup?.promise")
        site_page.is_whole = True
    return site_page


def test_there_is_a_site():
    assert SITES, "run: make site, or python site/build.py --profile smoke"


@on_all_pages
def test_a_page_loads(view):
    assert view.faults == []
    assert view.evaluate(UNNAMED_OR_BROKEN) == []
    assert view.locator(".math:not(:has(mjx-container))").count() == 0


@on_all_pages
def test_a_page_is_not_heavy(view):
    pictures = view.evaluate("[...document.images].map((picture) => picture.src)")
    files = {view.path, *map(file_of, pictures)} - {None}
    weight = sum(file.stat().st_size for file in files)
    is_first = view.path.parent in SITES and view.path.name == "index.html"
    assert weight <= (HEAVIEST_FIRST if is_first else HEAVIEST)


@on_all_pages
def test_a_page_fits_the_screen(view):
    view.evaluate("window.scrollTo(5000, 0)")
    assert view.evaluate("window.scrollX") == 0
    assert view.evaluate("document.body.scrollWidth") == view.width
    assert view.evaluate("document.documentElement.scrollHeight") <= TALLEST


@on_all_pages
def test_links_of_a_page_lead_somewhere(view):
    """Sphinx checks its own links to places in pages; it does not read raw HTML."""
    addresses = set(view.evaluate("[...document.links].map((link) => link.href)"))
    lost = []
    for address in addresses:
        file = file_of(address)
        if file is None:
            continue
        place = unquote(urlparse(address).fragment)
        is_page = file.suffix == ".html"
        if not file.is_file():
            lost.append(address)
        elif place and is_page and f'id="{place}"' not in file.read_text():
            lost.append(address)
    assert lost == []


@on_all_pages
def test_every_page_leads_to_the_main_pages(view):
    addresses = view.evaluate("[...document.links].map((link) => link.href)")
    assert {Path(urlparse(address).path).name for address in addresses} >= MAIN_PAGES


# This test comes last, since the page must be loaded again after it.
@on_pages_for_axe
def test_a_page_breaks_no_rule_of_access(view):
    view.is_whole = False
    view.evaluate(DROP_WHAT_LOOKS_ALIKE)
    choose_theme(view, "light")
    if view.width == WIDTHS["phone"] and view.path.name not in WHOLE_ON_PHONE:
        assert violations(view, {"type": "rule", "values": RULES_OF_ROOM}) == {}
        return
    assert violations(view, {"type": "tag", "values": RULES}) == {}
    # Another theme changes nothing but colours.
    choose_theme(view, "dark")
    assert violations(view, {"type": "rule", "values": ["color-contrast"]}) == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("site", SITES, ids=named)
def test_what_a_search_finds_breaks_no_rule_of_access(page, site, theme):
    """The page of a search that is merely opened shows no results, and no marked words."""
    page.goto(f"{site.as_uri()}/search.html?q=bag")
    page.locator("#search-results .highlighted").first.wait_for()
    page.evaluate(DROP_WHAT_LOOKS_ALIKE)
    choose_theme(page, theme)
    assert violations(page, {"type": "tag", "values": RULES}) == {}


def choose_theme(page, theme):
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(
        "theme => document.documentElement.dataset.theme === theme", arg=theme
    )


def violations(page, rules):
    """Each rule that the page breaks, and the elements that break it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {"runOnly": rules, "resultTypes": ["violations"]}
    answer = axe.run(page, options=options).response
    broken = {}
    for rule in answer["violations"]:
        broken[rule["id"]] = [node["html"][:150] for node in rule["nodes"]]
    return broken


def test_axe_finds_a_planted_fault(page):
    page.set_content(
        '<html lang="en"><title>A</title><main><h1>A</h1><img src=""></main></html>'
    )
    assert "image-alt" in violations(page, {"type": "tag", "values": RULES})


# One page of each kind; the side bar is the same in all.
@pytest.mark.parametrize("site", SITES, ids=named)
@pytest.mark.parametrize("name", ["index", "notebooks/4_degeneration", "api/MimlSvm"])
def test_keys_lead_to_the_words_at_once_and_through_the_side_bar(page, site, name):
    page.goto((site / f"{name}.html").as_uri())
    page.keyboard.press("Tab")
    assert (
        page.evaluate("document.activeElement.textContent.trim()") == "Skip to main content"
    )
    links = page.locator(f"{SIDE_BAR}:visible").all_text_contents()
    reached = []
    for _ in range(len(links) + 8):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED_IN_SIDE_BAR))
    assert list(filter(None, reached)) == links
    page.get_by_role("link", name="Skip to main content").press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
