"""Data with labelled instances: sizes, a recording, words, and tables of explanations."""

import json

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from mimlpaper import NoisyOr, explain
from mimlpaper.datasets import load
from mimlstudy.paper.measures import MICRO_AUC, POINTING
from mimlstudy.paper.unseen import CEILING, CHANCE
from mimlstudy.report.figures import RIGHT, WRONG
from mimlstudy.report.sections import unseen_instances

SCENES = load("synthetic_scene")


def test_sizes_count_labels_that_no_instance_has():
    table = unseen_instances.sizes_table([SCENES])
    (row,) = table.tidy.to_dict("records")
    assert row["dataset"] == "synthetic_scene"
    assert row["bags"] == len(SCENES)
    assert row["instances labelled"] == SCENES.instance_labels.any(axis=1).sum()
    assert row["bags with labels without an instance"] == 0


def test_a_recording_has_a_box_for_each_segment_and_a_colour_for_each_species():
    figure = unseen_instances.recording_figure(SCENES)
    (ax,) = figure.axes
    most = SCENES.X.max(SCENES.instance_labels).sum(axis=1).argmax()
    assert len(ax.patches) == SCENES.X.sizes[most]
    begin, end = SCENES.X.offsets[most : most + 2]
    labels = SCENES.instance_labels[begin:end]
    species = {
        SCENES.label_names[row.argmax()] if row.any() else "no label" for row in labels
    }
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert sorted(names) == sorted(species)
    assert len({patch.get_facecolor() for patch in ax.patches}) == len(names)


def test_the_highest_score_of_each_label_has_a_frame_that_says_if_it_is_right():
    model = NoisyOr(random_state=0).fit(SCENES.X, SCENES.Y)
    place = int(SCENES.Y.sum(axis=1).argmax())
    figure = unseen_instances.words_figure(model, SCENES, [place])
    labels = np.flatnonzero(SCENES.Y[place])
    begin, end = SCENES.X.offsets[place : place + 2]
    truth = SCENES.instance_labels[begin:end, labels]
    tops = explain(model, [SCENES.X[place]])[:, labels].argmax(axis=0)
    expected = [(RIGHT if truth[top, row] else WRONG).lower() for row, top in enumerate(tops)]
    frames = figure.axes[0].patches
    assert [to_hex(frame.get_edgecolor()) for frame in frames] == expected


def test_the_best_explanation_is_bold_and_what_learned_from_instances_does_not_compete():
    records = []
    for method, value in ((CHANCE, 0.2), ("MimlNn", 0.4), (CEILING, 0.9)):
        record = dict(
            dataset="hja",
            method=method,
            override="{}",
            split=0,
            calibration="none",
        )
        records.append(record | dict.fromkeys(POINTING, value))
    table = unseen_instances.explanations_table(pd.DataFrame(records))
    assert table.entries.loc["MimlNn", "hja"].bold == (True,) * len(POINTING)
    assert table.entries.loc[CHANCE, "hja"].bold == (False,) * len(POINTING)
    assert table.rules_above == (CEILING,)


def test_printed_areas_stand_above_ours():
    ours = pd.DataFrame(0.9, ["MimlNn"], [*MICRO_AUC])
    table = unseen_instances.areas_table(ours, {"mi-SVM": (0.803, 0.781)})
    assert table.entries.index.tolist() == ["mi-SVM, printed", "MimlNn"]
    assert table.entries.loc["mi-SVM, printed", "sentences"].lines == (".781",)


def test_changes_of_defaults_are_differences_to_the_line_of_their_method():
    records = []
    for override, value in (({}, 0.8), ({"mimlnn__ratio": 0.2}, 0.75)):
        record = dict(
            dataset="hja",
            method="MimlNn",
            override=json.dumps(override),
            split=0,
        )
        records.append(record | dict(average_precision=value, hamming_loss=0.1))
    table = unseen_instances.defaults_table(pd.DataFrame(records))
    assert table.entries.index.tolist() == ["MimlNn", "MimlNn: ratio = 0.2"]
    assert table.entries["hja (chosen)"].map(lambda entry: entry.lines).tolist() == [
        (".800", ".100"),
        ("−.050", "+.000"),
    ]
    assert table.tidy["average_precision"].tolist() == pytest.approx([0.8, 0.75])
    assert np.isfinite(table.tidy["hamming_loss"]).all()
