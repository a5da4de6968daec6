"""Parameters of notebooks: read from the source of their cell, checked by name and type."""

import pytest

from mimlstudy.report.parameters import (
    CALLER,
    EXAMPLES,
    TYPES,
    ParameterError,
    check_among,
    check_between,
    checked,
    declared_types,
    notebook_parameters,
    number_in,
)

DECLARATION = """
methods: list[str] = []  # which methods
profile: str = "paper"  # how many trials
"""
TYPES_HERE = {
    "methods": list[str],
    "grid": list[float],
    "n_splits": int,
    "recompute": bool,
    "profile": str,
}


def cells(*sources, **values):
    """The globals of a notebook that has run cells of these sources; none has annotations."""
    return {"In": ["", *sources]} | values


def test_parameters_are_the_names_that_the_cell_declares():
    running = cells(
        DECLARATION,
        methods=["MlSvm"],
        profile="smoke",
        unrelated=1,
    )
    parameters = notebook_parameters(running)
    assert parameters == {"methods": ["MlSvm"], "profile": "smoke"}


def test_a_list_that_papermill_gives_as_text_is_read_as_json():
    injected = """# Parameters\nmethods = '["MlSvm"]'\n"""
    running = cells(
        DECLARATION,
        injected,
        methods='["MlSvm"]',
        profile="paper",
    )
    parameters = notebook_parameters(running)
    assert parameters["methods"] == ["MlSvm"]


def test_a_misspelt_parameter_of_papermill_stops_with_the_nearest_name():
    injected = "# Parameters\nprofil = 'quick'\n"
    with pytest.raises(ParameterError, match=r"got 'profil'; did you mean 'profile'\?"):
        notebook_parameters(cells(DECLARATION, injected, methods=[], profile="paper"))


def test_a_cell_that_is_edited_and_run_again_replaces_what_it_declared():
    """In JupyterLab the old value of a name that is misspelt now must not be used in silence."""
    misspelt = DECLARATION.replace("methods", "method")
    again = cells(
        DECLARATION,
        misspelt,
        methods=["old"],
        method=["new"],
        profile="paper",
    )
    assert notebook_parameters(again) == {"method": ["new"], "profile": "paper"}


def test_a_cell_with_a_magic_declares_nothing():
    assert declared_types("%matplotlib inline\nprofile: str = ''") == {}


def test_names_of_other_types_are_no_parameters():
    assert declared_types("x: dict = {}\ny: int = 0") == {"y": int}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("methods", ["MlSvm", 2]),
        ("methods", "MlSvm"),
        ("grid", [True]),
        ("n_splits", "many"),
        ("n_splits", True),
        ("n_splits", "1.5"),
        ("recompute", 1),
        ("profile", ["paper"]),
        ("profile", True),
    ],
)
def test_a_value_of_another_type_is_refused(name, value):
    with pytest.raises(ParameterError, match=f"parameter {name} of 4_x must be .*, got "):
        checked({name: value}, TYPES_HERE, "4_x")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("grid", "[1, 0.5]", [1, 0.5]),
        ("n_splits", "3", 3),
        ("recompute", "true", True),
        ("profile", "3", "3"),
        ("profile", 3, "3"),  # papermill has read the text
    ],
)
def test_a_text_is_read_by_the_type_of_its_parameter(name, text, value):
    assert checked({name: text}, TYPES_HERE) == {name: value}


def test_a_number_that_may_be_0_is_a_text():
    assert number_in("margin", "0") == 0.0
    for text in ("none", "nan", "inf", "1_0", "\uff11"):
        with pytest.raises(ParameterError, match=f"margin must be a number, .* got '{text}'"):
            number_in("margin", text)


def test_names_are_among_the_known_or_begin_one():
    known = ["Health", "Arts"]
    check_among("datasets", ["Arts"], known)
    check_among("claims", ["S4"], ["S4.1", "S5.1"], begin=True)
    for names, begin in ((["health"], False), (["Heal"], False), (["s4"], True)):
        with pytest.raises(ParameterError, match=f"datasets must .* got .*{names[0]}"):
            check_among("datasets", names, known, begin=begin)


def test_numbers_of_a_parameter_must_be_between_two():
    check_between("theta", [0, 0.5, 1], least=0, most=1)
    check_between("M", [1, 70], least=1)
    check_among("percentages", [10, 30], range(10, 51, 10))
    with pytest.raises(ParameterError, match=r"theta must be from 0 to 1, got \[1\.5\]"):
        check_between("theta", [0.5, 1.5], least=0, most=1)
    with pytest.raises(ParameterError, match=r"M must be at least 1, got \[0, nan\]"):
        check_between("M", [0, 2, float("nan")], least=1)
    with pytest.raises(ParameterError, match=r"among \[10, 20, 30, 40, 50\], got \[15\]"):
        check_among("percentages", [15], range(10, 51, 10))


def test_each_example_of_a_message_can_be_given():
    for type_name, example in EXAMPLES.items():
        kind = TYPES[type_name]
        assert checked({"x": example.strip("'")}, {"x": kind})["x"]


@pytest.mark.parametrize("name", ["file", "new_file", "folder", "data_home"])
def test_a_relative_path_begins_at_the_callers_folder(name, monkeypatch, tmp_path):
    monkeypatch.setenv(CALLER, str(tmp_path))
    assert checked({name: "mine"}, {name: str}) == {name: str(tmp_path / "mine")}
    assert checked({name: ""}, {name: str}) == {name: ""}
