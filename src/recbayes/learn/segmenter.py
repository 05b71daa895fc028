"""`rb.HierarchicalSegmenter`: trees over series in the manner of scikit-learn."""

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from recbayes.chart.inside import inside
from recbayes.errors import DataError
from recbayes.learn.fit import fit
from recbayes.learn.parameters import Covariance
from recbayes.model.gaussian import GaussianRBN
from recbayes.model.series import Series, all_series, is_many
from recbayes.posterior.draws import sample_posterior
from recbayes.tree.metrics import node_scores
from recbayes.tree.tree import Tree


class HierarchicalSegmenter(TransformerMixin, BaseEstimator):
    """Learns a Gaussian RBN from series, and tells their trees.

    A series is an array (observations, columns), NaN for missing entries, or a data frame; `X` is one of them or a list of
    several, of any lengths. Results are those of one series, or lists.

    Parameters
    ----------
    model : the GaussianRBN to start from; None guesses one from the data.
    shifts : for a guessed model, the left child's transpositions and their probabilities.
    covariance : "scalar", "diagonal", "full", or "keep" for what the model has.
    level : for `transform`, the depth at which trees are cut (0 is the root); None takes the leaves.
    draws : trees drawn from each series' posterior.
    restarts, exact, executor : as for `rb.fit`.
    random_state : seed of all draws.
    """

    def __init__(
        self,
        *,
        model: GaussianRBN | None = None,
        shifts: Mapping[Any, float] | None = None,
        covariance: Covariance = "diagonal",
        level: int | None = None,
        draws: int = 500,
        restarts: int = 0,
        exact: int = 0,
        random_state: int = 0,
        executor: Executor | None = None,
    ) -> None:
        self.model = model
        self.shifts = shifts
        self.covariance = covariance
        self.level = level
        self.draws = draws
        self.restarts = restarts
        self.exact = exact
        self.random_state = random_state
        self.executor = executor

    def fit(self, X: Any, y: Any = None) -> "HierarchicalSegmenter":
        """Learn the parameters. `y` may hold what is known of the trees: for every series a `Tree` or None."""
        many, single = _series(X, None)
        model = GaussianRBN.guess(many, shifts=self.shifts) if self.model is None else self.model
        self.fit_ = fit(
            model,
            many,
            covariance=self.covariance,
            allowed=None if y is None else _known(y, len(many), single),
            restarts=self.restarts,
            exact=self.exact,
            seed=self.random_state,
            standard_errors=False,
            executor=self.executor,
        )
        self.model_ = self.fit_.model
        self.n_features_in_ = self.model_.observed_dim
        return self

    def predict(self, X: Any) -> Any:
        """The tree of highest expected F1 of each series."""
        return self._each(X, lambda posterior: posterior.tree())

    def predict_proba(self, X: Any) -> Any:
        """For each series, the probability (N + 1, N + 1) that a node spans from the row's to the column's position."""
        return self._each(X, lambda posterior: posterior.node_probability)

    def transform(self, X: Any) -> Any:
        """For each series, the number of its segment at `level` for every observation, in one column."""
        return self._each(X, lambda posterior: _labels(posterior.tree(), self.level))

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log evidence of the series; given their true trees as `y`, the mean F1 of the predicted nodes."""
        check_is_fitted(self)
        many, single = _series(X, self.n_features_in_)
        if y is None:
            return float(np.mean([chart.log_evidence for chart in inside(self.model_, many, executor=self.executor)]))
        truth = [y] if single else list(y)
        if len(truth) != len(many):
            raise DataError(f"there are {len(truth)} trees for {len(many)} series")
        found = self.predict(many)
        return float(np.mean([node_scores(tree, true).f1 for tree, true in zip(found, truth, strict=True)]))

    def _each(self, X: Any, result: Any) -> Any:
        check_is_fitted(self)
        many, single = _series(X, self.n_features_in_)
        posteriors = sample_posterior(self.model_, many, draws=self.draws, seed=self.random_state, executor=self.executor)
        results = [result(posterior) for posterior in posteriors]
        return results[0] if single else results

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = True
        return tags


def _series(X: Any, columns: int | None) -> tuple[list[Series], bool]:
    """Checked series, and whether there was only one. Data frames are taken as their values."""
    plain = [_values(one) for one in X] if isinstance(X, list | tuple) else _values(X)
    if columns is not None and isinstance(plain, np.ndarray) and plain.ndim == 2 and plain.shape[1] != columns:
        raise DataError(
            f"X has {plain.shape[1]} features, but HierarchicalSegmenter is expecting {columns} features as input"
        )
    return all_series(plain, columns), not is_many(plain)


def _values(one: Any) -> Any:
    return one.to_numpy(dtype=np.float64, na_value=np.nan) if hasattr(one, "to_numpy") else one


def _known(y: Any, count: int, single: bool) -> list[np.ndarray | None]:
    trees = [y] if single else list(y)
    if len(trees) != count or not all(tree is None or isinstance(tree, Tree) for tree in trees):
        raise DataError(f"y must hold a Tree or None for each of the {count} series")
    return [None if tree is None else tree.span_mask() for tree in trees]


def _labels(tree: Tree, level: int | None) -> np.ndarray:
    """The number of the segment of every observation."""
    spans = [node.span for node in tree.leaves] if level is None else tree.cut(level)
    lengths = [end - start for start, end in spans]
    return np.repeat(np.arange(len(lengths)), lengths)[:, None]
