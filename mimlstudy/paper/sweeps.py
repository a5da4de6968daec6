"""Sweeps behind the settings: ranks of kernels, degrees of RankSvm, defaults that say nothing.

``kernel_ranks``: rows whose kernel is replaced by a factor of low rank, with several ranks on one
split and, where that is possible, with the exact kernel. ``ranksvm_degrees``: each degree that the
paper tries. ``degenerate``: which rows would have nothing to say with the values of the rule of
:mod:`mimlstudy.paper.common`, before a hold-out takes their place.
"""

from sklearn.pipeline import make_pipeline

from mimlstudy.engine.trials import Experiment, GivenSplit, Part
from mimlstudy.paper import section4, section5, section6, section7, unseen
from mimlstudy.paper.common import RANKSVM_DEGREES, before_hold_outs
from mimlstudy.paper.exact_kernel import ExactMimlSvmMi
from mimlstudy.paper.measures import DEGENERACY, RANKED, TESTED
from mimlstudy.paper.settings import SCALINGS, Table, each

# With these values the factor needs 3,000 landmarks; the row of Table 1 needs 160.
NARROW = "MimlSvm_mi, narrow kernel"
NARROW_KERNEL = dict(gamma=5.0, C=10.0, max_alternations=15)


def _exact(**override):
    """The row of Table 1, or one with other values, with the kernel itself in place of a factor."""
    settings = section4.TABLE_1["MimlSvm_mi"].settings_on("scene")
    values = {name: settings[name].value for name in ("gamma", "C", "max_alternations")}
    return make_pipeline(SCALINGS["columns"], ExactMimlSvmMi(**values | override))


EXACT = {
    "MimlSvm_mi, exact kernel": _exact(),
    f"{NARROW}, exact kernel": _exact(**NARROW_KERNEL),
}


def _ranks(name, ranks):
    return each(**{name: ranks})


OF_DIFFERENCES = "InsDif_MimlSvm_mi", "InsDif_MimlBoost", "InsDif_D-MimlSvm"
DIFFERENCE_RANKS = _ranks("transformation__rank", [300, 1000, 1500])
# The exact kernel (None) fits into memory on these five sets.
OF_INSTANCES = "mi-Svm", "Mi-Svm", "Ch-Fd"
BY_SUB_CONCEPTS = "SubCod_MimlSvm_mi", "SubCod_MimlBoost"
BAG_RANKS = [300, 1000, 1500, None]

RANK_PARTS = (
    Part(
        section4.SCENES,
        section4.SPLITS.first(1),
        section4.TABLE_1,
        dict.fromkeys(("MimlBoost", "MimlSvm_mi"), _ranks("rank", ["auto", 300, 1000, 1500])),
    ),
    Part(
        section4.SCENES,
        section4.SPLITS.first(1),
        {NARROW: section4.TABLE_1["MimlSvm_mi"]},
        {NARROW: [NARROW_KERNEL | rank for rank in _ranks("rank", [300, 1000, 1500, 3000])]},
    ),
    Part(section4.SCENES, section4.SPLITS.first(1), EXACT),
    # The middle of Fig. 4 stands for its five shares.
    Part(
        ("scene:30%",),
        section5.SPLITS.first(1),
        section5.FIGURE_4,
        dict.fromkeys(("D-MimlSvm", "MimlSvm_mi"), _ranks("rank", ["auto", 300, 1000, None])),
    ),
    Part(
        section6.YEAST,
        section6.SPLITS.first(1),
        section6.TABLE_3,
        dict.fromkeys(OF_DIFFERENCES, DIFFERENCE_RANKS),
    ),
    # One set of pages: each has one split, and takes minutes at the higher ranks.
    Part(
        ("yahoo:Arts",),
        GivenSplit(),
        section6.TABLE_4,
        dict.fromkeys(OF_DIFFERENCES, DIFFERENCE_RANKS),
    ),
    # The set kernel of the unseen data has the same factor as NoisyOr.
    Part(
        unseen.BAGS,
        unseen.FOLDS.first(1),
        unseen.UNSEEN,
        {"NoisyOr": _ranks("rank", BAG_RANKS)},
    ),
    Part(
        section7.FIVE_SETS,
        section7.SPLITS.first(1),
        section7.TABLE_5,
        {
            **dict.fromkeys(OF_INSTANCES, _ranks("rank", BAG_RANKS)),
            **dict.fromkeys(BY_SUB_CONCEPTS, _ranks("learner__rank", [300, 1000, "auto", None])),
        },
    ),
)

# With the other settings of the tables, so that the degree is all that changes.
OF_DEGREES = {"RankSvm": each(degree=RANKSVM_DEGREES)}
DEGREE_PARTS = (
    Part(section4.SCENES, section4.SPLITS, section4.TABLE_1, OF_DEGREES),
    Part(section4.TEXTS, section4.SPLITS, section4.TABLE_2, OF_DEGREES),
    Part(section6.YEAST, section6.SPLITS, section6.TABLE_3, OF_DEGREES),
    Part(section6.YAHOO, GivenSplit(), section6.TABLE_4, OF_DEGREES),
)


def _before_hold_outs(table):
    return Table((method, before_hold_outs(row)) for method, row in table.items())


DEGENERATE_PARTS = (
    Part(
        section4.SCENES,
        section4.SPLITS.first(1),
        _before_hold_outs(section4.TABLE_1),
    ),
    Part(
        section4.TEXTS,
        section4.SPLITS.first(1),
        _before_hold_outs(section4.TABLE_2),
    ),
    Part(
        section6.YEAST,
        section6.SPLITS.first(1),
        _before_hold_outs(section6.TABLE_3),
    ),
    Part(section6.YAHOO, GivenSplit(), _before_hold_outs(section6.TABLE_4)),
    Part(
        section7.FIVE_SETS,
        section7.SPLITS.first(1),
        _before_hold_outs(section7.TABLE_5),
    ),
)

SWEEPS = (
    Experiment("kernel_ranks", "Ranks of kernels", RANK_PARTS, RANKED, smoke_splits=1),
    Experiment(
        "ranksvm_degrees",
        "Degrees of RankSvm",
        DEGREE_PARTS,
        TESTED,
        smoke_splits=1,
    ),
    Experiment(
        "degenerate",
        "Degenerate defaults",
        DEGENERATE_PARTS,
        DEGENERACY,
        smoke_splits=1,
    ),
)
