"""Gaussian RBNs as a family: what the verbs find when a model names it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from recbayes.checks.series import Series, all_series, as_series, is_many
from recbayes.compiled.compilation import doing
from recbayes.family.cost import Cost
from recbayes.family.family import Around, Family, Read
from recbayes.gaussian.candidates.default import is_worthwhile
from recbayes.gaussian.candidates.find import find_candidates
from recbayes.gaussian.chart.best import best_tree
from recbayes.gaussian.chart.cost import chart_cost, cost_unplanned
from recbayes.gaussian.chart.gradient import model_gradient
from recbayes.gaussian.chart.inside import Chart
from recbayes.gaussian.chart.outside import Outside, outside
from recbayes.gaussian.chart.plan import make_plan
from recbayes.gaussian.chart.states import Means, filtered_states, smoothed_states
from recbayes.gaussian.chart.tables import tables_of
from recbayes.gaussian.learn import quantities as learn
from recbayes.gaussian.learn.exact import Drawn, draw_around, evaluate_around
from recbayes.gaussian.learn.starts import variation
from recbayes.gaussian.learn.units import Units, units_of
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.gaussian.posterior.careful import careful_inside, checked_smooth
from recbayes.gaussian.posterior.draws import draw
from recbayes.gaussian.posterior.improve import draw_well
from recbayes.gaussian.posterior.joint import log_joint
from recbayes.gaussian.posterior.posterior import GaussianPosterior
from recbayes.gaussian.posterior.quick import QuickProbability, quick_node_probability
from recbayes.parameters.quantity import Quantity, Slopes, Values
from recbayes.spans.candidates import Candidates
from recbayes.spans.constraints import Constraints
from recbayes.tree.tree import Tree

COUNTED = "is for a PCFG or a DiscreteRBN, whose rules can be counted, got GaussianRBN; for others see fit"


class GaussianFamily(Family[Chart, Outside, GaussianPosterior]):
    """Template variables of any dimension with linear Gaussian links; messages are Gaussian potentials."""

    name = "a GaussianRBN"
    tabular = True
    reasons: ClassVar[Mapping[str, str]] = {
        "best_states": "a linear dynamical system has no discrete path; see smoothed_states",
        "log_prefix_probability": "prefixes have a probability under a PCFG or a DiscreteRBN, got GaussianRBN",
        "expected_counts": f"expected_counts {COUNTED}",
        "maximised": f"reestimate {COUNTED}",
    }

    def read(self, model: GaussianRBN, data: Any) -> Read:
        if not is_many(data):
            return Read([as_series(data, model.observed_dim)], True)
        return Read(all_series(data, model.observed_dim), False)

    def arrays(self, sequence: Series) -> tuple[np.ndarray | None, ...]:
        arrays = sequence.values, sequence.noise_covariance
        more = [one for one in (sequence.ticks, sequence.regressors) if one is not None]
        return (*arrays, *more)

    def inside(self, model: GaussianRBN, sequence: Series, constraints: Constraints, components: int) -> Chart:
        return careful_inside(model, sequence, constraints, components)

    def cost(self, model: GaussianRBN, length: int, constraints: Constraints, components: int) -> Cost:
        tables, _ = tables_of(model)
        unplanned = cost_unplanned(tables, length, constraints, None)
        return unplanned or chart_cost(tables, make_plan(tables, length, constraints), components)

    def candidates(self, model: GaussianRBN, sequence: Series, constraints: Constraints) -> Candidates:
        return find_candidates(model, sequence, constraints)

    def wants_candidates(self, model: GaussianRBN, sequence: Series, constraints: Constraints) -> bool:
        return is_worthwhile(model, sequence, constraints)

    def outside(self, chart: Chart) -> Outside:
        return outside(chart)

    def best_tree(self, chart: Chart) -> Tree:
        return best_tree(chart)

    def quick_node_probability(self, chart: Chart) -> QuickProbability:
        return quick_node_probability(chart)

    @doing("posterior")
    def draw(self, chart: Chart, draws: int, seed: int) -> GaussianPosterior:
        return draw(chart, draws, seed)

    @doing("posterior")
    def draw_well(self, draws: int, seed: int, fill: Callable[[int], Chart]) -> GaussianPosterior:
        return draw_well(draws, seed, fill)

    def log_joint(self, model: GaussianRBN, sequence: Series, tree: Tree) -> float:
        return log_joint(model, sequence, tree)

    def smooth(self, model: GaussianRBN, sequence: Series, tree: Tree) -> Tree:
        return checked_smooth(model, sequence, tree)

    def quantities(self, model: GaussianRBN) -> Sequence[Quantity]:
        return learn.quantities(model)

    def replaced(self, model: GaussianRBN, values: Values) -> GaussianRBN:
        return learn.replaced(model, values)

    def slopes(self, chart: Chart) -> Slopes:
        return learn.slopes(chart.model, model_gradient(chart))

    def units(self, model: GaussianRBN, sequences: Sequence[Series]) -> Units:
        return units_of(model, sequences)

    def ties(self, model: GaussianRBN) -> tuple[tuple[str, ...], ...]:
        return learn.chain_ties(model)

    def variation(self, model: GaussianRBN, number: int, rng: np.random.Generator) -> GaussianRBN:
        return variation(model, number, rng)

    def idle(self, model: GaussianRBN, sequences: Sequence[Series]) -> tuple[str, ...]:
        return learn.idle(model, sequences)

    @doing("learn")
    def draw_around(
        self,
        model: GaussianRBN,
        sequence: Series,
        constraints: Constraints,
        draws: int,
        seed: int,
        components: int | None = None,
    ) -> Drawn:
        return draw_around(model, sequence, constraints, draws, seed, components)

    def evaluate_around(self, model: GaussianRBN, sequence: Series, constraints: Constraints, drawn: Drawn) -> Around:
        return evaluate_around(model, sequence, constraints, drawn)

    def filtered_states(self, chart: Chart) -> Means:
        return filtered_states(chart)

    def smoothed_states(self, chart: Chart) -> Means:
        return smoothed_states(chart)


GAUSSIAN = GaussianFamily()
