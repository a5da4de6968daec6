"""What the tables of several sections share, and the rule of the column *fixed in advance*.

In this column nothing is chosen by looking at printed results. Its rule is the same in all
sections, and was written down before its rows ran:

1. Features are as in the files. Only the scenes have each column scaled to [0, 1]: they are the
   example of the authors' programs, whose γ are stated for columns so scaled.
2. A parameter has the value that the paper states. Where it states none, it has that of the
   authors' programs; then that of the paper that proposed the method; then the default of the
   library.
3. Where these settings make a learner degenerate, a hold-out on the training part takes their
   place. It goes over eight settings: four γ of the kernel with two costs, :data:`GAMMAS` and
   :data:`COSTS`; or over the grid that a row lists.

A learner is degenerate if it has nothing to say: it gives every example the same label set, or the
same scores, see :func:`is_degenerate`. A row that would take days has fewer of the stated values,
fewer alternations or starts, a smaller rank, a looser solver, or a kernel that shares nothing
between labels: such a setting has the source "for time".

Ranks of kernel factors stand beside the rule. The library's default is exact up to 2,000 rows;
above, it misses at most 1% of the trace, unless that needs more than 1,000 landmarks. Where a
nearly exact kernel was affordable the rank is higher: 1,000 on scenes for MimlBoost, and 1,500 on
genes.

Three rows break the rule. InsDif_MimlBoost has the γ of MimlSvm's program, .2, as InsDif_MimlSvm
has, and not that of MimlBoost's program. SubCod has diagonal covariances, since the full ones of
Eq. 33 are singular here. InsDif_D-MimlSvm has no weights of Eq. 24, with which every example would
get every label.
"""

import warnings
from dataclasses import replace

import numpy as np
from sklearn.base import clone

from mimlpaper import ConcatenateInstances
from mimlpaper.parameters import set_random_states
from mimlstudy.paper.settings import (
    Row,
    closest,
    held_out,
    ours,
    program,
    stated,
)

AS_IN_FILES = ours("as in the files", scaling="none")
SCENES_SCALED = program("MimlBoost and MimlSvm, June 2008", scaling="columns")
ANY_SCALE = ours("trees see the order of values only", scaling="none")

GAUSSIAN = stated("4.3.2", kernel="rbf")
LINEAR = stated("4.3.3", kernel="linear")
CONCATENATED = stated("4.3.2", vector=ConcatenateInstances())

# RankSvm as its authors' group ran it: few steps of Frank and Wolfe's method. The program calls
# MATLAB's linear programming without options. Steps to vertices come closer to print.
FRANK_WOLFE = [
    program(
        "RankSvm",
        solver="frank_wolfe",
        step_accuracy=1e-4,
        max_iter=50,
        normalise=False,
    ),
    ours("MATLAB's default then, as far as is known", linear_program="interior"),
]
VERTEX = closest(linear_program="vertex")
RANKSVM_DEGREES = [*range(2, 10)]
BY_RANKING_LOSS = ours("the loss that RankSvm minimizes", criterion="ranking_loss")
TENTHS = [tenths / 10 for tenths in range(1, 11)]

# Step 2 of Table 7. The authors' program starts from a random partition instead.
STATED_START = stated("Table 7, step 2", start="medoids")
STATED_INNER_START = stated("Table 7, step 2", learner__start="medoids")

# The grids of degenerate rows. Features in the files reach from 1e-3 to 1e3.
GAMMAS = [1e-6, 1e-4, 1e-2, 1.0]
COSTS = [1.0, 100.0]
DEGENERATE = "the defaults are degenerate"
HELD_OUT_MACHINE = held_out(DEGENERATE, gamma=GAMMAS, C=COSTS)

SHARE_LOOKED_AT = 0.25  # of the training part, as in a hold-out


def before_hold_outs(row: Row) -> Row:
    """The row fixed in advance as it would be without the hold-outs of degenerate defaults."""
    kept = [layer for layer in row.in_advance if layer.source != DEGENERATE]
    return replace(row, in_advance=kept).fixed()


def is_degenerate(estimator, X, Y, *, seed: int = 0) -> bool:
    """Whether an estimator gives the same labels or the same scores to all examples.

    It learns from a random three quarters of the training part, and is looked at on the others.

    Parameters
    ----------
    estimator : unfitted estimator with ``decision_function`` and ``predict``
    X : the training part of a split, bags or vectors
    Y : bool array (n_examples, n_labels) or (n_examples,), their labels
    seed : int, default 0, of the division and of the estimator
    """
    order = np.random.default_rng(seed).permutation(len(Y))
    looked_at, learned = np.split(order, [round(SHARE_LOOKED_AT * len(Y))])
    estimator = clone(estimator)
    set_random_states(estimator, seed)
    with warnings.catch_warnings():
        # A learner that says nothing often warns as well; the answer is what counts.
        warnings.simplefilter("ignore")
        estimator.fit(X[learned], Y[learned])
        scores = estimator.decision_function(X[looked_at])
        labels = estimator.predict(X[looked_at])
    return _is_constant(scores) or _is_constant(labels)


def _is_constant(rows) -> bool:
    return bool((rows == rows[:1]).all())
