"""The segmenter in the manner of scikit-learn."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import recbayes as rb
from recbayes.errors import DataError

pytestmark = pytest.mark.slow

MODEL = rb.GaussianRBN.create(dim=2, noise_std=0.05, left_std=0.5, right_std=0.5, termination=0.6, extra_observations=4.0)
NONSENSE = {
    "check_methods_sample_order_invariance": "the order of observations is what a series is about",
    "check_methods_subset_invariance": "observations of a series belong together",
    "check_estimators_pickle": "predictions are trees, which the check cannot compare as numbers",
    "check_fit_idempotent": "predictions are trees, which the check cannot compare as numbers",
}


def pairs(count: int) -> tuple[list[np.ndarray], list[rb.Tree]]:
    drawn = [MODEL.sample(seed=seed, min_length=12, max_length=30) for seed in range(count)]
    return [y for y, _ in drawn], [tree for _, tree in drawn]


@parametrize_with_checks(
    [rb.HierarchicalSegmenter(draws=20, covariance="scalar")],
    expected_failed_checks=lambda estimator: NONSENSE,
)
def test_estimator_checks(estimator: rb.HierarchicalSegmenter, check) -> None:  # type: ignore[no-untyped-def]
    check(estimator)


def test_trees_probabilities_and_segments() -> None:
    series, trees = pairs(8)
    segmenter = rb.HierarchicalSegmenter(covariance="scalar", draws=200).fit(series)
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


def test_pipelines_and_cross_validation() -> None:
    series, _ = pairs(6)
    values = cross_val_score(rb.HierarchicalSegmenter(covariance="scalar", draws=20), series, cv=3)
    assert values.shape == (3,)
    assert np.isfinite(values).all()
    search = GridSearchCV(rb.HierarchicalSegmenter(draws=20), {"covariance": ["scalar", "diagonal"]}, cv=2).fit(series)
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
        one, two = (rb.HierarchicalSegmenter(draws=20, covariance="scalar").fit(given) for given in (data, same))
        np.testing.assert_allclose(one.fit_.vector, two.fit_.vector, rtol=1e-6)  # memory laid out otherwise rounds otherwise
    with pytest.raises(ValueError, match="X has 3 features, but HierarchicalSegmenter is expecting 2"):
        two.predict(np.zeros((4, 3)))


def test_executors_are_shared_by_clones_and_stay_behind_in_copies() -> None:
    series, _ = pairs(4)
    with ThreadPoolExecutor(2) as pool:
        segmenter = rb.HierarchicalSegmenter(draws=20, covariance="scalar", executor=pool)
        assert clone(segmenter).executor is pool
        segmenter.fit(series[:1])
        for copied in (pickle.loads(pickle.dumps(segmenter)), copy.deepcopy(segmenter)):
            assert copied.executor is None
            assert copied.predict(series[0]) == segmenter.predict(series[0])
        assert np.isfinite(cross_val_score(segmenter, series, cv=2)).all()
