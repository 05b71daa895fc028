"""Harmony: its sums are those of all trees and states, it is the same in all keys, and what it was is learnt from pieces."""

import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

import recbayes as rb
from recbayes.music.analysis import chosen, draw_passages, passages
from recbayes.music.harmony import SPLIT, Harmony
from recbayes.music.harmony_learning import learn_harmony, log_evidence, log_structures, start_harmony
from recbayes.tree.metrics import node_scores


def small(seed: int = 0, balance: float = 0.0, lengths: tuple[float, ...] = (1.0,)) -> Harmony:
    """Two kinds, preparations at random."""
    rng = np.random.default_rng(seed)
    factor = rng.normal(size=12)
    circulant = np.mean([np.roll(np.outer(factor, factor), (s, s), axis=(0, 1)) for s in range(12)], axis=0)
    weights = rng.gamma(0.5, size=(2, 12, 2)) + 1e-6
    return Harmony(
        ("one", "two"),
        rng.normal(-2.5, 0.5, size=(2, 12)),
        0.3 * circulant + 0.2 * np.eye(12),
        np.array([0.7, 1.5]),
        np.array([0.4, 0.6]),
        np.array([0.3, 0.7]),
        weights / weights.sum(axis=(1, 2), keepdims=True),
        np.full((2, 12), 1 / 12),
        balance,
        lengths=lengths,
    )


def piece(length: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    counts = rng.gamma(0.3, size=(length, 12))
    counts[rng.random(counts.shape) < 0.3] = 0.0
    return counts


def by_hand(model: Harmony, counts: np.ndarray) -> float:
    """log p(slices | their number), by all trees and all states, written out."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    low = shares + model.pseudo_count + model.resolution
    width = np.log((low + model.resolution) / low)
    table = np.zeros((len(counts), 24))
    for n, (kind, root) in product(range(len(counts)), product(range(2), range(12))):
        parts = [
            np.log(weight)
            + multivariate_normal(
                np.roll(model.profiles[kind], root), scale**2 * model.covariance + np.diag(width[n] ** 2 / 12)
            ).logpdf(np.log(low[n]) + width[n] / 2)
            for scale, weight in zip(model.scales, model.scale_weights, strict=True)
        ]
        table[n, 12 * kind + root] = logsumexp(parts) + np.log(width[n] / model.resolution).sum()

    def inside(start: int, end: int) -> list[tuple[float, np.ndarray]]:
        """Of every tree, its log weight whatever is heard, and log sums by the state of its root."""
        found, slices = [], end - start
        if slices <= len(model.lengths):
            found.append((np.log((1.0 - SPLIT) * model.lengths[slices - 1]), table[start:end].sum(axis=0)))
        for middle in range(start + 1, end):
            for (w, left), (v, right) in product(inside(start, middle), inside(middle, end)):
                before = np.array(
                    [
                        logsumexp(
                            [
                                np.log(model.preparations[kind, steps, other]) + left[12 * other + (root + steps) % 12]
                                for other, steps in product(range(2), range(12))
                            ]
                        )
                        for kind, root in product(range(2), range(12))
                    ]
                )
                found.append((w + v + np.log(SPLIT), before + right))
        preferred = -model.balance * np.log(slices - 1) if slices > 1 else 0.0
        found = [(weight + preferred, sums) for weight, sums in found]
        return found

    trees = inside(0, len(counts))
    start = np.log(np.repeat(model.roots / 12, 12))
    return float(logsumexp([w + logsumexp(start + sums) for w, sums in trees]) - logsumexp([w for w, _ in trees]))


@settings(max_examples=6, deadline=None)
@given(
    st.integers(1, 4), st.integers(0, 10**6), st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([(1.0,), (0.5, 0.2, 0.3)])
)
def test_evidence_is_that_of_all_trees_and_states(
    length: int, seed: int, balance: float, lengths: tuple[float, ...]
) -> None:
    model, counts = small(seed, balance, lengths), piece(length, seed)
    assert log_evidence(model, counts) == pytest.approx(by_hand(model, counts), abs=1e-8)


@settings(max_examples=10, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6), st.integers(1, 11))
def test_all_keys_are_alike(length: int, seed: int, steps: int) -> None:
    model, counts = small(seed, 1.0), piece(length, seed)
    assert log_evidence(model, np.roll(counts, steps, axis=1)) == pytest.approx(log_evidence(model, counts), abs=1e-8)


def test_the_table_turns_with_the_root() -> None:
    model = small()
    table = model.table().reshape(2, 12, 2, 12)
    np.testing.assert_allclose(table.sum(axis=(2, 3)), 1.0)
    for root in range(12):
        np.testing.assert_allclose(np.roll(table[:, root], -root, axis=2), model.preparations.swapaxes(1, 2))


def test_silence_says_nothing() -> None:
    """As if a slice were any: the evidence is that of the others, summed over what it may be."""
    model, counts = small(3), piece(3, 3)
    counts[1] = 0.0
    heard = model.heard(counts)
    np.testing.assert_allclose(heard.log_density[1], 0.0, atol=1e-12)
    assert np.isfinite(log_evidence(model, counts))
    assert log_evidence(model, np.zeros((4, 12))) == pytest.approx(0.0, abs=1e-10)


def sampled(model: Harmony, length: int, rng: np.random.Generator) -> tuple[np.ndarray, rb.Tree]:
    """Counts of slices, and the tree they were drawn by; all trees are as probable."""
    from recbayes.studies.music.baselines import random_tree

    tree = random_tree(list(range(1, length + 1)), rng)
    table, states = model.table(), np.zeros(len(tree), dtype=int)
    counts = np.zeros((length, 12))
    for place, node in enumerate(tree):
        above = tree.parents[place]
        if above < 0:
            states[place] = rng.choice(len(table), p=np.repeat(model.roots / 12, 12))
        elif tree.children(above)[0] == place:
            states[place] = rng.choice(len(table), p=table[states[above]])
        else:
            states[place] = states[above]
        if not tree.arities[place]:
            kind, root = divmod(states[place], 12)
            scale = rng.choice(model.scales, p=model.scale_weights)
            logs = rng.multivariate_normal(np.roll(model.profiles[kind], root), scale**2 * model.covariance)
            counts[node.start] = np.maximum(np.exp(logs) - model.pseudo_count - model.resolution, 0.0)
    return counts, tree


@pytest.mark.slow
def test_learning_climbs_and_finds_what_made_the_pieces() -> None:
    """Triads that are prepared by their fifths: the fifth is found, and evidence rises at every step but for the priors."""
    start = start_harmony([piece(8, 0)])
    kinds = len(start.kinds)
    preparations = np.full((kinds, 12, kinds), 1e-4)
    preparations[:, 7, :2] = 0.5
    truth = start.with_fields(
        roots=np.array([0.6, 0.4, *[0.0] * (kinds - 2)]),
        covariance=0.2**2 * np.eye(12),
        preparations=preparations / preparations.sum(axis=(1, 2), keepdims=True),
    )
    rng = np.random.default_rng(0)
    pieces = [sampled(truth, 20, rng)[0] for _ in range(12)]
    found = learn_harmony(pieces, steps=12)
    assert (np.diff(found.history) > -0.5).all()
    assert found.history[-1] > found.history[0] + 100.0
    assert found.model.preparations[:2, 7, :2].sum() / 2 > 0.85
    assert np.sqrt(found.model.covariance[0, 0]) < 0.3
    others = [sampled(truth, 20, rng) for _ in range(8)]
    scores = []
    for counts, tree in others:
        assert log_evidence(found.model, counts) > log_evidence(start, counts)
        scores.append(node_scores(tree, passages(draw_passages(found.model, counts, 200, 0).tree())).f1)
    assert np.mean(scores) > 0.85  # leaves and roots alone are 0.54


def test_spans_exist_as_often_as_they_are_said_to() -> None:
    """Calibration on pieces that the model itself made."""
    model, rng = small(5), np.random.default_rng(1)
    said, true = [], []
    for _ in range(60):
        counts, tree = sampled(model, 7, rng)
        probability = draw_passages(model, counts, 400, 0).node_probability
        for start, end in [(a, b) for a in range(7) for b in range(a + 2, 8) if (a, b) != (0, 7)]:
            said.append(probability[start, end])
            true.append((start, end) in tree.spans)
    said_, true_ = np.array(said), np.array(true)
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 1.01)):
        here = (said_ >= low) & (said_ < high)
        assert abs(said_[here].mean() - true_[here].mean()) < 4 * np.sqrt(0.25 / here.sum()) + 0.02


def test_passages_of_several_slices() -> None:
    """Slices that repeat are one leaf; leaves are as long as the lengths say, and have one state."""
    model = small(2, lengths=(0.1, 0.9))
    means = np.stack([np.roll(model.profiles[0], root) for root in (0, 0, 5, 5, 2, 2)])
    counts = np.exp(means) - model.pseudo_count - model.resolution
    tree = passages(draw_passages(model, np.maximum(counts, 0.0), 300, 0).tree("map"))
    assert [leaf.span for leaf in tree.leaves] == [(0, 2), (2, 4), (4, 6)]
    assert all(len(tree.children(n)) in (0, 2) for n in range(len(tree)))
    probable = chosen(model, draw_passages(model, np.maximum(counts, 0.0), 50, 0))
    assert all(0.9 < leaf.probability <= 1.0 for leaf in probable.leaves)
    one = passages(draw_passages(small(2), counts[:3], 50, 0).tree())
    assert [leaf.span for leaf in one.leaves] == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.slow
def test_lengths_are_learnt() -> None:
    truth = small(4, lengths=(0.0, 0.0, 1.0))
    rng = np.random.default_rng(0)
    pieces = [np.repeat(sampled(truth, 6, rng)[0], 3, axis=0) for _ in range(6)]
    found = learn_harmony(pieces, longest=4, steps=8)
    assert found.model.lengths[2] > 0.6
    assert found.history[-1] > found.history[0]


def test_learning_goes_on_from_any_model() -> None:
    """Also one with kinds of its own, near whose profiles it stays."""
    pieces = [piece(5, seed) for seed in range(3)]
    begin = small(1, lengths=(0.6, 0.4))
    found = learn_harmony(pieces, start=begin, steps=3)
    assert found.model.kinds == begin.kinds
    assert found.history[-1] > found.history[0]
    assert found.free > begin.preparations.size
    joint = sum(log_evidence(begin, one) + log_structures(len(one), begin) for one in pieces)
    assert found.history[0] == pytest.approx(joint, abs=1e-8)


def test_files_are_read_by_a_process_that_knows_no_music(tmp_path: Path) -> None:
    small().save(tmp_path / "harmony.json")
    program = f"import recbayes as rb; print(rb.load({str(tmp_path / 'harmony.json')!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "Harmony(2 kinds: one, two)"


def test_saving(tmp_path: Path) -> None:
    model = small()
    model.save(tmp_path / "harmony.json")
    again = rb.load(tmp_path / "harmony.json")
    assert again == model
    counts = piece(5, 1)
    assert log_evidence(again, counts) == log_evidence(model, counts)


def test_what_is_no_harmony() -> None:
    good = {name: getattr(small(), name) for name in Harmony.fields}
    for name, wrong, said in (
        ("profiles", np.zeros((2, 11)), r"profiles must have shape \(2, 12\)"),
        ("roots", [0.5, 0.6], "roots must sum to one"),
        ("scales", [1.0, -1.0], "positive"),
        ("covariance", -np.eye(12), "covariance"),
        ("preparations", np.ones((2, 12, 2)), "preparations of 'one'"),
        ("balance", -1.0, "balance"),
        ("kinds", ("one", "one"), "different names"),
        ("kinds", ("one", ""), "different names"),
        ("covariance", np.diag(np.arange(1.0, 13.0)), "same in all keys"),
        ("modes", -np.ones((2, 12)), "not negative"),
        ("lengths", (0.5, 0.6), "lengths must sum to one"),
    ):
        with pytest.raises(rb.ModelError, match=said):
            Harmony(**{**good, name: wrong})
    with pytest.raises(AttributeError, match="stays as it was made"):
        small().balance = 1.0
    assert small().with_fields(balance=2.0).balance == 2.0
    for pieces, told in (
        ([], "no pieces"),
        ([np.zeros((3, 12))], "none in which anything sounds"),
        ([piece(3, 0), np.full((2, 12), np.nan)], "piece 1"),
        ([-piece(3, 0)], r"piece 0: sounding times must have shape \(slices, 12\) and not be negative"),
        ([np.zeros((0, 12))], "piece 0"),
        ([piece(3, 0)[:, :11]], "piece 0"),
        (["ab"], "piece 0"),
    ):
        with pytest.raises(rb.DataError, match=told):
            learn_harmony(pieces)  # type: ignore[arg-type]
    with pytest.raises(rb.DataError, match="not both"):
        learn_harmony([piece(3, 0)], start=small(), balance=1.0)
    with pytest.raises(rb.ModelError, match="a Harmony or a music model"):
        rb.music.analyse(rb.music.prelude(), model="none")  # type: ignore[arg-type]
