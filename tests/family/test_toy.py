"""A family that no existing file knows works with every verb, `fit`, `compare` and the segmenter."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import recbayes as rb
from recbayes.errors import DataError, ModelError
from recbayes.tree.known import NODE
from tests.family.conformance import Case, Conformance, Counting, Exact
from tests.family.toy import COINS, Coins

TOSSES = np.array([0, 0, 0, 1, 1, 1, 1, 0, 1])


def all_trees(start: int, end: int) -> list[list[tuple[int, int, bool]]]:
    """All binary trees over a row, as lists of (start, end, whether it is a leaf)."""
    found = [[(start, end, True)]]
    for middle in range(start + 1, end):
        for left in all_trees(start, middle):
            found += [[(start, end, False), *left, *right] for right in all_trees(middle, end)]
    return found


@pytest.fixture(scope="module")
def exact() -> tuple[list[rb.Tree], np.ndarray]:
    model = Coins(0.4, 0.5)
    trees = [
        rb.Tree(
            [rb.Node(a, b, "coin", "leaf" if leaf else "split") for a, b, leaf in nodes],
            [0 if leaf else 2 for *_, leaf in nodes],
        )
        for nodes in all_trees(0, 5)
    ]
    return trees, np.array([rb.log_joint(model, TOSSES[:5], tree) for tree in trees])


def enumerated(model: Coins, tosses: np.ndarray) -> Exact:
    """All trees with the probabilities of their leaves, written out: heads and tails in every order are equally probable."""
    trees, log_joints = [], []
    for nodes in all_trees(0, len(tosses)):
        log_joint = 0.0
        for start, end, leaf in nodes:
            heads, tails = int(tosses[start:end].sum()), int((1 - tosses[start:end]).sum())
            if not leaf:
                log_joint += np.log(1.0 - model.leaf)
                continue
            chance = model.leaf * ((1.0 if end - start == 1 else 0.0) if model.single else 0.5 ** (end - start))
            for n in range(heads + tails):  # Polya's urn
                first = n if n < heads else n - heads
                chance *= (model.fairness + first) / (2 * model.fairness + n)
            log_joint += np.log(chance) if chance else -np.inf
        if log_joint > -np.inf:
            shown = [rb.Node(a, b, "coin", "leaf" if leaf else "split") for a, b, leaf in nodes]
            trees.append(rb.Tree(shown, [0 if leaf else 2 for *_, leaf in nodes]))
            log_joints.append(log_joint)
    return Exact(trees, log_joints)


def case(name: str, model: Coins, tosses: list[int]) -> Case:
    return Case(name, model, np.array(tosses), enumerated, accuracy=1e-10)


class TestCoins(Conformance):
    cases = (
        case("several tosses a leaf", Coins(0.4, 0.5), [0, 0, 1, 1]),
        case("one toss a leaf", Coins(0.3, 2.0, single=True), [0, 1, 1]),
        case("one toss", Coins(0.6, 1.0), [1]),
    )
    exact = True
    lacks = frozenset({"boundaries", "preference"})
    start = Coins(0.7, 3.0)
    largest_count = 9

    def counting(self, length: int) -> Counting:
        log_joint = length * np.log(0.6 / 2) + (length - 1) * np.log(0.4)
        return Counting(Coins(0.6, 1.0, single=True), np.zeros(length, dtype=np.int64), log_joint)

    def root_mean(self, case: Case, tree: rb.Tree) -> np.ndarray:
        a = case.model.fairness
        return np.array([(a + case.sequence.sum()) / (2 * a + case.length)])


def test_charts_and_draws(exact: tuple[list[rb.Tree], np.ndarray]) -> None:
    trees, log_joints = exact
    model, y = Coins(0.4, 0.5), TOSSES[:5]
    chart = rb.inside(model, y)
    assert chart.log_evidence == pytest.approx(np.logaddexp.reduce(log_joints))
    shares = np.exp(log_joints - chart.log_evidence)
    probability = np.zeros((6, 6))
    for tree, share in zip(trees, shares, strict=True):
        for span in tree.spans:
            probability[span] += share
    np.testing.assert_allclose(rb.outside(chart).node_probability, probability, atol=1e-12)
    np.testing.assert_allclose(rb.quick_node_probability(chart).node_probability, probability, atol=1e-12)
    posterior = rb.sample_posterior(model, y, draws=4000, seed=1)
    np.testing.assert_allclose(posterior.node_probability, probability, atol=0.05)
    best = trees[int(log_joints.argmax())]
    assert posterior.tree(rb.MostProbable()).spans == rb.best_tree(chart).spans == best.spans
    assert posterior.tree().nodes[0].probability == pytest.approx(1.0)
    assert posterior.tree("threshold", threshold=1.0).spans == posterior.tree(rb.Threshold(1.0)).spans
    assert rb.smooth(model, y, best).nodes[0].value == pytest.approx((0.5 + y.sum()) / 6)


def test_constraints_many_and_executors() -> None:
    model, rows = Coins(0.4, 0.5), [TOSSES[:4], TOSSES, TOSSES[3:]]
    one_by_one = [rb.inside(model, row).log_evidence for row in rows]
    with ThreadPoolExecutor(3) as pool:
        assert [chart.log_evidence for chart in rb.inside(model, rows, executor=pool)] == one_by_one
    known = rb.known_spans(9, [(0, 3), (3, 9)])
    allowed = rb.inside(model, rows, allowed=[None, known, None])
    assert allowed[0].log_evidence == one_by_one[0]
    assert allowed[1].log_evidence < one_by_one[1]
    assert rb.sample_posterior(model, TOSSES, draws=50, seed=0, allowed=known).node_probability[0, 3] == 1.0
    assert known[0, 3] == NODE
    with pytest.raises(DataError, match=r"row of tosses 1: .*shape"):
        rb.inside(model, rows, allowed=[None, known[:3], None])
    with pytest.raises(DataError, match="one entry for each of the 3"):
        rb.inside(model, rows, allowed=[known])


def test_learning(tmp_path: Path) -> None:
    model = Coins(0.7, 2.0)
    rows = [Coins(0.4, 0.3).sample(seed=seed, min_length=6, max_length=12)[0] for seed in range(12)]
    found = rb.log_evidence_and_gradient(model, rows)
    vector = found.parameters.vector()
    for n, slope in enumerate(found.gradient):
        step = 1e-5 * np.eye(len(vector))[n]
        values = [
            rb.log_evidence_and_gradient(found.parameters.with_vector(vector + sign * step), rows).log_evidence
            for sign in (1, -1)
        ]
        assert slope == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-4, abs=1e-6)
    trained = rb.fit(model, rows, checkpoint=tmp_path / "fit.json", exact=5)
    assert trained.converged
    assert trained.log_likelihood > found.log_evidence + 1.0
    assert [row.name for row in trained.table] == ["coin.rules[0]", "coin.rules[1]", "coin.fairness"]
    again = rb.fit(model, rows, work=rb.Work(checkpoint=tmp_path / "fit.json", resume=True), exact=5)
    assert again.history == trained.history
    adam = rb.fit(model, rows, climb=rb.Adam(batch=4, epochs=40), standard_errors=False)
    assert adam.log_likelihood > found.log_evidence
    compared = rb.compare({"fair": Coins(0.7, 50.0), "biased": model}, rows, folds=2, fixed="coin.fairness")
    assert compared.best == "biased"


def test_the_segmenter() -> None:
    rows = [Coins(0.5, 2.0).sample(seed=seed, min_length=12, max_length=12)[0] for seed in range(4)]
    segmenter = rb.HierarchicalSegmenter(model=Coins(0.7, 2.0), covariance="keep", draws=50).fit(rows)
    assert isinstance(segmenter.model_, Coins)
    assert [tree.nodes[0].span for tree in segmenter.predict(rows)] == [(0, 12)] * 4
    assert segmenter.transform(rows[0]).shape == (12, 1)
    assert np.isfinite(segmenter.score(rows))


def test_saving(tmp_path: Path) -> None:
    Coins(0.4, 0.5).save(tmp_path / "coins.json")
    assert rb.load(tmp_path / "coins.json") == Coins(0.4, 0.5) != Coins(0.4, 0.6)


def test_what_it_lacks_is_refused_with_its_reason() -> None:
    with pytest.raises(ModelError, match="coins have no states"):
        COINS.best_states(None)
    with pytest.raises(ModelError, match="a coin model does not know reestimate"):
        rb.reestimate(Coins(0.4, 0.5), [TOSSES])
    with pytest.raises(ModelError, match="a coin model does not know log_prefix_probability"):
        rb.log_prefix_probability(Coins(0.4, 0.5), TOSSES)
    with pytest.raises(DataError, match="states are those of a chain"):
        rb.best_states(Coins(0.4, 0.5), TOSSES)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="expected a model"):
        rb.inside(object(), TOSSES)  # type: ignore[call-overload]
    with pytest.raises(DataError, match="expected one chart"):
        rb.outside(TOSSES)  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rb.sample_posterior(Coins(0.4, 0.5), TOSSES, draws=10, seed=0)
