"""Section 4: scene and text classification by degeneration. Tables 1 and 2, Figs. 6 and 7.

Tuned rows are a comparison with equal means: every method has scaled features, the T-Criterion and
a grid of its own parameters, judged by average precision on a quarter of the training set.
"""

from __future__ import annotations

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer

from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.experiments.experiment import Experiment, Row, changed, choices, published, tuned
from mimlpaper.experiments.holdouts import by_hold_out
from mimlpaper.experiments.splits import RandomSplits
from mimlpaper.preprocessing import ConcatenateInstances, OnInstances, SumInstances

__all__ = ["DEGREES", "SECTION4", "TABLE_1", "TABLE_2", "UNIT_RANGE", "UNIT_ROWS"]

UNIT_RANGE = OnInstances(MinMaxScaler())  # by the range of the training instances
UNIT_ROWS = OnInstances(Normalizer())
UNSCALED = dict(oninstances="passthrough")
DEGREES = range(2, 10)  # of RankSvm's polynomials

TABLE_1 = {
    "MimlBoost": Row(
        published=make_pipeline(UNIT_RANGE, MimlBoost(n_rounds=50, gamma=1.0, C=1.0)),
        tuned=by_hold_out(
            UNIT_RANGE, MimlBoost(label_rule="top"),
            label_code=["feature", "onehot"], gamma=[1.0, 3.0],
        ),
        choices=[
            dict(weighting="resampling"), dict(label_code="onehot"), dict(rank=600),
            dict(label_rule="top"),
        ],
    ),
    "MimlSvm": Row(
        published=make_pipeline(UNIT_RANGE, MimlSvm(ratio=0.2, gamma=0.2, C=1.0)),
        tuned=by_hold_out(
            UNIT_RANGE, MimlSvm(), ratio=[0.2, 0.4], gamma=[0.05, 0.2, 0.8], C=[1.0, 10.0]
        ),
        choices=[UNSCALED, dict(label_rule="sign"), dict(gamma="scale"), dict(C=10.0)],
    ),
    "MimlSvm_mi": Row(
        published=make_pipeline(UNIT_RANGE, MimlSvmMi(gamma=5.0, C=10.0, max_alternations=15)),
        tuned=by_hold_out(
            UNIT_RANGE, MimlSvmMi(gamma=5.0), C=[3.0, 10.0], max_alternations=[1, 2, 15]
        ),
        choices=[
            dict(C=1.0), dict(gamma=1.0), dict(rank=600), dict(label_rule="sign"),
            dict(max_alternations=1),
        ],
    ),
    "MimlNn": Row(
        published=make_pipeline(UNIT_RANGE, MimlNn(ratio=0.4, ridge=1.0)),
        tuned=by_hold_out(
            UNIT_RANGE, MimlNn(label_rule="top"), ratio=[0.2, 0.4, 0.8], ridge=[0.1, 1.0, 10.0]
        ),
        choices=[
            UNSCALED, dict(ratio=0.2), dict(ridge=0.0), dict(ridge=10.0), dict(label_rule="top"),
        ],
    ),
    "AdtBoost.MH": Row(
        published=make_pipeline(ConcatenateInstances(), AdtBoostMH(n_rounds=25)),
        tuned=by_hold_out(
            ConcatenateInstances(), AdtBoostMH(label_rule="top"), n_rounds=[25, 50]
        ),
        choices=[
            dict(smoothing=0.01), dict(smoothing=10.0), dict(n_rounds=24), dict(label_rule="top"),
        ],
    ),
    "RankSvm": Row(
        published=by_hold_out(
            UNIT_RANGE, ConcatenateInstances(), RankSvm(kernel="poly", C=1.0),
            degree=DEGREES, criterion="ranking_loss",
        ),
        tuned=by_hold_out(
            UNIT_RANGE, ConcatenateInstances(), RankSvm(label_rule="top"), degree=DEGREES
        ),
        choices=[
            dict(C=0.1), dict(C=10.0), dict(criterion="average_precision"), dict(label_rule="top"),
        ],
    ),
    "MlSvm": Row(
        published=make_pipeline(
            UNIT_RANGE, ConcatenateInstances(), MlSvm(gamma="auto", C=1.0, label_rule="sign")
        ),
        tuned=by_hold_out(
            UNIT_RANGE, ConcatenateInstances(), MlSvm(),
            gamma=[0.03, 0.1, 0.3, 1.0], C=[1.0, 10.0],
        ),
        choices=[dict(label_rule="top"), dict(gamma="scale"), dict(C=10.0)],
    ),
    "Ml-knn": Row(
        published=make_pipeline(UNIT_RANGE, ConcatenateInstances(), MlKnn(n_neighbors=10)),
        tuned=by_hold_out(
            UNIT_RANGE, ConcatenateInstances(), MlKnn(label_rule="top"),
            n_neighbors=[5, 10, 20, 40],
        ),
        choices=[UNSCALED, dict(n_neighbors=20), dict(label_rule="top")],
    ),
}  # fmt: skip

TABLE_2 = {
    "MimlBoost": Row(
        published=make_pipeline(
            UNIT_RANGE, MimlBoost(kernel="linear", label_code="product", C=1.0)
        ),
        tuned=by_hold_out(
            UNIT_ROWS, MimlBoost(kernel="linear", label_code="product", label_rule="top"),
            C=[0.01, 0.1, 1.0],
        ),
        choices=[
            dict(C=0.1), dict(C=10.0), dict(label_code="onehot"), dict(weighting="resampling"),
            dict(label_rule="top"),
        ],
    ),
    "MimlSvm": Row(
        published=make_pipeline(MimlSvm(ratio=0.2, kernel="linear", C=1.0)),
        tuned=by_hold_out(
            UNIT_ROWS, MimlSvm(), ratio=[0.2, 0.4], gamma=[0.05, 0.2, 0.8], C=[1.0, 10.0]
        ),
        choices=[dict(label_rule="sign"), dict(C=0.1), dict(C=10.0)],
    ),
    "MimlSvm_mi": Row(
        published=make_pipeline(
            MimlSvmMi(kernel="linear", C=0.1, max_alternations=5, label_rule="sign")
        ),
        tuned=by_hold_out(
            UNIT_ROWS, MimlSvmMi(kernel="linear"), C=[1.0, 10.0], max_alternations=[1, 2, 5]
        ),
        choices=[
            dict(C=0.03), dict(C=1.0), dict(max_alternations=1), dict(max_alternations=15),
            dict(label_rule="top"),
        ],
    ),
    "MimlNn": Row(
        published=make_pipeline(UNIT_ROWS, MimlNn(ratio=0.4, ridge=1.0)),
        tuned=by_hold_out(
            UNIT_ROWS, MimlNn(label_rule="top"), ratio=[0.2, 0.4, 0.8], ridge=[0.1, 1.0, 10.0]
        ),
        choices=[
            UNSCALED, dict(ratio=0.2), dict(ridge=0.1), dict(ridge=10.0), dict(label_rule="top"),
        ],
    ),
    "AdtBoost.MH": Row(
        published=make_pipeline(SumInstances(), AdtBoostMH(n_rounds=25)),
        tuned=by_hold_out(SumInstances(), AdtBoostMH(label_rule="top"), n_rounds=[25, 50]),
        choices=[
            dict(smoothing=0.01), dict(smoothing=10.0), dict(n_rounds=24), dict(label_rule="top"),
        ],
    ),
    "RankSvm": Row(
        published=by_hold_out(
            SumInstances(), RankSvm(kernel="poly", C=1.0), degree=DEGREES, criterion="ranking_loss"
        ),
        tuned=by_hold_out(SumInstances(), RankSvm(label_rule="top"), degree=DEGREES),
        choices=[dict(C=0.1), dict(C=10.0), dict(label_rule="top")],
    ),
    "MlSvm": Row(
        published=make_pipeline(
            SumInstances(), MinMaxScaler(), MlSvm(kernel="linear", C=1.0, label_rule="sign")
        ),
        tuned=by_hold_out(
            SumInstances(), Normalizer(), MlSvm(), gamma=[0.3, 1.0, 3.0], C=[1.0, 10.0]
        ),
        choices=[dict(label_rule="top"), dict(C=10.0), dict(minmaxscaler="passthrough")],
    ),
    "Ml-knn": Row(
        published=make_pipeline(SumInstances(), MlKnn(n_neighbors=10)),
        tuned=by_hold_out(
            SumInstances(), Normalizer(), MlKnn(label_rule="top"), n_neighbors=[5, 10, 20, 40]
        ),
        choices=[dict(n_neighbors=20), dict(label_rule="top")],
    ),
}  # fmt: skip

# Five splits are enough to see what an open choice changes. Fig. 6 and the alternations go on
# where Table 1 stops, to see what more of them would bring.
SECTION4 = (
    Experiment("table1", "Table 1", ("scene",), RandomSplits(30, train=0.75), published(TABLE_1)),
    Experiment("table2", "Table 2", ("reuters",), RandomSplits(30, train=0.75), published(TABLE_2)),
    Experiment(
        "table1_tuned", "Table 1, tuned", ("scene",), RandomSplits(30, train=0.75),
        tuned(TABLE_1), smoke_splits=1,
    ),
    Experiment(
        "table2_tuned", "Table 2, tuned", ("reuters",), RandomSplits(30, train=0.75),
        tuned(TABLE_2), smoke_splits=1,
    ),
    Experiment(
        "choices_scene", "Open choices, scene", ("scene",), RandomSplits(5, train=0.75),
        published(TABLE_1), choices(TABLE_1), smoke_splits=1,
    ),
    Experiment(
        "choices_text", "Open choices, text", ("reuters",), RandomSplits(5, train=0.75),
        published(TABLE_2), choices(TABLE_2), smoke_splits=1,
    ),
    Experiment(
        "alternations", "Alternations of mi-SVM", ("scene",), RandomSplits(10, train=0.75),
        {"MimlSvm_mi": changed(TABLE_1["MimlSvm_mi"].published, max_alternations=25)},
        staged=True,
    ),
    Experiment(
        "figure6", "Fig. 6", ("scene",), RandomSplits(30, train=0.75),
        {
            "MimlBoost": TABLE_1["MimlBoost"].published,
            "AdtBoost.MH": changed(TABLE_1["AdtBoost.MH"].published, n_rounds=50),
        },
        staged=True,
    ),
    Experiment(
        "figure7", "Fig. 7", ("scene",), RandomSplits(30, train=0.75), published(TABLE_1),
        {"MimlSvm": [dict(ratio=tenths / 10) for tenths in range(1, 11)]},
    ),
)  # fmt: skip
