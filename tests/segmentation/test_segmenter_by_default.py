"""The segmenter without a model: what `rb.segment` says, in the manner of scikit-learn."""

import pickle

import numpy as np
import pandas
import polars
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import recbayes as rb
from recbayes.errors import DataError, ModelError

RNG = np.random.default_rng(0)
JUMP = np.repeat([0.0, 2.0], 12) + 0.2 * RNG.normal(size=24)
STEPS = np.repeat([0.0, 3.0, -2.0], [8, 9, 10]) + 0.2 * RNG.normal(size=27)
DAYS = pandas.date_range("2024-01-01", periods=24, freq="D")


def segmenter(**settings: object) -> rb.HierarchicalSegmenter:
    return rb.HierarchicalSegmenter(**{"draws": 50, **settings})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def jump() -> rb.HierarchicalSegmenter:
    return segmenter().fit(JUMP)


def test_one_series_is_segmented_and_nothing_is_learnt(jump: rb.HierarchicalSegmenter) -> None:
    expected = rb.segment(JUMP, draws=50, seed=0)
    assert isinstance(jump.segmentation_, rb.Segmentation)
    assert jump.segmentation_.changes == expected.changes
    assert jump.segmentation_.tree == expected.tree
    assert jump.fit_ is None
    assert jump.model_ == expected.model
    assert jump.n_features_in_ == 1
    assert jump.predict(JUMP) == expected.tree
    np.testing.assert_array_equal(jump.predict_proba(JUMP), expected.posterior.node_probability)
    assert jump.predict_change_points(JUMP) == expected.change_points == [12]
    np.testing.assert_array_equal(jump.transform(JUMP), np.repeat([[0], [1]], 12, axis=0))
    assert jump.score(JUMP) == pytest.approx(expected.posterior.log_evidence)
    assert jump.score(JUMP, expected.tree) == 1.0


def test_the_defaults_are_those_of_segment() -> None:
    assert rb.HierarchicalSegmenter().fit_predict(JUMP) == rb.segment(JUMP, seed=0).tree


def test_each_of_several_series_is_segmented_by_itself(jump: rb.HierarchicalSegmenter) -> None:
    both = segmenter().fit([JUMP, STEPS])
    assert [one.change_points for one in both.segmentation_] == [[12], [8, 17]]
    assert [isinstance(model, rb.GaussianRBN) for model in both.model_] == [True, True]
    steps = rb.segment(STEPS, draws=50, seed=0)
    assert both.predict([STEPS, JUMP]) == [steps.tree, jump.segmentation_.tree]
    assert both.predict_change_points([STEPS, JUMP]) == [[8, 17], [12]]
    assert [labels.shape for labels in both.transform([STEPS, JUMP])] == [(27, 1), (24, 1)]
    assert both.score([STEPS, JUMP]) == pytest.approx(
        (steps.posterior.log_evidence + jump.segmentation_.posterior.log_evidence) / 2.0
    )


def test_fitting_and_telling_at_once(jump: rb.HierarchicalSegmenter) -> None:
    one = segmenter()
    assert one.fit_predict(JUMP) == jump.predict(JUMP) == one.segmentation_.tree
    np.testing.assert_array_equal(segmenter().fit_transform(JUMP), jump.transform(JUMP))
    assert [len(tree.leaves) for tree in one.fit_predict([JUMP, STEPS])] == [2, 3]


def test_trees_are_cut_at_a_level() -> None:
    steps = segmenter(level=1).fit(STEPS)
    tree = steps.segmentation_.tree
    cut = tree.cut(1)
    assert len(cut) == 2 < len(tree.leaves)
    assert steps.predict_change_points(STEPS) == [cut[1][0]]
    assert np.unique(steps.transform(STEPS)).tolist() == [0, 1]
    assert segmenter(level=0).fit(STEPS).predict_change_points(STEPS) == []


@pytest.mark.parametrize(
    "data",
    [JUMP.tolist(), JUMP[:, None], pandas.Series(JUMP), polars.Series(JUMP), rb.Series(JUMP), np.ma.masked_invalid(JUMP)],
    ids=lambda data: type(data).__name__,
)
def test_plain_series_of_any_kind(jump: rb.HierarchicalSegmenter, data: object) -> None:
    found = segmenter()
    assert found.fit_predict(data) == jump.segmentation_.tree
    assert found.predict_change_points(data) == [12]
    assert found.transform(data).shape == (24, 1)


def test_change_points_are_told_in_terms_of_the_index() -> None:
    stamped = pandas.Series(JUMP, index=DAYS)
    assert segmenter().fit(stamped).predict_change_points(stamped) == [DAYS[12]]
    table = polars.DataFrame({"day": DAYS.to_list(), "a": JUMP, "b": -JUMP})
    found = segmenter().fit(table)
    assert found.feature_names_in_.tolist() == ["a", "b"]
    assert found.predict_change_points(table) == [table["day"][12]]
    assert isinstance(found.segmentation_.table(), polars.DataFrame)
    years = rb.data.nile()
    model = rb.GaussianRBN.guess(np.array(years)[:40], extra_observations=True)
    taken = rb.HierarchicalSegmenter(model=model, learn=False, draws=20).fit(years)
    points = taken.predict_change_points(years)
    assert points == [int(years.index[node.start]) for node in taken.predict(years).leaves[1:]]


def test_columns_must_be_those_that_were_fitted() -> None:
    frame = pandas.DataFrame({"a": JUMP, "b": -JUMP}, index=DAYS)
    found = segmenter().fit(frame)
    assert (found.n_features_in_, found.feature_names_in_.tolist()) == (2, ["a", "b"])
    with pytest.raises(DataError, match="feature names should match"):
        found.predict(frame.rename(columns={"b": "c"}))
    with pytest.raises(DataError, match="same order"):
        found.predict(frame[["b", "a"]])
    with (
        pytest.warns(UserWarning, match="does not have valid feature names"),
        pytest.raises(DataError, match="has 1 features"),
    ):
        found.predict(JUMP)
    assert found.predict([frame]) == [found.predict(frame)]
    with pytest.raises(DataError, match="no numbers"):
        found.predict(frame.assign(b="text"))


@pytest.mark.parametrize(("name", "library"), [("pandas", pandas), ("polars", polars)])
def test_labels_in_frames(name: str, library: object) -> None:
    frame = pandas.DataFrame({"a": JUMP}, index=DAYS)
    found = segmenter().set_output(transform=name).fit(frame)  # type: ignore[arg-type]
    labels = found.transform(frame)
    assert isinstance(labels, library.DataFrame)  # type: ignore[attr-defined]
    assert list(labels.columns) == found.get_feature_names_out().tolist() == ["segment"]
    assert labels["segment"].to_list() == [0] * 12 + [1] * 12
    several = found.fit_transform([frame, frame])
    assert all(one.equals(labels) for one in several)
    if name == "pandas":
        assert labels.index.equals(frame.index)
        assert several[1].index.equals(frame.index)
    assert isinstance(clone(found).fit_transform(frame), library.DataFrame)  # type: ignore[attr-defined]
    assert isinstance(found.set_output(transform="default").transform(frame), np.ndarray)


def test_output_may_be_set_for_all_of_scikit_learn(jump: rb.HierarchicalSegmenter) -> None:
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(jump.transform(JUMP), pandas.DataFrame)
        assert [type(one) for one in jump.transform([JUMP])] == [pandas.DataFrame]
    assert isinstance(jump.transform(JUMP), np.ndarray)
    with pytest.raises(ModelError, match="transform must be 'default', 'pandas' or 'polars'"):
        jump.set_output(transform="arrow")  # type: ignore[arg-type]
    assert jump.set_output() is jump


def test_segments_begin_where_they_may() -> None:
    found = segmenter().fit(JUMP, boundaries=[6, 12])
    assert found.segmentation_.points.positions.tolist() == [0, 6, 12, 24]
    assert found.predict_change_points(JUMP, boundaries=[6, 12]) == [12]
    assert found.predict_change_points([JUMP, STEPS], boundaries=[[], None]) == [[], [8, 17]]
    assert found.predict_proba(JUMP, boundaries=[12])[0, 6] == 0.0
    with pytest.raises(DataError, match="a list with one entry for each of the 2 series"):
        found.predict([JUMP, STEPS], boundaries=[3])


def test_pipelines() -> None:
    pipeline = make_pipeline(StandardScaler(), segmenter()).set_output(transform="pandas")
    labels = pipeline.fit_transform(pandas.DataFrame({"a": JUMP}, index=DAYS))
    assert labels.index.equals(DAYS)
    assert labels["segment"].tolist() == [0] * 12 + [1] * 12


def test_copies(jump: rb.HierarchicalSegmenter) -> None:
    copied = pickle.loads(pickle.dumps(jump))
    assert copied.segmentation_.tree == jump.segmentation_.tree
    assert copied.predict(JUMP) == jump.segmentation_.tree
    fresh = clone(jump)
    assert fresh.get_params() == jump.get_params()
    with pytest.raises(NotFittedError):
        fresh.predict(JUMP)


def test_requests_of_metadata_are_cloned() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        asked = segmenter().set_fit_request(boundaries=True)
        assert clone(asked).get_metadata_routing().fit.requests["boundaries"] is True


def test_refitting_forgets() -> None:
    found = segmenter().fit(JUMP)
    model = rb.GaussianRBN.guess(JUMP)
    found.set_params(model=model, learn=False).fit(JUMP)
    assert found.segmentation_ is None
    assert found.model_ is model
    found.set_params(model=None, learn=None)
    with pytest.raises(DataError, match="all observations are missing"):
        found.fit([np.nan, np.nan])
    assert found.model_ is model  # as before


def test_settings_are_checked_before_the_work() -> None:
    for name, value in {"draws": 0, "random_state": None, "level": -1, "restarts": -1, "exact": 1.5, "learn": "no"}.items():
        with pytest.raises(ModelError, match=name):
            segmenter(**{name: value}).fit(JUMP)
    with pytest.raises(ModelError, match="covariance"):
        segmenter(covariance="round").fit(JUMP)
