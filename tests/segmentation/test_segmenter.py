"""The segmenter in the manner of scikit-learn: what scikit-learn asks of it, and models that it learns."""

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import (
    check_global_output_transform_pandas,
    check_global_set_output_transform_polars,
    check_set_output_transform,
    check_set_output_transform_pandas,
    check_set_output_transform_polars,
    check_transformer_get_feature_names_out,
    check_transformer_get_feature_names_out_pandas,
    parametrize_with_checks,
)

import recbayes as rb
from recbayes.errors import DataError

pytestmark = pytest.mark.slow

MODEL = rb.GaussianRBN.create(dim=2, noise_std=0.05, left_std=0.5, right_std=0.5, termination=0.6, extra_observations=4.0)
QUICK: dict[str, Any] = {"draws": 20, "covariance": "scalar", "restarts": 0, "exact": None}
NONSENSE = {
    "check_methods_sample_order_invariance": "the order of observations is what a series is about",
    "check_methods_subset_invariance": "observations of a series belong together",
    "check_estimators_pickle": "predictions are trees, which the check cannot compare as numbers",
    "check_fit_idempotent": "predictions are trees, which the check cannot compare as numbers",
    "check_fit1d": "a series may have one dimension",
    "check_fit2d_predict1d": "a series may have one dimension: the complaint is of the number of columns",
}


def pairs(count: int) -> tuple[list[np.ndarray], list[rb.Tree]]:
    drawn = [MODEL.sample(seed=seed, min_length=12, max_length=30) for seed in range(count)]
    return [y for y, _ in drawn], [tree for _, tree in drawn]


@parametrize_with_checks(
    [
        rb.HierarchicalSegmenter(draws=20),
        rb.HierarchicalSegmenter(learn=True, **QUICK),
    ],
    expected_failed_checks=lambda estimator: NONSENSE,
)
def test_estimator_checks(estimator: rb.HierarchicalSegmenter, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
@pytest.mark.parametrize(
    "check",
    [
        check_set_output_transform,
        check_set_output_transform_pandas,
        check_global_output_transform_pandas,
        check_set_output_transform_polars,
        check_global_set_output_transform_polars,
        check_transformer_get_feature_names_out,
        check_transformer_get_feature_names_out_pandas,
    ],
)
def test_checks_of_output_that_scikit_learn_keeps_for_itself(check: Callable[[str, object], None]) -> None:
    check("HierarchicalSegmenter", rb.HierarchicalSegmenter(draws=20))


def test_trees_probabilities_and_segments() -> None:
    series, trees = pairs(8)
    segmenter = rb.HierarchicalSegmenter(learn=True, covariance="scalar", draws=200).fit(series)
    found = segmenter.predict(series)
    assert segmenter.score(series, trees) > 0.6
    assert segmenter.score(series, trees) == pytest.approx(np.mean([rb.node_scores(a, b).f1 for a, b in zip(found, trees)]))  # noqa: B905
    for y, tree, probability, labels in zip(
        series, found, segmenter.predict_proba(series), segmenter.transform(series), strict=True
    ):
        assert probability.shape == (len(y) + 1, len(y) + 1)
        assert probability[0, len(y)] == pytest.approx(1.0)
        assert labels.shape == (len(y), 1)
        starts = [node.start for node in tree.leaves]
        np.testing.assert_array_equal(labels[:, 0], np.searchsorted(starts, np.arange(len(y)), side="right") - 1)
    cut = clone(segmenter).set_params(level=1).fit(series).transform(series[0])
    assert len(np.unique(cut)) == len(found[0].cut(1))
    assert isinstance(segmenter.predict(series[0]), rb.Tree)
    assert segmenter.score(series) == pytest.approx(np.mean([rb.inside(segmenter.model_, y).log_evidence for y in series]))


def test_known_trees_are_used() -> None:
    series, trees = pairs(4)
    known = rb.HierarchicalSegmenter(model=MODEL, covariance="scalar", draws=50).fit(
        series, trees=[trees[0], None, trees[2], None]
    )
    masks = [trees[0].span_mask(), None, trees[2].span_mask(), None]
    expected = rb.fit(MODEL, series, covariance="scalar", allowed=masks, standard_errors=False)
    np.testing.assert_array_equal(known.fit_.vector, expected.vector)
    with pytest.raises(DataError, match="a Tree or None for each of the 4"):
        rb.HierarchicalSegmenter().fit(series, trees=trees[:2])
    with pytest.raises(DataError, match="nothing is learnt by these settings; give learn=True"):
        rb.HierarchicalSegmenter().fit(series, trees=trees)


def test_models_are_learnt_from_boundaries_and_trees_keep_to_them() -> None:
    series, trees = pairs(3)
    places = [[node.start for node in tree.leaves] for tree in trees]
    segmenter = rb.HierarchicalSegmenter(model=MODEL, covariance="scalar", draws=50).fit(series, boundaries=places)
    expected = rb.fit(MODEL, series, covariance="scalar", boundaries=places, standard_errors=False)
    np.testing.assert_array_equal(segmenter.fit_.vector, expected.vector)
    for tree, allowed in zip(segmenter.predict(series, boundaries=places), places, strict=True):
        assert {node.start for node in tree.nodes} <= set(allowed)
    found = segmenter.predict(series[0], boundaries=places[0])
    assert segmenter.predict_change_points(series[0], boundaries=places[0]) == [node.start for node in found.leaves[1:]]


def test_a_model_may_be_taken_as_it_is() -> None:
    series, _ = pairs(2)
    segmenter = rb.HierarchicalSegmenter(model=MODEL, learn=False, draws=50).fit(series)
    assert segmenter.model_ is MODEL
    assert segmenter.fit_ is segmenter.segmentation_ is None
    expected = rb.sample_posterior(MODEL, series, draws=50, seed=0)
    assert segmenter.predict(series) == [posterior.tree() for posterior in expected]
    assert segmenter.score(series) == pytest.approx(np.mean([rb.inside(MODEL, y).log_evidence for y in series]))


def test_shifts_are_learnt_with() -> None:
    series, _ = pairs(2)
    segmenter = rb.HierarchicalSegmenter(shifts={0: 0.5, 1: 0.5}, covariance="scalar", draws=20).fit(series)
    guessed = rb.GaussianRBN.guess(series, shifts={0: 0.5, 1: 0.5})
    expected = rb.fit(guessed, series, covariance="scalar", standard_errors=False)
    np.testing.assert_array_equal(segmenter.fit_.vector, expected.vector)


def test_pipelines_and_cross_validation() -> None:
    series, _ = pairs(6)
    values = cross_val_score(rb.HierarchicalSegmenter(learn=True, covariance="scalar", draws=20), series, cv=3)
    assert values.shape == (3,)
    assert np.isfinite(values).all()
    choices = {"covariance": ["scalar", "diagonal"]}
    search = GridSearchCV(rb.HierarchicalSegmenter(learn=True, draws=20), choices, cv=2).fit(series)
    assert search.best_params_["covariance"] in ("scalar", "diagonal")
    pipeline = make_pipeline(StandardScaler(), rb.HierarchicalSegmenter(draws=50)).fit(series[0])
    assert isinstance(pipeline.predict(series[0]), rb.Tree)
    assert pipeline.transform(series[0]).shape == (len(series[0]), 1)


def test_data_frames() -> None:
    series, _ = pairs(3)
    frames = [pandas.DataFrame(y, columns=["a", "b"]) for y in series]
    frames[0].iloc[2, 1] = None
    series[0][2, 1] = np.nan
    for data, same in ((frames, series), (frames[0], series[0])):
        one, two = (rb.HierarchicalSegmenter(learn=True, **QUICK).fit(given) for given in (data, same))
        np.testing.assert_allclose(one.fit_.vector, two.fit_.vector, rtol=1e-6)  # memory laid out otherwise rounds otherwise
    with pytest.raises(ValueError, match="X has 3 features, but HierarchicalSegmenter is expecting 2"):
        two.predict(np.zeros((4, 3)))


def test_executors_are_shared_by_clones_and_stay_behind_in_copies() -> None:
    series, _ = pairs(4)
    with ThreadPoolExecutor(2) as pool:
        segmenter = rb.HierarchicalSegmenter(learn=True, executor=pool, **QUICK)
        assert clone(segmenter).executor is pool
        segmenter.fit(series[:1])
        for copied in (pickle.loads(pickle.dumps(segmenter)), copy.deepcopy(segmenter)):
            assert copied.executor is None
            assert copied.predict(series[0]) == segmenter.predict(series[0])
        assert np.isfinite(cross_val_score(segmenter, series, cv=2)).all()
