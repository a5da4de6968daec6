"""Unseen data, on made-up records: claims, ranks and words."""

import pandas as pd
from mimlpaper.study.pointing import CEILING, CHANCE

from mimlpaper.metrics import CRITERIA
from mimlpaper.study.unseen import BAGS, UNSEEN
from mimlpaper.study.unseen_report import NEW_CLAIMS, in_words, losses_everywhere, new_claims


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


def test_claims_are_judged_on_each_set():
    claims = new_claims(RECORDS)
    assert len(claims) == len(NEW_CLAIMS) * len(BAGS) * 2
    verdicts = claims.set_index(["claim", "dataset", "column"])["verdict"]
    claim = "MimlNn: better than Ml-knn"
    assert verdicts[claim, "hja", "blind"] == "holds"
    assert verdicts[claim, "hja", "tuned"] == "fails"
    assert set(new_claims({})["verdict"]) == {"not evaluated"}
    held = claims.set_index(["claim", "dataset", "column"])[["held", "parts"]]
    assert held.loc[(claim, "hja", "blind")].tolist() == [7, 7]


def test_what_holds_leads_and_points_right_in_words():
    words = in_words(RECORDS, MEASURED)
    assert "5 independent data sets" in words and "on 1 of 2 sets" in words
    assert "Nothing is recorded" in in_words({}, MEASURED.iloc[:0])


def test_independent_sets_share_methods():
    losses = losses_everywhere(RECORDS)
    assert losses.index.tolist() == ["yeast", "dbpedia", *sorted(BAGS)]
    assert set(losses) == {"MimlNn", "MimlSvm", "MlSvm", "Ml-knn"}
    assert losses.loc["dbpedia"].idxmin() == "Ml-knn"
