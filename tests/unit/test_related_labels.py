"""Squares of pairs of labels."""

import matplotlib.pyplot as plt
import pandas as pd

from mimlstudy.report.sections.related_labels import half_matrix


def test_each_pair_has_one_square_with_its_number():
    pairs = [("sea", "sky", 0.44), ("sea", "trees", -0.04), ("sky", "trees", -0.3)]
    rows = pd.DataFrame(pairs, columns=["first", "second", "cosine"])
    _, ax = plt.subplots()
    half_matrix(rows, ax)
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["sea", "sky"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["sky", "trees"]
    assert [text.get_text() for text in ax.texts] == ["0.4", "0.0", "−0.3"]
