"""`rb.joint_inside`: the joint density of values and observations, with the structure summed out."""

from typing import Any, Unpack

from recbayes.errors import DataError, ModelError
from recbayes.family.family import Model, family_of
from recbayes.inference.reading import read
from recbayes.spans.constraints import Known


def joint_inside(model: Model[Any, Any, Any], series: Any, values: Any, **known: Unpack[Known]) -> Any:
    """The chart of a sequence at fixed values: a `JointChart`, with log p(X, Y) summed over all structures.

    Arguments:
        model: an `RBN`; other models have `to_general()`.
        series: one sequence, as for `rb.sample_posterior`.
        values: one for every span, (N + 1, N + 1, numbers), by start and end; of several continuous variables, a mapping of
            their names to these. Discrete variables have none: they are summed over.
        **known: `boundaries` and `allowed`, as for `rb.inside`.
    """
    family = family_of(model)
    if not family.has("joint_inside"):
        raise ModelError(f"joint_inside is for an RBN, got {family.name}; see to_general()")
    task = read(model, series, known)
    if not task.single:
        raise DataError("joint_inside takes one sequence at a time, with its values; got a list of sequences")
    return family.joint_inside(model, task.sequences[0], task.constraints[0], values)
