"""`rb.map_estimate`: the most probable values, with the structure summed out."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, Unpack

from recbayes.checks.arguments import choice, flag, instance
from recbayes.checks.arrays import whole_number
from recbayes.errors import ApproximationWarning, DataError, ModelError
from recbayes.family.family import Model, family_of
from recbayes.inference.reading import read
from recbayes.parameters.parameters import Parameters
from recbayes.spans.constraints import Known

UNITS = (
    "trees of this model differ in their number of values, so that the maximum of p(X, Y) depends on the units of the data; "
    'form="pseudo-priors" does not'
)


def map_estimate(
    model: Model[Any, Any, Any],
    series: Any,
    *,
    form: Literal["pseudo-priors", "raw"] = "pseudo-priors",
    parameters: Parameters | bool = False,
    starts: int = 0,
    seed: int = 0,
    max_evaluations: int = 2000,
    progress: bool | None = None,
    **known: Unpack[Known],
) -> Any:
    """The values of all nodes that there may be at which they and the observations are most probable, structures summed out.

    p(X, Y) itself is no density of all values, as a structure says nothing of spans that are no nodes of it. With
    pseudo-priors, one for each span and made from a Gaussian stand-in of the model, there is one, whose maximum does not
    depend on units. Climbs begin at values that the data and the stand-in suggest. The result, a `MapEstimate`, has the
    values, node probabilities and the best structure at these, and a joint mode of both (`refined_tree`).

    Arguments:
        model: an `RBN`; other models have `to_general()`.
        series: one sequence, as for `rb.sample_posterior`.
        form: "pseudo-priors", or "raw", which maximises p(X, Y) as the paper does, and warns where units matter.
        parameters: True, or `rb.Parameters` of the model, estimates these with the values; False leaves them as they are.
        starts: how many further climbs begin at random values.
        seed: of these.
        max_evaluations: of p(X, Y) and its slopes, by each climb at most. A climb that has not converged is warned of.
        progress: whether a line tells how far it is. None tells it on a terminal.
        **known: `boundaries` and `allowed`, as for `rb.inside`.
    """
    family = family_of(model)
    if not family.has("map_estimate"):
        raise ModelError(f"map_estimate is for an RBN, got {family.name}; see to_general(), or sample_posterior")
    choice(form, ("pseudo-priors", "raw"), "form")
    starts = whole_number(starts, "starts", least=0, most=1000, error=DataError)
    seed = whole_number(seed, "seed", least=0, most=2**62, error=DataError)
    most = whole_number(max_evaluations, "max_evaluations", least=1, most=10**9, error=DataError)
    shown = None if progress is None else flag(progress, "progress")
    free = None
    if parameters is not False:
        free = (
            Parameters(model) if parameters is True else instance(parameters, Parameters, "parameters", " or a truth value")
        )
        free.check(model)
    task = read(model, series, known)
    if not task.single:
        raise DataError("map_estimate takes one sequence at a time; got a list of sequences")
    with _saying(shown) as say:
        how = form == "raw", free, starts, seed, most, say
        found = family.map_estimate(model, task.sequences[0], task.constraints[0], *how)
    if form == "raw" and found.depends_on_units:
        warnings.warn(UNITS, ApproximationWarning, stacklevel=2)
    if not found.converged:
        warnings.warn(f"the climb has not converged in {most} evaluations: {found!r}", ApproximationWarning, stacklevel=2)
    return found


@contextmanager
def _saying(wanted: bool | None) -> Iterator[Callable[[str], None]]:
    """A line that is rewritten; by default, if the error stream is a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not (console.is_terminal if wanted is None else wanted):
        yield lambda _: None
        return
    with console.status("") as status:
        yield status.update
