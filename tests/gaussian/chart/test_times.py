"""Series with times are series on the full grid: NaN where nothing was observed, cut only before what was.

That is the oracle of everything here: it knows no times. Where several observations share a tick, it has their mean there,
with as much less noise.
"""

import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recbayes as rb
from recbayes.checks.series import Series, as_series
from recbayes.errors import DataError
from recbayes.gaussian.chart.inside import inside_one
from recbayes.gaussian.family import GAUSSIAN
from recbayes.gaussian.posterior import careful
from recbayes.gaussian.posterior.careful import careful_log_joint
from recbayes.spans.constraints import Constraints
from tests.random_models import long_leaves, one_variable, spread, two_variables

MODELS = st.one_of(one_variable(max_dim=2), two_variables(), long_leaves())


class Pair(NamedTuple):
    """A series with times, and the same on the grid."""

    model: rb.GaussianRBN
    timed: rb.Series
    grid: np.ndarray | rb.Series
    begins: np.ndarray  # the row of the grid at which every observation stands, and its end

    @property
    def cuts(self) -> np.ndarray:
        return self.begins[1:-1]

    def on_grid(self, tree: rb.Tree) -> rb.Tree:
        nodes = [
            rb.Node(int(self.begins[node.start]), int(self.begins[node.end]), node.label, node.rule) for node in tree.nodes
        ]
        return rb.Tree(nodes, tree.arities)

    def possible(self) -> bool:
        """Whether there is any tree; both must agree."""
        try:
            rb.inside(self.model, self.grid, boundaries=self.cuts)
        except rb.LengthError:
            with pytest.raises(rb.LengthError, match=f"in {self.begins[-1]} ticks of their times"):
                rb.inside(self.model, self.timed)
            return False
        return True

    def both(self, verb: Callable[..., Any], **settings: Any) -> tuple[Any, Any]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rb.ApproximationWarning)
            return verb(self.model, self.timed, **settings), verb(self.model, self.grid, boundaries=self.cuts, **settings)


@st.composite
def pairs(draw: st.DrawFn, most: int = 7, models: Any = MODELS) -> Pair:
    model = draw(models)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    steps = draw(st.lists(st.integers(1, 4), max_size=most - 1))
    begins = np.cumsum([0, *steps, 1])
    y = rng.normal(size=(len(steps) + 1, model.observed_dim))
    if draw(st.booleans()):
        y[rng.random(y.shape) < 0.2] = np.nan
    grid = np.full((begins[-1], model.observed_dim), np.nan)
    grid[begins[:-1]] = y
    unit = draw(st.floats(1e-3, 1e3))
    times = draw(st.floats(-100.0, 100.0)) + unit * begins[:-1]
    if draw(st.booleans()):
        return Pair(model, rb.Series(y, None, times, unit), grid, begins)
    noise = np.array([spread(rng, model.observed_dim) for _ in range(begins[-1])])
    return Pair(model, rb.Series(y, noise[begins[:-1]], times, unit), rb.Series(grid, noise), begins)


def close(one: Any, other: Any, tolerance: float = 1e-8) -> None:
    np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@given(pairs())
def test_evidence_and_gradient(pair: Pair) -> None:
    if pair.possible():
        one, other = pair.both(rb.log_evidence_and_gradient)
        close(one.log_evidence, other.log_evidence)
        close(one.gradient, other.gradient, 1e-6)


@settings(max_examples=30)
@given(pairs(most=5), st.integers(2, 4))
def test_several_gaussians_per_message(pair: Pair, components: int) -> None:
    if pair.possible():
        one, other = pair.both(rb.inside, components=components)
        close(one.log_evidence, other.log_evidence, 1e-6)


@settings(max_examples=40)
@given(pairs())
def test_trees_and_node_probabilities(pair: Pair) -> None:
    if not pair.possible():
        return
    one, other = pair.both(rb.inside)
    assert pair.on_grid(rb.best_tree(one)) == rb.best_tree(other)
    spans = np.ix_(pair.begins, pair.begins)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)
        for verb in (rb.quick_node_probability, rb.outside):
            found, expected = verb(one).node_probability, verb(other).node_probability
            close(found, expected[spans], 1e-6)
            expected[spans] = 0.0
            assert (expected == 0.0).all()
        tree = rb.best_tree(one)
        for node in tree.nodes:
            found, expected = (
                rb.outside(chart).node(*span, node.label)
                for chart, span in ((one, node.span), (other, tuple(pair.begins[list(node.span)])))
            )
            close(found.log_coefficient, expected.log_coefficient, 1e-6)
            close(found.mean, expected.mean, 1e-6)


@settings(max_examples=40)
@given(pairs(most=10), st.integers(0, 100))
def test_draws(pair: Pair, seed: int) -> None:
    """Of few trees, which are listed, and of many; and what is known of trees once they are there."""
    if not pair.possible():
        return
    one, other = pair.both(rb.sample_posterior, draws=20, seed=seed, components=1)
    close(one.log_evidence, other.log_evidence)
    close(one.log_weights, other.log_weights)
    assert one.enumerated == other.enumerated
    for number in range(0, 20, 5):
        tree = one.trees[number]
        assert pair.on_grid(tree) == other.trees[number]
        assert pair.on_grid(one.tree(rb.MostProbable())) == other.tree(rb.MostProbable())
    close(one.node_probability, other.node_probability[np.ix_(pair.begins, pair.begins)])
    close(one.boundary_probability, other.boundary_probability[pair.begins])
    assert pair.on_grid(one.tree()).spans == other.tree().spans


@pytest.mark.parametrize("length", [rb.Geometric(5.0, 3), rb.LengthTable((0.0, 0.0, 0.5, 0.2, 0.3))], ids=repr)
def test_all_trees_are_listed(length: Any) -> None:
    """Of leaves that are long enough in time, if not in observations, and none that are too short."""
    rules = rb.Split(0.4, "x", "x", rb.Link(np.eye(1)), rb.Link(np.eye(1))), rb.Emit(0.6, np.eye(1), length)
    model = rb.GaussianRBN((rb.Variable("x", 1, rules),), rb.Prior("x", (rb.Component(np.zeros(1), np.eye(1)),)))
    begins = np.array([0, 3, 4, 7, 9, 11, 12])
    y = np.random.default_rng(0).normal(size=(6, 1))
    grid = np.full((12, 1), np.nan)
    grid[begins[:-1]] = y
    pair = Pair(model, rb.Series(y, None, begins[:-1], 1.0), grid, begins)
    one, other = pair.both(rb.sample_posterior, draws=3000, seed=0)
    assert one.enumerated
    found = {pair.on_grid(tree).spans for tree in one.trees}
    assert found == {tree.spans for tree in other.trees}
    assert all(end - start >= 3 for spans in found for start, end in spans)
    assert any(span in spans for spans in found for span in ((0, 3), (4, 7)))  # leaves of one and two observations
    close(one.log_evidence, other.log_evidence)


@settings(max_examples=40)
@given(pairs())
def test_given_trees(pair: Pair) -> None:
    if not pair.possible():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rb.ApproximationWarning)  # one draw says little
        tree = rb.sample_posterior(pair.model, pair.timed, draws=1, seed=0, components=1).trees[0]
    expected = rb.log_joint(pair.model, pair.grid, pair.on_grid(tree))
    close(rb.log_joint(pair.model, pair.timed, tree), expected)
    checked = as_series(pair.timed, pair.model.observed_dim)
    close(careful_log_joint(pair.model, checked, tree), expected, 1e-6)
    values, others = (rb.smooth(pair.model, *given).nodes for given in ((pair.timed, tree), (pair.grid, pair.on_grid(tree))))
    for node, other in zip(values, others, strict=True):
        close(node.value, other.value)
        close(node.covariance, other.covariance)


@settings(max_examples=30)
@given(pairs())
def test_exact_learning(pair: Pair) -> None:
    """Evidence around a model, by draws there, and its slopes."""
    if not pair.possible():
        return
    parameters = rb.Parameters(pair.model)
    moved = parameters.with_vector(parameters.vector() + 0.05)
    results = []
    for series, constraints in ((pair.timed, Constraints()), (pair.grid, Constraints(boundaries=pair.cuts))):
        checked = as_series(series, pair.model.observed_dim)
        drawn = GAUSSIAN.draw_around(pair.model, checked, constraints, 10, 0)
        around = GAUSSIAN.evaluate_around(moved, checked, constraints, drawn)
        results.append((around.log_evidence, parameters.pull_back(moved, around.slopes)))
    close(results[0][0], results[1][0])
    close(results[0][1], results[1][1], 1e-6)


@settings(max_examples=30)
@given(pairs(), st.data())
def test_constraints(pair: Pair, data: st.DataObject) -> None:
    """Boundaries and allowed spans are those of observations, with times too."""
    length = len(pair.begins) - 1
    points = sorted(data.draw(st.sets(st.integers(0, length))))
    here = pair._replace(begins=pair.begins[sorted({0, *points, length})])
    allowed = np.random.default_rng(length).random((length + 1, length + 1)) < 0.8
    allowed[0, length] = True
    wide = np.zeros((pair.begins[-1] + 1,) * 2, dtype=bool)
    wide[np.ix_(pair.begins, pair.begins)] = allowed
    for known, other in (({"boundaries": points}, {}), ({"allowed": allowed, "boundaries": points}, {"allowed": wide})):
        try:
            expected = rb.inside(pair.model, pair.grid, boundaries=here.cuts, **other).log_evidence  # type: ignore[arg-type]
        except rb.LengthError:
            with pytest.raises(rb.LengthError, match="under what is known of its trees"):
                rb.inside(pair.model, pair.timed, **known)  # type: ignore[arg-type]
            continue
        close(rb.inside(pair.model, pair.timed, **known).log_evidence, expected)  # type: ignore[arg-type]


@given(st.one_of(one_variable(max_dim=2), long_leaves()), st.lists(st.integers(0, 3), max_size=8), st.integers(0, 2**32 - 1))
def test_observations_of_one_tick(model: rb.GaussianRBN, steps: list[int], seed: int) -> None:
    """They are in one leaf: n of them are their mean with noise R / n, and a constant that no tree changes."""
    rng = np.random.default_rng(seed)
    columns = model.observed_dim
    R, ticks = spread(rng, columns), np.cumsum([0, *steps])
    y = rng.normal(size=(len(ticks), columns))
    begins = np.append(np.unique(ticks), ticks[-1] + 1)
    grid, noise = np.full((begins[-1], columns), np.nan), np.array([R] * begins[-1])
    constant = 0.0
    for tick in begins[:-1]:
        here = y[ticks == tick]
        n = len(here)
        grid[tick], noise[tick] = here.mean(axis=0), R / n
        apart = here - grid[tick]
        constant -= 0.5 * ((n - 1) * np.linalg.slogdet(2 * np.pi * R)[1] + columns * np.log(n))
        constant -= 0.5 * np.trace(apart @ np.linalg.solve(R, apart.T))
    timed = rb.Series(y, np.array([R] * len(y)), 60.0 * ticks, 60.0)
    first = np.append(np.flatnonzero(np.diff(ticks, prepend=-1)), len(y))  # observations at which ticks begin
    pair = Pair(model, timed, rb.Series(grid, noise), begins)
    if not pair.possible():
        return
    one, other = pair.both(rb.log_evidence_and_gradient)
    close(one.log_evidence, other.log_evidence + constant)
    close(one.gradient, other.gradient, 1e-6)
    one, other = pair.both(rb.sample_posterior, draws=10, seed=0, components=1)
    close(one.node_probability[np.ix_(first, first)], other.node_probability[np.ix_(begins, begins)])
    tree = one.trees[0]
    assert set(np.ravel(tree.spans)) <= set(first.tolist())
    nodes = [rb.Node(*(int(begins[first.tolist().index(edge)]) for edge in n.span), n.label, n.rule) for n in tree.nodes]
    expected = rb.log_joint(model, pair.grid, rb.Tree(nodes, tree.arities)) + constant
    close(rb.log_joint(model, timed, tree), expected)
    close(careful_log_joint(model, as_series(timed, columns), tree), expected, 1e-6)


def test_no_leaf_ends_within_a_tick() -> None:
    model = rb.GaussianRBN.create(1, extra_observations=2.0)
    series = rb.Series(np.zeros((4, 1)), None, np.array([0.0, 1.0, 1.0, 2.0]))
    within, before = (rb.Tree.from_spans([(0, 4), (0, cut), (cut, 4)]) for cut in (2, 1))
    assert rb.log_joint(model, series, within) == -np.inf
    assert careful_log_joint(model, as_series(series, 1), within) == -np.inf
    assert np.isfinite(rb.log_joint(model, series, before))
    with pytest.raises(DataError, match="cannot generate the series with this tree"):
        rb.smooth(model, series, within)
    with pytest.raises(rb.LengthError, match="no two share a tick"):
        rb.inside(model, series, allowed=within.span_mask())
    chart = rb.inside(model, series, boundaries=[2])  # candidates: this one is none
    assert chart.log_evidence == rb.inside(model, series, boundaries=[]).log_evidence
    assert rb.sample_posterior(model, series, draws=50, seed=0).boundary_probability[2] == 0.0


def test_regular_times_change_nothing() -> None:
    model = rb.GaussianRBN.create(2, shifts={0: 0.5, 1: 0.5}, extra_observations=2.0)
    y = model.sample(seed=0, min_length=25, max_length=25)[0]
    timed = rb.Series(y, None, np.datetime64("2024-01-01T00") + np.arange(25) * np.timedelta64(6, "h"))
    assert rb.inside(model, timed).log_evidence == rb.inside(model, y).log_evidence
    one, other = (rb.sample_posterior(model, given, draws=30, seed=1, components=1) for given in (timed, y))
    assert [one.trees[n] for n in range(30)] == [other.trees[n] for n in range(30)]


def test_long_gaps_are_cheap() -> None:
    """A chart is as large as there are observations, however long the time between them."""
    model = rb.GaussianRBN.create(1, extra_observations=1e5)
    y = np.random.default_rng(0).normal(size=(20, 1))
    chart = rb.inside(model, rb.Series(y, None, np.arange(20) * 100_000, 1.0))  # type: ignore[arg-type]
    assert chart.messages.size == rb.inside(model, y).messages.size
    assert np.isfinite(chart.log_evidence)


@pytest.mark.parametrize("steps", [[1, 1], [1, 3], [1, 0]])
def test_states_of_chains(steps: list[int]) -> None:
    """Regular times are none. A chain cannot pass a gap (NaN can), and has no states for observations of one tick."""
    model = rb.LinearDynamicalSystem([[0.9]], [[0.1]], [[1.0]], [[0.1]], [0.0], [[1.0]])
    y = np.array([[0.3], [0.5], [0.1]])
    series = rb.Series(y, None, np.cumsum([0.0, *steps]), 1.0)
    if steps == [1, 1]:
        close(rb.filtered_states(model, series).mean, rb.filtered_states(model, y).mean)
        close(rb.smoothed_states(model, series).mean, rb.smoothed_states(model, y).mean)
    elif steps == [1, 3]:
        with pytest.raises(rb.LengthError, match=r"3 observations in 5 ticks of their times.*Leaves last through the gaps"):
            rb.filtered_states(model, series)
    else:
        assert np.isfinite(rb.inside(model, series).log_evidence)
        for verb in (rb.filtered_states, rb.smoothed_states):
            with pytest.raises(DataError, match="some of the series' times are in one tick"):
                verb(model, series)


def test_long_ill_conditioned_series(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of which the beginning is looked at: its times go with it."""
    noise = np.array([[1.0, 1.0 - 1e-9], [1.0 - 1e-9, 1.0]])
    emit = rb.Emit(0.5, noise, rb.LengthTable((0.0, 0.0, 0.0, 0.4, 0.3, 0.3)))
    split = rb.Split(0.5, "x", "x", rb.Link(np.eye(2)), rb.Link(np.eye(2)))
    model = rb.GaussianRBN((rb.Variable("x", 2, (split, emit)),), rb.Prior("x", (rb.Component(np.zeros(2), np.eye(2)),)))
    rng = np.random.default_rng(0)
    y = rng.normal(size=(100, 1)) + 1e-5 * rng.normal(size=(100, 2))
    grid = np.full((397, 2), np.nan)
    grid[::4] = y
    begins = np.append(np.arange(0, 400, 4), 397)
    filled = []

    def fill(model: rb.GaussianRBN, series: Series, *others: Any) -> rb.Chart:
        filled.append(series)
        return inside_one(model, series, *others)

    monkeypatch.setattr(careful, "inside_one", fill)
    pair = Pair(model, rb.Series(y, None, begins[:-1], 1.0), grid, begins)
    one, other = pair.both(rb.inside)
    close(one.log_evidence, other.log_evidence)
    assert [len(series) for series in filled] == [100, 60, 397, 60]
    assert filled[1].ticks is not None
    assert filled[1].ticks.tolist() == [*range(0, 240, 4), 237]


def test_checkpoints_know_times(tmp_path: Path) -> None:
    model = rb.GaussianRBN.create(1, extra_observations=1.0)
    y = np.array([[0.0], [0.1], [1.0], [1.2], [0.9]])
    path = tmp_path / "fit"
    options: dict[str, Any] = {"max_evaluations": 3, "standard_errors": False, "checkpoint": path}
    regular, gaps = (rb.Series(y, None, np.array(times), 1.0) for times in ([0, 1, 2, 3, 4], [0, 1, 2, 3, 9]))
    rb.fit(model, [gaps], **options)
    rb.fit(model, [gaps], resume=True, **options)
    for other in (y, regular):
        with pytest.raises(rb.FileError, match="other"):
            rb.fit(model, [other], resume=True, **options)


@pytest.mark.slow
def test_other_processes_know_times() -> None:
    model = rb.GaussianRBN.create(1, extra_observations=3.0)
    y = np.random.default_rng(0).normal(size=(6, 1))
    series = [rb.Series(y, None, np.array([0, 1, 2, 6, 6, 9])), y]
    options: dict[str, Any] = {"max_evaluations": 3, "standard_errors": False}
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        far = [chart.log_evidence for chart in rb.inside(model, series, executor=pool)]
        learnt = rb.fit(model, series, executor=pool, **options)
    assert far == [chart.log_evidence for chart in rb.inside(model, series)]
    assert abs(far[0] - far[1]) > 0.01
    assert learnt.log_likelihood == pytest.approx(rb.fit(model, series, **options).log_likelihood, rel=1e-12)


def test_fit_counts_time() -> None:
    """Two regimes, of which every third observation was kept: the lengths that are learnt are those of time."""
    truth = rb.GaussianRBN(
        (
            rb.Variable(
                "x",
                1,
                (
                    rb.Split(0.45, "x", "x", rb.Link(4 * np.eye(1)), rb.Link(4 * np.eye(1))),
                    rb.Emit(0.55, 0.01 * np.eye(1), rb.Geometric(12.0, 3)),
                ),
            ),
        ),
        rb.Prior("x", (rb.Component(np.zeros(1), np.eye(1)),)),
    )
    rng = np.random.default_rng(0)
    series, lengths = [], []
    for seed in range(25):
        y, tree = truth.sample(seed=seed, min_length=20, max_length=80)
        begins = np.array([leaf.start for leaf in tree.leaves])
        kept = np.union1d(begins, np.append(np.flatnonzero(rng.random(len(y)) < 0.3), len(y) - 1))  # no beginning is lost
        series.append(rb.Series(y[kept], None, kept.astype(float), 1.0))
        lengths += [leaf.end - leaf.start for leaf in tree.leaves]
    found = rb.fit(truth, series, standard_errors=False)
    learnt = found.model.variables[0].rules[1].length
    assert learnt.mean == pytest.approx(np.mean(lengths), rel=0.15)
    bare = rb.fit(truth, [one.values for one in series], standard_errors=False).model.variables[0].rules[1].length
    assert bare.mean < 0.7 * learnt.mean
