"""Discrete RBNs: ways to give tables, checks, the rules they stand for, samples and files."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import recbayes as rb
from recbayes import PCFG, DiscreteRBN, DiscreteVariable, ModelError, Terminal, TerminalVariable, Transition

DENSE = np.array([[[0.1, 0.2], [0.3, 0.4]], [[0.0, 0.0], [0.5, 0.5]]])
NAMED = {
    ("A", "A", "A"): 0.1,
    ("A", "A", "B"): 0.2,
    ("A", "B", 0): 0.3,
    ("A", 1, "B"): 0.4,
    (1, "B", "A"): 0.5,
    ("B", "B", "B"): 0.5,
    ("B", "A", "A"): 0.0,
}
INDICES = [[1, 1, 1], [1, 1, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
PAIR = (np.array(INDICES), [0.5, 0.5, 0.4, 0.3, 0.2, 0.1])
WORDS = [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]


def two_values(table: Any = DENSE, words: Any = WORDS, split: Any = (0.25, 0.0), prior: Any = (0.5, 0.5)) -> DiscreteRBN:
    """A and B split or emit one of three words; B never splits."""
    transitions = (Transition(("x", "x"), split, table), Transition(("y",), 1.0 - np.asarray(split), words))
    variable = DiscreteVariable("x", ("A", "B"), transitions)
    return DiscreteRBN([variable], [TerminalVariable("y", ("a", "b", "c"))], prior=("x", prior))


@pytest.mark.parametrize(
    "table",
    [DENSE, DENSE.tolist(), tuple(map(tuple, DENSE.tolist())), NAMED, PAIR],
    ids=["array", "lists", "tuples", "mapping", "pair"],
)
def test_ways_to_give_a_table(table: object) -> None:
    assert two_values(table) == two_values()
    assert hash(two_values(table)) == hash(two_values())


def test_two_by_two_tuples_are_a_dense_table() -> None:
    model = two_values(words=((0.5, 0.25, 0.25), (0.0, 0.0, 1.0)))
    assert model == two_values()


def test_flat() -> None:
    flat = two_values().flat()
    assert flat.nonterminals == ("A", "B")
    assert flat.terminals == ("a", "b", "c")
    assert flat.start.tolist() == [0.5, 0.5]
    rules = list(zip(flat.lefts, flat.rights, flat.weights.tolist(), strict=True))
    assert rules == [
        (0, (0, 0), 0.25 * 0.1),
        (0, (0, 1), 0.25 * 0.2),
        (0, (1, 0), 0.25 * 0.3),
        (0, (1, 1), 0.25 * 0.4),
        (0, (-1,), 0.75 * 0.5),
        (0, (-2,), 0.75 * 0.25),
        (0, (-3,), 0.75 * 0.25),
        (1, (-3,), 1.0),
    ]


def several_variables(names: tuple[str, str] = ("A", "B"), words: tuple[str, str] = ("a", "b")) -> DiscreteRBN:
    one = DiscreteVariable("one", names, (Transition(("y", "two", "z"), 1.0, np.full((2, 2, 3, 2), 1 / 12)),))
    ways = (Transition(("one",), 0.25, np.full((3, 2), 0.5)), Transition(("z",), [0.75] * 3, np.full((3, 2), 0.5)))
    two = DiscreteVariable("two", ("A", "C", "D"), ways)
    terminals = [TerminalVariable("y", words), TerminalVariable("z", 2)]
    return DiscreteRBN([one, two], terminals, prior=("two", [0.0, 1.0, 0.0]))


def test_names_of_symbols() -> None:
    clash = several_variables().flat()
    assert clash.nonterminals == ("one=A", "one=B", "two=A", "two=C", "two=D")
    assert clash.terminals == ("a", "b", "0", "1")
    other = several_variables(names=("X", "Y"), words=("0", "b")).flat()
    assert other.nonterminals == ("X", "Y", "A", "C", "D")
    assert other.terminals == ("y=0", "y=b", "z=0", "z=1")


def test_mixed_children() -> None:
    grammar = PCFG.from_rbn(several_variables())
    assert grammar.start == "two=C"
    assert grammar.is_normalised
    assert grammar.weight_of("one=B", (Terminal("a"), "two=D", Terminal("1"))) == 1 / 12
    assert grammar.weight_of("two=D", ("one=B",)) == 0.125
    assert grammar.weight_of("two=D", (Terminal("0"),)) == 0.375
    assert len(grammar.rules) == 2 * 12 + 3 * 4


def test_rules_shared_by_transitions_are_one() -> None:
    ways = (Transition(("y",), 0.5, [[0.5, 0.5]]), Transition(("y",), 0.5, [[1.0, 0.0]]))
    flat = DiscreteRBN([DiscreteVariable("x", 1, ways)], [TerminalVariable("y", 2)], ("x", [1.0])).flat()
    assert flat.nonterminals == ("0",)
    assert dict(zip(flat.rights, flat.weights, strict=True)) == {(-1,): 0.75, (-2,): 0.25}


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: two_values(DENSE * 0.9), r"x=A: transitions\[0\]\.table must sum to one, got 0.9;.*weights=\"keep\""),
        (lambda: two_values(DENSE[:1]), r"x\.transitions\[0\]\.table must have shape \(2, 2, 2\).*got \(1, 2, 2\)"),
        (lambda: two_values(-DENSE), r"table must not be negative, got -0\.5"),
        (lambda: two_values({("A", "A"): 1.0}), r"keys must be tuples of 3 values"),
        (lambda: two_values({("A", "A", "Z"): 1.0}), r"'Z' in .* is not among the values \['A', 'B'\]"),
        (lambda: two_values({("A", "A", 2): 1.0}), r"2 in .* is not among the values"),
        (lambda: two_values({("A", "A", -1): 1.0}), r"-1 in .* is not among the values"),
        (lambda: two_values({("A", "A", 0): 0.5, ("A", 0, "A"): 0.5}), r"entry \('A', 'A', 'A'\) is there twice"),
        (lambda: two_values((np.array(INDICES) + 1, PAIR[1])), r"less than \(2, 2, 2\)"),
        (lambda: two_values((np.array(INDICES) + 0.5, PAIR[1])), r"whole numbers of shape \(6, 3\)"),
        (lambda: two_values((np.array(INDICES), PAIR[1][:5])), r"whole numbers of shape \(5, 3\)"),
        (lambda: two_values("table"), "must be numbers"),
        (lambda: two_values([[1.0], [1.0, 2.0]]), "must be numbers"),
        (lambda: two_values(split=(0.25, 0.25, 0.5)), r"probability must have shape \(2,\), got \(3,\)"),
        (lambda: two_values(words=[[1.0, 0, 0], [0, 0, 0]]), r"x=B has no transition with a positive probability"),
        (lambda: two_values(prior=(0.5, 0.6)), r"prior of x must sum to one, it sums to 1\.1"),
        (lambda: two_values(prior=(0.0, 0.0)), "some value must have a positive probability"),
        (lambda: two_values(prior=(1.5, -0.5)), "prior of x must not be negative"),
    ],
)
def test_impossible_tables(make: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        make()


STOP = (Transition(("y",), 1.0, [[1.0]]),)
Y = TerminalVariable("y", ("a",))


@pytest.mark.parametrize(
    ("variables", "terminals", "prior", "complaint"),
    [
        ([], [Y], ("x", 1.0), "at least one latent and one terminal"),
        ([DiscreteVariable("x", 1, STOP)], [], ("x", 1.0), "at least one latent and one terminal"),
        ([Y], [Y], ("x", 1.0), "expected a DiscreteVariable, got TerminalVariable"),
        ([DiscreteVariable("y", 1, STOP)], [Y], ("y", 1.0), "'y' is defined twice"),
        ([DiscreteVariable("x=", 1, STOP)], [Y], ("x=", 1.0), "without '='"),
        ([DiscreteVariable("x", 0, STOP)], [Y], ("x", 1.0), "x.values must be at least one"),
        ([DiscreteVariable("x", 10**400, STOP)], [Y], ("x", 1.0), "x.values must be at most 1000000"),
        ([DiscreteVariable("x", "AB", STOP)], [Y], ("x", 1.0), "x.values must be a tuple of names.*got 'AB'"),
        ([DiscreteVariable("x", ("A", "A"), STOP)], [Y], ("x", 1.0), "x.values: 'A' is there twice"),
        ([DiscreteVariable("x", (1, 2), STOP)], [Y], ("x", 1.0), "x.values must be at least one non-empty string"),
        ([DiscreteVariable("x", 1.5, STOP)], [Y], ("x", 1.0), "x.values must be a whole number"),
        ([DiscreteVariable("x", 1, ())], [Y], ("x", 1.0), "x=0 has no transition"),
        ([DiscreteVariable("x", 1, ("y",))], [Y], ("x", 1.0), r"x\.transitions\[0\] must be a Transition"),
        ([DiscreteVariable("x", 1, (Transition((), 1.0, [1.0]),))], [Y], ("x", 1.0), r"one or more of.*\['x', 'y'\]"),
        ([DiscreteVariable("x", 1, (Transition("y", 1.0, [1.0]),))], [Y], ("x", 1.0), "one or more of.*got 'y'"),
        ([DiscreteVariable("x", 1, (Transition(("q",), 1.0, [[1.0]]),))], [Y], ("x", 1.0), "one or more of.*'q'"),
        ([DiscreteVariable("x", 1, (Transition(("y",), 0.5, [[1.0]]),))], [Y], ("x", 1.0), "x=0: the probabilities of.*0.5"),
        ([DiscreteVariable("x", 1, STOP)], [Y], ("y", 1.0), r"a latent variable's name \(one of \['x'\]\)"),
        ([DiscreteVariable("x", 1, STOP)], [Y], "x", "prior must be a pair"),
    ],
)  # fmt: skip
def test_impossible_models(variables: list, terminals: list, prior: Any, complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        DiscreteRBN(variables, terminals, prior)


def test_weighted_models(tmp_path: Path) -> None:
    variable = DiscreteVariable("x", 1, (Transition(("y",), 2.0, [[0.5]]), Transition(("x", "x"), 0.5, [[[3.0]]])))
    model = DiscreteRBN([variable], [Y], ("x", [0.5]), weights="keep")
    assert not model.is_normalised
    assert model.flat().weights.tolist() == [1.0, 1.5]
    grammar = PCFG.from_rbn(model)  # the prior is a point mass, but not of weight one
    assert grammar.start == "S"
    assert [rule.weight for rule in grammar.rules] == [0.5, 1.0, 1.5]
    model.save(tmp_path / "model.json")
    assert rb.load(tmp_path / "model.json") == model
    with pytest.raises(ModelError, match="'check' or 'keep', got 'normalise'"):
        DiscreteRBN([variable], [Y], ("x", [0.5]), weights="normalise")  # type: ignore[arg-type]


def test_samples_follow_the_tables() -> None:
    model = several_variables()
    rng = np.random.default_rng(5)
    trees = [model.sample(seed=rng)[1] for _ in range(2000)]
    assert {tree.nodes[0].label for tree in trees} == {"two=C"}
    counts = Counter(node.rule for tree in trees for node in tree)
    expected = {rule.text: rule.weight for rule in PCFG.from_rbn(model).rules}
    names = [name for name in expected if name.startswith("two=C")]
    seen = np.array([counts[name] for name in names])
    assert chisquare(seen, seen.sum() * np.array([expected[name] for name in names])).pvalue > 1e-3


def test_the_root_follows_the_prior() -> None:
    rng = np.random.default_rng(6)
    model = two_values(prior=(0.25, 0.75))
    roots = Counter(model.sample(seed=rng)[1].nodes[0].label for _ in range(1000))
    assert chisquare([roots["A"], roots["B"]], [250, 750]).pvalue > 1e-3


def test_repr() -> None:
    assert repr(two_values()).splitlines() == [
        "DiscreteRBN(root x)",
        "  x (2 values)",
        "    -> x x (6 entries)",
        "    -> y (4 entries)",
        "  y (3 values, observed)",
    ]


@given(st.floats(0.0, 0.5), st.floats(0.0, 1.0))
def test_files_round_trip_to_the_bit(tmp_path_factory: pytest.TempPathFactory, split: float, prior: float) -> None:
    path = tmp_path_factory.mktemp("models") / "model.json"
    model = two_values(split=(split, split / 3), prior=(prior, 1.0 - prior))
    model.save(path)
    restored = rb.load(path)
    assert isinstance(restored, DiscreteRBN)
    assert restored == model
    assert restored.prior[1].tobytes() == model.prior[1].tobytes()
    for one, other in zip(restored.variables[0].transitions, model.variables[0].transitions, strict=True):
        assert one.probability.tobytes() == other.probability.tobytes()
        assert one.table.probabilities.tobytes() == other.table.probabilities.tobytes()
        assert one.table.indices.tobytes() == other.table.indices.tobytes()
