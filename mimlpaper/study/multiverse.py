"""The multiverse: every reading of the paper, by all choices that it leaves open.

A *reading* of a method is its published row with some choices changed. A *choice* is one thing
that the paper leaves open; its alternatives are changes of settings. They come from the rows of the
tables: their ``choices``, and their blind settings where the published ones are nearest to print.
The tables' records hold the published readings, which do not run again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.subcod import OneLabel
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import OnInstances
from mimlpaper.sharing import Cache, sharing
from mimlpaper.study.experiment import Experiment
from mimlpaper.study.section4 import SCALED
from mimlpaper.study.section7 import OF_SUBCOD, ROWS_OF_IMAGES
from mimlpaper.study.settings import NEAREST, Row
from mimlpaper.study.trials import set_random_states

Change = Mapping[str, object]  # of settings, by their short names
Choices = Mapping[str, Sequence[Change]]  # the alternatives of each choice
Reading = Mapping[str, Change]  # the choices that differ from the published row, and how

MOST = 48  # readings of a method that are crossed in full

# Choices that hold for all methods that are compared on a data set.
SHARED = ("scaling", "label_rule", "learner")

# Rows of a table that are other readings of a method.
READ_AS = {"RankSvm, converged": "RankSvm", "MimlSvm, set kernel": "MimlSvm"}

# SubCod's learner on the bag label: it has no row in Table 5, and goes with SubCod's learner.
ALONE = "MimlSvm on the bag label"
ALONE_ROW = Row(OneLabel(learner=MimlSvm()), [SCALED, ROWS_OF_IMAGES, OF_SUBCOD])

SPLITS = dict(table1=10, table2=10, table3=10, table4=1, table5=20, figure4=3, figure5=3)

SCALERS = dict(none=None, columns=MinMaxScaler(), rows=Normalizer(), variance=StandardScaler())
SCALINGS = dict(table1=["none"], table2=["columns", "none"], table5=["columns"])
RULES = {"sign": "top", "top": "sign"}

# Choices of a Row by names of scikit-learn that have another name here.
RENAMED = {"oninstances": "scaling", "minmaxscaler": "scaling", "kept_shares": "kept_share"}

# Alternatives that no row has among its choices.
ADDED: dict[tuple[str, str], list[Change]] = {
    ("table1", "MimlBoost"): [dict(gamma=0.2), dict(C=10.0)],
    ("table2", "MimlBoost"): [dict(C=0.01)],
    ("table5", "SubCod_MimlNn"): [dict(optimum="minimal")],
    ("table5", "Diverse Density"): [dict(threshold=0.5)],
    ("table5", "Em-dd"): [dict(threshold="learned")],
    ("figure4", "D-MimlSvm"): [dict(imbalance=False), dict(set_kernel="mean")],
    ("figure4", "MimlSvm_mi"): [dict(max_alternations=1)],
    ("figure5", "D-MimlSvm"): [dict(imbalance=False), dict(set_kernel="mean")],
    ("figure5", "MimlSvm_mi"): [dict(max_alternations=1)],
}
# Methods and choices that are not crossed: early stopped RankSvm and Cnmf size their label sets
# themselves, trees see no scale, and the others take minutes a fit.
LEFT_OUT: dict[tuple[str, str], tuple[str | Change, ...]] = {
    ("table1", "MimlBoost"): ("rank",),
    ("table1", "MimlSvm_mi"): ("rank", dict(max_alternations=10)),
    ("table1", "AdtBoost.MH"): ("scaling",),
    ("table1", "RankSvm"): ("scaling", "label_rule"),
    ("table1", "RankSvm, converged"): (dict(C=10.0),),
    ("table2", "MimlBoost"): ("label_code", dict(C=10.0), dict(scaling="none")),
    ("table2", "AdtBoost.MH"): ("scaling",),
    ("table2", "RankSvm"): ("scaling", "label_rule", "linear_program", "normalise"),
    ("table3", "InsDif_MimlSvm_mi"): (
        "transformation__rank",
        dict(transformation__gamma="auto"),
        dict(learner__max_alternations=10),
    ),
    ("table3", "MlSvm"): (dict(kernel="rbf"),),  # listed with its width
    ("table3", "RankSvm"): ("label_rule",),
    ("table3", "Cnmf"): ("label_rule",),
    ("table4", "RankSvm"): ("label_rule",),
    ("table4", "Cnmf"): ("label_rule", "max_iter"),
    ("table5", "SubCod"): ("kept_share",),
    ("table5", "SubCod_MimlNn"): (dict(optimum="vertex"),),
    ("table5", "SubCod_MimlSvm_mi"): ("learner",),
}
# Readings that are crossed in full, where MOST would take too long.
FEWER = {("table5", "SubCod"): 8}
# Too long for any reading but the published one, and no claim compares them.
NOT_READ = ("InsDif_MimlBoost", "SubCod_MimlBoost", "InsDif_D-MimlSvm")


@dataclass(frozen=True)
class Readings(Experiment):
    """The readings of a table's methods as an experiment; its configurations are Rows.

    Parameters
    ----------
    of : tuple of str, the experiments with the records of the published readings.
    """

    configurations: Mapping[str, Row]
    of: tuple[str, ...] = ()

    def estimator(self, trial):
        """A trial's estimator, unfitted and unseeded."""
        row = self.configurations[trial.method]
        changes = json.loads(trial.parameters)
        if "scaling" in changes:
            changes["scaling"] = _scaler(row, changes["scaling"])
        return row.changed(self.original(trial.dataset), **changes)

    def parameters(self, dataset: str, method: str, reading: Reading) -> str:
        """How a reading is recorded: what it changes on a data set; "{}" if nothing."""
        row = self.configurations[method]
        published = row.layers(row.settings, self.original(dataset))
        values = {name: value for name, (value, _) in published.items()}
        values["scaling"] = _name_of(values.get("scaling"))
        changes = {n: v for n, v in flat(reading).items() if n not in values or values[n] != v}
        return json.dumps(changes, sort_keys=True)

    def _variants(self, dataset, method):
        """What differs from the published reading; on drawn data a single choice."""
        readings = self.variants[method]
        if dataset not in self.datasets:
            readings = [reading for reading in readings if len(reading) == 1][:1]
        texts = dict.fromkeys(self.parameters(dataset, method, one) for one in readings)
        return [json.loads(text) for text in texts if text != "{}"]


def every_reading(base: Experiment, table: Mapping[str, Row]) -> Readings:
    """The experiment of all readings of a table or figure: its published experiment and rows."""
    name = base.name
    rows = {method: row for method, row in table.items() if method not in NOT_READ}
    rows |= {ALONE: ALONE_ROW} if name == "table5" else {}
    readings = {
        method: crossed(choices_of(name, method, row), FEWER.get((name, method), MOST))
        for method, row in rows.items()
    }
    return Readings(
        f"multiverse_{name}", f"{base.title}, every reading", base.datasets,
        replace(base.splits, n_splits=SPLITS[name]), rows, readings,
        of=(name, "choices_subcod") if name == "table5" else (name,),
    )  # fmt: skip


def choices_of(name: str, method: str, row: Row) -> Choices:
    """The choices of a row of a table: its own, its blind settings, those added, those shared."""
    left_out = LEFT_OUT.get((name, method), ())
    found: dict[str, list[Change]] = {}
    changes = [*map(_renamed, row.choices), *_blind_changes(row), *ADDED.get((name, method), ())]
    for change in [*changes, *_shared_changes(name, row)]:
        choice = _choice(change)
        alternatives = found.setdefault(choice, [])
        if choice not in left_out and change not in (*left_out, *alternatives):
            alternatives.append(change)
    return {choice: alternatives for choice, alternatives in found.items() if alternatives}


def _renamed(change):
    return {
        RENAMED.get(name, name): "none" if value == "passthrough" else value
        for name, value in change.items()
    }


def _blind_changes(row):
    """What the blind settings are in place of those nearest to print; a learner's go together."""
    alone, learner = {}, {}
    for dataset in _datasets(row):
        published, blind = (row.layers(b, dataset) for b in (row.settings, row.blind_settings))
        for name, (value, basis) in published.items():
            other = blind.get(name, (value,))[0]
            left = name == "scaling" or name.endswith("label_rule") or isinstance(other, list)
            if basis.kind == NEAREST and other != value and not left:
                (learner if name.startswith("learner__") else alone)[name] = other
    return [*({name: value} for name, value in alone.items()), *([learner] if learner else [])]


def _choice(change):
    """The name of the choice that a change belongs to: a parameter's, or "learner" for several."""
    first = next(iter(change))
    if first.endswith("label_rule"):
        return "label_rule"
    return "learner" if first.startswith("learner__") and len(change) > 1 else first


def _shared_changes(name, row):
    published = [row.layers(row.settings, dataset) for dataset in _datasets(row)]
    own = {_name_of(layers["scaling"][0]) for layers in published}
    changes = [{"scaling": other} for other in SCALINGS.get(name, ()) if own != {other}]
    if name != "table5":  # one label has one rule
        changes += [
            {parameter: RULES[rule]}
            for parameter, (rule, _) in published[0].items() if parameter.endswith("label_rule")
        ]  # fmt: skip
    return changes


def _datasets(row):
    """The data sets where a row's settings differ, and "" for the others."""
    return ["", *dict.fromkeys(name for basis in row.settings for name in basis.on)]


def crossed(choices: Choices, most: int = MOST) -> list[Reading]:
    """All readings, the published one first, if they are no more than ``most``.

    Otherwise each choice has its first alternative only, crossed in full or, beyond ``most``, in
    a fraction in which every pair of choices can still be estimated; each further alternative is
    one reading more.
    """
    points = list(product(*([{}, *alternatives] for alternatives in choices.values())))
    others = []
    if len(points) > most:
        two = np.array(list(product((0, 1), repeat=len(choices))))
        two = two if len(two) <= most else _fraction(two)
        firsts = [alternatives[0] for alternatives in choices.values()]
        points = [tuple(c if on else {} for c, on in zip(firsts, row, strict=True)) for row in two]
        others = [{name: c} for name, several in choices.items() for c in several[1:]]
    named = [dict(zip(choices, point, strict=True)) for point in points]
    return [*({n: change for n, change in one.items() if change} for one in named), *others]


def _fraction(points):
    """The origin, its neighbours, and points far apart until all pairs of columns are estimable.

    Each further point is the one that the model of all pairs predicts worst (D-optimality).
    """
    signs = 2.0 * points - 1
    pairs = [signs[:, i] * signs[:, j] for i, j in combinations(range(signs.shape[1]), 2)]
    terms = np.column_stack([np.ones(len(points)), signs, *pairs])
    chosen = list(np.flatnonzero(points.sum(axis=1) <= 1))
    while np.linalg.matrix_rank(terms[chosen]) < terms.shape[1]:
        information = terms[chosen].T @ terms[chosen] + 1e-6 * np.eye(terms.shape[1])
        leverage = np.einsum("ij,jk,ik->i", terms, np.linalg.inv(information), terms)
        chosen.append(int(leverage.argmax()))
    return points[sorted(chosen)]


def flat(reading: Reading) -> dict:
    """A reading's settings in one mapping."""
    return {name: value for change in reading.values() for name, value in change.items()}


def _scaler(row, name):
    """The step of that name: on instances where the row scales bags."""
    names = list(row.layers(row.settings))
    vectors = "vector" in names and names.index("vector") < names.index("scaling")
    scaler = clone(SCALERS[name]) if SCALERS[name] is not None else None
    return scaler if vectors or scaler is None else OnInstances(scaler)


def _name_of(scaling):
    """The name of a scaling step."""
    kind = type(getattr(scaling, "transformer", scaling))
    return next((n for n, scaler in SCALERS.items() if type(scaler) is kind), "none")


class Multiverse:
    """Every reading of an estimator of your own: its settings, and alternatives to them.

    Parameters
    ----------
    choices : mapping from a choice to its alternatives
        An alternative is a value of the parameter of that name, or a dict of several parameters.
        Names are scikit-learn's.
    most : int, default 48
        Readings that are crossed in full, see :func:`crossed`.

    Examples
    --------
    >>> from mimlpaper import MimlNn
    >>> from mimlpaper.datasets import load
    >>> data = load("synthetic_scene")
    >>> many = Multiverse({"ridge": [0.1, 10.0], "label_rule": ["top"]})
    >>> table = many.run(MimlNn(), data.X, data.Y, n_splits=2)
    >>> len(table), table["ridge"].unique().tolist()
    (12, ['', 'ridge = 0.1', 'ridge = 10.0'])
    """

    def __init__(self, choices: Mapping[str, Sequence[object]], *, most: int = MOST):
        self.choices: Choices = {
            name: [one if isinstance(one, Mapping) else {name: one} for one in several]
            for name, several in choices.items()
        }
        self.readings = crossed(self.choices, most)

    def run(self, estimator, X, Y, *, n_splits: int = 5, test_size=0.25, random_state: int = 0):
        """Fit every reading on the same random splits; work that readings share is done once.

        Returns
        -------
        table : one row a reading and split: columns split, n_train and n_test; one column a
            choice, empty where the estimator's own setting holds; and the criteria.
        """
        splits = ShuffleSplit(n_splits, test_size=test_size, random_state=random_state)
        rows = []
        for split, (train, test) in enumerate(splits.split(np.arange(len(Y)))):
            with sharing(Cache()):
                for reading in self.readings:
                    one = clone(estimator).set_params(**flat(reading))
                    set_random_states(one, split)
                    one.fit(X[train], Y[train])
                    found = evaluate(Y[test], one.decision_function(X[test]), one.predict(X[test]))
                    common = {"split": split, "n_train": len(train), "n_test": len(test)}
                    rows.append(common | levels(self.choices, reading) | found)
        return pd.DataFrame(rows)


def levels(choices: Choices, reading: Reading) -> dict[str, str]:
    """What a reading has for each choice, in words; empty where it is as published."""
    return {name: in_words(reading.get(name, {})) for name in choices}


def in_words(change: Change) -> str:
    """``C = 10.0`` for one setting, several with commas."""
    return ", ".join(f"{name.split('__')[-1]} = {value}" for name, value in change.items())
