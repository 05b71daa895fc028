"""`rb.HierarchicalSegmenter`: trees over series in the manner of scikit-learn."""

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from recbayes.checks.arguments import listed
from recbayes.checks.arrays import MOST_DRAWS, whole_number
from recbayes.checks.numbers import numbers
from recbayes.checks.series import Series, all_series, is_many
from recbayes.errors import DataError
from recbayes.family.family import Model, family_of
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.inference.draws import sample_posterior
from recbayes.inference.inside import inside
from recbayes.learn.fit import fit
from recbayes.parameters.block import Structure
from recbayes.tree.metrics import node_scores
from recbayes.tree.tree import Tree


class HierarchicalSegmenter(TransformerMixin, BaseEstimator):
    """Learns a model from series, and tells their trees.

    A series is an array (observations, columns), NaN for missing entries, or a data frame; `X` is one of them or a list of
    several, of any lengths; for models of other families it is what they read. Results are those of one series, or lists.

    Parameters
    ----------
    model : the model to start from; None guesses a GaussianRBN from the data.
    shifts : for a guessed model, the left child's transpositions and their probabilities.
    covariance : "scalar", "diagonal", "full", or "keep" for what the model has.
    level : for `transform`, the depth at which trees are cut (0 is the root); None takes the leaves.
    draws : trees drawn from each series' posterior.
    restarts, exact, executor : as for `rb.fit`.
    random_state : seed of all draws.

    Pickled and deep copies are without the executor, which belongs to this process; clones share it.
    """

    n_features_in_: int

    def __init__(
        self,
        *,
        model: Model[Any, Any, Any] | None = None,
        shifts: Mapping[Any, float] | None = None,
        covariance: Structure = "diagonal",
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

    def fit(self, X: Any, y: Any = None, *, trees: Any = None) -> "HierarchicalSegmenter":
        """Learn the parameters. `trees`, where known, are for every series a `Tree` or None; `y` is not looked at."""
        whole_number(self.draws, "draws", least=1, most=MOST_DRAWS)  # before the work that is done in vain otherwise
        if self.level is not None:
            whole_number(self.level, "level", least=0)
        many, single = self._series(X, reset=True)
        model = GaussianRBN.guess(many, shifts=self.shifts) if self.model is None else self.model
        self.fit_ = fit(
            model,
            many,
            covariance=self.covariance,
            allowed=None if trees is None else _known(trees, len(many), single),
            restarts=self.restarts,
            exact=self.exact,
            seed=self.random_state,
            standard_errors=False,
            executor=self.executor,
        )
        self.model_ = self.fit_.model
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
        many, _ = self._series(X, reset=False)
        truth = [y] if isinstance(y, Tree) else [] if y is None else listed(y, "y", "true Trees")
        if not any(isinstance(tree, Tree) for tree in truth):
            return float(np.mean([chart.log_evidence for chart in inside(self.model_, many, executor=self.executor)]))
        if len(truth) != len(many) or not all(isinstance(tree, Tree) for tree in truth):
            raise DataError(f"y must hold a true Tree for each of the {len(many)} series")
        found = self.predict(many)
        return float(np.mean([node_scores(tree, true).f1 for tree, true in zip(found, truth, strict=True)]))

    def _series(self, X: Any, reset: bool) -> tuple[list[Any], bool]:
        """Checked series, and whether there was only one. Data frames are taken as their values."""
        if self.model is not None and not family_of(self.model).tabular:
            single = family_of(self.model).read(self.model, X).single
            return [X] if single else list(X), single
        if is_many(X):
            many = all_series(X, None if reset else self.n_features_in_)
            if reset:
                self.n_features_in_ = many[0].values.shape[1]
            return many, False
        if isinstance(X, Series):
            return all_series(X, None if reset else self.n_features_in_), True
        if not any(hasattr(X, name) for name in ("__array__", "toarray")):  # of arrays scikit-learn is the judge
            X = numbers(X, "X must be a series, numbers in rows (NaN for missing ones), or a list of series")
        try:
            checked = validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")
        except ValueError as problem:
            raise DataError(str(problem)) from problem
        return all_series(checked), True

    def _each(self, X: Any, result: Any) -> Any:
        check_is_fitted(self)
        many, single = self._series(X, reset=False)
        posteriors = sample_posterior(self.model_, many, draws=self.draws, seed=self.random_state, executor=self.executor)
        results = [result(posterior) for posterior in posteriors]
        return results[0] if single else results

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "executor": None}

    def __sklearn_clone__(self) -> "HierarchicalSegmenter":
        """Executors are shared, not copied."""
        settings = self.get_params(deep=False)
        executor = settings.pop("executor")
        return type(self)(**clone(settings, safe=False), executor=executor)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _known(trees: Any, count: int, single: bool) -> list[np.ndarray | None]:
    given = [trees] if single and (trees is None or isinstance(trees, Tree)) else listed(trees, "trees", "Trees")
    if len(given) != count or not all(tree is None or isinstance(tree, Tree) for tree in given):
        raise DataError(f"trees must hold a Tree or None for each of the {count} series")
    return [None if tree is None else tree.span_mask() for tree in given]


def _labels(tree: Tree, level: int | None) -> np.ndarray:
    """The number of the segment of every observation."""
    spans = [node.span for node in tree.leaves] if level is None else tree.cut(level)
    lengths = [end - start for start, end in spans]
    return np.repeat(np.arange(len(lengths)), lengths)[:, None]
