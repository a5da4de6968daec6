"""The companion of a notebook: what it may show, from which records, and where it writes."""

import logging

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mimlpaper.datasets import DataError, load
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import keys_of
from mimlstudy.paper.catalogue import PaperCatalogue, default_store, explored_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.report import companion
from mimlstudy.report.companion import Companion
from mimlstudy.report.figures import caption_of, save_figure
from mimlstudy.report.parameters import ParameterError
from mimlstudy.report.progress import Notices, Progress
from mimlstudy.report.sentences import FalseSentence
from mimlstudy.report.tables import frame_grid
from tests.made_up_study import METHODS, change_records, raising, tiny

MINE = tiny({"Ml-knn": METHODS["Ml-knn"]})


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty folder in the project's place, with one experiment of two trials."""
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    monkeypatch.delenv(folders.FIGURES, raising=False)
    monkeypatch.setitem(EXPERIMENTS, "mine", MINE)
    return tmp_path


class Shown:
    """What is displayed: objects and their metadata."""

    def __init__(self):
        self.objects = []
        self.metadata = []

    def display(self, shown, metadata=None):
        self.objects.append(shown)
        self.metadata.append(metadata)

    def last_text(self):
        return self.objects[-1].data


@pytest.fixture(autouse=True)
def shown(monkeypatch):
    shown = Shown()
    monkeypatch.setattr(companion, "display", shown.display)
    return shown


@pytest.fixture
def sizes():
    """A table of one number."""
    frame = pd.DataFrame({"bags": [200]})
    return frame_grid(frame, frame, "Sizes")


def empty_figure():
    figure, _ = plt.subplots()
    return figure


@pytest.mark.parametrize(
    ("name", "title"),
    [("figure1", "Fig. 1"), ("rise_and_fall", "rise and fall")],
)
def test_a_figure_is_shown_with_its_name_and_caption_and_carries_them(
    project, shown, name, title
):
    figure = empty_figure()
    Companion().save_figure(figure, name, shows="A line.")
    assert not plt.fignum_exists(figure.number)
    (metadata,) = shown.metadata
    assert metadata["artefact"] == name
    assert metadata["caption"] == "A line."
    assert metadata["image/png"] == {"alt": f"{title}. A line."}
    file = project / "build" / "paper" / "figures" / f"{name}.png"
    assert caption_of(file) == "A line."
    assert f"<title>{title}</title>" in file.with_suffix(".svg").read_text()


def test_a_run_says_where_figures_and_tables_go(project, monkeypatch, shown, sizes):
    """Also those of the companion of what is published, which knows no profile."""
    here = project / "here"
    monkeypatch.setenv(folders.FIGURES, str(here))
    assert Companion(profile="smoke").folder == here
    assert Companion.published().folder == here
    Companion().save_table(sizes, "sizes")
    assert (here / "sizes.csv").is_file()
    assert shown.objects == [sizes]
    assert shown.metadata == [{"artefact": "sizes"}]


def test_a_sentence_is_shown_if_its_facts_hold(project, shown):
    Companion().says(
        "Seven of 7 agree.",
        all_agree=True,
        none_is_missing=np.True_,
    )
    assert shown.last_text() == "Seven of 7 agree."


def test_a_sentence_whose_fact_is_false_stops_the_notebook(project, shown):
    said = r'"Eight of 7 agree\.": its fact all_agree \(2 of 2\) is false.*; correct the sentence$'
    with pytest.raises(FalseSentence, match=said):
        Companion().says(
            "Eight of 7 agree.",
            none_is_missing=True,
            all_agree=False,
        )
    assert not shown.objects


def test_a_false_sentence_says_that_records_are_not_current(project, shown, monkeypatch):
    """It may be right once they are."""
    counts = {"table1": {"current": 9, "differs": 1}, "table2": {"current": 9, "missing": 2}}
    monkeypatch.setattr(companion, "trial_counts", {"paper": counts}.get)
    with pytest.raises(
        FalseSentence, match=r"not current \(1 differs\), and `mimlpaper status`"
    ):
        Companion().says("Eight of 7 agree.", all_agree=False)


def test_a_fact_that_is_neither_true_nor_false_is_refused(project, shown):
    with pytest.raises(TypeError, match="fact best must be True or False, got Series"):
        Companion().says("The best.", best=pd.Series([True]))
    assert not shown.objects


@pytest.mark.parametrize("parameters", [{"profile": "smoke"}, {"n_splits": 3}])
def test_a_sentence_about_the_full_protocol_is_left_out_elsewhere(project, shown, parameters):
    paper = Companion(**parameters)
    assert not paper.is_full
    paper.says("Eight of 7 agree.", all_agree=False)
    assert not shown.objects


def test_what_is_published_is_of_the_full_protocol(project):
    assert Companion.published().is_full


def mark(store, n_trials):
    """Mark the first trials of the experiment: they differ."""
    records = store.load(MINE)
    keys = keys_of(records)
    is_first = [key in keys[:n_trials] for key in keys]
    store.mark_as_differing(MINE, records[is_first])


def made_by_other_code(store):
    change_records(store, MINE, lambda rows: rows.assign(code="other code"))


def test_what_is_published_is_shown_also_if_code_has_changed_since(project, shown):
    """Read from data/results alone; refuted records never are, and nothing runs."""
    store = default_store()
    compute(MINE, jobs=1, store=store)
    made_by_other_code(store)
    assert Companion().recorded("mine").empty
    published = Companion.published()
    assert set(published.trials("mine")["state"]) == {"code changed"}
    assert len(published.recorded("mine")) == 2
    mark(store, n_trials=1)
    assert len(Companion.published().trials("mine")) == 1
    assert not shown.objects
    assert not (project / "build" / "explored").exists()


def test_trials_of_a_notebook_are_recorded_over_what_git_keeps(project):
    """The records below are used and stay as they are; a smoke run has a folder of its own."""
    compute(MINE.varied(n_splits=1), jobs=1, store=default_store())
    kept = default_store().path("mine").read_bytes()

    def n_recorded_in(folder):
        path = project / "build" / folder / "results" / "mine.csv"
        return len(pd.read_csv(path))

    assert len(Companion(jobs=1).trials("mine")) == 2
    assert n_recorded_in("explored") == 1
    assert len(Companion(profile="smoke", jobs=1).trials("mine")) == 2
    assert n_recorded_in("smoke") == 2
    assert default_store().path("mine").read_bytes() == kept


@pytest.fixture
def without_data(project, monkeypatch):
    """A store with two trials, and no data to run others on."""
    store = explored_store()
    compute(MINE, jobs=1, store=store)
    monkeypatch.setattr(
        PaperCatalogue,
        "fetch",
        raising(DataError("gone")),
    )
    return store


def edit_a_row(store):
    path = store.path("mine")
    edited = path.read_text().replace(",0.", ",0.9", 1)
    path.write_text(edited)


def test_a_damaged_record_is_left_out_with_a_note(without_data, shown):
    edit_a_row(without_data)
    assert len(Companion(jobs=1).trials("mine")) == 1
    assert len(Companion().recorded("mine")) == 1
    assert "1 damaged" in shown.last_text()
    assert "need data or a package that is not here" in shown.last_text()


def test_records_that_no_check_confirmed_are_left_out_with_a_note(without_data, shown):
    made_by_other_code(without_data)
    mark(without_data, n_trials=1)
    assert Companion(jobs=1).trials("mine").empty
    assert len(Companion().in_any_state("mine")) == 2
    assert "1 code changed" in shown.last_text()
    assert "1 differs" in shown.last_text()


def test_a_notebook_reads_its_trials_once(without_data):
    paper = Companion(jobs=1)
    assert len(paper.trials("mine")) == 2
    edit_a_row(without_data)
    assert len(paper.trials("mine")) == 2


def test_a_table_is_blank_where_no_record_may_be_shown(project):
    """An edited row of Table 1 gives no mean: the others of its method are too few for one."""
    experiment = EXPERIMENTS["table1"]
    store = explored_store("smoke")
    compute(
        experiment,
        profile="smoke",
        methods=["Ml-knn"],
        jobs=1,
        store=store,
    )
    store.mark_as_differing(experiment, store.load(experiment))
    paper = Companion(profile="smoke", jobs=1)
    cells = pd.DataFrame(paper.scorecard()["cells"])
    of_method = cells.query("table == 1 and algorithm == 'Ml-knn'")
    assert of_method["mean"].isna().all()
    assert set(of_method["verdict"]) == {"missing"}


def test_claims_are_selected_by_the_start_of_their_names(project):
    claims = Companion(profile="smoke").claims("B.")
    assert [claim.id for claim in claims] == ["B.1", "B.2", "B.3", "B.4", "B.5"]


def test_synthetic_data_are_named(project, shown):
    """In a smoke run, and where the data are missing."""
    smoke = Companion(profile="smoke")
    without_data = Companion(data_home=str(project / "nothing"))
    for paper in (smoke, without_data):
        assert paper.dataset("scene").name == "synthetic_scene"
        assert "Synthetic data" in shown.last_text()
        assert "*scene*" in shown.last_text()


@pytest.mark.parametrize(
    ("figures", "n_files"),
    [("figures", 0), ("build/smoke/figures", 2)],
)
def test_synthetic_data_replace_nothing_that_git_keeps(
    project, monkeypatch, shown, sizes, figures, n_files
):
    monkeypatch.setenv(folders.FIGURES, str(project / figures))
    synthetic = load("synthetic_scene")
    figure = empty_figure()
    paper = Companion()
    paper.save_table(sizes, "sizes", of=[synthetic])
    paper.save_figure(
        figure,
        "explained",
        shows="A line.",
        of=synthetic,
    )
    assert len(list(project.rglob("sizes.*"))) == n_files
    assert len(list(project.rglob("explained.*"))) == n_files
    assert figure.get_suptitle() == companion.SYNTHETIC_NOTE
    metadata = shown.metadata[-1]
    assert metadata["caption"] == f"{companion.SYNTHETIC_NOTE} A line."
    expected = f"explained. {companion.SYNTHETIC_NOTE} A line."
    assert metadata["image/png"]["alt"] == expected


def test_a_published_figure_keeps_its_own_caption(project, shown):
    """It was drawn from the original data, and the words at hand are about synthetic ones."""
    save_figure(
        empty_figure(), project / "figures", "explained", {"Description": "Of 600 images."}
    )
    synthetic = load("synthetic_scene")
    Companion().save_figure(empty_figure(), "explained", shows="Of 120 images.", of=synthetic)
    assert shown.metadata[-1]["caption"] == "Of 600 images."


@pytest.fixture
def exploring(project):
    """A companion that is asked for three splits of Ml-knn."""
    return Companion(jobs=1, n_splits=3, methods=["Ml-knn"], grid=[])


def test_a_question_runs_its_own_trials_and_leaves_the_experiment_as_it_is(exploring):
    assert exploring.explores == "n_splits = 3; methods = Ml-knn"
    overrides = {"Ml-knn": [{"n_neighbors": 3}, {}]}
    asked = exploring.trials(
        "mine",
        n_splits=3,
        methods=["Ml-knn"],
        overrides=overrides,
    )
    assert asked["split"].tolist() == [0, 0, 1, 1, 2, 2]
    assert asked["override"].tolist() == ['{"mlknn__n_neighbors": 3}', "{}"] * 3
    assert len(exploring.recorded("mine")) == 2
    with pytest.raises(ValueError, match=r"among \['Ml-knn'\] for mine, got \['X'\]"):
        exploring.trials("mine", methods=["X"])


def test_a_question_is_answered_in_a_folder_of_its_own(exploring, project, shown):
    figure = empty_figure()
    exploring.save_figure(figure, "table1", shows="A line.")
    assert figure.get_suptitle() == f"Explored: {exploring.explores}."
    assert "Explored" in shown.metadata[-1]["image/png"]["alt"]
    assert [path.name for path in project.iterdir()] == ["build"]


def test_a_companion_knows_the_parameters_of_its_notebook_and_leaves_its_globals(project):
    cells = {
        "In": ["profile: str = 'smoke'\nn: int = 0"],
        "profile": "smoke",
        "n": "3",
    }
    before = dict(cells)
    paper = Companion.of_notebook(cells)
    assert paper.profile == "smoke"
    assert paper.parameters("n") == (3,)
    assert cells == before
    with pytest.raises(ParameterError, match=r"parameters must be \['m'\], got \['n'\]"):
        paper.parameters("m")


@pytest.mark.parametrize("jobs", [0, -2])
def test_a_number_of_processes_that_none_can_have_is_refused(jobs):
    with pytest.raises(ParameterError, match=f"jobs must be -1, one a core, .* got {jobs}"):
        Companion(jobs=jobs)


def test_an_unknown_profile_is_refused():
    with pytest.raises(
        ParameterError, match=r"profile must be one of .*'paper'\], got 'fast'"
    ):
        Companion(profile="fast")


def test_a_question_names_a_file_without_its_folder():
    """What is shown to others need not say where it lies on the reader's computer."""
    paper = Companion(file="/home/ann/my bags.csv", labels=["sea"], scene=3)
    assert paper.explores == "file = my bags.csv; labels = sea; scene = 3"


def test_notices_are_shown_without_red_until_the_cell_ends(monkeypatch):
    shown = []
    monkeypatch.setattr(
        Progress,
        "_show",
        lambda self, data: shown.append(data),
    )
    notices = Notices()
    record = logging.LogRecord(
        "mimlpaper",
        logging.WARNING,
        "",
        0,
        "compiling loops",
        (),
        None,
    )
    notices.emit(record)
    assert shown == [{"text/plain": "compiling loops"}]
    notices.clear()
    notices.emit(record)
    assert shown[-1] == {"text/plain": "compiling loops"}


def test_a_trace_is_of_the_profile_and_store_of_the_notebook(project):
    """No number of the full protocol stands behind a number of a trial run."""
    compute(
        EXPERIMENTS["table1"],
        store=explored_store("smoke"),
        methods=["MimlNn"],
        profile="smoke",
        jobs=1,
    )
    cell = Companion(profile="smoke", jobs=1).trace(
        "table1",
        "MimlNn",
        "hamming_loss",
    )
    assert cell.origins["closest"].trials[0].startswith("2: 2 current")
    assert len(cell.runs["closest"]) == 2
