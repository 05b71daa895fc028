"""Models that are neither Gaussian nor discrete: of each a sequence is sampled, its tree inferred, and both trees compared.

    python examples/gallery.py                     all of them, on one picture
    python examples/gallery.py counts angles       some of them

Needs JAX and numpyro: pip install 'recbayes[jax]'.
"""

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist

import recbayes as rb
from recbayes.plot.colours import CHANGE

FIGURE = Path(__file__).parents[1] / "docs" / "figures" / "gallery.png"


class Level(rb.RBN):
    """What most of these have in common: one number that changes by small steps down the tree."""

    value = rb.Real(1)
    length = rb.OnePlusPoisson(6.0)

    def prior(self) -> Any:
        return dist.Normal(jnp.zeros(1), 1.0).to_event(1)

    def structure(self, x: Any) -> dict[str, Any]:
        return {"emit": 0.6}

    def split(self, x: Any) -> list[Any]:
        return [dist.Normal(x, 1.0).to_event(1)] * 2


class Counts(Level):
    """How many there are: Poisson."""

    def emit(self, x: Any) -> Any:
        return dist.Poisson(jnp.exp(1.0 + x)).to_event(1)


class HeavyTails(Level):
    """Student-t noise: single values far out do not cut a segment."""

    def emit(self, x: Any) -> Any:
        return dist.StudentT(2.0, x, 0.2).to_event(1)


class Bits(Level):
    """Yes or no."""

    length = rb.OnePlusPoisson(12.0)

    def split(self, x: Any) -> list[Any]:
        return [dist.Normal(x, 2.0).to_event(1)] * 2

    def emit(self, x: Any) -> Any:
        return dist.Bernoulli(logits=1.5 * x).to_event(1)


class Angles(rb.RBN):
    """Directions (von Mises): the value is a vector of the plane, of which only the direction is seen."""

    value = rb.Real(2)
    length = rb.OnePlusPoisson(6.0)

    def prior(self) -> Any:
        return dist.Normal(jnp.zeros(2), 2.0).to_event(1)

    def structure(self, x: Any) -> dict[str, Any]:
        return {"emit": 0.6}

    def split(self, x: Any) -> list[Any]:
        return [dist.Normal(x, 1.0).to_event(1)] * 2

    def emit(self, x: Any) -> Any:
        return dist.VonMises(jnp.arctan2(x[1], x[0]), 8.0)


class Ends(Level):
    """Termination depends on the value: large ones end sooner."""

    def structure(self, x: Any) -> dict[str, Any]:
        return {"emit": jax.nn.sigmoid(0.4 + 2.0 * x[0])}

    def emit(self, x: Any) -> Any:
        return dist.Normal(x, 0.3).to_event(1)


def network(weights: Any, x: Any) -> Any:
    """A small network whose output is near to its input."""
    return x + jnp.tanh(jnp.tanh(x @ weights["in"]) @ weights["out"])


class NeuralLinks(rb.RBN):
    """The mean of a child is what a neural network makes of its parent, another one on the left than on the right."""

    value = rb.Real(2)
    length = rb.OnePlusPoisson(6.0)
    left: dict
    right: dict

    def prior(self) -> Any:
        return dist.Normal(jnp.zeros(2), 1.0).to_event(1)

    def structure(self, x: Any) -> dict[str, Any]:
        return {"emit": 0.6}

    def split(self, x: Any) -> list[Any]:
        return [dist.Normal(network(one, x), 0.3).to_event(1) for one in (self.left, self.right)]

    def emit(self, x: Any) -> Any:
        return dist.Normal(x, 0.3).to_event(1)


def neural() -> rb.RBN:
    rng = np.random.default_rng(3)
    nets = [{"in": rng.normal(size=(2, 8)), "out": rng.normal(size=(8, 2))} for _ in range(2)]
    return NeuralLinks(left=nets[0], right=nets[1])


def mixed() -> rb.RBN:
    """A discrete mood over a continuous level: the mood, calm or wild, says how far levels jump and how noisy leaves are."""
    jumps, noises = jnp.array([0.3, 2.0]), jnp.array([0.1, 0.5])

    def split(p: Any, x: Any) -> list[Any]:
        return [dist.Normal(x, jumps[p["mood"]]).to_event(1)] * 2

    def parts(name: str, mood: int) -> dict[str, Any]:
        return {
            "split": rb.Step((name, name), lambda p, x: split({"mood": mood}, x)),
            "emit": rb.Step(("y",), lambda p, x: dist.Normal(x, noises[mood]).to_event(1), rb.OnePlusPoisson(6.0)),
        }

    def below(p: Any, k: Any) -> list[Any]:
        return [dist.Normal(jnp.zeros(1), 1.0).to_event(1), dist.Categorical(jnp.array([[0.7, 0.3], [0.3, 0.7]])[k])]

    return rb.RBN(
        variables={"mood": rb.Discrete(2), "calm": rb.Real(1), "wild": rb.Real(1)},
        steps={
            "mood": {
                "calm, then": rb.Step(("calm", "mood"), below),
                "wild, then": rb.Step(("wild", "mood"), below),
                "calm": rb.Step(("calm",), lambda p, k: below(p, k)[0]),
                "wild": rb.Step(("wild",), lambda p, k: below(p, k)[0]),
            },
            "calm": parts("calm", 0),
            "wild": parts("wild", 1),
        },
        structures={
            "mood": lambda p, k: {
                "calm, then": jnp.array([0.54, 0.06])[k],
                "wild, then": jnp.array([0.06, 0.54])[k],
                "calm": jnp.array([0.36, 0.04])[k],
            },
            "calm": lambda p, x: {"emit": 0.7},
            "wild": lambda p, x: {"emit": 0.6},
        },
        root="mood",
        prior=lambda p: dist.Categorical(jnp.array([0.5, 0.5])),
    )


def words() -> rb.RBN:
    """A latent vector grammar: words and rules depend on a vector at every node."""
    grammar = rb.PCFG.from_string(
        "S -> A B [0.5] | B A [0.3] | 'c' [0.2]\nA -> S S [0.2] | 'a' [0.8]\nB -> S A [0.2] | 'b' [0.8]"
    )
    return rb.latent_vector_grammar(grammar, 2, width=1.0, seed=1).model


MODELS = {
    "counts": Counts,
    "heavy tails": HeavyTails,
    "bits": Bits,
    "angles": Angles,
    "termination by value": Ends,
    "neural links": neural,
    "discrete and continuous": mixed,
    "vector grammar": words,
}


class Outcome(NamedTuple):
    """Of one model: the sequence, its true tree, the posterior, how much of the tree was found, and how long it took."""

    y: np.ndarray
    truth: rb.Tree
    posterior: Any
    f1: float
    seconds: float


def infer(name: str, draws: int = 1000) -> Outcome:
    model = MODELS[name]()
    least, most = (8, 20) if name == "vector grammar" else (40, 70)
    y, truth = model.sample(seed=5, min_length=least, max_length=most, attempts=100_000)
    began = time.perf_counter()
    posterior = rb.sample_posterior(model, y, draws=draws, seed=0)
    found = posterior.tree()
    return Outcome(y, truth, posterior, rb.node_scores(truth, found).f1, time.perf_counter() - began)


def draw(outcomes: dict[str, Outcome], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    across = min(len(outcomes), 4)
    figure = plt.figure(figsize=(3.4 * across, 4.6 * -(-len(outcomes) // across)), layout="constrained")
    parts = np.ravel(figure.subfigures(-(-len(outcomes) // across), across, squeeze=False))
    for (name, one), part in zip(outcomes.items(), parts, strict=False):
        top, bottom = part.subplots(2, 1, sharex=True)
        top.plot(one.y, ".", color="black", markersize=3)
        for leaf in one.truth.leaves[:-1]:
            top.axvline(leaf.end - 0.5, color=CHANGE, linestyle="--", linewidth=0.8)
        top.set_title(f"{name}: F1 {one.f1:.2f}, expected {one.posterior.expected_f1:.2f}", fontsize=9)
        top.set_xlim(-0.5, len(one.y) - 0.5)
        rb.plot.scape(one.posterior, [one.posterior.tree()], colour_bar=False, ax=bottom)
        top.set_xlabel("")
    figure.savefig(path, dpi=80)


def main(names: list[str], path: Path = FIGURE, draws: int = 1000) -> dict[str, Outcome]:
    print("model                     N  how         share   F1  expected  seconds")
    outcomes = {}
    for name in names:
        one = outcomes[name] = infer(name, draws)
        posterior = one.posterior
        print(
            f"{name:24}{len(one.y):3}  {posterior.method:10} {posterior.efficiency:6.0%} {one.f1:.2f}"
            f"      {posterior.expected_f1:.2f}  {one.seconds:7.1f}",
            flush=True,
        )
    draw(outcomes, path)
    return outcomes


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", help=f"of {', '.join(MODELS)}")
    main(arguments.parse_args().names or list(MODELS))
