"""General RBNs as a family: what the verbs find when a model names it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from recbayes.errors import ModelError
from recbayes.family.family import Around, Family, Read
from recbayes.general.chart.joint import JointChart, Landscape, values_of
from recbayes.general.data import Observations, read_sequences
from recbayes.general.estimate.estimate import MapEstimate, map_estimate
from recbayes.general.learn import quantities as learn
from recbayes.general.learn.exact import Drawn, draw_around, evaluate_around
from recbayes.general.model.checks import named
from recbayes.general.model.rbn import RBN
from recbayes.general.posterior.draws import Workshop, draw_posterior
from recbayes.general.posterior.posterior import GeneralPosterior
from recbayes.parameters.quantity import Quantity, Values
from recbayes.spans.constraints import Constraints

MESSAGES = "messages of arbitrary densities have no closed form; see joint_inside, which takes values"
CANDIDATES = "candidate boundaries are found by the leaves of a Gaussian model; give an RBN boundaries as positions, or none"


DRAWS = 200  # by which evidence is known where nobody says how many


class GeneralFamily(Family[Any, Any, GeneralPosterior]):
    """Template variables of any kind, with densities of the user's own; charts are those at fixed values."""

    name = "an RBN"
    noun = "sequence"
    reasons: ClassVar[Mapping[str, str]] = {"inside": MESSAGES, "candidates": CANDIDATES}

    def read(self, model: RBN, data: Any) -> Read:
        return Read(*read_sequences(model.parts, data))

    def arrays(self, sequence: Observations) -> Sequence[np.ndarray | None]:
        return (sequence.kinds, *sequence.values)

    def identity(self, model: RBN) -> str:
        """Densities are code, which cannot be compared: variables, steps and parameters."""
        numbers = {name: np.asarray(one).tolist() for name, one in named(model.parameters).items()}
        return f"{model!r} {json.dumps(numbers)}"

    def joint_inside(self, model: RBN, sequence: Observations, constraints: Constraints, values: Any) -> JointChart:
        landscape = Landscape(model, sequence, constraints)
        return landscape.at(values_of(landscape, values))

    def map_estimate(self, model: RBN, sequence: Observations, constraints: Constraints, *how: Any) -> MapEstimate:
        raw, free, starts, seed, most, say = how
        landscape = Landscape(model, sequence, constraints)
        return map_estimate(model, landscape, raw=raw, free=free, starts=starts, seed=seed, most=most, say=say)

    def posterior(
        self,
        model: RBN,
        sequence: Observations,
        constraints: Constraints,
        draws: int,
        seed: int,
        components: int | None = None,
    ) -> GeneralPosterior:
        if components is not None:
            raise ModelError("components are Gaussians of charts' messages; an RBN has no such charts, leave them out")
        workshop = Workshop(Landscape(model, sequence, constraints))
        return draw_posterior(workshop, model.parameters, draws, seed)

    def quantities(self, model: RBN) -> Sequence[Quantity]:
        return learn.quantities(model)

    def replaced(self, model: RBN, values: Values) -> RBN:
        return learn.replaced(model, values)

    def evidence_and_gradient(
        self, model: RBN, sequence: Observations, constraints: Constraints, parameters: Any
    ) -> tuple[float, np.ndarray]:
        """By draws of one seed: there is no evidence of charts."""
        drawn = draw_around(model, sequence, constraints, DRAWS, 0)
        found = evaluate_around(model, drawn)
        return found.log_evidence, parameters.pull_back(model, found.slopes)

    def draw_around(
        self,
        model: RBN,
        sequence: Observations,
        constraints: Constraints,
        draws: int,
        seed: int,
        components: int | None = None,
    ) -> Drawn:
        return draw_around(model, sequence, constraints, draws, seed)

    def evaluate_around(self, model: RBN, sequence: Observations, constraints: Constraints, drawn: Drawn) -> Around:
        return evaluate_around(model, drawn)


GENERAL = GeneralFamily()
