import matplotlib.pyplot as plt
import numpy as np
import pytest

from mimlpaper.report.diagrams import draw_translates
from mimlpaper.report.style import use_style

X = np.array([[0.0, 0.0], [3.0, 4.0]])
PROTOTYPES = np.array([[1.0, 2.0], [-2.0, 0.0], [0.0, -1.0]])


def test_every_arrow_is_as_long_as_the_examples_are_apart():
    """(3, 4) is 5 from the origin; {-v} reaches farthest that way at (2, 0)."""
    use_style()
    figure, axes = plt.subplots(1, 2)
    draw_translates(axes, X, PROTOTYPES)
    arrows = [text for text in axes[1].texts if text.arrow_patch]
    lengths = [np.linalg.norm(np.subtract(arrow.xyann, arrow.xy)) for arrow in arrows]
    assert lengths == pytest.approx([5.0] * 3)
    (thick,) = (arrow for arrow in arrows if arrow.arrow_patch.get_linewidth() == 2.0)
    assert thick.xyann == pytest.approx([2.0, 0.0])
    plt.close(figure)
