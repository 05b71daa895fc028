"""Hostile trees, formats, metrics, known spans: what was written reads back the same, or is refused in one line."""

import itertools
import json
import pickle
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from tests.fuzz.hostile import attempt, seeds

LABELS = [
    "",
    "x",
    "(",
    ")",
    "a b",
    "'",
    '"',
    "\n",
    "\t",
    ",",
    ":",
    ";",
    "[",
    "]",
    "ü",
    "🎵",
    "\\",
    "/",
    "\x00",
    "-LRB-",
    "0",
]
LABELS += ["\u2028", "[&p=1]", "'quoted'", "a'b", "_", "<&>", "\ud800", "%", "$\\alpha$", "w" * 300]


def random_tree(rng: np.random.Generator, *, hostile: bool) -> rb.Tree:
    """Nodes with one, two or more children, odd labels, values that may be anything finite."""
    length = int(rng.integers(1, 9))
    first = 0 if rng.random() < 0.8 else int(rng.integers(-5, 1000))
    nodes, arities = [], []
    waiting = [(first, first + length, 0)]
    while waiting:
        start, end, depth = waiting.pop()
        most = end - start
        arity = int(rng.integers(2, most + 1)) if most > 1 and rng.random() < 0.7 else 0
        if rng.random() < 0.15 and depth < 6:
            arity = 1
        label, rule = ("x", "split") if not hostile else (LABELS[n] for n in rng.integers(len(LABELS), size=2))
        value = None if rng.random() < 0.5 else rng.normal(size=2) * 10.0 ** rng.uniform(-300, 300)
        chance = None if rng.random() < 0.5 else float(rng.random())
        nodes.append(
            rb.Node(start, end, label, rule, value, None if value is None else np.outer(value, value * 0 + 1), chance)
        )
        arities.append(arity)
        if arity:
            cuts = sorted(rng.choice(np.arange(start + 1, end), size=arity - 1, replace=False).tolist()) if arity > 1 else []
            waiting += [(a, b, depth + 1) for a, b in itertools.pairwise([start, *cuts, end])][::-1]
    return rb.Tree(nodes, arities)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(500))
def test_formats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, hostile=bool(seed % 2))
    again = rb.Tree.from_json(tree.to_json())
    assert again == tree
    for one, two in zip(tree, again, strict=True):
        assert one.probability == two.probability
        for name in ("value", "covariance"):
            assert (getattr(one, name) is None) == (getattr(two, name) is None)
            assert getattr(one, name) is None or np.array_equal(getattr(one, name), getattr(two, name))
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert len(str(tree).splitlines()) == len(tree) or seed % 2
    assert tree.to_table()[0]["start"] == tree.spans[0][0]
    graph = attempt(tree.to_networkx)
    assert graph is not None
    assert rb.Tree.from_networkx(graph) == tree
    spans = rb.Tree.from_spans([tree.spans[n] for n in rng.permutation(len(tree))])
    assert set(spans.spans) == set(tree.spans)
    assert sorted(leaf.span for leaf in spans.leaves) == sorted(leaf.span for leaf in tree.leaves)
    for write, read in ((tree.to_brackets, rb.Tree.from_brackets), (tree.to_newick, rb.Tree.from_newick)):
        text = attempt(write)
        if not text:
            continue
        other = attempt(read, text)
        assert other, (text, other.text)
        same = [(a - tree.spans[0][0], b - tree.spans[0][0]) for a, b in tree.spans]
        assert list(other.spans) in (same, list(tree.spans)), text  # brackets of positions say where they begin
        assert [node.label for node in other] == [node.label for node in tree], text
    tokens = [LABELS[n] for n in rng.integers(len(LABELS), size=tree.length)]
    text = attempt(tree.to_brackets, tokens)
    if text:
        other = attempt(rb.Tree.from_brackets, text)
        assert other, (text, other.text)
        assert other.length == tree.length, text
        nltk = attempt(tree.to_nltk, tokens)
        if nltk is not None and not isinstance(nltk, bool) and hasattr(nltk, "leaves"):
            assert rb.Tree.from_nltk(nltk).spans == other.spans


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(600))
def test_damaged_texts(seed: int) -> None:
    """Characters lost, doubled, replaced or moved: a tree or one line."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, hostile=bool(seed % 2))
    for write, read in (
        (tree.to_json, rb.Tree.from_json),
        (tree.to_brackets, rb.Tree.from_brackets),
        (tree.to_newick, rb.Tree.from_newick),
    ):
        text = attempt(write)
        if not text:
            continue
        for _ in range(int(rng.integers(1, 4))):
            at, other = (int(n) for n in rng.integers(len(text) + 1, size=2))
            kind = int(rng.integers(4))
            if kind == 0:
                text = text[:at] + text[at + 1 :]
            elif kind == 1:
                text = text[:at] + text[min(at, other) : max(at, other)] + text[at:]
            elif kind == 2:
                text = text[:at] + LABELS[int(rng.integers(len(LABELS)))] + text[at + 1 :]
            else:
                text = text[:at]
            text = text or " "
        found = attempt(read, text)
        if found:
            assert found.length >= 1
            assert attempt(rb.Tree.from_json, attempt(found.to_json)) == found
    junk: Any = [
        None,
        1,
        b"(S)",
        ["x"],
        "",
        "{}",
        "[]",
        "null",
        "NaN",
        '{"format": "recbayes.Tree", "version": 1}',
        "(" * 5000,
    ]
    for read in (rb.Tree.from_json, rb.Tree.from_brackets, rb.Tree.from_newick):
        assert not attempt(read, junk[seed % len(junk)])


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(300))
def test_metrics(seed: int) -> None:
    """Against sets of spans; and of anything else, a score or one line."""
    rng = np.random.default_rng(seed)
    one, two = random_tree(rng, hostile=False), random_tree(rng, hostile=False)
    found = attempt(rb.node_scores, one, two)
    if one.spans[0] == two.spans[0]:
        a, b = set(one.spans), set(two.spans)
        assert found.f1 == pytest.approx(2 * len(a & b) / (len(a) + len(b)))
        assert found.precision == pytest.approx(len(a & b) / len(b))
        assert rb.node_scores(two, one).recall == pytest.approx(found.precision)
        inner = {s for s in a ^ b if s[1] - s[0] > 1 and s != one.spans[0]}
        assert rb.robinson_foulds(one, two) == len(inner)
        ends = [{leaf.end for leaf in tree.leaves} - {tree.spans[0][1]} for tree in (one, two)]
        assert rb.boundary_scores(one, two).shared == len(ends[0] & ends[1])
        if one.spans[0][0] == 0:
            p = np.zeros((one.length + 1,) * 2)
            for span in b:
                p[span] = 1.0
            assert rb.probabilistic_node_scores(one, p).f1 == pytest.approx(found.f1)
    else:
        assert not found
    assert rb.node_scores(one, one).f1 == 1.0
    things: list[Any] = [None, 3, "ab", [], [(0, 1)], [(1, 0)], [(0.5, 1)], [("a", "b")], [(0, 1, 2)], np.eye(3), {(0, 2)}]
    things += [iter([(0, 2)]), [(-1, 2)], [(0, 2**70)], [(np.int64(0), np.int8(2))], float("nan"), [[]], [None], {0: 1}]
    for verb in (rb.node_scores, rb.robinson_foulds, rb.boundary_scores, rb.probabilistic_node_scores):
        a, b = (things[int(n)] if rng.random() < 0.8 else one for n in rng.integers(len(things), size=2))
        attempt(verb, a, b)
    for thing in things:
        attempt(rb.Tree.from_spans, thing)
        attempt(rb.known_spans, int(rng.integers(-1, 5)), thing)
        attempt(one.cut, thing)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(60))
def test_known_spans(seed: int) -> None:
    """The evidence of trees that have some nodes is the sum over exactly those trees."""
    rng = np.random.default_rng(seed)
    grammar = rb.PCFG.from_string("S -> S S [0.4] | 'a' [0.6]")
    length = int(rng.integers(1, 7))
    spans = [tuple(sorted(rng.choice(length + 1, size=2, replace=False).tolist())) for _ in range(int(rng.integers(0, 4)))]
    mask = attempt(rb.known_spans, length, spans)
    crossing = any(a < c < b < d or c < a < d < b for a, b in spans for c, d in spans)
    assert isinstance(mask, np.ndarray) != crossing
    if crossing:
        return

    def count(i: int, k: int) -> float:
        if k == i + 1:
            return 0.6
        total = 0.0
        for j in range(i + 1, k):
            if not any(a < j < b and (a > i or b < k) for a, b in spans if i <= a and b <= k):
                total += 0.4 * count(i, j) * count(j, k)
        return total

    chart = attempt(rb.inside, grammar, ["a"] * length, allowed=mask)
    assert chart, chart.text
    assert chart.log_evidence == pytest.approx(np.log(count(0, length)))


def test_json_numbers() -> None:
    """Numbers that other programs write."""
    tree = json.loads(rb.Tree([rb.Node(0, 1)], [0]).to_json())
    for value in (1.0, 1e400, -0.0, True, "1", None, 2**80, [1]):
        for field in ("start", "end", "children", "label", "probability", "value"):
            changed = json.loads(json.dumps(tree))
            changed["nodes"][0][field] = value
            attempt(rb.Tree.from_json, json.dumps(changed))
