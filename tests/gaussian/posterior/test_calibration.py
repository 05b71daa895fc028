"""Simulation-based calibration on families of models that the documentation does not use."""

import os

import numpy as np
import pytest

from tests.gaussian.posterior.families import FAMILIES, distances, probabilities_and_truth

COUNT = int(os.environ.get("RECBAYES_SERIES", "100"))  # 500 for a long look


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::recbayes.ApproximationWarning")
@pytest.mark.parametrize("family", FAMILIES)
def test_node_probabilities_are_honest(family: str) -> None:
    probabilities, truths = probabilities_and_truth(FAMILIES[family](), COUNT, 1000)
    rows = distances(probabilities, truths)
    assert np.abs(rows[:, 3]).max() < 4.0
    surplus = np.array([p.sum() - truth.sum() for p, truth in zip(probabilities, truths, strict=True)])
    assert abs(surplus.mean()) < 4.0 * surplus.std() / np.sqrt(COUNT)
