"""`rb.segment` as a segmenter of aeon, for its pipelines and benchmarks: `from recbayes.aeon import HierarchicalSegmenter`.

It needs the extra `recbayes[aeon]`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recbayes.segmentation.result import Segmentation
from recbayes.segmentation.segment import segment

try:
    from aeon.segmentation.base import BaseSegmenter
except ImportError as problem:
    raise ImportError("recbayes.aeon needs aeon: pip install 'recbayes[aeon]'") from problem

__all__ = ["HierarchicalSegmenter"]

BY_ROWS = 0  # the axis of observations, as everywhere in recbayes


class HierarchicalSegmenter(BaseSegmenter):
    """Change points of a series, univariate or multivariate and with missing values, by the defaults of `rb.segment`.

    Nothing is learnt by `fit`, and `predict` gives the first observation of every segment but the first. As in all of aeon,
    series of several channels have these in rows, unless `axis=0` says that they are in columns.

    Arguments:
        n_segments: how many segments. None lets the data decide.
        min_length: the fewest observations of a segment.
        kinds: kinds of segments, as for `rb.segment`. None averages over all.
        periods: lengths of seasons, in observations.
        draws: how many trees are drawn.
        random_state: the seed of all draws. None takes another one each time.
    """

    _tags = {  # noqa: RUF012 (as aeon reads them)
        "capability:univariate": True,
        "capability:multivariate": True,
        "capability:missing_values": True,
        "fit_is_empty": True,
        "returns_dense": True,
    }

    def __init__(
        self,
        n_segments: int | None = None,
        min_length: int = 1,
        kinds: Sequence[str] | None = None,
        periods: float | Sequence[float] = (),
        draws: int = 1000,
        random_state: int | None = 0,
    ) -> None:
        self.min_length = min_length
        self.kinds = kinds
        self.periods = periods
        self.draws = draws
        self.random_state = random_state
        super().__init__(axis=BY_ROWS, n_segments=n_segments)

    def segmentation(self, X: Any, axis: int = 1) -> Segmentation:
        """All that is found in a series, with the tree of its segments and probabilities: a `Segmentation`.

        Arguments:
            X: a series, as for `predict`.
            axis: along which observations follow one another, as for `predict`.
        """
        return self._segment(self._preprocess_series(X, axis, False))

    def _predict(self, X: np.ndarray) -> np.ndarray:
        return np.array([change.position for change in self._segment(X).changes], dtype=np.int64)

    def _segment(self, X: np.ndarray) -> Segmentation:
        return segment(
            np.asarray(X),
            segments=self.n_segments,
            min_length=self.min_length,
            kinds=self.kinds,
            periods=self.periods,
            draws=self.draws,
            seed=self.random_state,
            progress=False,
        )

    @classmethod
    def _get_test_params(cls, parameter_set: str = "default") -> dict[str, Any]:
        """Settings for aeon's own tests, which are many, and take it that random numbers have a change."""
        return {"n_segments": 2, "draws": 20, "kinds": ("level",)}
