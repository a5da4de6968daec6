"""Rows that are another method with one change, such as "MlSvm, mean": which method that is."""

# A list, since a name is not parsed: some methods have a comma in their own name.
VARIANTS = {
    "MimlBoost": ["MimlBoost, linear"],
    "MimlSvm": ["MimlSvm, landmarks", "MimlSvm, set kernel"],
    "MimlSvm_mi": [
        "MimlSvm_mi, exact kernel",
        "MimlSvm_mi, linear",
        "MimlSvm_mi, narrow kernel",
        "MimlSvm_mi, narrow kernel, exact kernel",
    ],
    "MimlNn": ["MimlNn, distances by SciPy", "MimlNn, landmarks"],
    "D-MimlSvm": [
        "D-MimlSvm, CVXPY",
        "D-MimlSvm, Table 8 as printed",
        "D-MimlSvm, linear",
        "D-MimlSvm, one setting",
    ],
    "InsDif": [
        "InsDif, average distance",
        "InsDif, five partitions",
        "InsDif, neighbours",
        "InsDif, no bags",
    ],
    "InsDif_MimlBoost": ["InsDif_MimlBoost, five rounds", "InsDif_MimlBoost, no bags"],
    "InsDif_MimlSvm_mi": ["InsDif_MimlSvm_mi, no bags"],
    "RankSvm": [
        "RankSvm, bag statistics",
        "RankSvm, converged",
        "RankSvm, mean",
        "RankSvm, positions",
        "RankSvm, shuffled",
    ],
    "MlSvm": [
        "MlSvm, Gaussian",
        "MlSvm, bag statistics",
        "MlSvm, five partitions",
        "MlSvm, mean",
        "MlSvm, positions",
        "MlSvm, scikit-learn",
        "MlSvm, shuffled",
    ],
    "Ml-knn": ["Ml-knn, five partitions", "Ml-knn, scikit-multilearn-ng"],
    "Random forest": [
        "Random forest, bag statistics",
        "Random forest, mean",
        "Random forest, positions",
        "Random forest, shuffled",
    ],
    "SubCod": ["SubCod, one M and θ", "SubCod, plain folds"],
    "Diverse Density": ["Diverse Density, every start"],
    "mi-Svm": ["mi-Svm, plain folds"],
}
VARIED = {variant: method for method, variants in VARIANTS.items() for variant in variants}


def varied_method(name: str) -> str:
    """The method that a row varies; of a row that varies none, its own name."""
    return VARIED.get(name, name)
