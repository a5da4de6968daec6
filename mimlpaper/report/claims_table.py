"""Which kind of test each claim needs, and with what: one entry for each id of claims.csv.

An entry lists (function, experiment, arguments). S6's percentages are taken over the cells
that the paper prints, 29 in each table; claims "on all criteria" of Section 4 are tested on
all seven, those too that the paper prints as N/A for AdtBoost.MH.
"""

from __future__ import annotations

from itertools import chain

from mimlpaper.metrics import CRITERIA
from mimlpaper.report.claims_by_test import expect, insensitive, shares, significance
from mimlpaper.report.claims_by_value import (
    best_accuracy,
    best_mean,
    characteristics_agree,
    competitive,
    ends_in_time,
    never_rises,
    sampling_finds_violated,
    stable,
    worst_mean,
)
from mimlpaper.report.published import TABLES

__all__ = ["CLAIM_TESTS"]

SEVEN = tuple(CRITERIA)
FIVE = SEVEN[:5]
LOSS, ONE_ERROR, COVERAGE, RANKING, PRECISION, RECALL, F1 = SEVEN
ADTBOOST_PRINTED = (LOSS, ONE_ERROR, COVERAGE, PRECISION)
CNMF_PRINTED = (ONE_ERROR, COVERAGE, RANKING, PRECISION)

MIML, COMPARED = TABLES[1].proposed, TABLES[1].compared
COMPARED_6 = TABLES[3].compared
SUBCOD = ("SubCod", "SubCod_MimlNn", "SubCod_MimlSvm_mi")
PRINTED_6 = {method: SEVEN for method in COMPARED_6} | {
    "AdtBoost.MH": ADTBOOST_PRINTED,
    "Cnmf": CNMF_PRINTED,
}


def _significant(experiment, *expectations):
    return [(significance, experiment, {"expected": list(chain(*expectations))})]


def _best(experiment, winners, rivals, criteria):
    return [(best_mean, experiment, dict(winners=winners, rivals=rivals, criteria=criteria))]


def _without(criteria, *left_out):
    return tuple(name for name in criteria if name not in left_out)


def _cases_6(method):
    """The 29 comparisons of a method that Tables 3 and 4 allow."""
    return [(method, rival, name) for rival, names in PRINTED_6.items() for name in names]


def _expect_6(method, *exceptions):
    """Better in all of the 29 comparisons but the exceptions, (outcome, rival, criteria)."""
    expected = {case: "better" for case in _cases_6(method)}
    for outcome, rival, names in exceptions:
        expected |= {(method, rival, name): outcome for name in names}
    return [(outcome, *case) for case, outcome in expected.items()]


def _shares_5(experiment, rival, better, worse):
    cases = [("D-MimlSvm", rival, name) for name in SEVEN]
    return [(shares, experiment, dict(cases=cases, better=better, worse=worse, n_datasets=5))]


def _shares_6(experiment, method, better, worse):
    return [(shares, experiment, dict(cases=_cases_6(method), better=better, worse=worse))]


CLAIM_TESTS = {
    "S4.1": _significant("table1", expect("better", MIML, ["AdtBoost.MH"], SEVEN)),
    "S4.2": _significant("table1", expect("better", MIML, ["MlSvm"], SEVEN)),
    "S4.3": _significant("table1", expect("better", ["MimlSvm", "MimlSvm_mi"], ["RankSvm"], SEVEN)),
    "S4.4": _significant("table1", expect("better", ["MimlBoost", "MimlNn"], ["RankSvm"], FIVE)),
    "S4.5": _significant("table1", expect("better", ["MimlNn"], ["Ml-knn"], SEVEN)),
    "S4.6": _significant(
        "table1",
        expect("better", ["MimlBoost", "MimlSvm_mi"], ["Ml-knn"], _without(SEVEN, LOSS)),
    ),
    "S4.7": _significant(
        "table1",
        expect("better", ["MimlSvm"], ["Ml-knn"], (ONE_ERROR, PRECISION, RECALL, F1)),
        expect("tie", ["MimlSvm"], ["Ml-knn"], (LOSS, COVERAGE, RANKING)),
    ),
    "S4.8": _best("table1", MIML, COMPARED, SEVEN),
    "S4.9": _significant("table2", expect("better", ["MimlSvm", "MimlSvm_mi"], COMPARED, SEVEN)),
    "S4.10": _significant(
        "table2", expect("better", ["MimlNn"], ["AdtBoost.MH", "RankSvm", "Ml-knn"], SEVEN)
    ),
    "S4.11": _significant(
        "table2",
        expect("better", ["MimlNn"], ["MlSvm"], (LOSS, RECALL, F1)),
        expect("tie", ["MimlNn"], ["MlSvm"], _without(SEVEN, LOSS, RECALL, F1)),
    ),
    "S4.12": _significant(
        "table2",
        expect("better", ["MimlBoost"], ["AdtBoost.MH"], _without(SEVEN, LOSS)),
        expect("tie", ["MimlBoost"], ["AdtBoost.MH"], [LOSS]),
    ),
    "S4.13": _significant("table2", expect("better", ["MimlBoost"], ["RankSvm"], SEVEN)),
    "S4.14": _significant(
        "table2",
        expect("better", ["MimlBoost"], ["MlSvm"], [RECALL]),
        expect("tie", ["MimlBoost"], ["MlSvm"], [F1]),
    ),
    "S4.15": _significant(
        "table2",
        expect("better", ["MimlBoost"], ["Ml-knn"], (ONE_ERROR, COVERAGE, RANKING, PRECISION)),
    ),
    "S4.16": _best("table2", MIML, COMPARED, SEVEN),
    "B.1": [(stable, "figure6", dict(rounds={"AdtBoost.MH": 25, "MimlBoost": 50}, criteria=SEVEN))],
    "B.2": [(insensitive, "figure7", dict(method="MimlSvm", default=0.2, criteria=SEVEN))],
    "S5.1": _shares_5("figure4", "MimlSvm", better=0.88, worse=0.06),
    "S5.2": _shares_5("figure4", "MimlSvm_mi", better=0.80, worse=0.0),
    "S5.3": _shares_5("figure5", "MimlSvm", better=0.82, worse=0.09),
    "S5.4": _shares_5("figure5", "MimlSvm_mi", better=0.82, worse=0.0),
    "S5.5": [(sampling_finds_violated, None, {})],
    "S5.6": [(never_rises, "cccp", {})],
    "S6.1": _significant("table3", _expect_6("InsDif", ("tie", "Ml-knn", [COVERAGE]))),
    "S6.2": _shares_6("table3", "InsDif_MimlSvm", better=0.68, worse=0.11),
    "S6.3": _shares_6("table3", "InsDif_MimlSvm_mi", better=0.65, worse=0.0),
    "S6.4": _best("table3", ["InsDif_MimlSvm_mi"], COMPARED_6, (RECALL, F1)),
    "S6.5": [
        (
            worst_mean,
            "table3",
            dict(loser="Cnmf", rivals=_without(COMPARED_6, "Cnmf"), criteria=CNMF_PRINTED),
        )
    ],
    "B.3": [(insensitive, "figure8", dict(method="InsDif", default=0.2, criteria=SEVEN))],
    "B.4": [(stable, "figure9", dict(rounds={"AdtBoost.MH": 25}, criteria=ADTBOOST_PRINTED))],
    "S6.6": _significant(
        "table4",
        _expect_6(
            "InsDif",
            ("worse", "AdtBoost.MH", [COVERAGE]),
            ("worse", "Ml-knn", [COVERAGE]),
            ("worse", "MlSvm", [ONE_ERROR]),
            ("tie", "Ml-knn", [RANKING]),
            ("tie", "MlSvm", [RECALL, F1]),
        ),
    ),
    "S6.7": _shares_6("table4", "InsDif_MimlSvm", better=0.44, worse=0.18),
    "S6.8": [
        *_best("table4", ["InsDif_MimlSvm"], ("InsDif", *COMPARED_6), (RECALL, F1)),
        *_significant(
            "table4",
            expect("worse", ["InsDif_MimlSvm"], ["MlSvm"], [ONE_ERROR]),
            expect("better", ["InsDif_MimlSvm"], _without(COMPARED_6, "MlSvm"), [ONE_ERROR]),
        ),
    ],
    "C.1": [(characteristics_agree, "characteristics", {})],
    "S7.1": [(best_accuracy, "table5", dict(winners=SUBCOD, datasets=["musk2"]))],
    "S7.2": [
        (
            best_accuracy,
            "table5",
            dict(winners=SUBCOD[:1], rivals=SUBCOD[1:], datasets=["musk2", "elephant", "fox"]),
        )
    ],
    "S7.3": [(competitive, "table5", dict(methods=SUBCOD, datasets=TABLES[5].datasets))],
    "N.1": [
        (ends_in_time, "table3", dict(methods=["InsDif_MimlBoost"])),
        (ends_in_time, "table4", dict(methods=["InsDif_MimlBoost", "InsDif_MimlSvm_mi"])),
        (ends_in_time, "table5", dict(methods=["SubCod_MimlBoost"])),
    ],
}
