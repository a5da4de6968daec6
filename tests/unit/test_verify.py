"""Recorded trials run again: what is found, attested, written and refused."""

import sys
from dataclasses import replace
from shutil import copytree

import numpy as np
import pytest

from mimlpaper import MimlNn
from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.datasets import DataError, load, loaders
from mimlstudy.engine import fingerprint, workers
from mimlstudy.engine.comparison import compare_trial
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store, read_records
from mimlstudy.engine.rows import StoreError
from mimlstudy.engine.verify import n_in_no_group, verified, verify
from mimlstudy.paper.catalogue import CATALOGUE, PaperCatalogue
from mimlstudy.paper.measures import COST_MEASURE
from tests.made_up_study import METHODS, change_records, edit, raising, states, tiny

# Of the package the name "verify" is the function.
module = sys.modules[verify.__module__]
SCENES = load("synthetic_scene")
MINE = tiny()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A folder with the records of four trials."""
    folder = tmp_path_factory.mktemp("recorded")
    compute(MINE, store=Store(folder, CATALOGUE), jobs=1)
    return folder


@pytest.fixture
def store(recorded, tmp_path):
    """A store with the records of four trials."""
    return Store(copytree(recorded, tmp_path / "results"), CATALOGUE)


def change(store, method="Ml-knn", **values):
    """Change a method's records: numbers are added, texts are replaced."""

    def changed(rows):
        is_of_method = rows["method"] == method
        for column, value in values.items():
            new = value if isinstance(value, str) else rows[column] + value
            rows[column] = rows[column].mask(is_of_method, new)
        return rows

    change_records(store, MINE, changed)


def outcomes(store, experiments=(MINE,), **options):
    table = verify(experiments, store=store, jobs=1, **options)
    return dict(zip(table["method"], table["outcome"], strict=True))


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


OTHER_ARITHMETIC = {"arithmetic": "another"}


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({"hamming_loss": 1e-7}, "equal"),
        ({"hamming_loss": 1e-3}, "different"),
        ({"hamming_loss": 1e-3} | OTHER_ARITHMETIC, "close"),
        ({"hamming_loss": 1e-3, "versions": "numpy 1"}, "close"),
        ({"hamming_loss": 0.1} | OTHER_ARITHMETIC, "different"),
        ({"coverage": np.nan}, "different"),
        ({"fit_seconds": 1.0, "seconds": 1.0, "chosen": "{}"}, "equal"),
    ],
    ids=str,
)
def test_what_counts_as_the_same(store, values, outcome):
    change(store, **values)
    assert outcomes(store) == {"MimlNn": "equal", "Ml-knn": outcome}


def counts_by_machine(store):
    rows = verified(
        lambda name: read_records(MINE, store=store),
        [MINE],
        store,
    )
    return {row["machine"]: row for row in rows}


def test_every_outcome_is_written(store):
    assert counts_by_machine(store) == {}
    table = verify([MINE], store=store, sample=2, jobs=1)
    assert table["n_checked"].tolist() == [2, 2]
    assert table["n_recorded"].tolist() == [2, 2]
    written = store.outcomes()
    assert len(written) == 2
    assert (written["date"] >= "2026").all()
    assert set(written["machine"]) == set(store.load(MINE)["machine"])


def test_outcomes_are_counted_by_machine_until_records_or_code_change(store, monkeypatch):
    verify([MINE], store=store, jobs=1)
    written = store.outcomes()
    (here,) = set(written["machine"])
    counts = counts_by_machine(store)[here]
    assert counts["groups"] == 2
    assert counts["equal"] == 2
    assert counts["different"] == 0
    (of_mimlnn,) = written.query("method == 'MimlNn'").to_dict("records")
    store.add_outcomes([of_mimlnn | {"machine": "elsewhere", "outcome": "different"}])
    counts = counts_by_machine(store)
    assert counts["elsewhere"]["equal"] == 0
    assert counts["elsewhere"]["different"] == 1
    assert counts[here]["equal"] == 2
    change(store, code="another code")
    counts = counts_by_machine(store)
    assert counts.keys() == {"elsewhere", here}
    assert counts["elsewhere"]["groups"] == 2
    edit(
        monkeypatch,
        "mimlstudy.engine.rows",
        "if pd.isna(value)",
        "if value != value",
    )
    assert counts_by_machine(store) == {}


def test_outcomes_do_not_count_for_settings_that_have_changed(store):
    verify([MINE], store=store, jobs=1)
    changed = tiny({"MimlNn": MimlNn(ratio=0.9), "Ml-knn": METHODS["Ml-knn"]})
    (counts,) = verified(
        lambda name: read_records(changed, store=store),
        [changed],
        store,
    )
    assert counts["groups"] == counts["equal"] == 1


@pytest.fixture
def failing(monkeypatch):
    """The splits on which Ml-knn fails, from now on."""
    honest = workers.run_trial
    splits = {0, 1}

    def run_trial(trial, *args, **kwargs):
        if trial.method == "Ml-knn" and trial.split in splits:
            raise MemoryError("no room")
        return honest(trial, *args, **kwargs)

    monkeypatch.setattr(workers, "run_trial", run_trial)
    return splits


def test_a_failure_is_shown_and_changes_no_record(store, failing):
    with pytest.warns(UserWarning, match="no room"):
        assert outcomes(store) == {"MimlNn": "equal", "Ml-knn": "failed"}
    assert len(store.load(MINE)) == 4


@pytest.mark.parametrize("failing_split", [0, 1])
def test_a_difference_counts_more_than_a_failure(store, failing, failing_split):
    """Whichever of them comes first in the sample."""
    change(store, coverage=np.nan)
    failing ^= {1 - failing_split}
    with pytest.warns(UserWarning, match="no room"):
        assert outcomes(store, sample=2)["Ml-knn"] == "different"


def test_what_differs_is_not_current_until_it_is_recorded_again(store):
    """Though today's code made it, and whatever verify finds in the meantime."""
    change(store, coverage=0.5)
    assert outcomes(store)["Ml-knn"] == "different"
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "differs"}
    store.path("verified").unlink()
    assert outcomes(store)["Ml-knn"] == "different"
    compute(MINE, store=store, jobs=1)
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "current"}
    assert outcomes(store) == {"MimlNn": "equal", "Ml-knn": "equal"}


# Two data sets with loaders of their own, whose source fingerprints read from this text.
LOADERS = """
def left():
    return 1
def right():
    return 2
"""


def left():
    """The loader that fingerprints see; :class:`TwoSets` says what is loaded."""


def right():
    """As ``left``."""


class TwoSets:
    """Records of Ml-knn on both data sets.

    The labels of the data sets in ``flipped`` are other ones from now on.
    """

    def __init__(self, store):
        self.store = store
        self.flipped = set()
        methods = {"Ml-knn": METHODS["Ml-knn"]}
        self.experiment = tiny(methods, datasets=("left", "right"))

    def loaded(self, catalogue, name, data_home=None):
        Y = ~SCENES.Y[:, ::-1] if name in self.flipped else SCENES.Y
        return replace(SCENES, name=name, Y=Y), "its content"

    def states(self):
        return states(self.experiment, self.store, "dataset")

    def outcomes(self, **options):
        table = verify(
            [self.experiment],
            store=self.store,
            jobs=1,
            **options,
        )
        return sorted(table["outcome"])


@pytest.fixture
def two_sets(monkeypatch, tmp_path):
    """Records of two data sets, the code of whose loaders was edited since."""
    for loader in (left, right):
        source = replace(loaders.SOURCES[SCENES.name], name=loader.__name__)
        monkeypatch.setitem(loaders.SOURCES, loader.__name__, source)
        monkeypatch.setitem(loaders.DATASETS, loader.__name__, loader)
    sources = fingerprint.sources() | {__name__: LOADERS.encode()}
    monkeypatch.setattr(fingerprint, "sources", lambda: sources)
    store = Store(tmp_path / "two", CATALOGUE)
    sets = TwoSets(store)
    monkeypatch.setattr("mimlstudy.engine.trials._loaded", sets.loaded)
    monkeypatch.setattr(
        PaperCatalogue,
        "drawn_content",
        lambda *arguments: "its content",
    )
    compute(sets.experiment, store=store, jobs=1)
    edit(monkeypatch, __name__, "1", "3")
    edit(monkeypatch, __name__, "2", "4")
    assert sets.states() == {"left": "code changed", "right": "code changed"}
    return sets


@pytest.mark.parametrize("seed", range(4))
def test_a_loader_that_gives_other_labels_now_is_found_whatever_is_drawn(two_sets, seed):
    two_sets.flipped.add("left")
    assert two_sets.outcomes(random_state=seed) == ["different", "equal"]
    assert two_sets.states() == {"left": "differs", "right": "current"}


def test_a_group_that_differed_does_so_until_it_is_recorded_again(two_sets):
    two_sets.flipped.add("left")
    two_sets.outcomes()
    two_sets.flipped.clear()
    assert two_sets.outcomes() == ["different", "equal"]


def test_each_change_of_code_is_checked_and_attested_by_itself(two_sets, monkeypatch):
    two_sets.outcomes()
    assert two_sets.states() == {"left": "current", "right": "current"}
    edit(monkeypatch, __name__, "3", "5")
    assert two_sets.states() == {"left": "code changed", "right": "current"}
    two_sets.outcomes()
    assert two_sets.states() == {"left": "current", "right": "current"}


def test_an_interrupted_verification_goes_on_with_what_is_not_current(two_sets, monkeypatch):
    ended = []

    def interrupted(*args):
        ended.append(args)
        if len(ended) == 2:
            raise KeyboardInterrupt
        return compare_trial(*args)

    with monkeypatch.context() as context:
        context.setattr("mimlstudy.engine.verify.compare_trial", interrupted)
        with pytest.raises(KeyboardInterrupt):
            two_sets.outcomes()
    assert sorted(two_sets.states().values()) == ["code changed", "current"]
    assert two_sets.outcomes(only_not_current=True) == ["equal"]
    assert two_sets.states() == {"left": "current", "right": "current"}
    assert two_sets.outcomes(only_not_current=True) == []


def test_a_later_outcome_withdraws_an_earlier_one(two_sets):
    two_sets.outcomes()
    two_sets.flipped.add("right")
    two_sets.outcomes()
    assert two_sets.states() == {"left": "current", "right": "differs"}


def test_an_edited_row_is_damaged_whatever_is_drawn(store):
    path = store.path("mine")
    whole = path.read_text()
    edited = whole.replace("drawn:24x2x4,Ml-knn,{},1", "drawn:24x2x4,Ml-knn,{},0")
    path.write_text(edited)
    for seed in range(3):
        assert outcomes(store, random_state=seed)["Ml-knn"] == "damaged"


def test_a_planted_wrong_record_is_found_whatever_is_drawn(store):
    """One value of one of eight trials, seen though the sample draws another trial."""
    mine = tiny({"Ml-knn": METHODS["Ml-knn"]}, n_splits=8)
    compute(mine, store=store, jobs=1)
    assert outcomes(store, [mine], random_state=0) == {"Ml-knn": "equal"}
    is_planted = store.load(mine)["split"] == 5
    change(store, one_error=0.5 * is_planted)
    for seed in range(3):
        assert outcomes(store, [mine], random_state=seed) == {"Ml-knn": "different"}


def with_first_row_damaged(store, *, n_splits, wrong_split):
    """An experiment that is recorded, with a wrong value in one split, and an edited first row."""
    mine = tiny({"Ml-knn": METHODS["Ml-knn"]}, n_splits=n_splits)
    compute(mine, store=store, jobs=1)
    is_wrong = store.load(mine)["split"] == wrong_split
    change(store, one_error=0.5 * is_wrong)
    path = store.path("mine")
    path.write_text(path.read_text().replace("Ml-knn,{},0,0,1,", "Ml-knn,{},0,0,1,9"))
    return mine


def test_a_damaged_row_hides_no_other_that_differs(store):
    mine = with_first_row_damaged(store, n_splits=2, wrong_split=1)
    assert read_records(mine, store=store)["state"].tolist() == ["damaged", "current"]
    assert outcomes(store, [mine], sample=2) == {"Ml-knn": "different"}


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_row_casts_no_doubt_on_the_others(store, seed):
    """One of these seeds draws the damaged row, and not all others."""
    mine = with_first_row_damaged(store, n_splits=4, wrong_split=0)
    assert outcomes(store, [mine], sample=2, random_state=seed) == {"Ml-knn": "damaged"}
    states = read_records(mine, store=store)["state"].tolist()
    assert states == ["damaged", "current", "current", "current"]


@pytest.fixture
def found_different(store, monkeypatch):
    """Eight trials, one wrong and no outlier, which differ from what edited code gives."""
    mine = tiny({"Ml-knn": METHODS["Ml-knn"]}, n_splits=8)
    compute(mine, store=store, jobs=1)
    is_wrong = store.load(mine)["split"] == 0
    change(store, hamming_loss=is_wrong / -24)  # which makes it that of split 1
    edit(
        monkeypatch,
        "mimlpaper.baselines.binary_relevance",
        "len(Y) - 1",
        "len(Y) - 2",
    )
    assert outcomes(store, [mine], sample=1, random_state=0) == {"Ml-knn": "equal"}
    edit(
        monkeypatch,
        "mimlpaper.baselines.binary_relevance",
        "len(Y) - 2",
        "len(Y) - 3",
    )
    assert outcomes(store, [mine], sample=8) == {"Ml-knn": "different"}
    return mine


def test_what_differed_from_other_code_runs_whole(found_different, store, monkeypatch):
    """A sample of one would draw a right record, and attest the wrong one."""
    edit(
        monkeypatch,
        "mimlpaper.baselines.binary_relevance",
        "len(Y) - 3",
        "len(Y) - 4",
    )
    assert states(found_different, store) == {"Ml-knn": "code changed"}
    for profile in ("quick", "paper"):
        table = verify(
            [found_different],
            store=store,
            profile=profile,
            jobs=1,
            random_state=0,
        )
        assert table[["n_checked", "outcome"]].values.tolist() == [[8, "different"]]
    compute(found_different, store=store, jobs=1)
    table = verify([found_different], store=store, jobs=1)
    assert table["n_checked"].item() < 8
    assert table["outcome"].item() == "equal"


def test_what_differs_is_no_longer_attested_for_earlier_code(
    found_different, store, monkeypatch
):
    assert states(found_different, store) == {"Ml-knn": "differs"}
    edit(
        monkeypatch,
        "mimlpaper.baselines.binary_relevance",
        "len(Y) - 3",
        "len(Y) - 2",
    )
    assert states(found_different, store) == {"Ml-knn": "code changed"}


def killed(*arguments):
    raise KeyboardInterrupt


@pytest.mark.parametrize("step", ["mark_as_differing", "add_outcomes"])
def test_no_kill_leaves_an_outcome_of_different_records_without_its_mark(
    store, monkeypatch, step
):
    """A mark comes first; a record that is neither is as before the verification."""
    change(store, coverage=0.5)
    honest = getattr(Store, step)

    def killed_in_it(self, *arguments):
        # verify adds no outcomes when it begins.
        is_in_vain = step == "add_outcomes" and not arguments[0]
        return honest(self, *arguments) if is_in_vain else killed()

    with monkeypatch.context() as context:
        context.setattr(Store, step, killed_in_it)
        with pytest.raises(KeyboardInterrupt):
            verify([MINE.varied(methods=["Ml-knn"])], store=store, jobs=1)
    assert store.outcomes().empty
    is_marked = step == "add_outcomes"
    assert states(MINE, store)["Ml-knn"] == ("differs" if is_marked else "current")
    if is_marked:
        assert outcomes(store, only_not_current=True) == {"Ml-knn": "different"}


def test_what_was_recorded_again_stays_current_though_the_rest_of_its_group_differs(store):
    change(store, coverage=0.5)
    of_group = MINE.varied(methods=["Ml-knn"])
    assert outcomes(store, [of_group]) == {"Ml-knn": "different"}
    compute(of_group.varied(n_splits=1), store=store, jobs=1)
    marked = read_records(MINE, store=store, methods=["Ml-knn"])
    assert marked["state"].tolist() == ["current", "differs"]
    assert outcomes(store, [of_group], sample=2) == {"Ml-knn": "different"}
    rows = read_records(MINE, store=store, methods=["Ml-knn"])
    assert rows["state"].tolist() == ["current", "differs"]


def test_a_difference_in_the_profile_quick_marks_the_whole_group(store):
    """Its other splits were made by the same code, and nobody has run them again."""
    six_splits = MINE.varied(methods=["Ml-knn"], n_splits=6)
    compute(six_splits, store=store, jobs=1)
    change(store, coverage=0.5)
    assert len(six_splits.trials("quick")) < 6
    assert outcomes(store, [six_splits], profile="quick") == {"Ml-knn": "different"}
    assert set(read_records(six_splits, store=store)["state"]) == {"differs"}


def test_what_is_recorded_while_a_verification_runs_gets_no_mark(store):
    change(store, coverage=0.5)
    before = store.load(MINE)
    compute(MINE, store=store, jobs=1, recompute=True)
    store.mark_as_differing(MINE, before)
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "current"}


def test_a_quick_check_that_finds_a_difference_marks_the_records(store):
    change(store, coverage=0.5)
    assert outcomes(store, seconds=20.0)["Ml-knn"] == "different"
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "differs"}
    assert store.outcomes()["method"].tolist() == ["Ml-knn"]


def test_trials_in_no_group_are_counted(store):
    change(store, "Ml-knn", settings="others")
    assert n_in_no_group([MINE], store=store) == 2


def test_a_quick_check_runs_cheap_trials_and_writes_nothing(store):
    change(store, seconds=1000.0)
    before = contents(store.folder)
    assert outcomes(store, seconds=20.0) == {"MimlNn": "equal"}
    assert contents(store.folder) == before


@pytest.mark.parametrize(("seconds", "n_checked"), [(16.0, 4), (15.9, 0)])
def test_a_trial_may_take_a_quarter_of_the_seconds_of_a_quick_check(
    store, seconds, n_checked
):
    change_records(store, MINE, lambda rows: rows.assign(seconds=4.0))
    table = verify([MINE], store=store, seconds=seconds, jobs=1)
    assert table["n_checked"].sum() == n_checked


def test_a_quick_check_runs_only_trials_whose_data_are_there(store, monkeypatch):
    monkeypatch.setattr(
        PaperCatalogue,
        "is_present",
        lambda *arguments: False,
    )
    assert verify([MINE], store=store, seconds=20.0).empty


def test_a_quick_check_runs_only_current_trials(store):
    change(store, "MimlNn", code="older code")
    change(store, "Ml-knn", doubt="differs")
    assert verify([MINE], store=store, seconds=20.0).empty


@pytest.mark.parametrize("seconds", [None, 20.0])
def test_there_may_be_nothing_to_run_again(store, seconds):
    """Costs, of which a second measurement gives other numbers; an empty store; no experiment."""
    costs = tiny({"Label frequencies": LabelFrequencies()}, measure=COST_MEASURE)
    empty = Store(store.folder / "empty", CATALOGUE)
    assert verify([costs], store=store, seconds=seconds).empty
    assert verify([MINE], store=empty, seconds=seconds).empty
    assert verify([], store=store, seconds=seconds).empty


def test_a_sample_of_no_trial_is_refused(store):
    with pytest.raises(ValueError, match="sample must be at least 1, got 0"):
        verify([MINE], sample=0, store=store)


def test_missing_data_end_a_verification(store, monkeypatch):
    missing = raising(DataError("scene is missing"))
    monkeypatch.setattr(PaperCatalogue, "fetch", missing)
    with pytest.raises(DataError, match="scene is missing"):
        verify([MINE], store=store)


def test_what_cannot_be_written_is_named_before_a_trial_runs(store, monkeypatch):
    """Such as the outcomes of a store that may only be read."""
    run_trials = raising(AssertionError("a trial runs"))
    monkeypatch.setattr(module, "run_trials", run_trials)
    (store.folder / ".verified.lock").mkdir()
    with pytest.raises(StoreError, match=r"cannot write .*verified\.csv"):
        verify([MINE], store=store, jobs=1)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_an_audit_of_no_seconds_is_refused(store, seconds):
    """It ran every trial, or none, and said that all was well."""
    with pytest.raises(ValueError, match="seconds must be above 0"):
        verify([MINE], store=store, seconds=seconds)


def test_records_of_other_settings_are_in_no_group(store):
    change(store, "Ml-knn", settings="others")
    change(store, "MimlNn", settings="others")
    assert verify([MINE], store=store, jobs=1).empty


def test_records_of_other_data_are_in_no_group(store, monkeypatch):
    monkeypatch.setattr(
        PaperCatalogue,
        "content",
        lambda *arguments: "other data",
    )
    assert verify([MINE], store=store, jobs=1).empty


def test_each_configuration_of_a_method_is_a_group_of_its_own(store):
    """A branch that only one of them takes is not attested by a run of the other."""
    overrides = {"Ml-knn": [{}, {"label_rule": "top"}]}
    mine = tiny(overrides=overrides)
    compute(mine, store=store, jobs=1)
    table = verify([mine], store=store, jobs=1)
    assert table["method"].tolist() == ["Ml-knn", "Ml-knn"]
    assert table["settings"].nunique() == 2
