"""Section 4: scene and text classification by degeneration. Tables 1 and 2, Figs. 6 and 7.

Blind rows have features scaled by column, as in the authors' programs, and LIBSVM's defaults where
neither text nor programs name a cost or a width. MimlSvm_mi would predict no label with them: its
cost and width are held out.
"""

from sklearn.preprocessing import MinMaxScaler, Normalizer

from mimlpaper import ConcatenateInstances, MlKnn, MlSvm, OnInstances, SumInstances
from mimlpaper.algorithms import mimlboost, mimlnn, mimlsvm, mimlsvm_mi
from mimlpaper.baselines import adtboost_mh, ranksvm
from mimlpaper.distances import set_kernel_distance
from mimlstudy.engine.trials import Experiment, Part, RandomSplits
from mimlstudy.paper.measures import STAGED, TESTED
from mimlstudy.paper.settings import Row, Table, default, each, held_out, nearest, program, stated

UNIT_RANGE = OnInstances(MinMaxScaler())  # by the range of the training instances
UNIT_ROWS = OnInstances(Normalizer())

SCALED = program("June 2008", scaling=UNIT_RANGE)
ANY_SCALE = default(scaling=None)  # trees see only the order of values
FIFTH = stated("4.3.2", ratio=0.2)
ROUNDS, FEW_ROUNDS = stated("4.3.2", n_rounds=50), stated("4.3.2", n_rounds=25)
TEN = stated("4.3.2", n_neighbors=10)
DEGREES = [*range(2, 10)]  # of RankSvm's polynomials
POLYNOMIAL = stated("4.3.2", kernel="poly", degree=DEGREES)
BY_RANKING_LOSS = default(criterion="ranking_loss")

# RankSvm as its authors' group ran it: few steps of Frank-Wolfe. Rows of their own converge.
EARLY = program(
    "RankSvm",
    solver="frank_wolfe",
    linear_program="vertex",
    step_accuracy=1e-4,
    max_iter=50,
    normalise=False,
)

GAUSSIAN = stated("4.3.2", kernel="rbf")
CONCATENATED = stated("4.3.2", vector=ConcatenateInstances())
OF_TREES = each(smoothing=[0.01, 10.0], n_rounds=24, label_rule="top")

TABLE_1 = Table({
    "MimlBoost": Row(
        mimlboost.MimlBoost(), [SCALED, GAUSSIAN, ROUNDS],
        each(scaling="none", weighting="resampling", label_code="onehot", rank=600,
             label_rule="top", gamma=0.2, C=10.0)),
    "MimlSvm": Row(
        mimlsvm.MimlSvm(), [SCALED, GAUSSIAN, FIFTH],
        each(scaling="none", label_rule="sign", gamma="scale", C=10.0)),
    "MimlSvm, set kernel": Row(
        mimlsvm.MimlSvm(), [SCALED, GAUSSIAN, FIFTH, stated("4.2", metric=set_kernel_distance)],
        each(scaling="none", label_rule="sign")),
    "MimlSvm_mi": Row(
        mimlsvm_mi.MimlSvmMi(),
        [SCALED, GAUSSIAN, held_out(gamma=[0.1, 1.0, 10.0], C=[1.0, 10.0, 100.0, 1000.0]),
         nearest(gamma=5.0, C=10.0, max_alternations=15, label_rule="top")],
        each(scaling="none", C=1.0, gamma=1.0, rank=600, label_rule="sign",
             max_alternations=[1, 2, 5, 10, 25])),
    "MimlNn": Row(
        mimlnn.MimlNn(), [SCALED],
        each(scaling="none", ratio=0.2, ridge=[0.0, 10.0], label_rule="top")),
    "AdtBoost.MH": Row(adtboost_mh.AdtBoostMH(), [ANY_SCALE, CONCATENATED, FEW_ROUNDS], OF_TREES),
    "RankSvm": Row(
        ranksvm.RankSvm(), [SCALED, CONCATENATED, POLYNOMIAL, BY_RANKING_LOSS, EARLY],
        each(linear_program="interior", normalise=True)),
    "RankSvm, converged": Row(
        ranksvm.RankSvm(), [SCALED, CONCATENATED, POLYNOMIAL, BY_RANKING_LOSS],
        each(scaling="none", C=[0.1, 10.0], criterion="average_precision", label_rule="top")),
    "MlSvm": Row(
        MlSvm(), [SCALED, CONCATENATED, GAUSSIAN, nearest(label_rule="sign")],
        each(scaling="none", label_rule="top", gamma="scale", C=10.0)),
    "Ml-knn": Row(
        MlKnn(), [SCALED, CONCATENATED, TEN],
        each(scaling="none", n_neighbors=20, label_rule="top")),
})  # fmt: skip

LINEAR = stated("4.3.3", kernel="linear")
SUMMED = stated("4.3.3", vector=SumInstances())
SCALED_SUM = program("June 2008", scaling=MinMaxScaler())
AS_COUNTS = nearest(scaling=None)

TABLE_2 = Table({
    "MimlBoost": Row(
        mimlboost.MimlBoost(),
        [SCALED, LINEAR, ROUNDS, held_out(label_code=["feature", "onehot", "product"]),
         nearest(label_code="product")],
        each(C=[0.01, 0.1, 10.0], weighting="resampling", label_rule="top")),
    "MimlSvm": Row(
        mimlsvm.MimlSvm(), [SCALED, LINEAR, FIFTH, AS_COUNTS],
        each(scaling="columns", label_rule="sign", C=[0.1, 10.0])),
    "MimlSvm_mi": Row(
        mimlsvm_mi.MimlSvmMi(),
        [SCALED, LINEAR, held_out(C=[0.1, 1.0, 10.0, 100.0]), AS_COUNTS,
         nearest(C=0.1, max_alternations=5)],
        each(scaling="columns", C=[0.03, 1.0], max_alternations=[1, 2, 10, 25], label_rule="top")),
    "MimlNn": Row(
        mimlnn.MimlNn(), [SCALED, nearest(scaling=UNIT_ROWS)],
        each(scaling=["none", "columns"], ratio=0.2, ridge=[0.1, 10.0], label_rule="top")),
    "AdtBoost.MH": Row(adtboost_mh.AdtBoostMH(), [SUMMED, ANY_SCALE, FEW_ROUNDS], OF_TREES),
    "RankSvm": Row(
        ranksvm.RankSvm(), [SUMMED, SCALED_SUM, POLYNOMIAL, BY_RANKING_LOSS, EARLY],
        each(normalise=True)),  # one change and few splits: a fit takes minutes
    "RankSvm, converged": Row(
        ranksvm.RankSvm(), [SUMMED, default(scaling=None), POLYNOMIAL, BY_RANKING_LOSS],
        each(scaling="vector columns", C=[0.1, 10.0], label_rule="top")),
    "MlSvm": Row(
        MlSvm(), [SUMMED, SCALED_SUM, LINEAR, nearest(label_rule="sign")],
        each(scaling="none", label_rule="top", C=10.0)),
    "Ml-knn": Row(
        MlKnn(), [SUMMED, SCALED_SUM, TEN, AS_COUNTS],
        each(scaling="vector columns", n_neighbors=20, label_rule="top")),
})  # fmt: skip

SCENES, TEXTS = ("scene",), ("reuters",)
SPLITS = RandomSplits(30, train=0.75)
TENTHS = [tenths / 10 for tenths in range(1, 11)]
STEPS = {"RankSvm": TABLE_1["RankSvm"].changed(degree=2)}
# Fig. 6 goes on where Table 1 stops, to see what more rounds would bring.
MOST_ROUNDS = {name: TABLE_1[name].changed(n_rounds=50) for name in ("MimlBoost", "AdtBoost.MH")}
SWEPT = {"MimlSvm": each(ratio=TENTHS)}

SECTION4 = (
    Experiment("table1", "Table 1", (Part(SCENES, SPLITS, TABLE_1),), TESTED),
    Experiment("table2", "Table 2", (Part(TEXTS, SPLITS, TABLE_2),), TESTED),
    Experiment("ranksvm_steps", "Steps of RankSvm", (Part(SCENES, SPLITS, STEPS),), STAGED),
    Experiment("figure6", "Fig. 6", (Part(SCENES, SPLITS, MOST_ROUNDS),), STAGED),
    Experiment("figure7", "Fig. 7", (Part(SCENES, SPLITS, TABLE_1, SWEPT),), TESTED),
)
