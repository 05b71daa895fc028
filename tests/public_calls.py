"""A good call of every public callable, for `test_wrong_types`, which spoils one argument at a time.

A call names what is called, as in `rb.` (methods as "Tree.cut"), and gives its arguments. What is only kept until a model is
made of it, or a picture drawn, goes on to that (`then`), so that nothing wrong is kept in silence.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import recbayes as rb
from recbayes.discrete.posterior.posterior import DiscretePosterior

Y = np.array([[0.0], [0.1], [1.0], [1.2], [0.9]])
WORDS = ["a", "b", "a"]
LINK = rb.Link(np.eye(1))
COMPONENT = rb.Component(np.zeros(1), np.eye(1))
PRIOR = rb.Prior("x", (COMPONENT,))
TREE = rb.Tree([rb.Node(0, 5, "x", "split"), rb.Node(0, 2, "x", "emit"), rb.Node(2, 5, "x", "emit")], [2, 0, 0])
WORD = rb.TerminalVariable("y", ("a", "b"))
DAYS = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04", "2024-01-08"]
READ = {  # a file with all that can be told of it
    "path": Path(__file__).parents[1] / "src" / "recbayes" / "data" / "in_the_box" / "nile.csv",
    "columns": ["flow"],
    "time": "year",
    "by": None,
    "format": "csv",
    "separator": ",",
    "decimal": ".",
    "encoding": "utf-8",
    "header": True,
    "comment": None,
    "skip": 0,
    "missing": ["-999"],
    "dates": None,
    "sort": False,
    "duplicates": "error",
    "array": None,
}
BINS = [(0.1, 0.2, 0.1, 0.3), (0.8, 0.7, 0.6, 0.9)]


class Call(NamedTuple):
    """What is called, how, and what is done with the result."""

    name: str
    arguments: Callable[[], dict[str, Any]]
    then: Callable[[Any], Any] = lambda result: result
    also: tuple[type, ...] = ()  # further types of right answers


@cache
def gaussian() -> rb.GaussianRBN:
    return rb.GaussianRBN.create(1, extra_observations=1.0)


@cache
def grammar() -> rb.PCFG:
    return rb.PCFG.from_string("S -> S S [0.3] | 'a' [0.6] | 'b' [0.1]")


@cache
def hmm() -> rb.DiscreteRBN:
    return rb.HMM([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.1, 0.9]], termination=0.2)


@cache
def linear() -> rb.GaussianRBN:
    return rb.LinearDynamicalSystem([[0.9]], [[0.1]], [[1.0]], [[0.1]], [0.0], [[1.0]])


@cache
def branching() -> rb.LinearGaussianRBN:
    return rb.LinearGaussianRBN(gaussian().variables, gaussian().prior)


@cache
def chart() -> rb.Chart:
    return rb.inside(gaussian(), Y)


@cache
def discrete_chart() -> rb.DiscreteChart:
    return rb.inside(grammar(), WORDS)


@cache
def posterior() -> Any:
    return rb.sample_posterior(gaussian(), Y, draws=20, seed=0)


@cache
def discrete_posterior() -> Any:
    return rb.sample_posterior(grammar(), WORDS, draws=20, seed=0)


@cache
def valued() -> rb.Tree:
    return posterior().tree()


@cache
def fitted() -> Any:
    return rb.fit(gaussian(), Y, max_evaluations=2, restarts=0, exact=0, progress=False, seed=0)


@cache
def segmented() -> rb.Segmentation:
    return rb.segment(Y, draws=20, seed=0)


@cache
def segmenter() -> rb.HierarchicalSegmenter:
    return rb.HierarchicalSegmenter(learn=True, draws=5, covariance="scalar", restarts=0, exact=None).fit(Y[:3])


@cache
def default_segmenter() -> rb.HierarchicalSegmenter:
    return rb.HierarchicalSegmenter(draws=5).fit(Y)


@cache
def segmentation() -> rb.Segmentation:
    return rb.segment(Y, draws=5, seed=0)


@cache
def pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1)


@cache
def general() -> rb.RBN:
    return gaussian().to_general()


def with_step(step: Any) -> Any:
    """A chart of a model with a step beside that to observations."""
    parts = general().parts
    steps = {"split": step, "emit": parts.steps["x"]["emit"]}
    structures = {"x": lambda parameters, x: {"emit": 0.6}}
    model = rb.RBN(variables=parts.variables, steps={"x": steps}, structures=structures, root="x", prior=parts.prior)
    return rb.joint_inside(model, Y[:2], np.zeros((3, 3, 1))).log_joint


def with_support(support: Any) -> rb.RBN:
    parts = general().parts
    return rb.RBN({"x": support}, parts.steps, parts.structures, "x", parts.prior)


OBJECTS: dict[str, Callable[[], list[Any]]] = {  # whose methods are called; several where kinds of them differ
    "Chart": lambda: [chart()],
    "DiscreteChart": lambda: [discrete_chart()],
    "DiscreteRBN": lambda: [hmm()],
    "GaussianRBN": lambda: [gaussian()],
    "HierarchicalSegmenter": lambda: [segmenter(), default_segmenter()],
    "JointChart": lambda: [rb.joint_inside(general(), Y[:2], np.zeros((3, 3, 1)))],
    "KnownSpans": lambda: [rb.KnownSpans(5, [(0, 2)])],
    "LinearGaussianRBN": lambda: [branching()],
    "Outside": lambda: [gaussian().family.outside(chart())],
    "PCFG": lambda: [grammar()],
    "Parameters": lambda: [rb.Parameters(gaussian())],
    "Posterior": lambda: [posterior(), discrete_posterior()],
    "RBN": lambda: [general()],
    "Segmentation": lambda: [segmentation()],
    "Tree": lambda: [TREE],
}


def with_rules(*rules: Any) -> rb.GaussianRBN:
    return rb.GaussianRBN([rb.Variable("x", 1, rules)], PRIOR)


def with_branch(branch: Any) -> rb.LinearGaussianRBN:
    return rb.LinearGaussianRBN([rb.Variable("x", 1, (branch, rb.Emit(0.5, np.eye(1))))], PRIOR)


def with_split(link: Any) -> rb.GaussianRBN:
    return with_rules(rb.Split(0.5, "x", "x", link, LINK), rb.Emit(0.5, np.eye(1)))


def discrete(variable: Any = None, terminal: Any = WORD) -> rb.DiscreteRBN:
    variable = rb.DiscreteVariable("x", 1, (rb.Transition(("y",), 1.0, [[0.5, 0.5]]),)) if variable is None else variable
    return rb.DiscreteRBN([variable], [terminal], ("x", [1.0]))


def with_node(node: rb.Node) -> rb.Tree:
    """A tree, shown in all its forms."""
    tree = rb.Tree([node], [0])
    for form in (str, repr, rb.Tree.to_json, rb.Tree.to_newick, rb.Tree.to_brackets, rb.Tree.to_table, rb.Tree.to_networkx):
        form(tree)
    return tree


def drawn(axes: Any) -> Any:
    (axes if hasattr(axes, "canvas") else axes.figure).canvas.draw()
    return axes


def sampled(**other: Any) -> dict[str, Any]:
    return {"seed": 0, "min_length": 2, "max_length": 9, "attempts": 1000, **other}


def learnt(estimator: rb.HierarchicalSegmenter) -> Any:
    return estimator.fit([Y[:3]]).transform(Y)


QUICK = rb.QuasiNewton(tolerance=1.0, max_evaluations=3)
KNOWN = {"boundaries": None, "allowed": None, "preference": None}

CALLS = [
    # Models and their parts
    Call(
        "GaussianRBN",
        lambda: {
            "variables": linear().variables,
            "prior": linear().prior,
            "references": tuple(rb.Component(np.zeros(1), np.eye(1)) for _ in "12"),
            "chain": rb.Chain(),
        },
    ),
    Call(
        "GaussianRBN.create",
        lambda: {
            "dim": 2,
            "prior_mean": 0.0,
            "prior_std": 1.0,
            "left_std": 0.1,
            "right_std": [0.1, 0.2],
            "noise_std": np.eye(2),
            "termination": 0.6,
            "shifts": {0: 0.5, 1: 0.5},
            "prior_shifts": {0: 1.0},
            "extra_observations": 2.0,
        },
    ),
    Call("GaussianRBN.guess", lambda: {"series": [Y, Y], "shifts": {0: 1.0}, "extra_observations": True}),
    Call("GaussianRBN.sample", sampled),
    Call("GaussianRBN.save", lambda: {"path": "gaussian.json"}),
    Call("LinearGaussianRBN", lambda: {"variables": gaussian().variables, "prior": gaussian().prior}),
    Call("LinearGaussianRBN.sample", sampled),
    Call("LinearGaussianRBN.save", lambda: {"path": "linear.json"}),
    Call("LinearGaussianRBN.to_cnf", lambda: {"cycle_tolerance": 1e-6}),
    Call("Link", lambda: {"covariance": [[1.0]], "map": [[0.5]], "offset": [1.0]}, with_split),
    Call(
        "Split",
        lambda: {"probability": 0.5, "left": "x", "right": "x", "left_link": LINK, "right_link": LINK, "shifts": {0: 1.0}},
        lambda split: with_rules(split, rb.Emit(0.5, np.eye(1))),
    ),
    Call(
        "Emit",
        lambda: {
            "probability": 1.0,
            "covariance": [[1.0]],
            "length": rb.OnePlusPoisson(1.0),
            "map": [[0.5]],
            "offset": [1.0],
            "noise_factor": 2.0,
        },
        with_rules,
    ),
    Call(
        "Composition",
        lambda: {
            "probability": 1.0,
            "covariance": [[1.0]],
            "pseudo_count": 0.1,
            "length": rb.OnePlusPoisson(1.0),
            "resolution": 0.01,
            "map": [[0.5]],
            "offset": [1.0],
            "own_covariance": [[0.5]],
        },
        with_rules,
    ),
    Call(
        "Leaf",
        lambda: {
            "probability": 1.0,
            "noise_std": [1.0, 2.0],
            "length": rb.Geometric(3.0, 2),
            "noise_levels": (0.5, 1.0),
            "coefficients": (0.0, 0.5),
            "weights": [[0.2, 0.3], [0.4, 0.1]],
            "trend_std": [1.0, 2.0],
            "periods": (4.0,),
            "harmonics": 1,
            "season_std": [1.0, 2.0],
            "regressor_std": [1.0],
            "past": "restart",
            "start_std": [1.0, 2.0],
            "outlier_probability": 0.1,
            "outlier_std": [5.0, 6.0],
            "each_column": True,
            "map": [[0.5], [1.0]],
            "offset": [1.0, 0.0],
        },
        with_rules,
    ),
    Call(
        "Observe",
        lambda: {"covariance": [[1.0]], "map": [[0.5]], "offset": [1.0]},
        lambda child: with_branch(rb.Branch(0.5, (child,))),
    ),
    Call("Branch", lambda: {"probability": 0.5, "children": (("x", LINK), rb.Observe(np.eye(1)))}, with_branch),
    Call(
        "Variable",
        lambda: {"name": "x", "dim": 1, "rules": (rb.Emit(1.0, np.eye(1)),)},
        lambda variable: rb.GaussianRBN([variable], PRIOR),
    ),
    Call(
        "Component",
        lambda: {"mean": [0.0], "covariance": [[1.0]], "weight": 1.0, "shifts": {0: 1.0}, "variable": "x"},
        lambda component: rb.GaussianRBN(gaussian().variables, rb.Prior("x", (component,))),
    ),
    Call(
        "Prior",
        lambda: {"variable": "x", "components": (COMPONENT,)},
        lambda prior: rb.GaussianRBN(gaussian().variables, prior),
    ),
    Call(
        "Chain",
        lambda: {"state": "state", "shown": "shown"},
        lambda chain: rb.GaussianRBN(linear().variables, linear().prior, chain=chain),
    ),
    Call(
        "Chain",
        lambda: {"state": "state", "shown": "shown"},
        lambda chain: rb.DiscreteRBN(hmm().variables, hmm().terminals, hmm().prior, chain=chain),
    ),
    Call(
        "RBN",
        lambda: {
            "variables": general().parts.variables,
            "steps": general().parts.steps,
            "structures": general().parts.structures,
            "root": "x",
            "prior": general().parts.prior,
            "parameters": {"unused": 1.0},
            "domains": {"unused": rb.Positive()},
        },
    ),
    Call("RBN.sample", sampled),
    Call("RBN.with_parameters", lambda: {"parameters": {}}),
    Call(
        "Step",
        lambda: {"children": ("x", "x"), "density": general().parts.steps["x"]["split"].density, "length": None},
        with_step,
    ),
    Call("Real", lambda: {"dim": 1}, with_support),
    Call("Positive", lambda: {"dim": 1}, with_support),
    Call("Simplex", lambda: {"dim": 2}, with_support),
    Call("Discrete", lambda: {"count": 2}, with_support),
    Call("joint_inside", lambda: {"model": general(), "series": Y[:2], "values": np.zeros((3, 3, 1)), **KNOWN}),
    Call(
        "map_estimate",
        lambda: {
            "model": general(),
            "series": Y[:2],
            "form": "pseudo-priors",
            "parameters": rb.Parameters(general()),
            "starts": 0,
            "seed": 0,
            "max_evaluations": 5,
            "progress": False,
            **KNOWN,
        },
    ),
    Call(
        "jax.log_evidence",
        lambda: {"vector": rb.Parameters(gaussian()).vector(), "y": Y, "parameters": rb.Parameters(gaussian())},
        float,
    ),
    Call(
        "latent_vector_grammar",
        lambda: {"grammar": grammar(), "dim": 1, "width": 1.0, "spread": 0.5, "seed": 0},
        lambda found: found.words,
    ),
    Call("JointChart.probability", lambda: {"variable": "x"}),
    Call("OnePlusPoisson", lambda: {"rate": 1.0}),
    Call("Geometric", lambda: {"mean": 9.0, "minimum": 3}),
    Call("OnePlusNegativeBinomial", lambda: {"mean": 1.0, "dispersion": 0.5}),
    Call("LengthTable", lambda: {"probabilities": (0.5, 0.5)}),
    Call("ExactlyOne", dict),
    Call(
        "PCFG",
        lambda: {"start": "S", "rules": [rb.Rule("S", ("S", "S"), 0.4), rb.Rule("S", (rb.Terminal("a"),), 0.6)]},
    ),
    Call("PCFG.from_string", lambda: {"text": "S -> 'a' [1.0]", "start": "S", "weights": "check"}),
    Call("PCFG.from_nltk", lambda: {"grammar": grammar().to_nltk()}),
    Call("PCFG.from_treebank", lambda: {"trees": [(TREE, list("abcde"))], "smoothing": 0.5, "start": "x"}),
    Call("PCFG.from_rbn", lambda: {"rbn": hmm()}),
    Call("PCFG.sample", sampled),
    Call("PCFG.save", lambda: {"path": "grammar.json"}),
    Call("PCFG.weight_of", lambda: {"left": "S", "right": ("S", "S")}),
    Call(
        "PCFG.expand",
        lambda: {
            "dim": 1,
            "emissions": {"a": (0.0, 1.0), "b": (1.0, 1.0)},
            "std": 0.1,
            "prior_mean": 0.0,
            "prior_std": 1.0,
            "cycle_tolerance": 1e-6,
        },
    ),
    Call("Rule", lambda: {"left": "S", "right": (rb.Terminal("a"),), "weight": 1.0}, lambda rule: rb.PCFG("S", [rule])),
    Call("Terminal", lambda: {"name": "a"}, lambda terminal: rb.PCFG("S", [rb.Rule("S", (terminal,))])),
    Call(
        "DiscreteRBN",
        lambda: {
            "variables": hmm().variables,
            "terminals": hmm().terminals,
            "prior": hmm().prior,
            "weights": "check",
            "chain": rb.Chain(),
        },
    ),
    Call("DiscreteRBN.sample", sampled),
    Call("DiscreteRBN.save", lambda: {"path": "discrete.json"}),
    Call(
        "DiscreteVariable",
        lambda: {"name": "x", "values": 1, "transitions": (rb.Transition(("y",), 1.0, [[0.5, 0.5]]),)},
        discrete,
    ),
    Call("TerminalVariable", lambda: {"name": "y", "values": ("a", "b")}, lambda terminal: discrete(terminal=terminal)),
    Call(
        "Transition",
        lambda: {"children": ("y",), "probability": [1.0], "table": [[0.5, 0.5]]},
        lambda transition: discrete(rb.DiscreteVariable("x", 1, (transition,))),
    ),
    Call(
        "HMM",
        lambda: {
            "initial": [0.5, 0.5],
            "transition": np.full((2, 2), 0.5),
            "emission": np.full((2, 2), 0.5),
            "termination": 0.5,
            "states": ("s", "t"),
            "symbols": ("a", "b"),
        },
    ),
    Call(
        "LinearDynamicalSystem",
        lambda: {
            "transition": [[0.9]],
            "transition_covariance": [[0.1]],
            "observation": [[1.0]],
            "observation_covariance": [[0.1]],
            "initial_mean": [0.0],
            "initial_covariance": [[1.0]],
            "termination": 0.1,
        },
    ),
    Call(
        "SwitchingLinearDynamicalSystem",
        lambda: {
            "initial": [0.5, 0.5],
            "switching": np.full((2, 2), 0.5),
            "transitions": [[[0.9]], [[0.1]]],
            "transition_covariances": [[[0.1]], [[0.2]]],
            "observations": [[[1.0]], [[1.0]]],
            "observation_covariances": [[[0.1]], [[0.1]]],
            "initial_mean": [0.0],
            "initial_covariance": [[1.0]],
            "termination": 0.1,
        },
    ),
    Call(
        "Series",
        lambda: {
            "values": Y,
            "noise_covariance": np.ones((5, 1)),
            "times": np.array([0, 1, 3, 3, 9]),
            "unit": 0.5,
            "regressors": np.ones((5, 1)),
        },
        lambda series: rb.inside(gaussian(), series),
    ),
    Call("load", lambda: {"path": saved()}),
    # Trees
    Call(
        "Node",
        lambda: {
            "start": 0,
            "end": 3,
            "label": "x",
            "rule": "emit",
            "value": np.zeros(1),
            "covariance": np.eye(1),
            "probability": 0.5,
            "own": {"slope": 1.0},
        },
        with_node,
    ),
    Call("Tree", lambda: {"nodes": [rb.Node(0, 2), rb.Node(0, 1), rb.Node(1, 2)], "arities": [2, 0, 0]}),
    Call("Tree.children", lambda: {"index": 0}),
    Call("Tree.cut", lambda: {"depth": 1}),
    Call("Tree.segments", lambda: {"count": 2}),
    Call("Tree.from_brackets", lambda: {"text": "(S (A a) (B b))"}),
    Call("Tree.from_newick", lambda: {"text": "(A:1,B:2)S;"}),
    Call("Tree.from_json", lambda: {"text": TREE.to_json()}),
    Call("Tree.from_nltk", lambda: {"tree": TREE.to_nltk()}),
    Call("Tree.from_networkx", lambda: {"directed": TREE.to_networkx()}),
    Call("Tree.from_spans", lambda: {"pairs": [(0, 2), (0, 1)], "labels": ["a", "b"]}),
    Call("Tree.to_newick", lambda: {"probabilities": True}),
    Call("Tree.to_levels", lambda: {"times": np.arange(6.0), "distinct": True}),
    Call("Tree.to_jams", lambda: {"times": np.arange(6.0), "title": "a piece"}),
    Call("Tree.to_brackets", lambda: {"tokens": list("abcde")}),
    Call("Tree.to_nltk", lambda: {"tokens": list("abcde")}),
    Call("Tree.to_svg", lambda: {"title": "a tree"}),
    Call("estimate_cost", lambda: {"model": gaussian(), "length": 5, "components": 1, **KNOWN}),
    Call("known_spans", lambda: {"length": 5, "spans": [(0, 2)]}),
    Call("KnownSpans", lambda: {"length": 5, "spans": [(0, 2)]}),
    Call("KnownSpans.between", lambda: {"points": [0, 2, 5]}),
    Call("balanced_preference", lambda: {"length": 5, "strength": 1.0}),
    Call("node_scores", lambda: {"true": TREE, "predicted": TREE, "labelled": True}),
    Call("node_scores", lambda: {"true": [(0, 2)], "predicted": [(0, 2)], "labelled": False}),
    Call("probabilistic_node_scores", lambda: {"true": TREE, "node_probability": np.full((6, 6), 0.5)}),
    Call("boundary_scores", lambda: {"true": TREE, "predicted": [(0, 2), (2, 5)], "tolerance": 1}),
    Call("robinson_foulds", lambda: {"one": TREE, "two": [(0, 2), (2, 5)], "normalised": True}),
    # Charts and posteriors
    Call(
        "inside",
        lambda: {"model": gaussian(), "series": Y, "components": np.int8(2), "executor": pool(), "n_jobs": None, **KNOWN},
    ),
    Call(
        "inside",
        lambda: {
            "model": gaussian(),
            "series": [Y, Y],
            "components": 1,
            "executor": pool(),
            "n_jobs": None,
            "boundaries": [[2], None],
            "allowed": [None, TREE.span_mask()],
            "preference": None,
        },
    ),
    Call(
        "inside", lambda: {"model": grammar(), "series": WORDS, "components": 1, "executor": pool(), "n_jobs": None, **KNOWN}
    ),
    Call(
        "inside",
        lambda: {"model": grammar(), "series": [WORDS, WORDS], "components": 1, "executor": pool(), "n_jobs": None, **KNOWN},
        also=(rb.DiscreteChart,),  # [None] is one missing token
    ),
    Call("Chart.locate", lambda: {"start": 0, "end": 5, "variable": "x"}),
    Call("Chart.message", lambda: {"start": 0, "end": 5, "variable": "x"}),
    Call("Chart.mixture", lambda: {"start": 0, "end": 5, "variable": "x"}),
    Call("DiscreteChart.log_inside", lambda: {"start": 0, "end": 2}),
    Call("DiscreteChart.span", lambda: {"start": 0, "end": 2}),
    Call("outside", lambda: {"chart": chart()}),
    Call("outside", lambda: {"chart": discrete_chart()}),
    Call("Outside.message", lambda: {"start": 0, "end": 5, "variable": "x"}),
    Call("Outside.node", lambda: {"start": 0, "end": 5, "variable": "x"}),
    Call("best_tree", lambda: {"chart": chart()}),
    Call("best_tree", lambda: {"chart": discrete_chart()}),
    Call("quick_node_probability", lambda: {"chart": chart()}),
    Call(
        "sample_posterior",
        lambda: {
            "model": gaussian(),
            "series": Y,
            "draws": 5,
            "seed": 0,
            "components": 1,
            "executor": pool(),
            "n_jobs": None,
            **KNOWN,
        },
    ),
    Call(
        "sample_posterior",
        lambda: {
            "model": grammar(),
            "series": [WORDS],
            "draws": 5,
            "seed": np.random.default_rng(0),
            "components": 1,
            "executor": pool(),
            "n_jobs": None,
            **KNOWN,
        },
        also=(DiscretePosterior,),
    ),
    Call("Posterior.best", lambda: {"count": 2}),
    Call("Posterior.credible_trees", lambda: {"level": 0.5, "most": 10}),
    Call("Posterior.to_xarray", lambda: {"least": 0.1}),
    Call("Posterior.extend", lambda: {"draws": 2}),
    Call("Posterior.latent", lambda: {"start": 0, "end": 5, "variable": "x"}),
    Call("Posterior.rule_probability", lambda: {"start": 0, "end": 5, "variable": "x"}),
    Call("Posterior.rule_probability", lambda: {"start": 0, "end": 3, "variable": "S"}),
    Call("Posterior.tree", lambda: {"objective": "threshold", "threshold": 0.4}),
    Call("Posterior.tree", lambda: {"objective": rb.ExpectedF1(), "threshold": 0.4}),
    Call("Posterior.with_probabilities", lambda: {"tree": TREE}),
    Call("Posterior.with_probabilities", lambda: {"tree": discrete_posterior().tree()}),
    Call("Posterior.dress", lambda: {"tree": TREE}),
    Call("Posterior.dress", lambda: {"tree": discrete_posterior().tree()}),
    Call("Posterior.warn", lambda: {"name": "series 0: "}),
    Call("ExpectedF1", dict),
    Call("MostProbable", dict),
    Call("Threshold", lambda: {"threshold": 0.5}),
    Call("log_joint", lambda: {"model": gaussian(), "series": Y, "tree": TREE}),
    Call("log_joint", lambda: {"model": grammar(), "series": WORDS, "tree": discrete_posterior().tree()}),
    Call("smooth", lambda: {"model": gaussian(), "series": Y, "tree": TREE}),
    Call("log_prefix_probability", lambda: {"model": grammar(), "tokens": WORDS}),
    Call("filtered_states", lambda: {"model": linear(), "series": Y}),
    Call("filtered_states", lambda: {"model": hmm(), "series": [0, 1, 1]}),
    Call("smoothed_states", lambda: {"model": linear(), "series": Y}),
    Call("smoothed_states", lambda: {"model": hmm(), "series": [0, 1, 1]}),
    Call("best_states", lambda: {"model": hmm(), "series": [0, 1, 1]}),
    # Learning
    Call(
        "fit",
        lambda: {
            "model": gaussian(),
            "series": [Y, Y],
            "covariance": "scalar",
            "tied": True,
            "fixed": "prior.*",
            "climb": QUICK,
            "penalty": rb.Penalty(),
            "work": rb.Work(),
            "priors": {"x.rules[1].std": rb.LogNormal(0.1, 0.5)},
            "restarts": 0,
            "seed": 0,
            "standard_errors": False,
            "exact": 2,
            "components": 1,
            "on_error": "raise",
            "boundaries": None,
            "allowed": None,
            "preference": None,
            "smallest_std": 0.1,
            "pseudo_count": 0.1,
        },
    ),
    Call(
        "fit",
        lambda: {
            "model": gaussian(),
            "series": Y,
            "method": "adam",
            "tolerance": 1.0,
            "max_evaluations": 3,
            "batch": 1,
            "epochs": 1,
            "learning_rate": 0.1,
            "executor": pool(),
            "n_jobs": None,
            "checkpoint": None,
            "resume": False,
            "progress": False,
            "standard_errors": False,
            "seed": 1,
        },
    ),
    Call(
        "fit",
        lambda: {
            "model": grammar(),
            "series": [WORDS, WORDS],
            "max_evaluations": 2,
            "pseudo_count": 0.1,
            "executor": pool(),
            "n_jobs": None,
            "allowed": None,
            "preference": None,
            "progress": False,
        },
    ),
    Call("QuasiNewton", lambda: {"tolerance": 1e-3, "max_evaluations": 5}),
    Call(
        "Adam",
        lambda: {"batch": 2, "learning_rate": 0.1, "epochs": 2, "tolerance": 1e-3, "max_evaluations": 5},
    ),
    Call("LogNormal", lambda: {"median": 0.1, "width": 1.0}),
    Call("Normal", lambda: {"mean": [0.1, 0.2], "std": 1.0}),
    Call("Dirichlet", lambda: {"counts": 0.5}),
    Call("Penalty", lambda: {"smallest_std": 0.1, "pseudo_count": 0.1}),
    Call("Work", lambda: {"executor": pool(), "n_jobs": None, "checkpoint": "fit.json", "resume": False, "progress": False}),
    Call(
        "compare",
        lambda: {
            "models": {"one": gaussian()},
            "series": [Y, Y],
            "folds": 2,
            "seed": 0,
            "draws": 2,
            "components": 1,
            "climb": QUICK,
            "executor": pool(),
            "n_jobs": None,
            "covariance": "scalar",
            "fixed": "prior.*",
        },
    ),
    Call("expected_counts", lambda: {"model": grammar(), "sequences": [WORDS], "executor": pool(), "n_jobs": None, **KNOWN}),
    Call(
        "reestimate",
        lambda: {
            "model": grammar(),
            "sequences": [WORDS],
            "steps": 2,
            "tolerance": 1e-3,
            "pseudo_count": 0.1,
            "executor": pool(),
            "n_jobs": None,
            **KNOWN,
        },
    ),
    Call(
        "log_evidence_and_gradient",
        lambda: {
            "model": gaussian(),
            "series": Y,
            "parameters": rb.Parameters(gaussian()),
            "draws": 10,
            "components": 2,
            "seed": 1,
            "executor": pool(),
            "n_jobs": None,
            **KNOWN,
        },
    ),
    Call("Parameters", lambda: {"model": gaussian(), "covariance": "full", "tied": False, "fixed": ("prior.*",)}),
    Call("Parameters.check", lambda: {"model": gaussian()}),
    Call("Parameters.vector", lambda: {"model": gaussian()}),
    Call("Parameters.with_vector", lambda: {"vector": rb.Parameters(gaussian()).vector()}),
    Call("Parameters.parts", lambda: {"vector": rb.Parameters(gaussian()).vector()}),
    Call("Parameters.pull_back", lambda: {"model": gaussian(), "slopes": gaussian().family.slopes(chart())}),
    # Segmentation
    Call(
        "segment",
        lambda: {
            "data": Y,
            "time": [1, 2, 3, 4, 6],
            "columns": [0],
            "boundaries": [2, 3],
            "min_length": 1,
            "segments": (1, 3),
            "kinds": ["level", "trend"],
            "periods": (4.0,),
            "tolerance": 1,
            "logarithms": False,
            "draws": 5,
            "seed": 0,
            "executor": pool(),
            "n_jobs": None,
            "progress": False,
        },
    ),
    Call("segment", lambda: {"data": [Y, Y], "draws": 5, "seed": 0, "boundaries": [None, [2]]}, also=(rb.Segmentation,)),
    Call("Segmentation.plot", lambda: {"figsize": (4.0, 3.0)}, drawn),
    Call("Segmentation.plot", lambda: {"figure": figure()}, drawn),
    Call("Segmentation.rows", lambda: {"groups": False}),
    Call("Segmentation.table", lambda: {"groups": False}),
    Call("Segmentation.to_html", lambda: {"path": "report.html", "title": "Flow"}, also=(str,)),
    Call("Segmentation.widget", lambda: {"title": "Flow"}, lambda widget: widget.span),
    Call(
        "HierarchicalSegmenter",
        lambda: {
            "model": None,
            "learn": True,
            "shifts": {0: 1.0},
            "covariance": "scalar",
            "level": 1,
            "draws": 5,
            "restarts": 0,
            "exact": 0,
            "random_state": 0,
            "executor": pool(),
            "n_jobs": None,
        },
        learnt,
    ),
    Call(
        "HierarchicalSegmenter",
        lambda: {
            "learn": False,
            "covariance": "scalar",
            "level": 1,
            "draws": 5,
            "random_state": 0,
            "executor": pool(),
            "n_jobs": None,
        },
        learnt,
    ),
    Call("HierarchicalSegmenter.fit", lambda: {"X": Y[:3], "boundaries": [2]}),
    Call("HierarchicalSegmenter.fit", lambda: {"X": Y[:3], "y": None, "trees": rb.Tree.from_spans([(0, 3)])}),
    Call("HierarchicalSegmenter.fit_predict", lambda: {"X": Y[:3], "boundaries": [2]}),
    Call("HierarchicalSegmenter.fit_predict", lambda: {"X": Y[:3], "y": None, "trees": rb.Tree.from_spans([(0, 3)])}),
    Call("HierarchicalSegmenter.fit_transform", lambda: {"X": Y[:3], "boundaries": [2]}),
    Call("HierarchicalSegmenter.fit_transform", lambda: {"X": Y[:3], "y": None, "trees": rb.Tree.from_spans([(0, 3)])}),
    Call("HierarchicalSegmenter.predict", lambda: {"X": Y, "boundaries": [2]}),
    Call("HierarchicalSegmenter.predict_proba", lambda: {"X": Y, "boundaries": [2]}),
    Call("HierarchicalSegmenter.predict_change_points", lambda: {"X": Y, "boundaries": [2]}),
    Call("HierarchicalSegmenter.transform", lambda: {"X": Y, "boundaries": [2]}),
    Call("HierarchicalSegmenter.score", lambda: {"X": Y, "y": TREE}),
    Call("HierarchicalSegmenter.set_output", lambda: {"transform": "default"}),
    Call("HierarchicalSegmenter.get_feature_names_out", lambda: {"input_features": ["a"]}),
    # Data
    Call("data.el_nino", dict),
    Call("data.dirichlet_series", lambda: {"counts": [[1.0, 2.0]], "pseudo_count": 1.0, "concentration": 2.0}),
    Call(
        "data.fetch_wtc",  # of none: nothing is there that could be fetched
        lambda: {"folder": "wtc", "works": [], "base_url": "http://127.0.0.1:9", "progress": False},
    ),
    Call("data.nile", dict),
    Call("data.read_file", lambda: READ),
    Call("data.us_growth", dict),
    # Music
    Call(
        "music.analyse",
        lambda: {"score": rb.music.prelude(), "per": 4, "model": None, "draws": 20, "seed": 0, "most_slices": 80},
    ),
    Call("music.prelude", dict),
    Call("music.pretrained", dict),
    Call(
        "music.Harmony",
        lambda: {
            "kinds": ["triad"],
            "profiles": np.full((1, 12), -2.5),
            "covariance": np.eye(12),
            "scales": [1.0],
            "scale_weights": [1.0],
            "roots": [1.0],
            "preparations": np.full((1, 12, 1), 1 / 12),
            "modes": np.full((2, 12), 1 / 12),
            "balance": 1.0,
            "pseudo_count": 0.02,
            "resolution": 0.01,
            "lengths": [1.0],
        },
    ),
    Call(
        "music.learn_harmony",
        lambda: {
            "pieces": [rb.music.slice_score(rb.music.prelude(), 3).counts],
            "steps": 1,
            "tolerance": 1e-4,
            "balance": 1.0,
            "longest": 1,
            "seed": 0,
            "start": None,
            "executor": None,
            "n_jobs": None,
            "tell": None,
        },
    ),
    Call("music.read_score", lambda: {"path": kern_file(), "repeats": False}),
    Call("music.slice_score", lambda: {"score": rb.music.prelude(), "per": "bar"}),
    # Pictures
    Call("plot.calibration", lambda: {"bins": BINS, "label": "a", "ax": axes()}, drawn),
    Call("plot.cell", lambda: {"model": gaussian(), "variable": "x", "ax": axes()}, drawn),
    Call("plot.changes", lambda: {"found": segmented(), "ax": axes()}, drawn),
    Call(
        "plot.chart",
        lambda: {"drawn": TREE, "marked": (0, 2), "texts": {(0, 2): "a"}, "observed": [1, 2, 3, 4, 5], "ax": axes()},
        drawn,
    ),
    Call("plot.history", lambda: {"fit": fitted(), "label": "a", "ax": axes()}, drawn),
    Call(
        "plot.latents",
        lambda: {
            "believed": posterior(),
            "trees": [TREE],
            "column": 0,
            "variable": "x",
            "fade": True,
            "index": DAYS,
            "ax": axes(),
        },
        drawn,
    ),
    Call("plot.overview", lambda: {"values": Y, "posterior": posterior(), "index": DAYS, "figure": figure()}, drawn),
    Call(
        "plot.scape",
        lambda: {"believed": posterior(), "trees": [TREE], "colour_bar": True, "index": DAYS, "ax": axes()},
        drawn,
    ),
    Call("plot.scores", lambda: {"levels": [1, 2], "curves": {"a": [(0.5, 0.4, 0.6)] * 2}, "ax": axes()}, drawn),
    Call("plot.segmented", lambda: {"found": segmented(), "figsize": (4.0, 3.0)}, drawn),
    Call("plot.segmented", lambda: {"found": segmented(), "figure": figure()}, drawn),
    Call("plot.segments", lambda: {"found": segmented(), "column": 0, "intervals": True, "ax": axes()}, drawn),
    Call("plot.series", lambda: {"values": Y, "tree": TREE, "level": 1, "index": DAYS, "ax": axes()}, drawn),
    Call(
        "plot.tree",
        lambda: {"drawn": valued(), "by_width": False, "labels": True, "column": 0, "index": DAYS, "ax": axes()},
        drawn,
    ),
    Call("plot.trees", lambda: {"compared": {"a": TREE, "b": TREE}, "index": DAYS, "ax": axes()}, drawn),
]


def saved() -> str:
    gaussian().save("saved.json")
    return "saved.json"


def kern_file() -> str:
    Path("small.krn").write_text("**kern\n*M4/4\n=1\n1c\n==\n*-\n", encoding="utf-8")
    return "small.krn"


def figure() -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(2, 2))


def axes() -> Any:
    return figure().subplots()
