"""`rb.HierarchicalSegmenter`: trees over series in the manner of scikit-learn."""

import copy
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from recbayes.checks.arguments import choice, executor_of, flag, listed
from recbayes.checks.arrays import MOST_DRAWS, whole_number
from recbayes.errors import DataError
from recbayes.family.family import Model
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.inference.inside import inside
from recbayes.learn.fit import fit
from recbayes.learn.record import Fit
from recbayes.parameters.block import Structure
from recbayes.parameters.parameters import choices_of
from recbayes.segmentation.found import COLUMN, Found, Output, Settings, by_default, by_model
from recbayes.segmentation.given import Given, read_given
from recbayes.spans.constraints import constraints_of
from recbayes.tree.known import OnlySpans
from recbayes.tree.metrics import node_scores
from recbayes.tree.tree import Tree


class HierarchicalSegmenter(  # type: ignore[call-arg]
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
    auto_wrap_output_keys=None,  # scikit-learn makes containers of one table, not of lists: see `Found`
):
    """Tells the trees of series, and their change points: by the defaults of `rb.segment`, or by a model that it learns.

    Without a model nothing is learnt. Every series is looked at by itself, as by `rb.segment(series, seed=random_state)`;
    `fit` keeps what that says of the series it is given. With a model, or `shifts` for a guessed one, or `learn=True`, `fit`
    learns a model from all series by `rb.fit`, and trees are those of the learnt model.

    A series is an array (observations, or observations by columns), NaN for missing entries, or a series or data frame of
    pandas, polars and others, whose index or only column of dates is its time; `X` is one of them or a list of several, of
    any lengths; for models of other families it is what they read. Results are those of one series, or lists.

    Pickled and deep copies are without the executor, which belongs to this process; clones share it.

    Arguments:
        model: the model to start from. None takes the defaults of `rb.segment`, or guesses a `GaussianRBN` if it is to learn
            one.
        learn: whether to learn. None does if there is a model or shifts. False takes a model as it is.
        shifts: for a guessed model, the left child's transpositions and their probabilities. None: there are none.
        covariance: of a learnt model: "scalar", "diagonal", "circulant", "full", or "keep" for what the model has.
        level: for `transform` and `predict_change_points`, the depth at which to cut trees (0 is the root). None takes
            leaves.
        draws: trees drawn from each series' posterior.
        restarts: of learning, as for `rb.fit`. None takes some.
        exact: of learning, as for `rb.fit`.
        random_state: seed of all draws.
        executor: what runs the work, as for `rb.segment` and `rb.fit`. None takes threads.
        n_jobs: how many jobs of joblib run it instead, as for `rb.segment`. None leaves it to the executor.

    Attributes:
        model_: the learnt or given model; by default the most probable of the models that were averaged over, for a list of
            series a list.
        fit_: the `Fit` of a learnt model, else None.
        segmentation_: by default the `Segmentation` of the series, for a list of series a list; else None.
        n_features_in_: the number of columns that `fit` has seen.
        feature_names_in_: their names, if they have any.
    """

    n_features_in_: int
    model_: Any
    fit_: Fit[Any] | None
    segmentation_: Any
    _output: Output | None = None

    def __init__(
        self,
        *,
        model: Model[Any, Any, Any] | None = None,
        learn: bool | None = None,
        shifts: Mapping[Any, float] | None = None,
        covariance: Structure = "diagonal",
        level: int | None = None,
        draws: int = 1000,
        restarts: int | None = None,
        exact: int | Literal["auto"] | None = "auto",
        random_state: int = 0,
        executor: Executor | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.learn = learn
        self.shifts = shifts
        self.covariance = covariance
        self.level = level
        self.draws = draws
        self.restarts = restarts
        self.exact = exact
        self.random_state = random_state
        self.executor = executor
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, *, trees: Any = None, boundaries: Any = None) -> "HierarchicalSegmenter":
        """Learn the model, or keep what the default says of the series.

        Arguments:
            X: a series, or a list of them.
            y: not used; it is there for scikit-learn.
            trees: what is known of the trees, which are then learnt from: for every series a `Tree` or None. None: nothing.
            boundaries: positions at which segments may begin and end, for a list of series a list. "auto" finds them; None
                does so too by default and for long series, and has all positions else.
        """
        self._fit(X, trees, boundaries)
        return self

    def predict(self, X: Any, *, boundaries: Any = None) -> Any:
        """The tree of highest expected F1 of each series.

        Arguments:
            X: a series, or a list of them.
            boundaries: as for `fit`. None as there.
        """
        return self._each(X, boundaries, _tree)

    def predict_proba(self, X: Any, *, boundaries: Any = None) -> Any:
        """For each series, the probability (N + 1, N + 1) that a node spans from the row's to the column's position.

        Arguments:
            X: a series, or a list of them.
            boundaries: as for `fit`. None as there.
        """
        return self._each(X, boundaries, lambda found: found.probability)

    def predict_change_points(self, X: Any, *, boundaries: Any = None) -> Any:
        """For each series, the first row of every segment at `level` but the first: its position, or what its index says.

        Arguments:
            X: a series, or a list of them.
            boundaries: as for `fit`. None as there.
        """
        return self._each(X, boundaries, lambda found: found.change_points(self.level))

    def transform(self, X: Any, *, boundaries: Any = None) -> Any:
        """For each series, the number of its segment at `level` for every observation, in one column.

        Arguments:
            X: a series, or a list of them.
            boundaries: as for `fit`. None as there.
        """
        return self._each(X, boundaries, self._labels)

    def fit_predict(self, X: Any, y: Any = None, *, trees: Any = None, boundaries: Any = None) -> Any:
        """`fit`, and the trees of the same series.

        Arguments:
            X: a series, or a list of them.
            y: not used; it is there for scikit-learn.
            trees: as for `fit`. None as there.
            boundaries: as for `fit`. None as there.
        """
        return self._fit_and(X, trees, boundaries, _tree)

    def fit_transform(self, X: Any, y: Any = None, *, trees: Any = None, boundaries: Any = None) -> Any:
        """`fit`, and `transform` of the same series.

        Arguments:
            X: a series, or a list of them.
            y: not used; it is there for scikit-learn.
            trees: as for `fit`. None as there.
            boundaries: as for `fit`. None as there.
        """
        return self._fit_and(X, trees, boundaries, self._labels)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log evidence of the series; given their true trees, the mean F1 of the predicted nodes.

        By default the evidence is that of the average over models, given the length.

        Arguments:
            X: a series, or a list of them.
            y: the true `Tree`, or a list of them. None asks for the evidence.
        """
        check_is_fitted(self, "model_")
        given, _ = read_given(self, X, reset=False)
        truth = [y] if isinstance(y, Tree) else [] if y is None else listed(y, "y", "true Trees")
        if not any(isinstance(tree, Tree) for tree in truth):
            return float(np.mean(self._log_evidences(given)))
        if len(truth) != len(given) or not all(isinstance(tree, Tree) for tree in truth):
            raise DataError(f"y must hold a true Tree for each of the {len(given)} series")
        found = self._find(given, [None] * len(given))
        return float(np.mean([node_scores(one.tree, true).f1 for one, true in zip(found, truth, strict=True)]))

    def set_output(self, *, transform: Output | None = None) -> "HierarchicalSegmenter":
        """What `transform` returns from now on.

        Arguments:
            transform: "default" for arrays, "pandas" or "polars" for their data frames. None for no change.
        """
        if transform is not None:
            choice(transform, get_args(Output), "transform")
            self._output = transform
        return self

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """What the column of `transform` is called.

        Arguments:
            input_features: names of columns; if given, they must be those of `fit`. None will do.
        """
        check_is_fitted(self, "model_")
        names = None if input_features is None else listed(input_features, "input_features", "names of columns")
        try:
            super().get_feature_names_out(names)
        except ValueError as problem:
            raise DataError(str(problem)) from problem
        return np.array([COLUMN], dtype=np.object_)

    # Fitting

    def _fit(self, X: Any, trees: Any, boundaries: Any) -> "_Fitted":
        learns = self._check_settings()
        given, single = read_given(self, X, reset=True)
        places = _places(boundaries, len(given), single)
        known = None if trees is None else _known(trees, len(given), single)
        if known is not None and not learns:
            raise DataError("trees are there to be learnt from, and nothing is learnt by these settings; give learn=True")
        model = self.model
        if model is None and (learns or self.shifts is not None):
            model = GaussianRBN.guess([one.sequence for one in given], shifts=self.shifts)
        found = by_default(given, places, self._settings) if model is None else None
        learnt = self._learn(model, given, known, places) if learns else None
        self._n_features_out = 1
        self.fit_, self.segmentation_ = learnt, None
        self.model_ = model if learnt is None else learnt.model
        if found is not None:
            told = [one.segmentation for one in found]
            models = [one.model for one in told if one is not None]
            self.segmentation_, self.model_ = (told[0], models[0]) if single else (told, models)
        return _Fitted(given, single, places, found)

    def _check_settings(self) -> bool:
        """Before the work that is done in vain otherwise; says whether to learn."""
        whole_number(self.draws, "draws", least=1, most=MOST_DRAWS)
        whole_number(self.random_state, "random_state", least=0)
        if self.restarts is not None:
            whole_number(self.restarts, "restarts", least=0)
        if self.exact is not None and not (isinstance(self.exact, str) and self.exact == "auto"):
            whole_number(self.exact, 'exact (or "auto", or None)', least=0)
        choices_of(self.covariance, False, ())
        executor_of(self.executor, self.n_jobs)
        if self.level is not None:
            whole_number(self.level, "level", least=0)
        if self.learn is None:
            return self.model is not None or self.shifts is not None
        return flag(self.learn, "learn")

    def _learn(self, model: Any, given: list[Given], known: Any, places: list[Any]) -> Fit[Any]:
        return fit(
            model,
            [one.sequence for one in given],
            covariance=self.covariance,
            allowed=known,
            boundaries=places if any(one is not None for one in places) else None,
            restarts=self.restarts,
            exact=self.exact,
            seed=self.random_state,
            standard_errors=False,
            executor=self._runner,
        )

    # Finding

    def _find(self, given: list[Given], places: list[Any]) -> list[Found]:
        if self.segmentation_ is None:
            return by_model(self.model_, given, places, self._settings)
        return by_default(given, places, self._settings)

    @property
    def _settings(self) -> Settings:
        return Settings(self.draws, self.random_state, self._runner)

    @property
    def _runner(self) -> Executor | None:
        return executor_of(self.executor, self.n_jobs)

    def _log_evidences(self, given: list[Given]) -> list[float]:
        if self.segmentation_ is not None:
            return [found.posterior.log_evidence for found in self._find(given, [None] * len(given))]
        charts = inside(self.model_, [one.sequence for one in given], executor=self._runner)
        return [chart.log_evidence for chart in charts]

    def _labels(self, found: Found) -> Any:
        return found.labels(self.level, self._output)

    def _each(self, X: Any, boundaries: Any, tell: Callable[[Found], Any]) -> Any:
        check_is_fitted(self, "model_")
        given, single = read_given(self, X, reset=False)
        results = [tell(found) for found in self._find(given, _places(boundaries, len(given), single))]
        return results[0] if single else results

    def _fit_and(self, X: Any, trees: Any, boundaries: Any, tell: Callable[[Found], Any]) -> Any:
        """What the default found while fitting need not be found again."""
        given, single, places, found = self._fit(X, trees, boundaries)
        results = [tell(one) for one in (self._find(given, places) if found is None else found)]
        return results[0] if single else results

    # As scikit-learn's

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "executor": None}

    def __sklearn_clone__(self) -> "HierarchicalSegmenter":
        """Executors are shared, not copied."""
        cloned = super(HierarchicalSegmenter, copy.copy(self)).__sklearn_clone__()
        cloned.executor, cloned._output = self.executor, self._output
        return cloned

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = []
        return tags


class _Fitted(NamedTuple):
    """The series, whether there is only one, where they may be cut, and what the default found, if it was asked."""

    given: list[Given]
    single: bool
    places: list[Any]
    found: list[Found] | None


def _tree(found: Found) -> Tree:
    return found.tree


def _places(boundaries: Any, count: int, single: bool) -> list[Any]:
    return [one.boundaries for one in constraints_of({"boundaries": boundaries}, count, single)]


def _known(trees: Any, count: int, single: bool) -> list[OnlySpans | None]:
    given = [trees] if single and (trees is None or isinstance(trees, Tree)) else listed(trees, "trees", "Trees")
    if len(given) != count or not all(tree is None or isinstance(tree, Tree) for tree in given):
        raise DataError(f"trees must hold a Tree or None for each of the {count} series")
    return [None if tree is None else tree.only_spans() for tree in given]
