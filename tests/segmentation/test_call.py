"""How a segmentation was asked for, as it is told."""

import numpy as np
import pytest

import recbayes as rb
from recbayes.segmentation.call import call_of
from tests.segmentation.series import JUMP


def test_what_is_given_is_told() -> None:
    found = rb.segment(JUMP, kinds="level", draws=50, min_length=2, boundaries=[10, 20], seed=3)
    assert found.call == "rb.segment(data, boundaries=[10, 20], min_length=2, kinds='level', draws=50, seed=3)"


@pytest.mark.parametrize("value", [np.arange(3), list(range(100)), "x" * 100, np.random.default_rng(0)])
def test_what_is_long_or_no_text_is_but_there(value: object) -> None:
    assert call_of(boundaries=value, seed=0) == "rb.segment(data, boundaries=…, seed=0)"


def test_what_is_not_given_is_not_told() -> None:
    assert call_of(boundaries=None, periods=(), seed=None) == "rb.segment(data)"
