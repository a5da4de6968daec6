"""The report on a reader's own data: reading, comparing, answering, saving."""

import os
from inspect import signature

import joblib
import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.io import savemat

from mimlpaper.datasets import DataError, labelled_bags, make_scenes, read_bags, write_bags
from mimlpaper.metrics import scores_of
from mimlstudy.report.notebooks import available_notebooks, parameters_of
from mimlstudy.report.sections import own_data
from tests.systems import on_posix

LABELS = ("sea", "trees")


@pytest.fixture
def labelled(rng):
    """Bags named 00, 01, ... whose first feature tells the first label, in some instance."""
    bags, values = [], rng.random((40, 3, 2))
    for bag in values:
        bags.append(bag)
    Y = np.column_stack([values[:, :, 0].max(axis=1) > 0.7, values[:, 0, 1] > 0.5])
    names = [f"{i:02d}" for i in range(len(bags))]
    return labelled_bags(
        bags,
        Y,
        LABELS,
        feature_names=["red", "blue"],
        bag_names=names,
    )


@pytest.fixture
def file(labelled, tmp_path):
    write_bags(tmp_path / "bags.csv", labelled)
    return tmp_path / "bags.csv"


def test_names_of_bags_stay_texts(file):
    data = own_data.data_of_file(str(file))
    assert data.labelled.bag_names[:2] == ("00", "01")
    assert data.new is None


def test_new_bags_have_no_labels_and_any_order_of_features(file, labelled, tmp_path):
    table = pd.read_csv(file, dtype={"bag": str})[["bag", "blue", "red"]]
    table.to_csv(tmp_path / "new.csv", index=False)
    data = own_data.data_of_file(str(file), new_file=str(tmp_path / "new.csv"))
    assert np.array_equal(data.new.X.instances, labelled.X.instances)
    assert data.new.feature_names == tuple(data.new.X.feature_names) == labelled.feature_names
    assert data.new.Y.shape == (40, 0)
    table.drop(columns="red").to_csv(tmp_path / "new.csv", index=False)
    with pytest.raises(
        ValueError,
        match=r"must have the features of the labelled bags; it lacks 1: \['red'\]",
    ):
        own_data.data_of_file(str(file), new_file=str(tmp_path / "new.csv"))


@pytest.mark.filterwarnings("error::UserWarning")
def test_new_bags_keep_the_names_of_features_that_the_model_knows(file, labelled, tmp_path):
    """Else scikit-learn warns at each prediction that names are missing."""
    table = pd.read_csv(file, dtype={"bag": str})[["bag", "blue", "red"]]
    table.to_csv(tmp_path / "new.csv", index=False)
    data = own_data.data_of_file(str(file), new_file=str(tmp_path / "new.csv"))
    assert data.new.feature_names == ("red", "blue")
    model = own_data.pipeline_of("MlSvm on means").fit(data.labelled.X, data.labelled.Y)
    own_data.predictions(model, data.new, LABELS)


def test_a_folder_in_place_of_a_file_is_named(tmp_path):
    with pytest.raises(
        ValueError, match=r"file must be a file, got the folder .*; .* as folder"
    ):
        own_data.data_of_file(str(tmp_path))


def test_the_source_is_named_without_the_folders_around_it():
    assert own_data.source_in_words("/home/ann/a_b.csv", "") == r"Read from a\_b.csv."
    assert own_data.source_in_words("", "/home/ann/images/") == "Read from images."
    assert own_data.source_in_words("", "").startswith("Synthetic images")


def test_columns_of_labels_can_be_named(file, tmp_path):
    table = pd.read_csv(file, dtype={"bag": str})
    plain = table.rename(columns=lambda name: name.removeprefix("label:"))
    plain.to_csv(tmp_path / "plain.csv", index=False)
    data = own_data.data_of_file(str(tmp_path / "plain.csv"), labels=LABELS)
    assert data.labelled.label_names == LABELS


def test_what_an_error_about_a_file_asks_for_can_be_given(tmp_path):
    """Each error names a parameter of the notebook, and its value."""
    path = tmp_path / "mine.csv"
    path.write_text("weight,who,tags\n1.5,Zoë,sea;trees\n?,Ann,sea\n", encoding="latin-1")
    asked = {}
    for error, parameters in [
        ("encoding='latin-1'", {"encoding": "latin-1"}),
        ("name the column of the bags by bag=", {"bag": "who"}),
        ("labels= must name the labels", {"labels": ["tags"]}),
        ("holds sets of labels; give label_sets=tags", {"labels": [], "label_sets": "tags"}),
        ("give missing= to replace it", {"missing": "0"}),
    ]:
        with pytest.raises((DataError, ValueError), match=error):
            own_data.data_of_file(str(path), **asked)
        asked |= parameters
    new_path = tmp_path / "new.csv"
    new_path.write_text("weight,who\n?,Åsa\n", encoding="latin-1")
    data = own_data.data_of_file(
        str(path),
        new_file=str(new_path),
        **asked,
    )
    assert data.labelled.bag_names == ("Zoë", "Ann")
    assert data.labelled.label_names == ("sea", "trees")
    assert data.labelled.X.instances.tolist() == [[1.5], [0.0]]
    assert data.new.bag_names == ("Åsa",)


def test_sets_with_commas_need_their_separator(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text('bag,f,tags\na,1,"sea, trees"\nb,2,sea\n')
    with pytest.raises(ValueError, match="give label_sets=tags"):
        own_data.data_of_file(str(path), ["tags"])
    with pytest.raises(DataError, match="give separator=','"):
        own_data.data_of_file(str(path), label_sets="tags")
    asked = {"label_sets": "tags", "separator": ","}
    data = own_data.data_of_file(str(path), new_file=str(path), **asked)
    assert data.labelled.label_names == ("sea", "trees")
    assert data.new.Y.shape == (2, 0)


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        ("bag,f,tags\na,1,sea;trees\nb,2,sea\n", {"label_sets": "tags"}),
        ("bag,f,sea\na,1,yes\nb,2,no\n", {"labels": ["sea"]}),
        ("bag,f,label:sea\na,1,1\nb,2,0\n", {}),
    ],
    ids=["a set", "named", "marked"],
)
@pytest.mark.parametrize(
    "new_bags",
    [
        "bag,f\nc,3\n",
        "bag,f,{label}\nc,3,\n",
        "bag,f,{label}\nc,3,no\n",
        "bag,f,{label}\nc,3,0\n",
        "bag,f,label:sea\nc,3,?\n",
    ],
)
def test_labels_in_a_file_of_new_bags_are_not_read(tmp_path, known, asked, new_bags):
    """Nor need they be there."""
    path, new_path = tmp_path / "mine.csv", tmp_path / "new.csv"
    path.write_text(known)
    label = "tags" if "label_sets" in asked else "sea"
    new_path.write_text(new_bags.format(label=label))
    data = own_data.data_of_file(str(path), new_file=str(new_path), **asked)
    assert data.new.bag_names == ("c",)
    assert data.new.X.instances.tolist() == [[3.0]]


def test_labels_in_json_of_new_bags_are_not_read(file, tmp_path):
    new_path = tmp_path / "new.json"
    new_path.write_text(
        '[{"bag": "c", "red": 3, "blue": 4, "sea": null, "trees": "unknown"}]'
    )
    data = own_data.data_of_file(str(file), new_file=str(new_path))
    assert data.new.X.instances.tolist() == [[3.0, 4.0]]


def test_an_arff_file_of_new_bags_may_have_attributes_of_labels(tmp_path):
    head = "@relation r\n@attribute f numeric\n@attribute sea {0,1}\n@data\n"
    path, new_path = tmp_path / "mine.arff", tmp_path / "new.arff"
    path.write_text(f"{head}1,0\n2,1\n")
    new_path.write_text(f"{head}3,?\n")
    data = own_data.data_of_file(str(path), ["sea"], str(new_path))
    assert data.new.X.instances.tolist() == [[3.0]]


def test_a_feature_of_new_bags_may_have_the_name_of_a_label(tmp_path):
    path, new_path = tmp_path / "mine.csv", tmp_path / "new.csv"
    path.write_text("bag,sea,label:sea\na,1,1\nb,2,0\n")
    new_path.write_text("bag,sea\nc,3\n")
    data = own_data.data_of_file(str(path), new_file=str(new_path))
    assert data.new.X.instances.tolist() == [[3.0]]


@pytest.mark.parametrize("is_new", [False, True])
def test_a_first_column_without_a_name_can_only_get_one_in_the_file(file, tmp_path, is_new):
    """Since an empty ``bag`` asks for nothing here."""
    unnamed = tmp_path / "unnamed.csv"
    unnamed.write_text(file.read_text().replace("bag,", ",", 1))
    files = [str(file), str(unnamed)] if is_new else [str(unnamed), ""]
    message = (
        r"unnamed\.csv: the first column must have a name, got none; write bag into its head"
    )
    with pytest.raises(DataError, match=message):
        own_data.data_of_file(files[0], new_file=files[1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"file": "none.csv"}, "none.csv is not there; a relative path begins at"),
        ({"new_file": "none.csv"}, "none.csv is not there"),
        ({"labels": ["sea"], "label_sets": "tags"}, "give labels or label_sets, got both"),
        ({"separator": ","}, "separator is for label_sets"),
        ({"missing": "none"}, "missing must be a number, .* got 'none'"),
    ],
)
def test_parameters_of_a_file_that_cannot_be_are_named(file, parameters, message):
    with pytest.raises(ValueError, match=message):
        own_data.data_of_file(**({"file": str(file)} | parameters))


def test_parameters_of_a_file_need_a_file():
    own_data.check_question("", "mine.csv", encoding="latin-1")
    own_data.check_question("images", "", encoding="")
    with pytest.raises(ValueError, match=r"give file or folder, got both: mine\.csv and"):
        own_data.check_question("images", "mine.csv")
    with pytest.raises(
        ValueError, match=r"separator: .* no file is given; .* labels\.csv .* only encoding"
    ):
        own_data.check_question(
            "images",
            "",
            labels=[],
            separator=",",
            encoding="latin-1",
        )
    # That of a folder's labels; synthetic images have none.
    own_data.check_question("images", "", encoding="latin-1")
    with pytest.raises(ValueError, match="encoding: these say how a file is read"):
        own_data.check_question("", "", encoding="latin-1")


def test_the_notebook_has_each_parameter_of_a_file():
    declared = parameters_of(available_notebooks()["own_data"])
    assert [*declared][: len(own_data.OF_FILE)] == [*own_data.OF_FILE]
    assert {*signature(own_data.data_of_file).parameters} == {*own_data.OF_FILE}


def test_one_labelled_bag_is_too_few(labelled):
    with pytest.raises(ValueError, match=r"at least two labelled bags are .* got 1"):
        own_data.OwnData(labelled[:1], None, {})


@pytest.fixture
def folder(tmp_path):
    """Six images, of which the table names four, one of them by a number with a zero before it."""
    pictures, Y, _ = make_scenes(6, size=24, random_state=0)
    names = ["01.png", "b.png", "c.png", "d.png", "new.png", "newer.png"]
    for name, pixels in zip(names, pictures, strict=True):
        Image.fromarray(pixels).save(tmp_path / name)
    pd.DataFrame(Y[:4].astype(int), names[:4]).to_csv(tmp_path / "labels.csv")
    return tmp_path


def test_images_that_the_table_does_not_name_are_new(folder):
    data = own_data.data_of_folder(folder)
    assert data.labelled.bag_names == ("01.png", "b.png", "c.png", "d.png")
    assert data.new.bag_names == ("new.png", "newer.png")
    assert data.images["new.png"] == folder / "new.png"


def test_a_labelled_image_is_read_whatever_path_names_it(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    table = (folder / "labels.csv").read_text().replace("01.png", str(folder / "01.png"))
    (folder / "labels.csv").write_text(table)
    assert own_data.data_of_folder(folder.name).unread == []


def test_new_bags_of_matlab_have_as_many_features(tmp_path):
    """Its files name none, so that a feature more shows other data."""

    def cells(n_features):
        bags = np.empty((4, 1), dtype=object)
        for i in range(4):
            bags[i, 0] = np.full((2, n_features), float(i))
        return bags

    savemat(tmp_path / "a.mat", {"bags": cells(2), "targets": np.array([[1, 0, 0, 1]])})
    savemat(tmp_path / "b.mat", {"bags": cells(3)})
    with pytest.raises(ValueError, match=r"b\.mat must have 2 features, .* got 3"):
        own_data.data_of_file(str(tmp_path / "a.mat"), new_file=str(tmp_path / "b.mat"))


def test_the_table_of_a_folder_is_read_as_texts(folder):
    """Among them a name that pandas takes for a missing value."""
    (folder / "b.png").rename(folder / "NA")
    (folder / "labels.csv").write_text("image;sea;trees\n01.png;1;0\nNA;no;yes\n")
    data = own_data.data_of_folder(folder)
    assert data.labelled.bag_names == ("01.png", "NA")
    assert data.labelled.label_names == LABELS
    assert data.labelled.Y.tolist() == [[True, False], [False, True]]
    assert data.images["NA"] == folder / "NA"


def test_the_table_of_a_folder_may_have_another_encoding(folder):
    (folder / "labels.csv").write_text("image,Küste\n01.png,1\nb.png,0\n", encoding="latin-1")
    with pytest.raises(DataError, match="give encoding='latin-1'"):
        own_data.data_of_folder(folder)
    data = own_data.data_of_folder(folder, "latin-1")
    assert data.labelled.label_names == ("Küste",)


def test_new_images_have_any_ending_that_can_be_read_and_are_not_hidden(folder):
    """macOS leaves files such as ._beach.png, which are no images."""
    content = (folder / "new.png").read_bytes()
    for name in ("a.jfif", "b.JPE", "c.apng", ".hidden.png"):
        (folder / name).write_bytes(content)
    (folder / "._b.png").write_bytes(b"\x00\x05\x16\x07")
    (folder / "notes.txt").write_text("no image")
    data = own_data.data_of_folder(folder)
    assert data.new.bag_names == ("a.jfif", "b.JPE", "c.apng", "new.png", "newer.png")


def test_files_that_do_not_end_as_images_are_named(folder):
    (folder / "beach.heic").write_bytes((folder / "new.png").read_bytes())
    (folder / "b.png").rename(folder / "NA")
    (folder / "labels.csv").write_text("image,sea\n01.png,1\nNA,0\nc.png,0\n")
    data = own_data.data_of_folder(folder)
    assert data.unread == ["beach.heic"]
    remarks = own_data.warnings_about(data, n_folds=2)
    assert any("not read" in remark and "beach.heic" in remark for remark in remarks)


def test_a_file_in_the_place_of_a_folder_is_refused(folder):
    with pytest.raises(
        ValueError, match=r"folder must be a folder, got the file .*give it as"
    ):
        own_data.data_of_folder(folder / "labels.csv")


@on_posix
def test_a_table_that_is_no_regular_file_is_refused_before_it_is_read(folder):
    table = folder / "labels.csv"
    table.unlink()
    os.mkfifo(table)
    with pytest.raises(DataError, match=r"labels\.csv: a regular file is needed, got a pipe"):
        own_data.data_of_folder(folder)
    table.unlink()
    table.symlink_to("/dev/zero")
    with pytest.raises(DataError, match=r"labels\.csv: a regular file is needed, got a pipe"):
        own_data.data_of_folder(folder)


def test_a_label_that_has_two_columns_is_refused(folder):
    (folder / "labels.csv").write_text("image,sea,sea\n01.png,1,0\n")
    with pytest.raises(DataError, match="label names must differ"):
        own_data.data_of_folder(folder)


def test_an_image_of_a_folder_within_keeps_its_file(folder):
    (folder / "more").mkdir()
    (folder / "b.png").rename(folder / "more" / "b.png")
    (folder / "labels.csv").write_text("image,sea\n01.png,1\nmore/b.png,0\n")
    data = own_data.data_of_folder(folder)
    assert data.images["more/b.png"] == folder / "more" / "b.png"


def test_a_table_that_names_a_missing_image_is_refused(folder):
    (folder / "c.png").unlink()
    with pytest.raises(ValueError, match=r"images that are not there: \['c.png'\]"):
        own_data.data_of_folder(folder)


def test_a_folder_without_its_table_is_refused(folder):
    (folder / "labels.csv").write_text("image,sea\n")
    with pytest.raises(DataError, match=r"labels\.csv: rows below the line of heads"):
        own_data.data_of_folder(folder)
    (folder / "labels.csv").unlink()
    with pytest.raises(ValueError, match=r"must have a file labels\.csv: a line of heads"):
        own_data.data_of_folder(folder)
    with pytest.raises(ValueError, match="none is not there"):
        own_data.data_of_folder(folder / "none")


def test_overview_and_warnings_count_what_is_there(labelled):
    data = own_data.OwnData(labelled, None, {})
    numbers = own_data.overview(data)["number"]
    assert numbers["labelled bags"] == "40"
    assert numbers["instances of a bag, median"] == "3"
    assert numbers["bags with several labels"] == str((labelled.Y.sum(axis=1) == 2).sum())
    without_label, few = own_data.warnings_about(data, n_folds=5)
    n_without = (labelled.Y.sum(axis=1) == 0).sum()
    assert without_label.startswith(f"Labelled bags without a label: {n_without}.")
    assert few.startswith("40 bags are few")


def test_what_would_mislead_is_said():
    bags = [[[1.0, 5.0]]] * 3 + [[[2.0, 5.0]]]
    labelled = labelled_bags(
        bags,
        [[1, 1], [0, 1], [0, 1], [0, 1]],
        LABELS,
    )
    unlabelled = labelled_bags(
        bags,
        [[1, 1], [0, 0], [0, 0], [0, 1]],
        LABELS,
    )
    remarks = own_data.warnings_about(own_data.OwnData(unlabelled, None, {}), n_folds=2)
    assert any(remark.startswith("Labelled bags without a label: 2.") for remark in remarks)
    sentences = own_data.warnings_about(own_data.OwnData(labelled, None, {}), n_folds=2)
    assert sentences[:4] == [
        "Fewer bags than folds have these labels: sea (1).",
        "Every bag has these labels: trees.",
        "Features with one value only: 1 (f2).",
        "Bags that are copies of others: 2. Folds may share them.",
    ]


def test_learners_are_ranked_and_a_rival_without_features_is_last(labelled):
    compared = own_data.compare_learners(labelled, "NoisyOr", n_folds=4)
    n_folds = compared.groupby("learner")["fold"].count()
    rivals = ["MlSvm on means", "forest on statistics", "label frequencies"]
    assert n_folds.to_dict() == dict.fromkeys(["NoisyOr", *rivals], 4)
    table = own_data.comparison_table(compared)
    assert table.index[-1] == "label frequencies"
    assert table["behind"].iloc[0] == 0.0
    assert table["behind"].iloc[-1] > 0.05
    assert table["p"].iloc[0] == 1.0
    words = own_data.comparison_in_words(compared)
    # They are equally good, and named in the order of the table.
    first, second, third = table.index[:3]
    assert words.startswith(f"{first}, {second} and {third} have the highest")


def test_equal_learners_share_the_first_place():
    criteria = {
        "average_precision": 0.5,
        "hamming_loss": 0.1,
        "n_test": 10,
    }
    rows = [
        {"learner": name, "fold": fold, **criteria}
        for name in ("MimlNn", "MimlSvm")
        for fold in range(3)
    ]
    words = own_data.comparison_in_words(pd.DataFrame(rows))
    # In the order in which learners are listed, not by their names.
    assert words == "MimlSvm and MimlNn have the highest average precision, 0.500."


def test_a_single_label_is_judged_by_the_area_under_its_curve(labelled):
    one_label = labelled_bags(labelled.X, labelled.Y[:, :1], LABELS[:1])
    compared = own_data.compare_learners(one_label, "NoisyOr", n_folds=4)
    table = own_data.comparison_table(compared)
    by_learner = compared.groupby("learner")["area_under_curve"].mean()
    assert table["area under the curve"].to_dict() == pytest.approx(by_learner.to_dict())
    assert table.loc["label frequencies", "area under the curve"] == 0.5
    assert "the highest area under the curve" in own_data.comparison_in_words(compared)
    axes = own_data.comparison_figure(compared).axes
    assert axes[0].get_xlabel().startswith("area under the curve")


@pytest.mark.parametrize(
    ("defined", "words"),
    [
        ([], "Learners cannot be compared: no fold defines average precision."),
        ([0], "Only 1 of 3 folds define it. These are not significantly worse: MimlNn."),
        (
            [0, 2],
            "2 of 3 folds define it. It is significantly better than every other learner.",
        ),
        ([0, 1, 2], "0.900. It is significantly better than every other learner."),
    ],
)
def test_folds_without_labels_show_no_difference(defined, words):
    best = {fold: 0.9 if fold in defined else np.nan for fold in range(3)}
    rows = [
        {
            "learner": name,
            "fold": fold,
            "average_precision": best[fold] - worse * (1 + 0.01 * fold),
            "hamming_loss": 0.1,
            "n_test": 10,
        }
        for name, worse in {"MimlSvm": 0.0, "MimlNn": 0.2}.items()
        for fold in range(3)
    ]
    assert own_data.comparison_in_words(pd.DataFrame(rows)).endswith(words)


@pytest.mark.parametrize(
    "names",
    [["sea, shore", "sky"], ["labels", "sea"], ["a;b", "c"], ["NA", "sea"], ["é", "?"]],
)
def test_the_sets_of_answers_are_read_back(labelled, names, tmp_path):
    named = labelled_bags(labelled.X, labelled.Y, names)
    model = own_data.pipeline_of("NoisyOr").fit(named.X, named.Y)
    answers = own_data.predictions(model, named[:5], names)
    path = tmp_path / "answers.csv"
    answers.iloc[:, :1].assign(f=1.0).to_csv(path)
    read = read_bags(path, labels="labels")
    predicted = np.asarray(model.predict(named.X[:5]), dtype=bool)
    for has_label, has_read in zip(predicted, read.Y, strict=True):
        written = set(np.array(names)[has_label])
        assert set(np.array(read.label_names)[has_read]) == written


def test_an_unknown_learner_is_refused(labelled):
    with pytest.raises(ValueError, match=r"learner must be one of .*got 'MimlSVM'"):
        own_data.compare_learners(labelled, "MimlSVM")


def test_answers_and_explanations_are_those_of_the_model(labelled):
    model = own_data.pipeline_of("NoisyOr").fit(labelled.X, labelled.Y)
    answers = own_data.predictions(model, labelled[:5], LABELS)
    scores = scores_of(model, labelled.X[:5])
    assert np.array_equal(answers[list(LABELS)], scores)
    explained = own_data.explained_bags(
        model,
        labelled[:5],
        LABELS,
        n_shown=1,
    )
    assert explained["bag"].tolist() == list(labelled.bag_names[:5])
    highest = np.array(LABELS)[scores.argmax(axis=1)]
    assert explained["label"].tolist() == highest.tolist()


def test_a_saved_model_gives_the_same_scores(labelled, tmp_path):
    model = own_data.pipeline_of("NoisyOr").fit(labelled.X, labelled.Y)
    path = own_data.save_model(
        model,
        tmp_path / "mine" / "model.joblib",
        LABELS,
    )
    loaded = joblib.load(path)
    assert loaded["labels"] == list(LABELS)
    assert np.array_equal(
        scores_of(loaded["model"], labelled.X), scores_of(model, labelled.X)
    )


def run_as_told(data, folder, monkeypatch):
    """What is named after a model is saved in a folder, and loaded there as the report says."""
    model = own_data.pipeline_of("NoisyOr").fit(data.labelled.X, data.labelled.Y)
    path = own_data.save_model(
        model,
        folder / "model.joblib",
        data.labelled.label_names,
    )
    monkeypatch.chdir(folder)
    names = {}
    code = (
        own_data.how_to_load(path, data).strip().removeprefix("```python").removesuffix("```")
    )
    exec(code.replace("model.predict", "predicted = model.predict"), names)
    return names


def test_new_bags_are_read_as_the_report_says_with_the_options_of_the_file(
    tmp_path, monkeypatch
):
    rows = "size,image_id,f1,label:sea\n"
    rows += "".join(f"3,{image},{image % 2},{image % 2}\n" for image in range(8))
    (tmp_path / "o.csv").write_text(rows)
    (tmp_path / "new_bags.csv").write_text("size,image_id,f1\n3,9,0.5\n4,9,0.75\n")
    data = own_data.data_of_file(str(tmp_path / "o.csv"), bag="image_id")
    names = run_as_told(data, tmp_path, monkeypatch)
    assert len(names["predicted"]) == 1


def test_a_model_of_a_file_is_loaded_as_the_report_says(
    file, labelled, tmp_path, monkeypatch
):
    unlabelled = np.zeros((len(labelled), 0))
    new = labelled_bags(
        labelled.X,
        unlabelled,
        feature_names=labelled.feature_names,
    )
    write_bags(tmp_path / "new_bags.csv", new)
    names = run_as_told(
        own_data.data_of_file(str(file)),
        tmp_path,
        monkeypatch,
    )
    assert names["predicted"].shape == (40, 2)
    assert names["labels"] == [*LABELS]


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
def test_a_model_of_images_is_loaded_as_the_report_says(folder, monkeypatch):
    names = run_as_told(
        own_data.data_of_folder(folder),
        folder,
        monkeypatch,
    )
    assert names["predicted"].shape == (1, 5)
