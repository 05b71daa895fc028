"""Grammars and discrete RBNs do what every family must do."""

import numpy as np
from hypothesis import strategies as st

import recbayes as rb
from recbayes.discrete.model.grammar_text import quoted, rule_names
from tests.family.conformance import Case, Conformance, Counting, Exact
from tests.random_grammars import all_trees, grammars, sentences

COUNTING = rb.PCFG.from_string("S -> S S [0.4] | 'a' [0.6]")
AMBIGUOUS = rb.PCFG.from_string(
    """
    S -> S S [0.2] | A S [0.2] | 'x' S 'y' [0.1] | A [0.1] | 'x' [0.2] | 'y' [0.2]
    A -> S S S [0.2] | A A [0.3] | 'y' [0.5]
    """
)
OTHER_WEIGHTS = rb.PCFG.from_string(
    """
    S -> S S [0.1] | A S [0.1] | 'x' S 'y' [0.3] | A [0.3] | 'x' [0.1] | 'y' [0.1]
    A -> S S S [0.4] | A A [0.4] | 'y' [0.2]
    """
)


def two_values() -> rb.DiscreteRBN:
    """A and B may both be the root; both split in some ways and emit some of three words."""
    table = np.array([[[0.1, 0.2], [0.3, 0.4]], [[0.0, 0.4], [0.1, 0.5]]])
    words = np.array([[0.5, 0.25, 0.25], [0.1, 0.0, 0.9]])
    transitions = (rb.Transition(("x", "x"), [0.3, 0.4], table), rb.Transition(("y",), [0.7, 0.6], words))
    variable = rb.DiscreteVariable("x", ("A", "B"), transitions)
    return rb.DiscreteRBN([variable], [rb.TerminalVariable("y", ("a", "b", "c"))], prior=("x", (1 / 3, 2 / 3)))


def enumerate_trees(model: rb.PCFG | rb.DiscreteRBN, tokens: list[str]) -> Exact:
    """All trees of the oracle, with the labels and rules that trees show."""
    flat = model.flat()
    found = all_trees(flat, tokens, most=20_000)
    assert found is not None
    names, trees = rule_names(flat), []
    for nodes in found.trees:
        arities = [
            0 if rule < 0 or (len(flat.rights[rule]) == 1 and flat.rights[rule][0] < 0) else len(flat.rights[rule])
            for *_, rule in nodes
        ]
        shown = [
            rb.Node(
                start,
                end,
                flat.nonterminals[symbol] if symbol >= 0 else quoted(flat.terminals[-1 - symbol]),
                names[rule] if rule >= 0 else "",
            )
            for symbol, start, end, rule in nodes
        ]
        trees.append(rb.Tree(shown, arities))
    return Exact(trees, np.log(found.weights))


def case(name: str, model: rb.PCFG | rb.DiscreteRBN, tokens: str) -> Case:
    return Case(name, model, list(tokens), enumerate_trees, accuracy=1e-10)


@st.composite
def problems(draw: st.DrawFn, discrete: bool) -> Case | None:
    grammar = draw(grammars(cycles=False))
    tokens = draw(sentences(grammar, 4))
    model = grammar.to_rbn() if discrete else grammar
    try:
        found = all_trees(model.flat(), tokens, most=200)
    except ValueError:  # the RBN lacks a terminal that only useless rules have
        return None
    return case("random", model, tokens) if found is not None and found.trees else None


class Discrete(Conformance):
    exact = True
    lacks = frozenset({"smooth", "quick_node_probability", "boundaries"})


class TestPCFG(Discrete):
    cases = (
        case("many children and unary rules", AMBIGUOUS, "xyxy"),
        case("the same tokens all over", AMBIGUOUS, "yyy"),
        case(
            "two children at most",
            rb.PCFG.from_string("S -> S S [2] | S A [2] | 'x' [3]\nA -> S S [1] | 'x' [2]"),
            "xxxxx",
        ),
        case(
            "weights that are no probabilities",
            rb.PCFG.from_string("S -> S S [3] | 'x' [2] | 'y' [5]", weights="keep"),
            "xyxx",
        ),
        case("one token", AMBIGUOUS, "y"),
    )
    problems = problems(discrete=False)
    start = OTHER_WEIGHTS

    def counting(self, length: int) -> Counting:
        log_joint = length * np.log(0.6) + (length - 1) * np.log(0.4)
        return Counting(COUNTING, ["a"] * length, log_joint)


class TestDiscreteRBN(Discrete):
    cases = (
        case("a grammar as an RBN", AMBIGUOUS.to_rbn(), "xyxy"),
        case("two values for the root", two_values(), "abca"),
        case("hidden Markov model", rb.HMM([0.6, 0.4], [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.4, 0.6]]), "0110"),
        case("one token", AMBIGUOUS.to_rbn(), "y"),
    )
    problems = problems(discrete=True)
    start = OTHER_WEIGHTS.to_rbn()

    def counting(self, length: int) -> Counting:
        log_joint = length * np.log(0.6) + (length - 1) * np.log(0.4)
        return Counting(COUNTING.to_rbn(), ["a"] * length, log_joint)
