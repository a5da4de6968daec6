import numpy as np
import pytest
from scipy.sparse import csr_array

from mimlpaper.base import check_bags, check_labels, label_sets


def test_label_rules_by_hand():
    """Scores (.3, -.2, 0), all negative, and a tie for the top."""
    scores = np.array([[0.3, -0.2, 0.0], [-0.5, -0.1, -0.9], [-1.0, -1.0, -2.0]])
    assert label_sets(scores, "sign").tolist() == [
        [True, False, False],
        [False, False, False],
        [False, False, False],
    ]
    assert label_sets(scores, "top").tolist() == [
        [True, False, True],
        [False, True, False],
        [True, False, False],
    ]


def test_top_rule_is_never_empty_and_holds_the_sign_rule(rng):
    scores = rng.normal(size=(200, 4))
    top, sign = label_sets(scores, "top"), label_sets(scores, "sign")
    assert top.any(axis=1).all()
    assert (top | ~sign).all()


def test_unknown_rule_is_refused():
    with pytest.raises(ValueError, match=r"label_rule must be one of .*got 'best'"):
        label_sets(np.zeros((1, 2)), "best")


@pytest.mark.parametrize("Y", [[[1, 0], [0, 1]], [[True, False], [False, True]], np.eye(2)])
def test_labels_in_every_accepted_form(Y):
    assert check_labels(Y, 2).tolist() == [[True, False], [False, True]]
    assert check_labels(csr_array(np.asarray(Y, dtype=int)), 2).dtype == bool


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([1, 0], "2-D"),
        ([[1, 0]], "X has 2, Y has 1"),
        ([[1, -1], [0, 1]], "got -1"),
        ([[1, np.nan], [0, 1]], "got .*nan"),
        (np.empty((2, 0)), "n_labels >= 1"),
    ],
)
def test_bad_labels_are_refused(Y, message):
    with pytest.raises(ValueError, match=message):
        check_labels(Y, 2)


def test_wrong_number_of_features_is_refused(bags):
    with pytest.raises(ValueError, match="X has 3 features, but the estimator was fitted on 5"):
        check_bags(bags, 5)
