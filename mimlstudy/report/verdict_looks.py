"""How verdicts look: tint of a cell, fill and sign of a mark, and its words."""

import pandas as pd

INK = "#222222"  # that of mimlpaper.plots, which loads matplotlib

# Verdicts on cells, and on characteristics of data.
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
    ],
    columns=["verdict", "tint", "fill", "sign", "words"],
).set_index("verdict")

# Words of claims: tint of a cell; bar of a figure, and the number in it; the word on white.
CLAIM_LOOKS = pd.DataFrame(
    [
        ("supported", "#c9e9dc", "#0072B2", "white", "#1b6b1b"),
        ("supported in part", "#e8f5ef", "#8fbbe0", INK, "#5b7a12"),
        ("undecided", "#fbf0cc", "#dddddd", INK, "#8a6d00"),
        ("contradicted", "#f9c6a8", "#D55E00", "white", "#b03a14"),
        ("not tested", "#efefef", "#f6f6f6", INK, "#666666"),
    ],
    columns=["word", "tint", "bar", "number", "ink"],
).set_index("word")

VERDICT_TINTS = pd.concat([VERDICT_LOOKS["tint"], CLAIM_LOOKS["tint"]]).to_dict()
VERDICT_SIGNS = VERDICT_LOOKS["sign"].to_dict()
VERDICT_WORDS = VERDICT_LOOKS["words"].to_dict() | {word: word for word in CLAIM_LOOKS.index}
