"""Reports on unseen data, on made-up records: tables, claims, ranks, words and pictures."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mimlpaper.datasets import load
from mimlpaper.metrics import CRITERIA
from mimlpaper.study.pointing import CEILING, CHANCE
from mimlpaper.study.unseen import BAGS, UNSEEN
from mimlpaper.study.unseen_report import (
    NEW_CLAIMS,
    data_table,
    defaults_table,
    draw_reasons,
    draw_segments,
    in_words,
    losses_everywhere,
    micro_auc_table,
    new_claims,
    new_claims_table,
    reasons_table,
    unseen_table,
)


def rows(datasets, methods, n_splits=10):
    """Each method worse by .05 than the one before, splits apart by .001."""
    return pd.DataFrame(
        [
            {
                "dataset": dataset, "method": method, "parameters": "{}", "split": split,
                "stage": 0, "n_test": 10, "n_train": 90,
                **{n: 0.1 + loss if c.lower_is_better else 0.9 - loss for n, c in CRITERIA.items()},
            }
            for dataset in datasets
            for place, method in enumerate(methods)
            for split in range(n_splits)
            for loss in [0.05 * place + 0.001 * (split * (place + 1) % 7)]
        ]
    )  # fmt: skip


RECORDS = {
    "unseen": rows(BAGS, UNSEEN),
    "unseen_tuned": rows(BAGS, [*UNSEEN][::-1]),
    "unseen_texts_tuned": rows(["dbpedia"], [*UNSEEN][::-1], 1),
    "table3_tuned": rows(["yeast"], ["MlSvm", "InsDif", "InsDif_MimlSvm", "Ml-knn"]),
}
MEASURED = pd.DataFrame(
    [
        (dataset, method, calibration, split, value, value, value, value, "original")
        for dataset, other in (("hja", 0.6), ("letter_frost", 0.8))
        for method, value in ((CHANCE, 0.2), ("MimlSvm", other), ("NoisyOr", 0.7), (CEILING, 0.9))
        for calibration in ("none", "platt")
        for split in range(2)
    ],
    columns=[
        "dataset", "method", "calibration", "split", "accuracy", "accuracy_known", "auc",
        "pointing", "kind",
    ],
)  # fmt: skip


def test_criteria_of_both_columns():
    table = unseen_table(RECORDS)
    assert table.rows["MimlBoost"][0].lines[0].startswith(".898")
    assert table.rows["MimlBoost"][0].bold == (True, False)
    assert table.rows["NoisyOr"][3].lines == (".900",)  # one split, tuned alone
    assert not unseen_table({}).rows


def test_claims_are_judged_on_each_set():
    claims = new_claims(RECORDS)
    assert len(claims) == len(NEW_CLAIMS) * len(BAGS) * 2
    verdicts = claims.set_index(["claim", "dataset", "column"])["verdict"]
    claim = "MimlNn: better than Ml-knn"
    assert verdicts[claim, "hja", "blind"] == "holds"
    assert verdicts[claim, "hja", "tuned"] == "fails"
    assert set(new_claims({})["verdict"]) == {"not evaluated"}
    table = new_claims_table(claims)
    assert len(table.rows) == len(NEW_CLAIMS)
    assert table.rows[claim][0].verdict == "holds" and table.rows[claim][0].lines == ("7 of 7",)
    empty = new_claims_table(new_claims({})).rows.values()
    assert {entry.lines for row in empty for entry in row} == {("–",)}


def test_independent_sets_share_methods():
    losses = losses_everywhere(RECORDS)
    assert losses.index.tolist() == ["yeast", "dbpedia", *sorted(BAGS)]
    assert set(losses) == {"MimlNn", "MimlSvm", "MlSvm", "Ml-knn"}
    assert losses.loc["dbpedia"].idxmin() == "Ml-knn"


def test_reasons_and_words():
    table = reasons_table(MEASURED)
    assert table.rows["NoisyOr"][0].lines == (".700",) * 4
    assert table.rows["NoisyOr"][0].bold == (True,) * 4
    assert table.rows["MimlSvm"][2].bold == (True,) * 4
    assert table.rules_above == (CEILING,)
    assert reasons_table(MEASURED, "platt").rows.keys() == table.rows.keys()
    of_texts = MEASURED.assign(dataset="dbpedia", micro_auc_bags=0.8, micro_auc_instances=0.7)
    printed_and_ours = micro_auc_table(of_texts).rows
    assert list(printed_and_ours)[:3] == ["MI-SVM, printed", "mi-SVM, printed", CHANCE]
    assert printed_and_ours["NoisyOr"][1].lines == (".700",)
    words = in_words(RECORDS, MEASURED)
    assert "5 independent data sets" in words and "on 1 of 2 sets" in words
    assert "Nothing is recorded" in in_words({}, MEASURED.iloc[:0])


def test_a_change_of_defaults_stands_as_a_difference():
    changes = ['{"mimlnn__ratio": 0.2}', "{}"]
    records = pd.concat(
        rows(["scene", "hja"], ["MimlNn"]).assign(parameters=text, average_precision=value)
        for text, value in zip(changes, (0.75, 0.8), strict=True)
    )
    table = defaults_table(records)
    assert table.columns == ("hja (chosen)", "scene")
    assert table.rows["MimlNn"][0].lines[0] == "0.800"
    assert table.rows["MimlNn: ratio = 0.2"][1].lines == ("-0.050", "+0.000")


def test_data_and_pictures():
    scenes = load("synthetic_scene")
    assert data_table([scenes]).rows["synthetic_scene"][0].lines == ("200",)
    figure, (first, second) = plt.subplots(1, 2)
    truth = scenes.instance_labels[:9]
    draw_segments(first, scenes.X[0], truth, scenes.label_names, scenes.feature_names)
    assert len(first.patches) == 9
    draw_reasons(second, np.arange(18.0).reshape(9, 2), "ABCDEFGHI", ["x", "y"], truth)
    assert len(second.patches) == 2 and second.patches[0].get_x() == pytest.approx(7.55)
    plt.close(figure)
