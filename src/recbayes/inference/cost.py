"""`rb.estimate_cost`: what a chart takes, before it is filled."""

from typing import Any, Unpack

from recbayes.checks.arrays import whole_number
from recbayes.errors import DataError
from recbayes.family.cost import Cost
from recbayes.family.family import Model, family_of
from recbayes.spans.constraints import Known, constraints_of

MOST_OBSERVATIONS = 10**12


def estimate_cost(model: Model[Any, Any, Any], length: int, *, components: int = 1, **known: Unpack[Known]) -> Cost:
    """Cells, pairs of splits and rules, bytes and seconds of the inside chart of a series of so many observations: a `Cost`.

    Arguments:
        model: a `GaussianRBN`, `LinearGaussianRBN`, `PCFG` or `DiscreteRBN`.
        length: the number of observations.
        components: Gaussians per message, as for `rb.inside`.
        **known: `boundaries`, `allowed` and `preference`, as for `rb.inside`. What boundaries="auto" finds depends on the
            data: give as many positions as there may be.
    """
    length = whole_number(length, "length", least=1, most=MOST_OBSERVATIONS, error=DataError)
    components = whole_number(components, "components", least=1, error=DataError)
    (constraints,) = constraints_of(known, 1, True)
    if constraints.are_wanted:
        raise DataError('which boundaries "auto" finds depends on the data; give positions, as many as there may be')
    return family_of(model).cost(model, length, constraints, components)
