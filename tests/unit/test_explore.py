"""Recorded means behind a slider of the site, and the story of the early stop."""

import pages
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.report.sections import explore
from tests.made_up_records import as_in_the_paper


def staged(method, n_stages):
    """Records whose criteria are all stage / 10, + split; the last split stops a stage early."""
    places = []
    for split in (0, 1):
        places += [(split, stage) for stage in range(1, n_stages + 1)]
    table = pd.DataFrame(places[:-1], columns=["split", "stage"])
    criteria = dict.fromkeys(CRITERIA, table["stage"] / 10 + table["split"])
    return table.assign(
        dataset="scene",
        method=method,
        override="{}",
        **criteria,
    )


@pytest.fixture
def sliders():
    """What sliders show of three rounds of MimlBoost and of one ratio of InsDif."""
    first_stages = staged("InsDif", 3)[::3]
    swept = first_stages.assign(override='{"ratio": 0.2}', stage=0)
    tables = {"figure6": staged("MimlBoost", 3), "figure8": swept}
    return explore.sweeps(lambda name: tables.get(name, pd.DataFrame()))


def test_sliders_have_means_and_spreads_and_the_papers_setting(sliders):
    boosting, medoids = sliders["shown"]
    (curve,) = boosting["curves"]
    assert curve["name"] == "MimlBoost"
    assert curve["paper"] == 50
    assert curve["x"] == [1, 2, 3]
    assert len(sliders["criteria"]) == 7
    assert len(curve["mean"]) == 7
    # The split that stopped keeps its .2 + 1.
    assert curve["mean"][0] == [0.6, 0.7, 0.75]
    assert curve["std"][0][:2] == pytest.approx([0.5**0.5] * 2)
    (curve,) = medoids["curves"]
    assert curve["x"] == [20]
    assert curve["paper"] == 20


def test_a_text_cannot_end_the_script_of_a_slider_and_no_host_is_asked(sliders):
    page = explore.fragment(sliders | {"criteria": ["</script>"]})
    assert page.count("</script>") == 1
    without_name_of_svg = page.replace("http://www.w3.org", "")
    assert "http" not in without_name_of_svg


@pytest.fixture
def tables():
    """Table 1 as printed, with RankSvm also run to its end, and four of its steps."""
    as_printed = as_in_the_paper(1)
    early = as_printed[as_printed["method"] == "RankSvm"]
    converged = early.assign(method="RankSvm, converged")
    return {
        "table1": pd.concat([as_printed, converged]),
        "ranksvm_steps": staged("RankSvm", 4).assign(state="current"),
    }


def test_the_story_of_the_early_stop_is_made_from_records(tables):
    (story,) = explore.early_stop(tables.__getitem__)["shown"]
    assert story["orders"].keys() == {"printed", "converged", "1", "2", "3", "4"}
    for order in story["orders"].values():
        assert len(order) == 8
    in_print = story["levels"][0]
    hamming_loss = in_print["values"][0]
    assert hamming_loss == 0.21
    # No word is left to fill in.
    for chapter in story["chapters"]:
        assert "{" not in chapter["words"]


def test_without_records_there_is_no_story(tables):
    tables["ranksvm_steps"] = tables["ranksvm_steps"][:0]
    text = pages.story_page(tables.__getitem__)
    assert "Its records are missing." in text
