"""The look of figures and their files: one style sheet, one look for each method."""

import io
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from mimlpaper.paths import write_whole

STYLE_SHEET = Path(__file__).with_name("paper.mplstyle")

INK, LINE = "#222222", "#777777"  # of text, and of arrows and frames
VERMILION, BLUE, SKY, GREEN = "#D55E00", "#0072B2", "#56B4E9", "#009E73"  # Okabe and Ito
ORANGE, PINK = "#E69F00", "#CC79A7"
RIGHT, WRONG = GREEN, VERMILION  # of reasons and predictions
INDIGO, WINE, OLIVE, ROSE, SLATE = "#332288", "#882255", "#8A8A2B", "#CC6677", "#555555"


class Look(NamedTuple):
    """Colour, marker and line of a method, as matplotlib takes them."""

    color: str
    marker: str
    linestyle: str = "-"


# The colour stands for the MIML learner, the marker for the way to it: a circle for MIML data, a
# square for InsDif, a diamond for SubCod. Compared methods have dashed lines.
METHOD_STYLE = {
    "MimlBoost": Look(VERMILION, "o"),
    "MimlSvm": Look(BLUE, "o"),
    "MimlSvm_mi": Look(SKY, "o"),
    "MimlNn": Look(GREEN, "o"),
    "D-MimlSvm": Look(PINK, "o"),
    "InsDif": Look(ORANGE, "s"),
    "InsDif_MimlBoost": Look(VERMILION, "s"),
    "InsDif_MimlSvm": Look(BLUE, "s"),
    "InsDif_MimlSvm_mi": Look(SKY, "s"),
    "SubCod": Look(ORANGE, "D"),
    "SubCod_MimlBoost": Look(VERMILION, "D"),
    "SubCod_MimlNn": Look(GREEN, "D"),
    "SubCod_MimlSvm_mi": Look(SKY, "D"),
    "AdtBoost.MH": Look(WINE, "^", "--"),
    "RankSvm": Look(OLIVE, "v", "--"),
    "MlSvm": Look(INDIGO, "P", "--"),
    "Ml-knn": Look(SLATE, "X", "--"),
    "Cnmf": Look(ROSE, "*", "--"),
    "Diverse Density": Look(WINE, "<", "--"),
    "Em-dd": Look(OLIVE, ">", "--"),
    "mi-Svm": Look(INDIGO, "p", "--"),
    "Mi-Svm": Look(SLATE, "h", "--"),
    "Ch-Fd": Look(ROSE, "d", "--"),
}


def look_of(method: str) -> Look:
    """The look of a method; of a variant, such as "MlSvm, tuned", that of the method itself."""
    return METHOD_STYLE.get(method.split(",")[0], Look("#888888", ".", ":"))


def in_order(methods) -> list[str]:
    """Methods in the order of :data:`METHOD_STYLE`, others last."""
    known = list(METHOD_STYLE)
    return sorted(methods, key=lambda m: known.index(m) if m in known else len(known))


def use_style():
    """Make the style sheet the default of all figures that follow."""
    plt.style.use(STYLE_SHEET)


def save_figure(figure: Figure, folder, name: str) -> list[Path]:
    """Write ``name``.png (200 dpi) and .svg into ``folder``: the same figure gives the same bytes.

    The layout is fixed first, since each resolution would shift it a little.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    paths = []
    for ending, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        content = io.BytesIO()
        with plt.style.context(STYLE_SHEET):
            figure.savefig(content, format=ending[1:], metadata=metadata)
        paths.append(write_whole(Path(folder) / (name + ending), content.getvalue()))
    return paths
