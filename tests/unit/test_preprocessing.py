import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.bags import Bags
from mimlpaper.preprocessing import ConcatenateInstances, MeanInstances, OnInstances, SumInstances


def test_scaling_is_fitted_on_the_training_instances_alone(bags):
    train, test = bags[:20], bags[20:]
    scaler = OnInstances(MinMaxScaler()).fit(train)
    scaled = scaler.transform(train).instances
    assert np.allclose(scaled.min(axis=0), 0)
    assert np.allclose(scaled.max(axis=0), 1)
    low, high = train.instances.min(axis=0), train.instances.max(axis=0)
    assert np.allclose(scaler.transform(test).instances, (test.instances - low) / (high - low))


def test_bags_to_vectors_by_hand():
    """Bags {(1, 2), (3, 4)} and {(5, 6), (7, 8)}."""
    bags = Bags.from_list([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    assert ConcatenateInstances().fit_transform(bags).tolist() == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert SumInstances().fit_transform(list(bags)).tolist() == [[4, 6], [12, 14]]
    assert MeanInstances().fit_transform(bags).tolist() == [[2, 3], [6, 7]]


def test_bags_of_different_sizes_cannot_be_concatenated(bags):
    with pytest.raises(ValueError, match="sizes from 1 to 4"):
        ConcatenateInstances().fit_transform(bags)


def test_pipelines_clone_and_cross_validate_on_bags(bags, labels):
    pipeline = clone(make_pipeline(OnInstances(MinMaxScaler()), MimlNn(random_state=0)))
    scores = cross_val_score(
        pipeline, bags, labels[:, :2], scoring=lambda e, X, Y: np.mean(e.predict(X) == Y), cv=3
    )
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
