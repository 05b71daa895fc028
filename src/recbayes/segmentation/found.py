"""What was found in one series, as the segmenter tells it: a tree, change points, numbers of segments."""

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from recbayes.checks.many import run_many
from recbayes.family.posterior import Posterior
from recbayes.inference.draws import sample_posterior
from recbayes.segmentation.given import Given
from recbayes.segmentation.result import Segmentation
from recbayes.segmentation.segment import segment
from recbayes.tree.tree import Tree

Output = Literal["default", "pandas", "polars"]
COLUMN = "segment"  # what the column of numbers of segments is called


class Found(NamedTuple):
    """Draws of trees by a model, or by the default's models and with what was decided on."""

    given: Given
    posterior: Posterior
    segmentation: Segmentation | None = None

    @property
    def tree(self) -> Tree:
        return self.posterior.tree() if self.segmentation is None else self.segmentation.tree

    @property
    def probability(self) -> np.ndarray:
        return self.posterior.node_probability

    def segments(self, level: int | None) -> list[tuple[int, int]]:
        """The tree cut at a depth, or its leaves."""
        return [node.span for node in self.tree.leaves] if level is None else list(self.tree.cut(level))

    def change_points(self, level: int | None) -> list[Any]:
        """What the first row of every segment but the first is called."""
        return [self.given.label(start) for start, _ in self.segments(level)[1:]]

    def labels(self, level: int | None, output: Output | None) -> Any:
        """The number of the segment of every observation, in one column, in the container that is wished for."""
        lengths = [end - start for start, end in self.segments(level)]
        labels = np.repeat(np.arange(len(lengths)), lengths)[:, None]
        return _Contained(labels).set_output(transform=output).transform(self.given.original)


class Settings(NamedTuple):
    """How trees are drawn."""

    draws: int
    seed: int
    executor: Executor | None


def by_default(given: Sequence[Given], places: Sequence[Any], settings: Settings) -> list[Found]:
    """What `rb.segment` says of each series by itself, so that it does not depend on which others there are."""
    if settings.executor is None or len(given) == 1:
        found = [_segmented(one, place, settings) for one, place in zip(given, places, strict=True)]
    else:
        alone = [settings._replace(executor=None)] * len(given)
        found = run_many(_segmented, given, places, alone, executor=settings.executor)
    return [Found(one, told.posterior, told) for one, told in zip(given, found, strict=True)]


def _segmented(one: Given, place: Any, settings: Settings) -> Segmentation:
    return segment(**one.to_segment, boundaries=place, **settings._asdict())


def by_model(model: Any, given: Sequence[Given], places: Sequence[Any], settings: Settings) -> list[Found]:
    """What a model says. `places` are where each series may be cut."""
    sequences = [one.sequence for one in given]
    posteriors = sample_posterior(model, sequences, boundaries=list(places), **settings._asdict())
    return [Found(*pair) for pair in zip(given, posteriors, strict=True)]


class _Contained(TransformerMixin, BaseEstimator):
    """Labels that scikit-learn puts into the container that is set, here or globally.

    It does so for whole transformers whose results are one table; the segmenter's may be a list of them.
    """

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = labels

    def transform(self, X: Any) -> Any:
        return self.labels

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        return np.array([COLUMN], dtype=np.object_)
