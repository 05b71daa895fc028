"""Latent vector grammars (Zhao et al. 2018) as recursive Bayesian networks.

Every non-terminal has a vector, which refines it. A rule r of A is the more probable the nearer the vector x of A is to the
rule's own place m_r, with probability proportional to w_r exp(-|x - m_r|^2 / 2 s^2), where w_r are the grammar's weights;
and the vectors of its children are normal about c_r + x, with deviation t. With a wide s they do not matter, and it is
the grammar itself.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from recbayes.checks.arguments import instance
from recbayes.checks.arrays import number, whole_number
from recbayes.discrete.model.grammar_text import Terminal
from recbayes.discrete.model.pcfg import PCFG
from recbayes.errors import ModelError
from recbayes.general.extra import jax_module
from recbayes.general.model.parts import Step
from recbayes.general.model.rbn import RBN
from recbayes.general.model.supports import Positive, Real

WORD = "word"  # the terminal, and the step that leads to it


class VectorGrammar(NamedTuple):
    """A latent vector grammar as a model.

    Attributes:
        model: the `RBN`.
        words: those whose numbers it reads, in order.
    """

    model: RBN
    words: tuple[str, ...]


def latent_vector_grammar(
    grammar: PCFG, dim: int = 2, *, width: float = 1.0, spread: float = 0.5, seed: int = 0
) -> VectorGrammar:
    """The grammar with a vector for every non-terminal, as an `RBN`: a `VectorGrammar`.

    A rule r of A is the more probable the nearer the vector x of A is to the rule's own place m_r, with probability
    proportional to w_r exp(-|x - m_r|^2 / 2 s^2), where w_r are the grammar's weights; and the vectors of its children are
    normal about c_r + x, with deviation t. Places and moves c_r are random. All of these are parameters, which `rb.fit`
    learns.

    Arguments:
        grammar: its rules must have two or more non-terminals, or one terminal, on their right-hand sides. Words are
            numbers, in the order of `words`.
        dim: the dimension of the vectors.
        width: s; the wider, the less vectors matter.
        spread: t.
        seed: of places and moves.
    """
    instance(grammar, PCFG, "grammar", error=ModelError)
    dim = whole_number(dim, "dim", least=1, most=1000)
    rng = np.random.default_rng(whole_number(seed, "seed", least=0))
    grammar.check_normalised()
    rules = [_plain(rule) for rule in grammar.rules]
    symbols = list(dict.fromkeys(rule.left for rule in grammar.rules))
    words = list(dict.fromkeys(rule.right[0].name for rule in rules if isinstance(rule.right[0], Terminal)))
    own = {name: [n for n, rule in enumerate(rules) if rule.left == name] for name in symbols}
    most = max(len(rule.right) for rule in rules)
    parameters = {
        "log_weights": np.log([max(rule.weight, 1e-300) for rule in rules]),
        "places": rng.normal(size=(len(rules), dim)),
        "moves": 0.5 * rng.normal(size=(len(rules), most, dim)),
        "width": number(width, "width"),
        "spread": number(spread, "spread"),
    }
    lexical = {n: words.index(rule.right[0].name) for n, rule in enumerate(rules) if isinstance(rule.right[0], Terminal)}
    steps: dict[str, dict[str, Step]] = {}
    for name, numbers in own.items():
        steps[name] = {
            " ".join(rules[n].right): Step(tuple(rules[n].right), partial(_children, n, len(rules[n].right)))
            for n in numbers
            if n not in lexical
        }
        if any(n in lexical for n in numbers):
            steps[name][WORD] = Step((WORD,), partial(_words, [n for n in numbers if n in lexical], lexical, len(words)))
    model = RBN(
        variables={name: Real(dim) for name in symbols},
        steps=steps,
        structures={name: partial(_structure, rules, numbers, lexical) for name, numbers in own.items()},
        root=grammar.start,
        prior=partial(_prior, dim),
        parameters=parameters,
        domains={"width": Positive(), "spread": Positive()},
    )
    return VectorGrammar(model, tuple(words))


def _plain(rule: Any) -> Any:
    terminals = [isinstance(symbol, Terminal) for symbol in rule.right]
    if any(terminals) != (len(terminals) == 1):
        raise ModelError(
            f"rules must have several non-terminals, or one terminal, on their right-hand sides; got {rule}: see to_cnf()"
        )
    return rule


def _scores(numbers: list[int], p: Any, x: Any) -> Any:
    """Log probabilities of some rules but for a constant, at a vector."""
    jnp = jax_module("jax.numpy")
    chosen = np.array(numbers)
    return p["log_weights"][chosen] - 0.5 * jnp.sum((x - p["places"][chosen]) ** 2, axis=1) / p["width"] ** 2


def _structure(rules: list[Any], numbers: list[int], lexical: dict[int, int], p: Any, x: Any) -> dict[str, Any]:
    shares = jax_module().nn.softmax(_scores(numbers, p, x))
    found: dict[str, Any] = {}
    for share, n in zip(shares, numbers, strict=True):
        name = WORD if n in lexical else " ".join(rules[n].right)
        found[name] = found.get(name, 0.0) + share
    return found


def _children(n: int, count: int, p: Any, x: Any) -> list[Any]:
    dist = jax_module("numpyro.distributions")
    return [dist.Normal(x + p["moves"][n, k], p["spread"]).to_event(1) for k in range(count)]


def _words(numbers: list[int], lexical: dict[int, int], count: int, p: Any, x: Any) -> Any:
    jnp, dist = jax_module("jax.numpy"), jax_module("numpyro.distributions")
    logits = jnp.full(count, -jnp.inf).at[np.array([lexical[n] for n in numbers])].set(_scores(numbers, p, x))
    return dist.Categorical(logits=logits)


def _prior(dim: int, p: Any) -> Any:
    jnp, dist = jax_module("jax.numpy"), jax_module("numpyro.distributions")
    return dist.Normal(jnp.zeros(dim), 1.0).to_event(1)
