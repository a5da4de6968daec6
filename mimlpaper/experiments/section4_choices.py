"""What the paper leaves open in Section 4, chosen otherwise: one parameter at a time.

Each method's variants begin with ``{}``, its configuration in ``AS_PUBLISHED``.
"""

__all__ = ["CHOICES_SCENE", "CHOICES_TEXT"]

RAW = {"oninstances": "passthrough"}

ADTBOOST = (
    {}, {"adtboostmh__smoothing": 0.01}, {"adtboostmh__smoothing": 10.0},
    {"adtboostmh__n_rounds": 24}, {"adtboostmh__label_rule": "top"},
)  # fmt: skip

CHOICES_SCENE = {
    "MimlBoost": (
        {}, {"mimlboost__weighting": "resampling"}, {"mimlboost__label_code": "onehot"},
        {"mimlboost__rank": 600}, {"mimlboost__label_rule": "top"},
    ),
    "MimlSvm": (
        {}, RAW, {"mimlsvm__label_rule": "sign"}, {"mimlsvm__gamma": "scale"},
        {"mimlsvm__C": 10.0},
    ),
    "MimlSvm_mi": (
        {}, {"mimlsvmmi__C": 1.0}, {"mimlsvmmi__gamma": 1.0}, {"mimlsvmmi__rank": 600},
        {"mimlsvmmi__label_rule": "sign"}, {"mimlsvmmi__max_alternations": 1},
    ),
    "MimlNn": (
        {}, RAW, {"mimlnn__ratio": 0.2}, {"mimlnn__ridge": 0.0}, {"mimlnn__ridge": 10.0},
        {"mimlnn__label_rule": "top"},
    ),
    "AdtBoost.MH": ADTBOOST,
    "RankSvm": (
        {}, {"estimator__ranksvm__C": 0.1}, {"estimator__ranksvm__C": 10.0},
        {"criterion": "average_precision"}, {"estimator__ranksvm__label_rule": "top"},
    ),
    "MlSvm": (
        {}, {"mlsvm__label_rule": "top"}, {"mlsvm__gamma": "scale"}, {"mlsvm__C": 10.0},
    ),
    "Ml-knn": ({}, RAW, {"mlknn__n_neighbors": 20}, {"mlknn__label_rule": "top"}),
}  # fmt: skip

CHOICES_TEXT = {
    "MimlBoost": (
        {}, {"mimlboost__C": 0.1}, {"mimlboost__C": 10.0}, {"mimlboost__label_code": "onehot"},
        {"mimlboost__weighting": "resampling"}, {"mimlboost__label_rule": "top"},
    ),
    "MimlSvm": ({}, {"mimlsvm__label_rule": "sign"}, {"mimlsvm__C": 0.1}, {"mimlsvm__C": 10.0}),
    "MimlSvm_mi": (
        {}, {"mimlsvmmi__C": 0.03}, {"mimlsvmmi__C": 1.0}, {"mimlsvmmi__max_alternations": 1},
        {"mimlsvmmi__max_alternations": 15}, {"mimlsvmmi__label_rule": "top"},
    ),
    "MimlNn": (
        {}, RAW, {"mimlnn__ratio": 0.2}, {"mimlnn__ridge": 0.1}, {"mimlnn__ridge": 10.0},
        {"mimlnn__label_rule": "top"},
    ),
    "AdtBoost.MH": ADTBOOST,
    "RankSvm": (
        {}, {"estimator__ranksvm__C": 0.1}, {"estimator__ranksvm__C": 10.0},
        {"estimator__ranksvm__label_rule": "top"},
    ),
    "MlSvm": (
        {}, {"mlsvm__label_rule": "top"}, {"mlsvm__C": 10.0}, {"minmaxscaler": "passthrough"},
    ),
    "Ml-knn": ({}, {"mlknn__n_neighbors": 20}, {"mlknn__label_rule": "top"}),
}  # fmt: skip
