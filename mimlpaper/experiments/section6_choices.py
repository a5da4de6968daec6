"""What the paper leaves open in Section 6, chosen otherwise: one parameter at a time."""

__all__ = ["CHOICES_YAHOO", "CHOICES_YEAST"]

TOP = {"insdif__learner__label_rule": "top"}
SIGN = {"insdif__learner__label_rule": "sign"}

INSDIF = ({}, {"insdif__learner__ridge": 0.1}, {"insdif__learner__ridge": 1.0}, TOP)
ADTBOOST = ({}, {"adtboostmh__smoothing": 10.0}, {"adtboostmh__label_rule": "top"})
CNMF = ({}, {"cnmf__C": 100.0}, {"cnmf__gamma": "auto"}, {"cnmf__max_iter": 500})

CHOICES_YEAST = {
    "InsDif": INSDIF,
    "InsDif_MimlSvm": ({}, {"insdif__learner__gamma": 1.0}, {"insdif__learner__C": 10.0}, SIGN),
    "InsDif_MimlSvm_mi": (
        {}, {"insdif__transformation__gamma": 1.0}, {"insdif__transformation__rank": 600},
        {"insdif__learner__C": 10.0}, {"insdif__learner__max_alternations": 2},
    ),
    "AdtBoost.MH": ADTBOOST,
    "RankSvm": ({}, {"ranksvm__C": 0.1}, {"ranksvm__C": 10.0}, {"ranksvm__label_rule": "top"}),
    "MlSvm": (
        {}, {"mlsvm__kernel": "rbf"}, {"mlsvm__kernel": "rbf", "mlsvm__gamma": "scale"},
        {"mlsvm__label_rule": "top"},
    ),
    "Ml-knn": ({}, {"mlknn__n_neighbors": 20}, {"mlknn__label_rule": "top"}),
    "Cnmf": CNMF,
}  # fmt: skip

CHOICES_YAHOO = {
    "InsDif": INSDIF,
    "InsDif_MimlSvm": ({}, {"insdif__learner__gamma": 1.0}, SIGN),
    "AdtBoost.MH": ADTBOOST,
    "RankSvm": ({}, {"estimator__ranksvm__C": 0.1}, {"criterion": "average_precision"}),
    "MlSvm": ({}, {"mlsvm__label_rule": "top"}, {"mlsvm__kernel": "rbf", "mlsvm__gamma": 1.0}),
    "Ml-knn": ({}, {"mlknn__n_neighbors": 20}, {"mlknn__label_rule": "top"}),
    "Cnmf": CNMF,
}  # fmt: skip
