"""`make bench-peers` prints these tables: discrete charts against torch-struct, NLTK and hmmlearn, and `rb.segment` against
ruptures and skchange (`long_series.py`).

One thread everywhere. Times are medians, work and peer being timed in turns in one run; only NLTK, which is slow, runs once.
Both have to give the same number: log evidence, or the log probability of the best tree.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from hmmlearn.hmm import CategoricalHMM
from nltk.parse import ViterbiParser
from rich.console import Console
from rich.table import Table
from torch_struct import SentCFG

import recbayes as rb
from benchmarks import long_series
from recbayes.discrete.chart.trees import best_discrete_tree
from recbayes.discrete.model.flat import FlatGrammar

CONSOLE = Console(width=125)
RUNS = 9
IMPOSSIBLE = -1e5  # log weight of roots other than the start symbol: torch-struct has no minus infinity
NLTK_LENGTHS = (4, 6, 8, 10)


def in_turns(*works: Callable[[], object], runs: int = RUNS) -> list[float]:
    """The median seconds of every work; each is called once without counting, then all in turns."""
    for work in works:
        work()
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for mine, work in zip(times, works, strict=True):
            mine.append(once(work))
    return [float(np.median(mine)) for mine in times]


def once(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def check_same(what: str, mine: float, theirs: float, tolerance: float) -> None:
    if abs(mine - theirs) > tolerance * abs(theirs):
        raise SystemExit(f"{what}: recbayes has {mine!r}, the peer {theirs!r}")


def table(title: str, *columns: str) -> Table:
    made = Table(title=title, title_justify="left")
    for column in columns:
        made.add_column(column, justify="right")
    return made


def ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f}"


class Listed:
    """A model that is nothing but a list of rules."""

    def __init__(self, flat: FlatGrammar) -> None:
        self._flat = flat

    def flat(self) -> FlatGrammar:
        return self._flat


class Dense(NamedTuple):
    """Every non-terminal leads to every pair of symbols, every preterminal to every terminal; the first is the start."""

    rules: np.ndarray  # (non-terminals, symbols, symbols), symbols being non-terminals, then preterminals
    emission: np.ndarray  # (preterminals, terminals)

    @classmethod
    def random(cls, nonterminals: int, preterminals: int, terminals: int) -> "Dense":
        rng = np.random.default_rng(0)
        symbols = nonterminals + preterminals
        rules = rng.dirichlet(np.ones(symbols**2), size=nonterminals).reshape(nonterminals, symbols, symbols)
        return cls(rules, rng.dirichlet(np.ones(terminals), size=preterminals))

    def pcfg(self) -> rb.PCFG:
        names = [f"N{a}" for a in range(len(self.rules))] + [f"P{a}" for a in range(len(self.emission))]
        rules = [
            rb.Rule(parent, (left, right), weight)
            for parent, rows in zip(names, self.rules.tolist(), strict=False)
            for left, row in zip(names, rows, strict=True)
            for right, weight in zip(names, row, strict=True)
        ]
        for parent, row in zip(names[len(self.rules) :], self.emission.tolist(), strict=True):
            rules += [rb.Rule(parent, (rb.Terminal(str(t)),), weight) for t, weight in enumerate(row)]
        return rb.PCFG("N0", rules)

    def potentials(self, tokens: Sequence[str], dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """What torch-struct calls terms, rules and roots, for a batch of one sentence."""
        terms = np.log(self.emission.T[[int(token) for token in tokens]])
        roots = np.where(np.arange(len(self.rules)) == 0, 0.0, IMPOSSIBLE)
        terms, rules, roots = (torch.tensor(part[None], dtype=dtype) for part in (terms, np.log(self.rules), roots))
        return terms, rules, roots


def words(length: int, terminals: int) -> list[str]:
    return [str(t) for t in np.random.default_rng(1).integers(terminals, size=length)]


class Measured(NamedTuple):
    """A table before it is printed."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def print(self) -> None:
        shown = table(self.title, *self.columns)
        for row in self.rows:
            shown.add_row(*row)
        CONSOLE.print(shown)


def against_torch_struct() -> Measured:
    columns = ("work", "N", "precision of peer", "ms", "torch-struct ms", "times faster", "at least")
    title = "20 non-terminals and 20 preterminals, dense (32 000 binary rules), against torch-struct"
    rows: list[tuple[str, ...]] = []
    dense, length = Dense.random(20, 20, 20), 30
    grammar, tokens = dense.pcfg(), words(length, 20)
    for name, dtype, tolerance in (("float32", torch.float32, 1e-5), ("float64", torch.float64, 1e-9)):
        potentials = dense.potentials(tokens, dtype)
        leaves = tuple(part.clone().requires_grad_() for part in potentials)

        def forward(parts: tuple = potentials) -> torch.Tensor:
            return SentCFG(parts).partition.sum()

        def gradient(parts: tuple = leaves) -> tuple[torch.Tensor, ...]:
            return torch.autograd.grad(SentCFG(parts).partition.sum(), parts)

        chart = rb.inside(grammar, tokens)
        check_same("log evidence", chart.log_evidence, forward().item(), tolerance)
        uses = rb.outside(chart).rules[: dense.rules.size].reshape(dense.rules.shape)
        if np.abs(uses - gradient()[1][0].numpy()).max() > 1e-3 * uses.max():
            raise SystemExit("expected uses of rules: recbayes and torch-struct differ")
        spent, peer = in_turns(lambda: rb.inside(grammar, tokens), forward)
        rows.append(("inside", str(length), name, ms(spent), ms(peer), f"{peer / spent:.1f}", "10"))
        spent, peer = in_turns(lambda: rb.outside(rb.inside(grammar, tokens)), gradient)
        rows.append(("inside + outside", str(length), name, ms(spent), ms(peer), f"{peer / spent:.1f}", ""))
    return Measured(title, columns, rows)


def against_nltk() -> None:
    columns = ("N", "ms", "NLTK s", "times faster", "at least")
    rows = table("The same grammar's most probable tree, against NLTK's ViterbiParser", *columns)
    grammar = Dense.random(20, 20, 20).pcfg()
    parser = ViterbiParser(grammar.to_nltk(), max_time=None)
    seconds = []
    for length in NLTK_LENGTHS:
        tokens = words(length, 20)
        start = time.perf_counter()
        tree = next(iter(parser.parse(tokens)))
        seconds.append(time.perf_counter() - start)  # one run: it is slow, and nothing needs to warm up
        check_same("best tree", best_discrete_tree(rb.inside(grammar, tokens))[1], tree.logprob() * np.log(2.0), 1e-9)
        (spent,) = in_turns(lambda tokens=tokens: rb.best_tree(rb.inside(grammar, tokens)))
        rows.add_row(str(length), ms(spent), f"{seconds[-1]:.2f}", f"{seconds[-1] / spent:.0f}", "")
    growth = np.log(seconds[-1] / seconds[-2]) / np.log(NLTK_LENGTHS[-1] / NLTK_LENGTHS[-2])
    peer, tokens = seconds[-1] * (20 / NLTK_LENGTHS[-1]) ** growth, words(20, 20)
    (spent,) = in_turns(lambda: rb.best_tree(rb.inside(grammar, tokens)))
    rows.add_row("20", ms(spent), f"{peer:.0f} *", f"{peer / spent:.0f}", "1000")
    rows.caption = f"* extrapolated: N^{growth:.2f}, as from {NLTK_LENGTHS[-2]} to {NLTK_LENGTHS[-1]} tokens"
    CONSOLE.print(rows)


def costs(title: str, cases: Sequence[tuple[str, Any, list[str]]]) -> None:
    """Costs per sentence, grammars being in their chart's form already, and what that cost once."""
    columns = ("grammar", "N", "rules", "first inside s", "inside ms", "inside + outside ms", "best tree ms")
    rows = table(title, *columns)
    for name, grammar, tokens in cases:
        first = once(lambda grammar=grammar, tokens=tokens: rb.inside(grammar, tokens))
        works = (
            lambda grammar=grammar, tokens=tokens: rb.inside(grammar, tokens),
            lambda grammar=grammar, tokens=tokens: rb.outside(rb.inside(grammar, tokens)),
            lambda grammar=grammar, tokens=tokens: rb.best_tree(rb.inside(grammar, tokens)),
        )
        spent = in_turns(*works, runs=3)
        rows.add_row(name, str(len(tokens)), str(len(grammar.flat().lefts)), f"{first:.2f}", *map(ms, spent))
    rows.caption = "first inside: with the form and the plan of the chart, where the grammar is new"
    CONSOLE.print(rows)


def large_dense() -> None:
    """100 non-terminals, all of which also lead to all of 20 terminals; as a PCFG, and as a list of rules."""
    n, terminals = 100, 20
    rng = np.random.default_rng(0)
    weights = 0.5 * rng.dirichlet(np.ones(n * n), size=n)
    emission = 0.5 * rng.dirichlet(np.ones(terminals), size=n)
    names = tuple(f"N{a}" for a in range(n))
    shown = tuple(str(t) for t in range(terminals))
    pairs = [(b, c) for b in range(n) for c in range(n)]
    listed = Listed(
        FlatGrammar(
            nonterminals=names,
            terminals=shown,
            start=np.eye(n)[0],
            lefts=tuple(a for a in range(n) for _ in range(n * n)) + tuple(a for a in range(n) for _ in shown),
            rights=tuple(pairs) * n + tuple((-1 - t,) for t in range(terminals)) * n,
            weights=np.concatenate([weights.ravel(), emission.ravel()]),
        )
    )
    start = time.perf_counter()
    rules = [
        rb.Rule(name, (names[b], names[c]), weight)
        for name, row in zip(names, weights.tolist(), strict=True)
        for (b, c), weight in zip(pairs, row, strict=True)
    ]
    for name, row in zip(names, emission.tolist(), strict=True):
        rules += [rb.Rule(name, (rb.Terminal(t),), weight) for t, weight in zip(shown, row, strict=True)]
    made = time.perf_counter()
    grammar = rb.PCFG("N0", rules)
    checked = time.perf_counter()
    grammar.flat()
    flat = time.perf_counter()
    CONSOLE.print(
        f"A PCFG of {len(rules)} rules: {made - start:.1f} s for the rules, {checked - made:.1f} s for the PCFG, "
        f"{flat - checked:.1f} s for its flat form"
    )
    tokens = words(40, terminals)
    check_same("log evidence", rb.inside(listed, tokens).log_evidence, rb.inside(grammar, tokens).log_evidence, 1e-12)
    del grammar, rules
    listed.flat().derived.clear()
    costs("A million rules", [("100 non-terminals, dense", listed, tokens)])


def sparse_grammar(rules: int = 10_000, nonterminals: int = 500, terminals: int = 2000, unary: int = 700) -> rb.PCFG:
    """Random binary rules, unary rules to later non-terminals only, and at least one lexical rule for every word.

    Where a non-terminal has all kinds of rules they share its weight so that a node has one child on average.
    """
    rng = np.random.default_rng(0)
    names = [f"N{a}" for a in range(nonterminals)]
    found: dict[tuple[str, str, tuple[Any, ...]], float] = {}

    def add(kind: str, parent: int, *right: Any) -> None:
        found.setdefault((kind, names[parent], right), float(rng.gamma(1.0)))

    for t in range(terminals):
        add("lexical", rng.integers(nonterminals), rb.Terminal(f"w{t}"))
    for a in range(nonterminals):  # every non-terminal can end
        add("lexical", a, rb.Terminal(f"w{rng.integers(terminals)}"))
    enough = len(found) + unary
    while len(found) < enough:
        a = int(rng.integers(nonterminals - 1))
        add("unary", a, names[rng.integers(a + 1, nonterminals)])
    while len(found) < rules:
        add("binary", rng.integers(nonterminals), names[rng.integers(nonterminals)], names[rng.integers(nonterminals)])
    totals: dict[tuple[str, str], float] = {}
    for (kind, left, _), weight in found.items():
        totals[kind, left] = totals.get((kind, left), 0.0) + weight
    share = {"lexical": 0.45, "unary": 0.1, "binary": 0.45}
    made = [rb.Rule(left, right, share[kind] * w / totals[kind, left]) for (kind, left, right), w in found.items()]
    return rb.PCFG("N0", made).normalised()


def sparse() -> None:
    grammar = sparse_grammar()
    sentences = [grammar.sample(seed=0, min_length=n, max_length=n)[0] for n in (20, 40)]
    costs("A sparse grammar", [("500 non-terminals, 2000 words", grammar, tokens) for tokens in sentences])


def against_hmmlearn() -> Measured:
    columns = ("work", "states", "N", "hmmlearn's way", "ms", "hmmlearn ms", "ratio", "at most")
    rows: list[tuple[str, ...]] = []
    length = 10_000
    for states in (5, 20):
        rng = np.random.default_rng(0)
        initial = rng.dirichlet(np.ones(states))
        transition, emission = rng.dirichlet(np.ones(states), size=states), rng.dirichlet(np.ones(10), size=states)
        model = rb.HMM(initial, transition, emission)
        for way in ("log", "scaling"):  # the first is what hmmlearn does unless told otherwise
            peer = CategoricalHMM(states, init_params="", params="", implementation=way)
            peer.startprob_, peer.transmat_, peer.emissionprob_ = initial, transition, emission
            peer.n_features = 10
            seen, _ = peer.sample(length, random_state=1)
            tokens = seen[:, 0]
            check_same("log evidence", rb.inside(model, tokens).log_evidence, peer.score(seen), 1e-9)
            check_same("best path", rb.best_states(model, tokens)[1], peer.decode(seen)[0], 1e-9)
            for work, limit, mine, theirs in (
                ("score", "3" if way == "log" else "", partial(rb.inside, model, tokens), partial(peer.score, seen)),
                ("decode", "", partial(rb.best_states, model, tokens), partial(peer.decode, seen)),
            ):
                spent, other = in_turns(mine, theirs)
                numbers = ms(spent), ms(other), f"{spent / other:.2f}"
                rows.append((work, str(states), str(length), way, *numbers, limit))
    return Measured("Hidden Markov models with 10 symbols, against hmmlearn's CategoricalHMM", columns, rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    against_torch_struct().print()
    against_hmmlearn().print()
    sparse()
    large_dense()
    against_nltk()
    long_series.main([])
