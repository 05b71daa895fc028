"""The seam between the verbs that users call and the families of models that answer them.

A model names its family (`model.family`), and every verb finds it there: no verb asks what kind of model it has. A family
holds the whole way of its models, from the data to the chart, the posterior and learning, as the methods below. They speak
of one sequence; many, executors, seeds, constraints and warnings are the verbs' business. What a family does not provide is
refused with its reason (`reasons`).
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, NoReturn, Protocol, TypeVar

import numpy as np

from recbayes.checks.kept import kept
from recbayes.errors import DataError, ModelError
from recbayes.family.cost import ADVICE, Cost
from recbayes.family.posterior import Posterior
from recbayes.family.saved import to_json
from recbayes.parameters.parameters import Parameters
from recbayes.parameters.quantity import Quantity, Slopes, Values
from recbayes.spans.candidates import Candidates
from recbayes.spans.constraints import Constraints
from recbayes.tree.tree import Tree

ChartT = TypeVar("ChartT", covariant=True)
OutsideT = TypeVar("OutsideT", covariant=True)
PosteriorT = TypeVar("PosteriorT", bound=Posterior, covariant=True)


VERBS = {  # what users call where a method has another name
    "read": "inside",
    "cost": "estimate_cost",
    "draw": "sample_posterior",
    "maximised": "reestimate",
    "free_numbers": "reestimate",
    "quantities": "fit",
    "replaced": "fit",
    "slopes": "log_evidence_and_gradient",
    "draw_around": "fit(..., exact=...)",
    "evaluate_around": "fit(..., exact=...)",
    "candidates": 'boundaries="auto"; give positions, or leave it out',
}


class Read(NamedTuple):
    """Data as a family reads them: checked sequences, and whether there was only one, not in a list."""

    sequences: list[Any]
    single: bool


class Family(Generic[ChartT, OutsideT, PosteriorT]):
    """What can be done with the models of a family. Families have no state: one value serves all models."""

    name: ClassVar[str]  # of its models, in messages
    noun = "series"  # what a sequence is called in messages
    tabular = False  # whether sequences are tables of numbers, observations by columns
    advice = ADVICE  # how to have smaller charts
    reasons: ClassVar[Mapping[str, str]] = {}  # for methods that the family lacks: why, and what to do instead

    def has(self, verb: str) -> bool:
        """Whether the family provides a method."""
        return getattr(type(self), verb) is not getattr(Family, verb)

    def refuse(self, verb: str) -> NoReturn:
        """The error of a method that the family lacks."""
        why = self.reasons.get(verb, f"{self.name} does not know {VERBS.get(verb, verb)}")
        raise ModelError(why)

    # Data and charts

    def read(self, model: Any, data: Any) -> Read:
        """One sequence or a list of them, checked."""
        self.refuse("read")

    def arrays(self, sequence: Any) -> Sequence[np.ndarray | None]:
        """All that a checked sequence is, as arrays, to tell it from others."""
        return (np.asarray(sequence),)

    def identity(self, model: Any) -> str:
        """A text by which a model is told from others."""
        return to_json(model)

    def inside(self, model: Any, sequence: Any, constraints: Constraints, components: int) -> ChartT:
        """The chart of a sequence; it has `model`, `length` and `log_evidence`."""
        self.refuse("inside")

    def cost(self, model: Any, length: int, constraints: Constraints, components: int) -> Cost:
        """What the chart of a sequence of so many observations takes."""
        self.refuse("cost")

    def candidates(self, model: Any, sequence: Any, constraints: Constraints) -> Candidates:
        """Where segments of a sequence may begin and end, so that little is lost if they do so nowhere else."""
        self.refuse("candidates")

    def wants_candidates(self, model: Any, sequence: Any, constraints: Constraints) -> bool:
        """Whether draws and learning look for candidates by themselves, as a full chart would take long."""
        return False

    def joint_inside(self, model: Any, sequence: Any, constraints: Constraints, values: Any) -> Any:
        """The chart of a sequence at fixed values of all nodes that there may be."""
        self.refuse("joint_inside")

    def map_estimate(self, model: Any, sequence: Any, constraints: Constraints, *how: Any) -> Any:
        """The most probable values, structures summed out."""
        self.refuse("map_estimate")

    def outside(self, chart: Any) -> OutsideT:
        """Outside messages; they have `node_probability`."""
        self.refuse("outside")

    def best_tree(self, chart: Any) -> Tree:
        """The tree estimate of the chart."""
        self.refuse("best_tree")

    def quick_node_probability(self, chart: Any) -> Any:
        """Approximate node probabilities without draws."""
        self.refuse("quick_node_probability")

    # Posterior

    def posterior(
        self, model: Any, sequence: Any, constraints: Constraints, draws: int, seed: int, components: int | None = None
    ) -> PosteriorT:
        """Draws of trees of a sequence, from charts that are made better until the draws agree with them."""
        fill = partial(self.inside, model, sequence, constraints)
        if components is None:
            return self.draw_well(draws, seed, fill)
        return self.draw(fill(components), draws, seed)

    def draw(self, chart: Any, draws: int, seed: int) -> PosteriorT:
        """Draws of trees from the posterior."""
        self.refuse("draw")

    def draw_well(self, draws: int, seed: int, fill: Callable[[int], Any]) -> PosteriorT:
        """Draws from the chart, or from a better one with more components, where `fill(components)` gives these."""
        return self.draw(fill(1), draws, seed)

    def log_joint(self, model: Any, sequence: Any, tree: Tree) -> float:
        """log p(Y, Z) of a given tree."""
        self.refuse("log_joint")

    def smooth(self, model: Any, sequence: Any, tree: Tree) -> Tree:
        """A given tree with the posterior values of its nodes."""
        self.refuse("smooth")

    # Learning by climbing: the model's numbers, and the slopes of the log evidence

    def quantities(self, model: Any) -> Sequence[Quantity]:
        """All quantities that can be free."""
        self.refuse("quantities")

    def replaced(self, model: Any, values: Values) -> Any:
        """The model with other values of some quantities."""
        self.refuse("replaced")

    def slopes(self, chart: Any) -> Slopes:
        """The derivatives of the chart's log evidence with respect to all quantities, by their names."""
        self.refuse("slopes")

    def units(self, model: Any, sequences: Sequence[Any]) -> Any:
        """What the units of quantities are computed from (`Quantity.unit`)."""
        return None

    def ties(self, model: Any) -> tuple[tuple[str, ...], ...]:
        """Groups of quantities that are one by the nature of the model, unless the user ties others."""
        return ()

    def parameters(self, model: Any, given: Any) -> Any:
        """What is free: as given, or everything."""
        if given is None:
            return all_parameters(model)
        given.check(model)
        return given

    def evidence_and_gradient(
        self, model: Any, sequence: Any, constraints: Constraints, parameters: Any
    ) -> tuple[float, np.ndarray]:
        """The log evidence, and its derivatives with respect to what is free."""
        chart: Any = self.inside(model, sequence, constraints, 1)
        return chart.log_evidence, parameters.pull_back(model, self.slopes(chart))

    def variation(self, model: Any, number: int, rng: np.random.Generator) -> Any:
        """The model with starting values that differ in kind; the number of variations before it is told."""
        self.refuse("variation")

    def idle(self, model: Any, sequences: Sequence[Any]) -> tuple[str, ...]:
        """Names of quantities that do nothing for these sequences, and need not be learnt."""
        return ()

    # Learning by climbing the exact evidence

    def draw_around(
        self, model: Any, sequence: Any, constraints: Constraints, draws: int, seed: int, components: int | None = None
    ) -> Any:
        """Trees drawn at a model, by which the exact evidence of models nearby is known (`evaluate_around`)."""
        self.refuse("draw_around")

    def evaluate_around(self, model: Any, sequence: Any, constraints: Constraints, drawn: Any) -> "Around":
        """The exact log evidence at a model, by trees that were drawn at another."""
        self.refuse("evaluate_around")

    # Learning by expectation maximisation

    def expected_counts(self, model: Any, sequence: Any, constraints: Constraints) -> "Counts":
        """Expected numbers of uses of the model's rules."""
        self.refuse("expected_counts")

    def maximised(self, model: Any, counts: "Counts", pseudo_count: float) -> Any:
        """The model whose rules are as frequent as counted."""
        self.refuse("maximised")

    def free_numbers(self, model: Any) -> int:
        """How many numbers `maximised` chooses."""
        self.refuse("free_numbers")

    # Chains and prefixes

    def filtered_states(self, chart: Any) -> Any:
        """p(x_t | y_1 ... y_t) of a chain."""
        self.refuse("filtered_states")

    def smoothed_states(self, chart: Any) -> Any:
        """p(x_t | y_1 ... y_N) of a chain."""
        self.refuse("smoothed_states")

    def best_states(self, chart: Any) -> tuple[np.ndarray, float]:
        """The most probable path of a chain, and its log weight."""
        self.refuse("best_states")

    def log_prefix_probability(self, model: Any, sequence: Any) -> float:
        """The log probability that a sequence begins so."""
        self.refuse("log_prefix_probability")


class Around(NamedTuple):
    """The exact log evidence of a sequence, its slopes, the variance of its error, and the effective share of the draws."""

    log_evidence: float
    slopes: Slopes
    variance: float
    efficiency: float


class Counts(NamedTuple):
    """The expected numbers of uses of rules and roots, which are the gradient of the log evidence.

    Attributes:
        log_evidence: of all sequences together.
        rules: its derivatives with respect to the log weights of the rules, in their order.
        roots: those with respect to the log weights of start symbols, in their order.
    """

    log_evidence: float
    rules: np.ndarray
    roots: np.ndarray


class Model(Protocol[ChartT, OutsideT, PosteriorT]):
    """What has a family."""

    @property
    def family(self) -> Family[ChartT, OutsideT, PosteriorT]: ...


class Charted(Protocol[OutsideT]):
    """A chart: it knows its model, whose family made it."""

    @property
    def model(self) -> Model[Any, OutsideT, Any]: ...


@kept
def all_parameters(model: Any) -> Parameters:
    """Everything that can be free in a model."""
    return Parameters(model)


def family_of(model: Any) -> Family:
    """The family that a model names."""
    family = getattr(model, "family", None)
    if not isinstance(family, Family):
        raise ModelError(f"expected a model, such as a GaussianRBN, a PCFG or a DiscreteRBN, got {type(model).__name__}")
    return family


def family_of_chart(chart: Any) -> Family:
    """The family of a chart's model."""
    if isinstance(getattr(chart, "family", None), Family) and not chart.family.has("inside"):
        chart.family.refuse("inside")
    model = getattr(chart, "model", None)
    if model is None or not hasattr(chart, "log_evidence"):
        raise DataError(f"expected one chart, as inside(model, series) makes it, got {type(chart).__name__}")
    return family_of(model)
