"""How verdicts look: tint of a cell, fill and sign of a mark, and its words."""

import pandas as pd

# Verdicts on cells, on characteristics of data, and on claims.
VERDICT_LOOKS = pd.DataFrame(
    [
        ("agrees", "#e4f4ec", "#7fbf7b", "=", "agrees"),
        ("differs_better", "#bcd8f5", "#8fbbe0", "+", "differs (ours better)"),
        ("differs_worse", "#f9c6a8", "#ef9a80", "−", "differs (ours worse)"),
        ("newly_measured", "#e6e0f3", "#c5b6e0", "○", "newly measured"),
        ("no_tolerance", "#efefef", "#d9d9d9", "·", "without a tolerance"),
        ("synthetic", "#fbf0cc", "#f3dd8f", "s", "synthetic"),
        ("missing", "#efefef", "#eeeeee", "", "missing"),
        ("differs", "#f9c6a8", "", "", "differs"),
        ("supported", "#c9e9dc", "", "", "supported"),
        ("supported in part", "#e8f5ef", "", "", "supported in part"),
        ("undecided", "#fbf0cc", "", "", "undecided"),
        ("contradicted", "#f9c6a8", "", "", "contradicted"),
        ("not tested", "#efefef", "", "", "not tested"),
    ],
    columns=["verdict", "tint", "fill", "sign", "words"],
).set_index("verdict")

VERDICT_TINTS = VERDICT_LOOKS["tint"].to_dict()
VERDICT_SIGNS = VERDICT_LOOKS["sign"].to_dict()
VERDICT_WORDS = VERDICT_LOOKS["words"].to_dict()
