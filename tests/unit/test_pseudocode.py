"""Steps in words beside whole lines of the library."""

import mimlpaper as miml
from mimlpaper.metrics import one_error
from mimlstudy.report.pseudocode import code_of, steps_table


def test_a_step_has_its_words_and_the_lines_that_cite_it_in_the_order_of_the_words():
    words = {
        "3": "Repeat.",
        "1": "Make pairs.",
        "9": "A step without a line.",
    }
    entries = steps_table("Steps", words, miml.MimlBoost).entries
    assert entries.index.tolist() == ["3", "1", "9"]
    pairs = entries.loc["1"]
    assert pairs["in words"].lines == ("Make pairs.",)
    (line,) = pairs["code"].lines
    assert line == "psi = np.where(Y[:, self._learnt], 1.0, -1.0)"
    (place,) = pairs["where"].lines
    assert place.startswith("mimlpaper/algorithms/mimlboost.py:")
    assert entries.loc["9", "code"].lines == ("–",)


def test_code_is_whole_and_flush_left():
    text = code_of(one_error, miml.MimlNn._fit).data
    assert text.startswith("```python\ndef one_error(Y, scores) -> float:\n")
    assert "\n\ndef _fit(self, X, Y):\n    z = self._fit_map(X)" in text
    assert text.endswith('assume_a="pos")\n```')
