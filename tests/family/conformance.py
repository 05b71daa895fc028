"""What every family of models must do, written once: tests that the tests of each family inherit.

A family subclasses `Conformance`, names it Test..., and gives small models with sequences short enough to enumerate all
trees (`cases`), a model that counts (`counting`), and what it lacks (`lacks`). Everything is asked through the verbs of
`recbayes` and compared with enumeration or with a count in closed form, never with the code under test.

Comparisons within Monte Carlo error have fixed seeds: they pass always or never.
"""

import copy
import math
import pickle
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import chi2

import recbayes as rb
from recbayes.errors import DataError, FileError, LengthError, ModelError
from tests.harmless import harmless

DRAWS = 10_000
SURE = 2e-3  # a tree more probable than this is drawn about twenty times
NOTHING = r"empty|there are no se"
INNER = 2  # in a mask of known spans: may be a node, but no leaf
inherited = settings(
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    max_examples=20,
    derandomize=True,  # comparisons within Monte Carlo error fail by chance, if rarely
)


class Exact:
    """All trees over a sequence, from an oracle, and what follows from them by addition."""

    def __init__(self, trees: Sequence[rb.Tree], log_joints: Any) -> None:
        self.trees, self.log_joints = list(trees), np.asarray(log_joints, dtype=np.float64)
        self.log_evidence = float(logsumexp(self.log_joints))
        self.shares = np.exp(self.log_joints - self.log_evidence)
        assert len(set(self.trees)) == len(self.trees), "the oracle lists a tree twice"

    @cached_property
    def node_probability(self) -> np.ndarray:
        length = self.trees[0].length
        probability = np.zeros((length + 1, length + 1))
        for tree, share in zip(self.trees, self.shares, strict=True):
            for span in set(tree.spans):
                probability[span] += share
        return probability

    @cached_property
    def expected_rules(self) -> dict[tuple[str, str], float]:
        """How often a tree is expected to use each (variable, rule)."""
        return {key: float(self.shares @ counts) for key, counts in self._uses.items()}

    @cached_property
    def rule_spread(self) -> dict[tuple[str, str], float]:
        """The standard deviation of these numbers of uses."""
        return {key: float(np.sqrt(self.shares @ (c - self.shares @ c) ** 2)) for key, c in self._uses.items()}

    @cached_property
    def _uses(self) -> dict[tuple[str, str], np.ndarray]:
        uses: dict[tuple[str, str], np.ndarray] = {}
        for number, tree in enumerate(self.trees):
            for node in tree:
                if node.rule:
                    uses.setdefault((node.label, node.rule), np.zeros(len(self.trees)))[number] += 1
        return uses

    @property
    def spans(self) -> set[frozenset[tuple[int, int]]]:
        """Those of each tree."""
        return {frozenset(tree.spans) for tree in self.trees}

    def among(self, fits: Callable[[rb.Tree], bool]) -> "Exact | None":
        """Only the trees that fit; None if there is none."""
        kept = [number for number, tree in enumerate(self.trees) if fits(tree)]
        return Exact([self.trees[n] for n in kept], self.log_joints[kept]) if kept else None

    def preferring(self, preference: np.ndarray) -> "Exact":
        """All trees, each weighed by what is thought of its nodes."""
        gains = [sum(preference[span] for span in set(tree.spans)) for tree in self.trees]
        return Exact(self.trees, self.log_joints + gains)


@dataclass(frozen=True, eq=False)
class Case:
    """A model and a sequence with few trees. `accuracy` is how far the chart's log evidence may be from the exact one."""

    name: str
    model: Any
    sequence: Any
    enumerate: Callable[[Any, Any], Exact]
    accuracy: float

    @cached_property
    def exact(self) -> Exact:
        return self.enumerate(self.model, self.sequence)

    @cached_property
    def preference(self) -> np.ndarray:
        """Some numbers for all spans."""
        return np.random.default_rng(0).normal(size=(self.length + 1, self.length + 1))

    @cached_property
    def chart(self) -> Any:
        return rb.inside(self.model, self.sequence)

    @cached_property
    def posterior(self) -> Any:
        return rb.sample_posterior(self.model, self.sequence, draws=DRAWS, seed=1)

    @cached_property
    def drawn(self) -> Counter:
        """Every drawn tree with its total weight."""
        totals: Counter = Counter()
        for tree, weight in zip(self.posterior.trees, self.posterior.weights, strict=True):
            totals[tree] += weight
        return totals

    @property
    def length(self) -> int:
        return len(self.sequence)

    @property
    def doubtful(self) -> list[tuple[int, int]]:
        """Spans that are nodes of some trees, but not of all."""
        p = self.exact.node_probability
        return [tuple(span) for span in np.argwhere((p > 1e-12) & (p < 1 - 1e-12)).tolist()]

    @property
    def ends(self) -> list[int]:
        return list(range(self.length + 1))


def save_and_load(case: Case, folder: Path) -> Any:
    case.model.save(folder / "model.json")
    return rb.load(folder / "model.json")


ASKED: dict[str, Callable[[Case, Path], Any]] = {
    "inside": lambda case, _: rb.inside(case.model, case.sequence),
    "outside": lambda case, _: rb.outside(case.chart),
    "best_tree": lambda case, _: rb.best_tree(case.chart),
    "sample_posterior": lambda case, _: rb.sample_posterior(case.model, case.sequence, draws=2, seed=0),
    "log_joint": lambda case, _: rb.log_joint(case.model, case.sequence, case.exact.trees[0]),
    "smooth": lambda case, _: rb.smooth(case.model, case.sequence, case.exact.trees[0]),
    "quick_node_probability": lambda case, _: rb.quick_node_probability(case.chart),
    "log_evidence_and_gradient": lambda case, _: rb.log_evidence_and_gradient(case.model, case.sequence),
    "fit": lambda case, _: rb.fit(case.model, [case.sequence], max_evaluations=2),
    "sample": lambda case, _: case.model.sample(seed=0),
    "save": save_and_load,
    "boundaries of inside": lambda case, _: rb.inside(case.model, case.sequence, boundaries=case.ends),
    "boundaries of draws": lambda case, _: rb.sample_posterior(
        case.model, case.sequence, draws=2, seed=0, boundaries=case.ends
    ),
    "boundaries of a gradient": lambda case, _: rb.log_evidence_and_gradient(
        case.model, case.sequence, boundaries=case.ends
    ),
    "preference of inside": lambda case, _: rb.inside(case.model, case.sequence, preference=case.preference),
    "preference of draws": lambda case, _: rb.sample_posterior(
        case.model, case.sequence, draws=2, seed=0, preference=case.preference
    ),
    "boundaries of a fit": lambda case, _: rb.fit(case.model, [case.sequence], boundaries=[case.ends], max_evaluations=2),
}
"""What may be asked of a family; the first word is the name of what it may lack."""


class Counting(NamedTuple):
    """A model and a sequence over which every binary tree, with one observation in each leaf, is equally probable."""

    model: Any
    sequence: Any
    log_joint: float  # of each tree, in closed form


class Conformance:
    """The hooks, then the tests. A family gives `cases`, `exact`, `start` and `counting`, and the others where it can."""

    cases: ClassVar[Sequence[Case]]
    problems: ClassVar[st.SearchStrategy | None] = (
        None  # random cases (or None, for one that cannot be used), if there are any
    )
    exact: ClassVar[bool]  # whether charts are: outside gives probabilities, and the best tree is the most probable
    lacks: ClassVar[frozenset[str]] = frozenset()  # names in `ASKED` that the family answers by an error with a reason
    largest_count: ClassVar[int] = 12
    start: ClassVar[Any]  # a model to train on what `cases[0].model` samples

    def counting(self, length: int) -> Counting:
        """A model for which all binary trees over a sequence of this length are equally probable."""
        raise NotImplementedError

    def root_mean(self, case: Case, tree: rb.Tree) -> np.ndarray:
        """The exact mean of the root's value given the tree and the data, for families whose nodes have values."""
        raise NotImplementedError

    def many(self) -> tuple[Any, list]:
        """A model, and sequences of several lengths that it can generate."""
        model = self.cases[0].model
        return model, [self.cases[0].sequence, *(model.sample(seed=seed, max_length=6)[0] for seed in range(3))]

    @property
    def charts(self) -> bool:
        """Whether the family has charts; if not, draws are all there is."""
        return "inside" not in self.lacks

    def needs(self, verb: str) -> None:
        if verb in self.lacks:
            pytest.skip(f"the family says that it lacks {verb}")

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "case" in metafunc.fixturenames:
            metafunc.parametrize("case", self.cases, ids=lambda case: case.name)

    # What is asked of a family: it answers, or it says in words why it cannot

    @pytest.mark.parametrize("verb", ASKED)
    def test_a_verb_answers_or_says_why_not(self, verb: str, tmp_path: Path) -> None:
        assert self.lacks <= {name.split()[0] for name in ASKED}
        if (verb == "save" and not hasattr(self.cases[0].model, "save")) or (
            verb in ("boundaries of inside", "preference of inside") and not self.charts
        ):
            pytest.skip("models of this family are code, or it has no charts")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rb.ApproximationWarning)
            if verb.split()[0] not in self.lacks:
                assert ASKED[verb](self.cases[0], tmp_path) is not None
                return
            with pytest.raises((ModelError, DataError)) as caught:
                ASKED[verb](self.cases[0], tmp_path)
        assert len(str(caught.value).split()) >= 4, "an error has to say why"

    # Evidence and joint probabilities

    def test_evidence(self, case: Case) -> None:
        """p(Y) is the sum over all trees: the chart's within its accuracy, that of draws within five of its errors."""
        assert not self.charts or abs(case.chart.log_evidence - case.exact.log_evidence) <= case.accuracy
        self.close_evidence(case.posterior, case.exact)
        assert case.posterior.log_evidence_error <= 5 / np.sqrt(DRAWS), "the case is too hard for its draws to be a test"

    def test_log_joint_of_every_tree(self, case: Case) -> None:
        self.needs("log_joint")
        found = np.array([rb.log_joint(case.model, case.sequence, tree) for tree in case.exact.trees])
        np.testing.assert_allclose(found, case.exact.log_joints, rtol=1e-8, atol=1e-8)
        assert logsumexp(found) == pytest.approx(case.exact.log_evidence, abs=1e-8)

    @inherited
    @pytest.mark.filterwarnings("ignore::recbayes.errors.ApproximationWarning")  # random models may well be hard
    @given(data=st.data())
    def test_random_cases(self, data: st.DataObject) -> None:
        """Evidence, joint probabilities and a constraint, for whatever models the family can think of."""
        if self.problems is None:
            pytest.skip("the family has no random cases")
        case = data.draw(self.problems)
        assume(case is not None)
        assert abs(case.chart.log_evidence - case.exact.log_evidence) <= case.accuracy
        found = [rb.log_joint(case.model, case.sequence, tree) for tree in case.exact.trees]
        np.testing.assert_allclose(found, case.exact.log_joints, rtol=1e-8, atol=1e-8)
        assert np.isfinite(rb.log_joint(case.model, case.sequence, rb.best_tree(case.chart)))
        tree = data.draw(st.sampled_from(case.exact.trees))
        self.check_constrained(case, lambda other: fits_mask(other, tree.span_mask()), draws=1000, allowed=tree.span_mask())

    # Counts in closed form

    def test_catalan_numbers(self) -> None:
        """N leaves have C(N - 1) binary trees, and each is equally probable."""
        for length in range(1, self.largest_count + 1):
            model, sequence, log_joint = self.counting(length)
            expected = log_joint + math.log(catalan(length - 1))
            if not self.charts:
                posterior = rb.sample_posterior(model, sequence, draws=500, seed=1)
                assert abs(posterior.log_evidence - expected) <= 5 * posterior.log_evidence_error + 1e-9
                continue
            assert rb.inside(model, sequence).log_evidence == pytest.approx(expected, rel=1e-10, abs=1e-10)

    @pytest.mark.parametrize("length", [1, 2, 7, 12])
    def test_nodes_of_binary_trees(self, length: int) -> None:
        """A tree has 2 N - 1 nodes. Spans from i to k are nodes of C(k - i - 1) C(N - k + i) trees: those below, times those
        in which the span is one leaf. Leaves and the root are certain."""
        model, sequence, _ = self.counting(length)
        starts, ends = np.indices((length + 1, length + 1))
        widths = ends - starts
        expected = np.zeros(widths.shape)
        for width in range(1, length + 1):
            share = catalan(width - 1) * catalan(length - width) / catalan(length - 1)
            expected[widths == width] = share
        posterior = rb.sample_posterior(model, sequence, draws=4000, seed=2)
        self.close_nodes(posterior, expected)
        found = [("draws", posterior.node_probability)]
        chart = rb.inside(model, sequence) if self.charts else None
        if self.exact and "outside" not in self.lacks:
            found.append(("outside", rb.outside(chart).node_probability))
        if "quick_node_probability" not in self.lacks:
            found.append(("quick", rb.quick_node_probability(chart).node_probability))
        for name, probability in found:
            assert probability.sum() == pytest.approx(2 * length - 1, rel=1e-9), name
            assert probability[0, length] == pytest.approx(1.0, rel=1e-12), name
            np.testing.assert_allclose(np.diag(probability, 1), 1.0, rtol=1e-12, err_msg=name)
            if name != "draws":
                np.testing.assert_allclose(probability, expected, atol=1e-9, err_msg=name)
        splits = sum(count for (_, rule), count in posterior.expected_rules.items())
        assert splits == pytest.approx(2 * length - 1)
        np.testing.assert_allclose(posterior.boundary_probability, 1.0, rtol=1e-12)
        assert posterior.segment_count_probability[length] == pytest.approx(1.0)

    def test_sampled_trees_are_equally_probable(self) -> None:
        """Given its length, a sampled tree is any of the five binary trees over four leaves with the same probability."""
        self.needs("sample")
        model = self.counting(4).model
        rng = np.random.default_rng(5)
        samples = [model.sample(seed=rng, min_length=4, max_length=4) for _ in range(600)]
        assert {len(sequence) for sequence, _ in samples} == {4}
        counts = Counter(tree.spans for _, tree in samples)
        assert len(counts) == catalan(3)
        assert sum((count - 120) ** 2 / 120 for count in counts.values()) < chi2.isf(1e-4, 4)

    # Nodes

    def test_node_probability(self, case: Case) -> None:
        self.close_nodes(case.posterior, case.exact.node_probability)
        if self.exact and "outside" not in self.lacks:
            found = rb.outside(case.chart).node_probability
            np.testing.assert_allclose(found, case.exact.node_probability, atol=1e-10)

    def test_rules_of_nodes(self, case: Case) -> None:
        """Laws of all trees: the root exists, and of two spans that cross at most one is a node."""
        posterior = case.posterior
        found = [posterior.node_probability]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rb.ApproximationWarning)
            if "quick_node_probability" not in self.lacks:
                found.append(rb.quick_node_probability(case.chart).node_probability)
        for p in found:
            assert p.shape == (case.length + 1, case.length + 1)
            assert (np.tril(p) == 0).all()
            assert ((p >= 0) & (p <= 1)).all()
            assert p[0, case.length] == pytest.approx(1.0, abs=1e-9)
        p = posterior.node_probability
        for one in np.argwhere(p > 0):
            for two in np.argwhere(p > 0):
                if one[0] < two[0] < one[1] < two[1]:
                    assert p[tuple(one)] + p[tuple(two)] <= 1 + 1e-9
        covered = np.zeros(case.length)
        for tree, weight in case.drawn.items():
            for leaf in tree.leaves:
                covered[leaf.start : leaf.end] += weight
        np.testing.assert_allclose(covered, 1.0, rtol=1e-9)
        leaves = [len(tree.leaves) for tree in case.exact.trees]
        expected = np.minimum(np.bincount(leaves, weights=case.exact.shares, minlength=case.length + 1), 1.0)
        error = np.sqrt(expected * (1 - expected) / posterior.effective_sample_size) + 2 / DRAWS
        assert (np.abs(posterior.segment_count_probability - expected) <= 5 * error).all()

    def test_expected_rules(self, case: Case) -> None:
        self.close_rules(case.posterior, case.exact)

    def test_smoothed_values(self, case: Case) -> None:
        """The tree stays what it is, its nodes get values, and that of the root is the mean that the oracle knows."""
        self.needs("smooth")
        for tree in case.exact.trees[:: max(1, len(case.exact.trees) // 5)]:
            smoothed = rb.smooth(case.model, case.sequence, tree)
            assert smoothed == tree
            for node in smoothed:
                np.testing.assert_allclose(node.covariance, node.covariance.T, atol=1e-12)
                assert np.linalg.eigvalsh(node.covariance).min() > -1e-10
                assert np.isfinite(node.value).all()
            np.testing.assert_allclose(smoothed.nodes[0].value, self.root_mean(case, tree), atol=1e-5)

    # Trees

    def test_best_trees(self, case: Case) -> None:
        """The first trees are those of enumeration, as far as they are probable enough to be among the draws."""
        exact, posterior = case.exact, case.posterior
        order = np.argsort(-exact.log_joints, kind="stable")
        count = min(10, int((exact.shares > SURE).sum()))
        best = posterior.best(count)
        near = 1e-8 if "log_joint" not in self.lacks else 0.1  # or estimated by draws of values
        assert [one.log_joint for one in best] == pytest.approx(exact.log_joints[order[:count]].tolist(), abs=near)
        assert len({one.tree for one in best}) == count
        for one in best:
            where = exact.trees.index(one.tree)
            assert one.log_joint == pytest.approx(exact.log_joints[where], abs=near)
            assert one.probability == pytest.approx(exact.shares[where], rel=5 * posterior.log_evidence_error + near)
        assert posterior.tree(objective="map") == best[0].tree
        assert len(posterior.best(1)) == 1

    def test_entropy(self, case: Case) -> None:
        """That of all trees, within five errors; with a preference, that of the trees so weighed; of one tree none."""
        exact, near = case.exact, 1e-8 if "log_joint" not in self.lacks else 0.05
        asked = [(case.posterior, exact)]
        if "preference" not in self.lacks:
            weighed = rb.sample_posterior(case.model, case.sequence, draws=2000, seed=3, preference=case.preference)
            asked.append((weighed, exact.preferring(case.preference)))
        mask = exact.trees[0].span_mask()
        known = rb.sample_posterior(case.model, case.sequence, draws=2000, seed=3, allowed=mask)
        asked.append((known, exact.among(lambda other: fits_mask(other, mask))))
        for posterior, trees in asked:
            expected = -float(trees.shares @ np.log(np.maximum(trees.shares, 1e-300)))
            assert abs(posterior.entropy - expected) <= 5 * posterior.entropy_error + near
            assert posterior.entropy_error <= 10 / np.sqrt(2000), "the case is too hard for its draws to be a test"
            assert posterior.entropy >= 0

    def test_log_joints_of_draws(self, case: Case) -> None:
        found = {tree: value for tree, value in zip(case.posterior.trees, case.posterior.log_joint_of_trees, strict=True)}
        near = 1e-8 if "log_joint" not in self.lacks else 0.3
        for tree, log_joint, share in zip(case.exact.trees, case.exact.log_joints, case.exact.shares, strict=True):
            if tree in found and (share > SURE or near < 0.1):
                assert found[tree] == pytest.approx(log_joint, abs=near)

    @pytest.mark.parametrize("level", [0.3, 0.8, 0.95])
    def test_credible_trees(self, case: Case, level: float) -> None:
        """As many as enumeration needs for so much, but for trees at the edge that are equally probable or nearly so."""
        exact, posterior = case.exact, case.posterior
        shares = np.sort(exact.shares)[::-1]
        size = int(np.searchsorted(np.cumsum(shares), level - 1e-9)) + 1
        if shares[size - 1] < SURE:
            pytest.skip("trees that belong to the set are too rare to be drawn")
        found = posterior.credible_trees(level)
        error = 5 * posterior.log_evidence_error + (1e-6 if "log_joint" not in self.lacks else 0.05)
        assert found.reached
        held = float(sum(exact.shares[exact.trees.index(one.tree)] for one in found.trees))
        assert abs(held - found.probability) <= error
        assert held >= level - error
        without_last = held - exact.shares[exact.trees.index(found.trees[-1].tree)]
        assert without_last < level + error
        probabilities = [one.probability for one in found.trees]
        assert probabilities == sorted(probabilities, reverse=True)
        few = posterior.credible_trees(level, most=1)
        assert len(few.trees) == 1
        assert few.reached == (few.probability >= level - 1e-9)
        assert ("less than" in str(few)) != few.reached

    def test_xarray(self, case: Case) -> None:
        """Equally weighted draws with the frequencies of nodes and boundaries, and the entropy as the mean of log joints."""
        pytest.importorskip("xarray")
        posterior = case.posterior
        found = posterior.to_xarray(least=0.2)
        assert found.exists.dims == ("chain", "draw", "span")
        assert set(found.span.values) == {f"{one.start}:{one.end}" for one in posterior.nodes if one.probability >= 0.2}
        near = 5 / np.sqrt(posterior.effective_sample_size)
        np.testing.assert_allclose(found.exists.mean(("chain", "draw")), found.probability, atol=near)
        np.testing.assert_allclose(found.boundary.mean(("chain", "draw")), found.boundary_probability, atol=near)
        np.testing.assert_allclose(
            found.boundary_probability, posterior.boundary_probability[found.position.values], atol=1e-12
        )
        counts = posterior.segment_count_probability
        assert float(found.segments.mean()) == pytest.approx(counts @ np.arange(len(counts)), abs=10 * near)
        weighted = posterior.weights @ posterior.log_joint_of_trees
        spread = np.sqrt(posterior.weights @ (posterior.log_joint_of_trees - weighted) ** 2)
        assert float(found.log_joint.mean()) == pytest.approx(weighted, abs=near * spread + 1e-9)
        assert found.attrs["method"] == posterior.method

    def test_decoded_trees(self, case: Case) -> None:
        """They are trees of the model over the whole sequence; where charts are exact, the best is the most probable."""
        found = [case.posterior.tree(), case.posterior.tree("threshold", threshold=0.3)]
        for tree in [*found, rb.best_tree(case.chart)] if self.charts else found:
            assert tree.spans[0] == (0, case.length)
            assert tree in case.exact.trees
            assert "log_joint" in self.lacks or np.isfinite(rb.log_joint(case.model, case.sequence, tree))
        if self.exact:
            found = rb.log_joint(case.model, case.sequence, rb.best_tree(case.chart))
            assert found == pytest.approx(case.exact.log_joints.max(), abs=1e-10)

    def test_expected_f1(self, case: Case) -> None:
        """No tree of the model has an expected F1 that is clearly higher than that of the reported one."""
        sets = [set(tree.spans) for tree in case.exact.trees]

        def expected_f1(spans: set) -> float:
            return float(
                sum(p * 2 * len(spans & z) / (len(spans) + len(z)) for z, p in zip(sets, case.exact.shares, strict=True))
            )

        found = expected_f1(set(case.posterior.tree().spans))
        assert case.posterior.expected_f1 == pytest.approx(found, abs=3 / np.sqrt(DRAWS))
        assert found >= max(map(expected_f1, sets)) - 0.03

    def test_frequencies_of_trees(self, case: Case) -> None:
        """Whole trees are drawn in proportion to their probability: every one within five errors, all together by
        chi-square, with the rare ones counted as one."""
        posterior, exact = case.posterior, case.exact
        assert case.drawn.keys() <= set(exact.trees)
        found = np.array([case.drawn[tree] for tree in exact.trees])
        size = posterior.effective_sample_size
        assert 0.5 * DRAWS < size <= DRAWS * (1 + 1e-12)
        error = np.sqrt(exact.shares * (1 - exact.shares) / size) + 2 / DRAWS
        assert (np.abs(found - exact.shares) <= 5 * error).all()
        often = exact.shares * size >= 10
        p, q = (np.append(values[often], values[~often].sum()) for values in (exact.shares, found))
        p, q = p[p * size >= 5], q[p * size >= 5]
        if len(p) > 1:
            assert size * ((q - p) ** 2 / p).sum() < chi2.isf(1e-4, len(p) - 1)

    def test_samples_are_trees_of_the_model(self, case: Case) -> None:
        self.needs("sample")
        for seed in range(5):
            sequence, tree = case.model.sample(seed=seed, max_length=6)
            assert tree.spans[0] == (0, len(sequence))
            assert len(sequence) <= 6
            assert "log_joint" in self.lacks or np.isfinite(rb.log_joint(case.model, sequence, tree))
            again, twin = case.model.sample(seed=seed, max_length=6)
            assert twin == tree
            np.testing.assert_array_equal(again, sequence)

    # Constraints

    def check_constrained(self, case: Case, fits: Callable[[rb.Tree], bool], draws: int = 2000, **constraint: Any) -> None:
        """Only the trees that fit are left: evidence, nodes and the best tree are theirs."""
        exact = case.exact.among(fits)
        if exact is None:
            with pytest.raises(LengthError):
                self.ask(case.model, case.sequence, **constraint)
            return
        if self.charts:
            chart = rb.inside(case.model, case.sequence, **constraint)
            accuracy = 1e-8 if len(exact.trees) == 1 else case.accuracy
            assert abs(chart.log_evidence - exact.log_evidence) <= accuracy
            assert fits(rb.best_tree(chart))
        posterior = rb.sample_posterior(case.model, case.sequence, draws=draws, seed=3, **constraint)
        self.close_evidence(posterior, exact)
        self.close_nodes(posterior, exact.node_probability)
        self.close_rules(posterior, exact)
        assert set(posterior.trees) <= set(exact.trees)

    def test_a_known_tree(self, case: Case) -> None:
        for tree in case.exact.trees[:: max(1, len(case.exact.trees) // 3)]:
            mask = tree.span_mask()
            self.check_constrained(case, lambda other, mask=mask: fits_mask(other, mask), allowed=mask)

    def test_a_forbidden_span(self, case: Case) -> None:
        """Without a span the evidence is that of all trees that do without it; without the root there is none."""
        for span in [*case.doubtful[:4], (0, case.length)]:
            allowed = all_but(span, case.length)
            self.check_constrained(case, lambda tree, span=span: span not in tree.spans, allowed=allowed)

    def test_boundaries(self, case: Case) -> None:
        """Of all trees those are left whose nodes begin and end at the given positions."""
        self.needs("boundaries")
        for points in ([], [case.length // 2], list(range(0, case.length + 1, 2)), list(range(case.length + 1))):
            known = {0, *points, case.length}
            self.check_constrained(
                case, lambda tree, known=known: all(known.issuperset(span) for span in tree.spans), boundaries=points
            )

    def test_preference(self, case: Case) -> None:
        """Evidence, nodes and rules are those of all trees, weighed by what is thought of their spans."""
        self.needs("preference")
        exact = case.exact.preferring(case.preference)
        posterior = rb.sample_posterior(case.model, case.sequence, draws=4000, seed=3, preference=case.preference)
        self.close_evidence(posterior, exact)
        self.close_nodes(posterior, exact.node_probability)
        self.close_rules(posterior, exact)
        if not self.charts:
            return
        chart = rb.inside(case.model, case.sequence, preference=case.preference)
        assert abs(chart.log_evidence - exact.log_evidence) <= 2 * case.accuracy + 1e-9
        sizes = {len(spans) for spans in case.exact.spans}
        if len(sizes) == 1:  # then what is thought of all spans alike weighs all trees alike
            alike = rb.inside(case.model, case.sequence, preference=np.full_like(case.preference, 0.3)).log_evidence
            assert alike == pytest.approx(case.chart.log_evidence + 0.3 * sizes.pop(), rel=1e-9, abs=1e-9)
        for tree in case.exact.trees[:: max(1, len(case.exact.trees) // 3)]:
            mask, gain = tree.span_mask(), sum(case.preference[span] for span in set(tree.spans))
            left = case.exact.among(lambda other, mask=mask: fits_mask(other, mask))
            if left is not None and len(left.spans) == 1:
                plain = rb.inside(case.model, case.sequence, allowed=mask).log_evidence
                weighed = rb.inside(case.model, case.sequence, allowed=mask, preference=case.preference).log_evidence
                assert weighed == pytest.approx(plain + gain, rel=1e-8, abs=1e-8)

    def test_constraints_that_do_not_fit(self, case: Case) -> None:
        for allowed in (np.ones((case.length, case.length), dtype=bool), np.ones((case.length + 1, case.length + 1)), "all"):
            with pytest.raises(DataError, match="allowed"):
                self.ask(case.model, case.sequence, allowed=allowed)

    def ask(self, model: Any, sequence: Any, **known: Any) -> Any:
        """What fails if data or constraints do: a chart, or draws of families without them."""
        return (
            rb.inside(model, sequence, **known)
            if self.charts
            else rb.sample_posterior(model, sequence, draws=2, seed=0, **known)
        )

    # One or many, and the same again

    def test_many_are_like_one_by_one(self) -> None:
        model, many = self.many()
        if not self.charts:
            together = rb.sample_posterior(model, many, draws=50, seed=0)
            assert [posterior.length for posterior in together] == [len(one) for one in many]
            assert together[0].log_evidence == rb.sample_posterior(model, many[:1], draws=50, seed=0)[0].log_evidence
            return
        charts = rb.inside(model, many)
        assert isinstance(charts, list)
        alone = [rb.inside(model, one) for one in many]
        assert [chart.log_evidence for chart in charts] == [chart.log_evidence for chart in alone]
        posteriors = rb.sample_posterior(model, many, draws=50, seed=0)
        assert [posterior.length for posterior in posteriors] == [len(one) for one in many]
        assert [posterior.chart.log_evidence for posterior in posteriors] == [chart.log_evidence for chart in alone]
        masks = [None, *(rb.best_tree(chart).span_mask() for chart in alone[1:])]
        known = rb.inside(model, many, allowed=masks)
        expected = [rb.inside(model, *pair[:1], allowed=pair[1]).log_evidence for pair in zip(many, masks, strict=True)]
        assert [chart.log_evidence for chart in known] == expected
        if "log_evidence_and_gradient" not in self.lacks:
            total = rb.log_evidence_and_gradient(model, many)
            parts = [rb.log_evidence_and_gradient(model, one) for one in many]
            assert total.log_evidence == pytest.approx(sum(part.log_evidence for part in parts), rel=1e-12)
            np.testing.assert_allclose(
                total.gradient, np.sum([part.gradient for part in parts], axis=0), rtol=1e-9, atol=1e-12
            )

    def test_constraints_of_many(self) -> None:
        """One for each sequence, or a clear error; the error must not come from the depths."""
        model, many = self.many()
        for wrong in ([None] * (len(many) - 1), [None] * (len(many) + 1), np.ones((3, 3), dtype=bool)):
            for ask in (self.ask, lambda *a, **k: rb.sample_posterior(*a, draws=2, seed=0, **k)):
                with pytest.raises(DataError, match="one entry for each"):
                    ask(model, many, allowed=wrong)

    def test_nothing_is_no_sequence(self) -> None:
        model, many = self.many()
        empty = many[0][:0]
        for nothing in ([], empty, [many[0], empty]):
            with pytest.raises(DataError, match=NOTHING):
                self.ask(model, nothing)
            with pytest.raises(DataError, match=NOTHING):
                rb.sample_posterior(model, nothing, draws=2, seed=0)
            if "log_evidence_and_gradient" not in self.lacks:
                with pytest.raises(DataError, match=NOTHING):
                    rb.log_evidence_and_gradient(model, nothing)
            if "fit" not in self.lacks:
                with pytest.raises(DataError, match=NOTHING):
                    rb.fit(model, nothing)

    @pytest.mark.parametrize("draws", [0, -1, 2.5, "many", True])
    def test_draws_are_a_whole_number(self, draws: Any) -> None:
        case = self.cases[0]
        with pytest.raises(DataError, match="draws"):
            rb.sample_posterior(case.model, case.sequence, draws=draws, seed=0)

    def test_the_seed_decides_everything(self) -> None:
        """Also in threads, however many there are; another seed gives other draws."""
        model, many = self.many()
        with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(3) as three:
            runs = [
                rb.sample_posterior(model, many, draws=200, seed=seed, executor=executor)
                for seed, executor in ((4, None), (4, one), (4, three), (5, None))
            ]
        for number in range(len(many)):
            first, *others, different = (run[number] for run in runs)
            for other in others:
                assert list(other.trees) == list(first.trees)
                np.testing.assert_array_equal(other.weights, first.weights)
                np.testing.assert_array_equal(other.node_probability, first.node_probability)
                assert other.log_evidence == first.log_evidence
            if number == 0:
                assert list(different.trees) != list(first.trees)

    # What notebooks show

    def test_notebooks_show_models(self, case: Case) -> None:
        """A table of rules, in which all variables or symbols are named (as x=value, or in quotes)."""
        if not hasattr(case.model, "_repr_html_"):
            pytest.skip("models of this family have no picture")
        shown = case.model._repr_html_()
        text = " ".join(harmless(shown).itertext())
        labels = {node.label for tree in case.exact.trees for node in tree if node.label}
        assert all(part.strip("'") in text for label in labels for part in label.split("="))
        assert len(shown) < 100_000

    def test_notebooks_show_posteriors(self, case: Case) -> None:
        """The tree is drawn, with the probabilities of its nodes."""
        shown = harmless(case.posterior._repr_html_())
        tree = case.posterior.tree()
        titles = [element.text for element in shown.iter("{http://www.w3.org/2000/svg}title")]
        for node in tree:
            assert any(f"{node.start}:{node.end}" in text and f"{node.probability:.2f}" in text for text in titles)
        assert f"{case.posterior.log_evidence:.3f}" in "".join(shown.itertext())

    # Models are values

    def test_saved_models_are_the_same(self, case: Case, tmp_path: Path) -> None:
        self.needs("save")
        path = tmp_path / "model.json"
        case.model.save(path)
        restored = rb.load(path)
        assert type(restored) is type(case.model)
        assert restored == case.model
        assert hash(restored) == hash(case.model)
        assert rb.inside(restored, case.sequence).log_evidence == case.chart.log_evidence
        whole = path.read_bytes()
        for kept in (0, 1, len(whole) // 2, len(whole) - 3):
            path.write_bytes(whole[:kept])
            with pytest.raises(FileError):
                rb.load(path)

    def test_copied_models_are_the_same(self, case: Case) -> None:
        """Also after use, when the model remembers what was computed from it."""
        self.needs("save")
        assert case.chart.model is case.model
        for twin in (pickle.loads(pickle.dumps(case.model)), copy.copy(case.model), copy.deepcopy(case.model)):
            assert twin == case.model
            assert hash(twin) == hash(case.model)
            assert rb.inside(twin, case.sequence).log_evidence == case.chart.log_evidence
        assert case.model != self.counting(3).model

    # Learning

    def test_gradient(self, case: Case) -> None:
        """Along random directions of the free vector it is the slope of the log evidence. Where there is no vector, but
        weights of rules, it is how often each is expected to be used."""
        self.needs("log_evidence_and_gradient")
        self.needs("inside")
        for span in [None, *case.doubtful[:3]]:
            allowed = None if span is None else all_but(span, case.length)
            left = case.exact.among(lambda tree, span=span: span not in tree.spans)
            result = rb.log_evidence_and_gradient(case.model, case.sequence, allowed=allowed)
            value = rb.inside(case.model, case.sequence, allowed=allowed).log_evidence
            assert result.log_evidence == pytest.approx(value, rel=1e-12)
            if not hasattr(result.parameters, "with_vector"):
                counts = {rule: count for (_, rule), count in left.expected_rules.items()}
                expected = [counts.get(name, 0.0) for name in result.parameters]
                np.testing.assert_allclose(result.gradient, expected, rtol=1e-9, atol=1e-9, err_msg=f"without {span}")
                continue
            here = result.parameters.vector()
            assert result.gradient.shape == here.shape
            rng, step = np.random.default_rng(0), 1e-5
            for along in rng.normal(size=(3, len(here))) / np.sqrt(len(here)):
                models = [result.parameters.with_vector(here + sign * step * along) for sign in (-1, 1)]
                low, high = (rb.inside(model, case.sequence, allowed=allowed).log_evidence for model in models)
                assert result.gradient @ along == pytest.approx((high - low) / (2 * step), rel=1e-5, abs=1e-7)

    def test_fit_goes_uphill(self) -> None:
        """From a start that is wrong, few evaluations gain likelihood; the result is a model of the same family."""
        self.needs("fit")
        self.needs("inside")
        self.needs("sample")
        truth = self.cases[0].model
        data = [truth.sample(seed=seed, min_length=2, max_length=8)[0] for seed in range(12)]
        before = sum(chart.log_evidence for chart in rb.inside(self.start, data))
        found = rb.fit(self.start, data, max_evaluations=8)
        assert type(found.model) is type(self.start)
        after = sum(chart.log_evidence for chart in rb.inside(found.model, data))
        assert found.log_likelihood == pytest.approx(after, rel=1e-9)
        assert after > before + 0.1
        assert np.isfinite(found.history).all()
        assert found.history[0] == pytest.approx(before, rel=1e-9)
        assert str(found)

    # Comparisons

    @staticmethod
    def close_evidence(posterior: Any, exact: Exact) -> None:
        assert abs(posterior.log_evidence - exact.log_evidence) <= 5 * posterior.log_evidence_error + 1e-9

    @staticmethod
    def close_rules(posterior: Any, exact: Exact) -> None:
        """Uses of rules, within five errors of so many draws."""
        found, size = posterior.expected_rules, posterior.effective_sample_size
        for key in found.keys() | exact.expected_rules.keys():
            error = 1e-9 if posterior.method == "exact" else 5 * exact.rule_spread[key] / np.sqrt(size) + 10 / size
            assert abs(found.get(key, 0.0) - exact.expected_rules.get(key, 0.0)) <= error, key

    @staticmethod
    def close_nodes(posterior: Any, expected: np.ndarray) -> None:
        """Within five of the stated errors, which must not be larger than those of so many draws can be."""
        error, size = posterior.node_probability_error, posterior.effective_sample_size
        assert (error <= 1 / np.sqrt(size)).all()
        floor = 1e-9 if posterior.method == "exact" else 10 / size  # no draw, or every one, has a node: then its error is 0
        far = np.abs(posterior.node_probability - expected) > 5 * error + floor
        assert not far.any(), np.argwhere(far)


def catalan(number: int) -> int:
    return math.comb(2 * number, number) // (number + 1)


def all_but(span: tuple[int, int], length: int) -> np.ndarray:
    """All spans are allowed but one."""
    allowed = np.ones((length + 1, length + 1), dtype=bool)
    allowed[span] = False
    return allowed


def fits_mask(tree: rb.Tree, mask: np.ndarray) -> bool:
    """Whether a tree is among those that a mask leaves: its spans may be nodes, and those of its leaves may be leaves.
    (A leaf of one observation may hang below another node of its span.)"""
    return all(mask[span] for span in tree.spans) and all(
        mask[leaf.span] < INNER or leaf.length == 1 for leaf in tree.leaves
    )
