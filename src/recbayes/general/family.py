"""General RBNs as a family: what the verbs find when a model names it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from recbayes.family.family import Family, Read
from recbayes.general.chart.joint import JointChart, Landscape, values_of
from recbayes.general.data import Observations, read_observations
from recbayes.general.model.rbn import RBN
from recbayes.spans.constraints import Constraints

MESSAGES = "messages of arbitrary densities have no closed form; see joint_inside, which takes values"


class GeneralFamily(Family):
    """Template variables of any kind, with densities of the user's own; charts are those at fixed values."""

    name = "an RBN"
    noun = "sequence"
    reasons: ClassVar[Mapping[str, str]] = {"inside": MESSAGES}

    def read(self, model: RBN, data: Any) -> Read:
        return Read([read_observations(model.parts, data)], True)

    def joint_inside(self, model: RBN, sequence: Observations, constraints: Constraints, values: Any) -> JointChart:
        landscape = Landscape(model, sequence, constraints)
        return landscape.at(values_of(landscape, values))


GENERAL = GeneralFamily()
