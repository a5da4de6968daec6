"""The site as readers meet it: in a browser, from the file system and under a sub-path."""

import base64
import io
import json
import random
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from conftest import SITES, file_of, named
from PIL import Image

from mimlpaper.datasets import ImageBags
from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claims import argue
from mimlstudy.judge.rules import PART_TESTS, Rules
from mimlstudy.judge.selection import SETTINGS_COLUMNS
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.companion import Companion
from mimlstudy.report.sections import play
from mimlstudy.report.trace import traces
from tests.judged_claims import COUNTS_IN_JAVASCRIPT, counts_of


@pytest.fixture(params=SITES, ids=named)
def site(request):
    return request.param


def column(page, name):
    """Texts of the visible cells of a column."""
    heads = page.locator("table.sortable thead th button").all_text_contents()
    place = heads.index(name) + 1
    rows = f"table.sortable tbody:not([hidden]) tr:not(.folded) td:nth-child({place})"
    return page.locator(rows).all_text_contents()


def numbers(texts):
    return [float(text.split("±")[0]) for text in texts if text[-1].isdigit()]


def test_scorecard_sorts_by_keyboard(page, site):
    """What has no number comes last in both orders."""
    page.goto((site / "scorecard.html").as_uri())
    head = page.locator("th", has_text="printed")
    assert head.get_attribute("aria-sort") is None
    head.locator("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    ascending = column(page, "printed")
    assert len(ascending) == 283
    values = numbers(ascending)
    assert len(values) == 236
    assert values == sorted(values)
    assert set(ascending[236:]) == {"N/A", "–"}
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    descending = column(page, "printed")
    assert numbers(descending) == sorted(values, reverse=True)
    assert set(descending[236:]) == {"N/A", "–"}


def test_scorecard_is_sorted_by_a_single_column(page, site):
    page.goto((site / "scorecard.html").as_uri())
    page.locator("th button", has_text="printed").click()
    page.locator("th button", has_text="algorithm").click()
    head = page.locator("th", has_text="printed")
    assert head.get_attribute("aria-sort") is None
    assert page.locator("th[aria-sort]").count() == 1
    assert column(page, "algorithm")[0] == "AdtBoost.MH"


def test_scorecard_filters_by_a_table_and_by_words(page, site):
    page.goto((site / "scorecard.html").as_uri())
    count = page.get_by_role("status")
    assert count.text_content() == "283 of 283 rows"
    tables = page.get_by_role("combobox", name="table", exact=True)
    tables.select_option("Table 2")
    assert set(column(page, "table")) == {"Table 2"}
    assert count.text_content() == "56 of 283 rows"
    page.get_by_role("searchbox", name="words").fill("adtboost N/A")
    assert column(page, "printed") == ["N/A"] * 3
    page.get_by_role("button", name="show all").click()
    page.get_by_role("status").filter(has_text="283 of").wait_for()
    assert len(column(page, "table")) == 283


def test_first_screen_answers_three_questions_and_has_three_doors(page, site):
    page.goto((site / "index.html").as_uri())
    for words in ("What is the problem?", "Does the paper hold?", "How do I use it?"):
        assert page.get_by_text(words).bounding_box()["y"] < 900
    doors = page.locator(".doors > div")
    boxes = [doors.nth(i).bounding_box() for i in range(doors.count())]
    assert len(boxes) == 3
    for box in boxes:
        assert box["y"] + box["height"] <= 900
    picture = page.locator(".first img").bounding_box()
    assert picture["width"] > 400
    assert picture["y"] + picture["height"] <= 900
    verdict = page.get_by_text("Does the paper hold? Partly.").bounding_box()
    assert verdict["y"] < 400


def test_a_slider_shows_means_of_records_and_the_papers_setting(page, site):
    page.goto((site / "explore.html").as_uri())
    place = page.locator(".miml-explore")
    assert place.locator("svg").count() == 7
    slider = place.get_by_role("slider")
    figures = place.get_by_role("combobox")
    values = place.locator(".value")
    for figure in range(figures.locator("option").count()):
        figures.select_option(str(figure))
        slider.press("Home")
        at_the_start = values.all_text_contents()
        for text in at_the_start:
            assert "±" in text
        slider.press("End")
        assert values.all_text_contents() != at_the_start
    jump = place.get_by_role("button", name="as in the paper: 25")
    # A smoke run has fewer rounds.
    if jump.is_enabled():
        jump.press("Enter")
        assert slider.get_attribute("aria-valuetext") == "rounds: 25"
    assert page.faults == []


def test_a_story_goes_on_and_back_by_keyboard(page, site):
    page.goto((site / "story.html").as_uri())
    if page.get_by_text("Its records are missing.").count():
        pytest.skip("no records of RankSvm's steps")
    words = page.locator(".words")
    next_chapter = page.get_by_role("button", name="Next", exact=True)
    chapters = []
    for _ in range(5):
        chapters.append(words.text_content())
        next_chapter.press("Enter")
    assert len(set(chapters)) == 5
    assert chapters[4].startswith("5 of 5. ")
    assert page.locator(".told").text_content().startswith("RankSvm")
    page.get_by_role("button", name="Back", exact=True).press("Enter")
    assert words.text_content() == chapters[3]
    assert page.faults == []


@pytest.fixture(scope="module", params=play.LEARNERS)
def model(request):
    """What the page plays with."""
    return play.trained_on_scenes(request.param)


def scores(page):
    """Scores that the page shows, once there are some."""
    page.wait_for_selector("#play[data-scores]")
    text = page.locator("#play").get_attribute("data-scores")
    return np.array(json.loads(text))


def picture_of(scene):
    _, code = scene["source"].split(",")
    return Image.open(io.BytesIO(base64.b64decode(code)))


def expected_scores(model, pictures):
    return model.decision_function(ImageBags().transform(pictures))


@pytest.fixture
def playing(page, site, model):
    """The page to play with on a phone, once it scores by the model."""
    page.set_viewport_size({"width": 375, "height": 900})
    page.goto((site / "play.html").as_uri())
    scores(page)
    name = play.exported(model)["learner"]
    choice = page.locator("#play .learners label", has_text=name)
    choice.locator("input").check(force=True)
    yield page
    assert page.faults == []


def test_page_scores_each_scene_as_the_library_does(playing, model):
    scenes = play.drawn_scenes()
    pictures = [picture_of(scene) for scene in scenes]
    expected = expected_scores(model, pictures)
    radios = playing.locator("#play .scenes input")
    status = playing.get_by_role("status")
    for i, scene in enumerate(scenes):
        radios.nth(i).focus()
        playing.keyboard.press("Space")
        status.filter(has_text=f"{scene['name']}. ").wait_for()
        assert np.abs(scores(playing) - expected[i]).max() < 1e-9


def test_page_scores_a_photo_as_the_library_does(playing, model, tmp_path):
    photo = tmp_path / "photo.png"
    picture = picture_of(play.drawn_scenes()[0])
    picture.resize((640, 480)).save(photo)
    playing.locator("#play input[type=file]").set_input_files(photo)
    playing.get_by_role("status").filter(has_text="Your photo. ").wait_for()
    expected = expected_scores(model, [photo])
    assert np.abs(scores(playing) - expected).max() < 1e-9


def test_a_part_is_covered_by_keyboard(page, site):
    page.goto((site / "play.html").as_uri())
    before = scores(page)
    part = page.locator("#play button[aria-pressed]").nth(4)
    part.focus()
    page.keyboard.press("Enter")
    assert part.get_attribute("aria-pressed") == "true"
    assert np.abs(scores(page) - before).max() > 0
    page.get_by_role("button", name="uncover all").press("Enter")
    assert np.array_equal(scores(page), before)


def test_light_and_dark(page, site):
    page.goto((site / "scorecard.html").as_uri())
    for mode in ("Dark", "Light"):
        page.locator(".theme-switch-button:visible").first.click()
        page.locator(".dropdown-menu:visible").get_by_text(mode).click()
        assert page.evaluate("document.documentElement.dataset.theme") == mode.lower()


def test_search_works_from_the_file_system(page, site):
    page.goto(f"{(site / 'search.html').as_uri()}?q=hausdorff")
    page.locator("#search-results li a", has_text="Section 4").first.wait_for()
    assert page.locator("#search-results .context").count() == 0
    assert page.faults == []


@pytest.fixture
def served(page, site):
    """The address of the site under a sub-path of a server."""
    handler = partial(SimpleHTTPRequestHandler, directory=site.parent)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.on("response", lambda answer: answer.ok or page.faults.append(answer.url))
        yield f"http://127.0.0.1:{server.server_port}/{site.name}"
        server.shutdown()


def test_site_works_under_a_sub_path(page, site, served):
    page.goto(f"{served}/index.html")
    for title in ("Section 4", "Scorecard: every cell"):
        page.locator(".bd-sidebar-primary nav a", has_text=title).first.click()
        page.wait_for_load_state("networkidle")
        assert f"/{site.name}/" in page.url
    assert page.faults == []


def test_search_shows_excerpts_over_http(page, served):
    page.goto(f"{served}/search.html?q=hausdorff")
    excerpt = page.locator("#search-results .context").first
    excerpt.wait_for()
    assert "hausdorff" in excerpt.text_content().lower()
    assert page.faults == []


def test_every_table_is_a_file_to_download(page, site):
    for name in ("scorecard", "claims", "choices", "notebooks/4_degeneration"):
        page.goto((site / f"{name}.html").as_uri())
        links = page.locator("a[href$='.csv']")
        assert links.count() >= 1, name
        addresses = links.evaluate_all("links => links.map((link) => link.href)")
        for address in addresses:
            header, row, *_ = file_of(address).read_text().splitlines()
            assert "," in header
            assert row


def test_a_claim_unfolds_by_click_and_by_its_address(page, site):
    page.goto(f"{(site / 'claims.html').as_uri()}#S4.4")
    details = page.locator("tbody:has(#S4\\.4) .folded")
    assert details.is_visible()
    assert page.locator(".folded:visible").count() == 1
    page.get_by_role("button", name="details of S4.4", exact=True).press("Enter")
    assert not details.is_visible()


def test_rows_of_claims_are_low(page, site):
    """Details stand folded below a row, so that a screen shows several claims."""
    page.goto((site / "claims.html").as_uri())
    rows = page.locator("table.sortable tbody tr:not(.folded)")
    heights = rows.evaluate_all("rows => rows.map((row) => row.offsetHeight)")
    assert max(heights) <= 250


# Scrolls the box around a table; how far it went.
SCROLL = """(table) => {
  const box = table.parentElement;
  box.scrollLeft = 200;
  return box.scrollLeft;
}"""


@pytest.mark.parametrize("name", ["scorecard", "claims", "notebooks/4_degeneration"])
def test_the_name_of_a_row_stays_in_sight_on_a_phone(page, site, name):
    page.set_viewport_size({"width": 375, "height": 800})
    page.goto((site / f"{name}.html").as_uri())
    table = page.locator("table.sortable, .text_html table:has(caption)").first
    table.scroll_into_view_if_needed()
    row = table.locator("tbody tr").first
    row_name = row.locator("th, td").first
    before = row_name.bounding_box()["x"]
    assert table.evaluate(SCROLL) > 0
    after = row_name.bounding_box()["x"]
    assert abs(after - before) < 2


RIGHT_ENDS = "pictures => pictures.map((img) => img.getBoundingClientRect().right)"


def test_no_picture_is_cut_on_a_phone(page, site):
    page.set_viewport_size({"width": 375, "height": 800})
    for name in ("index", "notebooks/4_degeneration", "notebooks/6_insdif"):
        page.goto((site / f"{name}.html").as_uri())
        pictures = page.locator(".bd-article img")
        right_ends = pictures.evaluate_all(RIGHT_ENDS)
        assert max(right_ends) <= 375, name


@pytest.fixture
def home_on_a_phone(page, site):
    page.set_viewport_size({"width": 375, "height": 900})
    page.goto((site / "index.html").as_uri())
    return page


def test_a_term_shows_its_meaning_to_the_mouse(home_on_a_phone):
    page = home_on_a_phone
    term = page.locator("a.term").first
    card = page.get_by_role("tooltip")
    term.hover()
    assert card.text_content() == term.get_attribute("data-meaning")
    box = card.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 375
    card.hover()
    page.wait_for_timeout(400)
    assert card.is_visible()
    page.mouse.move(0, 0)
    card.wait_for(state="hidden")


def test_a_term_shows_its_meaning_to_the_keyboard_and_leads_to_the_glossary(home_on_a_phone):
    page = home_on_a_phone
    term = page.locator("a.term").first
    card = page.get_by_role("tooltip")
    term.focus()
    assert card.is_visible()
    assert term.get_attribute("aria-describedby") == card.get_attribute("id")
    page.keyboard.press("Escape")
    assert not card.is_visible()
    assert term.get_attribute("aria-describedby") is None
    page.keyboard.press("Enter")
    page.wait_for_url("**/glossary.html#*")
    assert page.locator("dt:target").count() == 1


def companion_of(site):
    """The companion of the records that a site shows."""
    return Companion(profile="smoke" if site.name == "site-smoke" else "paper")


def cells_by_chance(paper, n):
    """So many cells of Tables 1 to 5, drawn by a seed."""
    cells = []
    for number in printed_tables():
        cells += traces(number, paper.in_any_state, store=paper.store)
    return random.Random(0).sample(cells, n)


def test_the_address_of_a_number_shows_what_the_command_traces(page, site):
    paper = companion_of(site)
    for cell in cells_by_chance(paper, 50):
        page.goto("about:blank")
        page.goto(f"{(site / 'cell.html').as_uri()}#{cell.address}")
        shown = page.locator("#cell")
        assert shown.get_by_role("heading", level=2).text_content() == cell.title
        n_runs = sum(len(runs) for runs in cell.runs.values())
        assert shown.locator("circle").count() == n_runs
        text = with_single_spaces(shown.inner_text())
        traced = str(paper.trace(cell.table, cell.method, cell.criterion, cell.dataset))
        for line in traced.splitlines()[2:]:
            fact = line[WIDTH_OF_NAMES:]
            assert with_single_spaces(fact) in text, cell.address


WIDTH_OF_NAMES = 10  # of facts, in the text of a trace


def with_single_spaces(text):
    return " ".join(text.split())


def test_a_click_on_a_number_of_a_table_opens_its_runs(page, site):
    page.goto((site / "notebooks" / "4_degeneration.html").as_uri())
    number = page.locator("a.number").first
    place = number.get_attribute("href").split("#")[1]
    number.click()
    page.wait_for_url(f"**/cell.html#{place}")
    assert page.locator("#cell svg.dots").is_visible()


def judged_claims(page):
    """Each claim's id, word and counts, as the page has judged it."""
    return page.evaluate(f"""() => {{
      const rules = JSON.parse(document.getElementById("rules").dataset.judged);
      return Argue.argue(ARGUMENT, rules).map((claim) => [{COUNTS_IN_JAVASCRIPT}]);
    }}""")


def choose(page, rules):
    """Fill in the form of rules, and wait until the page has judged by them."""
    form = page.locator("#rules")
    page.evaluate("delete document.getElementById('rules').dataset.judged")
    margin_in_percent = round(100 * rules.margin, 6)
    power_in_percent = round(100 * rules.power, 6)
    left_out = ", ".join(map(str, rules.left_out))
    form.get_by_label("level").fill(str(rules.level))
    form.get_by_label("test").select_option(rules.test)
    form.get_by_label("margin of a tie").fill(str(margin_in_percent))
    form.get_by_label("least power").fill(str(power_in_percent))
    form.get_by_label("settings").select_option(rules.column)
    form.get_by_label("splits left out").fill(left_out)
    for name in CRITERIA:
        form.locator(f"[value={name}]").set_checked(name in rules.criteria)
    page.wait_for_function("document.getElementById('rules').dataset.judged")
    page.wait_for_timeout(300)  # for the last of several changes


def rules_by_chance(n):
    """So many rules, drawn by a seed."""
    rng = random.Random(0)
    for _ in range(n):
        yield Rules(
            level=rng.choice([0.001, 0.01, 0.05, 0.1]),
            margin=rng.choice([0.0, 0.02, 0.05, 0.1]),
            power=rng.choice([0.0, 0.5, 0.8]),
            test=rng.choice(PART_TESTS),
            column=rng.choice(SETTINGS_COLUMNS),
            criteria=tuple(rng.sample([*CRITERIA], rng.choice([0, 0, 1, 4]))),
            left_out=tuple(rng.sample(range(30), rng.choice([0, 0, 3, 15]))),
        )


def test_browser_and_python_judge_alike_by_forty_rules(page, site):
    paper = companion_of(site)
    page.goto((site / "claims.html").as_uri())
    for rules in rules_by_chance(40):
        choose(page, rules)
        claims = argue(paper.recorded, rules)
        expected = [counts_of(claim) for claim in claims]
        assert judged_claims(page) == expected, rules
        words = page.locator("table.sortable tbody tr:not(.folded) td:last-child")
        expected_words = [claim.verdict.word for claim in claims]
        assert words.all_text_contents() == expected_words
    assert page.faults == []


def test_other_rules_change_counts_words_plots_and_orders_at_once(page, site):
    page.goto(f"{(site / 'claims.html').as_uri()}#S4.4")
    counts = page.locator("#counts")
    orders = page.locator("#orders")
    parts = page.locator(".folded:visible .parts .chip")
    counts_before = counts.text_content()
    orders_before = orders.text_content()
    if "supported in part, 0 undecided, 0 contradicted" in counts_before:
        pytest.skip("synthetic data test no claims")
    assert parts.count() > 10
    choose(page, Rules(level=0.001, criteria=("coverage",)))
    changed = (counts.text_content(), orders.text_content())
    assert changed != (counts_before, orders_before)
    assert parts.count() == 2
    page.get_by_role("button", name="the rules of this project").click()
    page.wait_for_function("(text) => counts.textContent === text", arg=counts_before)


def test_an_unknown_address_says_so(page, site):
    page.goto(f"{(site / 'cell.html').as_uri()}#table9/Nobody")
    assert page.get_by_text("There is no number at the address table9/Nobody.").is_visible()
