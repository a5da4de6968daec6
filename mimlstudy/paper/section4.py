"""Section 4: scene and text classification by degeneration. Tables 1 and 2, Figs. 6 and 7."""

from mimlpaper import MlKnn, MlSvm, SumInstances
from mimlpaper.algorithms import mimlboost, mimlnn, mimlsvm, mimlsvm_mi
from mimlpaper.baselines import adtboost_mh, ranksvm
from mimlpaper.distances import set_kernel_distance
from mimlstudy.engine.trials import Experiment, Part, RandomSplits
from mimlstudy.paper.common import (
    ANY_SCALE,
    AS_IN_FILES,
    BY_RANKING_LOSS,
    CONCATENATED,
    FRANK_WOLFE,
    GAUSSIAN,
    HELD_OUT_MACHINE,
    LINEAR,
    RANKSVM_DEGREES,
    SCENES_SCALED,
    STATED_START,
    TENTHS,
    VERTEX,
)
from mimlstudy.paper.measures import STAGED, TESTED
from mimlstudy.paper.settings import Row, Table, closest, each, ours, stated

FIFTH = stated("4.3.2 and 4.3.3", ratio=0.2)
ROUNDS = stated("4.3.2 and 4.3.3", n_rounds=50)
FEW_ROUNDS = stated("4.3.2 and 4.3.3", n_rounds=25)
TEN = stated("4.3.2", n_neighbors=10)
POLYNOMIAL = stated("4.3.2", kernel="poly", degree=RANKSVM_DEGREES)
OF_TREES = each(smoothing=[0.01, 10.0], n_rounds=24, label_rule="top")
OTHER_START = each(start="medoids")

# Chosen by the trace. By average precision neither is far from the exact kernel: .007 at this rank,
# .004 at the rank that misses 1%.
NEARLY_EXACT = ours(".04% of the trace is missed, for a kernel that is nearly exact", rank=1000)

TABLE_1 = Table({
    "MimlBoost": Row(
        mimlboost.MimlBoost(), [SCENES_SCALED, GAUSSIAN, ROUNDS, NEARLY_EXACT],
        each(scaling="none", weighting="resampling", label_code="onehot", label_rule="top",
             gamma=0.2, C=10.0)),
    "MimlSvm": Row(
        mimlsvm.MimlSvm(), [SCENES_SCALED, GAUSSIAN, FIFTH],
        [*each(scaling="none", label_rule="sign", gamma="scale", C=10.0), *OTHER_START],
        in_advance=[STATED_START]),
    "MimlSvm, set kernel": Row(
        mimlsvm.MimlSvm(),
        [SCENES_SCALED, GAUSSIAN, FIFTH, ours("4.2 allows it", metric=set_kernel_distance)],
        [*each(scaling="none", label_rule="sign"), *OTHER_START],
        in_advance=[STATED_START], base_method="MimlSvm"),
    "MimlSvm_mi": Row(
        mimlsvm_mi.MimlSvmMi(),
        [SCENES_SCALED, GAUSSIAN, NEARLY_EXACT,
         closest(gamma=1.0, C=30.0, max_alternations=15, label_rule="top")],
        each(scaling="none", C=[1.0, 100.0], gamma=[0.2, 5.0], label_rule="sign",
             max_alternations=[1, 2, 5, 10, 25]),
        # A nearly exact kernel for every γ would take hours.
        in_advance=[HELD_OUT_MACHINE, ours("1% is missed up to γ = 1", rank="auto")]),
    "MimlNn": Row(
        mimlnn.MimlNn(), [SCENES_SCALED],
        [*each(scaling="none", ratio=0.2, ridge=[0.0, 10.0], label_rule="top"), *OTHER_START],
        in_advance=[STATED_START]),
    "AdtBoost.MH": Row(adtboost_mh.AdtBoostMH(), [ANY_SCALE, CONCATENATED, FEW_ROUNDS], OF_TREES),
    "RankSvm": Row(
        ranksvm.RankSvm(),
        [SCENES_SCALED, CONCATENATED, POLYNOMIAL, BY_RANKING_LOSS, *FRANK_WOLFE, VERTEX],
        each(linear_program="interior", normalise=True)),
    "RankSvm, converged": Row(
        ranksvm.RankSvm(), [SCENES_SCALED, CONCATENATED, POLYNOMIAL, BY_RANKING_LOSS],
        each(scaling="none", C=[0.1, 10.0], criterion="average_precision", label_rule="top"),
        base_method="RankSvm"),
    "MlSvm": Row(
        MlSvm(), [SCENES_SCALED, CONCATENATED, GAUSSIAN, closest(label_rule="sign")],
        each(scaling="none", label_rule="top", gamma="scale", C=10.0)),
    "Ml-knn": Row(
        MlKnn(), [SCENES_SCALED, CONCATENATED, TEN],
        each(scaling="none", n_neighbors=20, label_rule="top")),
})  # fmt: skip

# A document is the sum of its passages, which is its own count of words.
SUMMED = stated("4.3.3", vector=SumInstances())
COLUMNS, SUMMED_COLUMNS = (
    closest(scaling="columns"),
    closest(scaling="vector columns"),
)

TABLE_2 = Table({
    "MimlBoost": Row(
        mimlboost.MimlBoost(),
        [AS_IN_FILES, LINEAR, ROUNDS, COLUMNS, closest(label_code="product")],
        each(scaling="none", C=[0.01, 0.1, 10.0], weighting="resampling", label_rule="top")),
    "MimlSvm": Row(
        mimlsvm.MimlSvm(), [AS_IN_FILES, LINEAR, FIFTH],
        [*each(scaling="columns", label_rule="sign", C=[0.1, 10.0]), *OTHER_START],
        in_advance=[STATED_START]),
    "MimlSvm_mi": Row(
        mimlsvm_mi.MimlSvmMi(), [AS_IN_FILES, LINEAR, closest(C=0.1, max_alternations=5)],
        each(scaling="columns", C=[0.03, 1.0], max_alternations=[1, 2, 10, 25], label_rule="top")),
    "MimlNn": Row(
        mimlnn.MimlNn(), [AS_IN_FILES, closest(scaling="rows")],
        [*each(scaling=["none", "columns"], ratio=0.2, ridge=[0.1, 10.0], label_rule="top"),
         *OTHER_START],
        in_advance=[STATED_START]),
    "AdtBoost.MH": Row(adtboost_mh.AdtBoostMH(), [SUMMED, ANY_SCALE, FEW_ROUNDS], OF_TREES),
    "RankSvm": Row(
        ranksvm.RankSvm(),
        [SUMMED, AS_IN_FILES, POLYNOMIAL, BY_RANKING_LOSS, *FRANK_WOLFE, VERTEX, SUMMED_COLUMNS,
         closest(degree=7)],
        each(normalise=True, linear_program="interior", degree=[RANKSVM_DEGREES])),
    "RankSvm, converged": Row(
        ranksvm.RankSvm(), [SUMMED, AS_IN_FILES, POLYNOMIAL, BY_RANKING_LOSS],
        each(scaling="vector columns", C=[0.1, 10.0], label_rule="top"), base_method="RankSvm"),
    "MlSvm": Row(
        MlSvm(), [SUMMED, AS_IN_FILES, LINEAR, SUMMED_COLUMNS, closest(label_rule="sign")],
        each(scaling="none", label_rule="top", C=10.0)),
    "Ml-knn": Row(
        MlKnn(), [SUMMED, AS_IN_FILES, TEN],
        each(scaling="vector columns", n_neighbors=20, label_rule="top")),
})  # fmt: skip

SCENES, TEXTS = ("scene",), ("reuters",)
SPLITS = RandomSplits(30, train=0.75)
# Degree 2, the lowest, whose steps are fastest: a notebook shows them one by one.
STEPS = {"RankSvm": TABLE_1["RankSvm"].estimator_for(override={"degree": 2})}
# Fig. 6 has 50 rounds of both: those of Table 1 for MimlBoost, twice as many for AdtBoost.MH.
MOST_ROUNDS = {
    name: TABLE_1[name].estimator_for(override={"n_rounds": 50})
    for name in ("MimlBoost", "AdtBoost.MH")
}
SWEPT = {"MimlSvm": each(ratio=TENTHS)}

SECTION4 = (
    Experiment("table1", "Table 1", (Part(SCENES, SPLITS, TABLE_1),), TESTED),
    Experiment("table2", "Table 2", (Part(TEXTS, SPLITS, TABLE_2),), TESTED),
    Experiment(
        "ranksvm_steps",
        "Steps of RankSvm",
        (Part(SCENES, SPLITS, STEPS),),
        STAGED,
    ),
    Experiment("figure6", "Fig. 6", (Part(SCENES, SPLITS, MOST_ROUNDS),), STAGED),
    Experiment("figure7", "Fig. 7", (Part(SCENES, SPLITS, TABLE_1, SWEPT),), TESTED),
)
