"""`rb.inside`: charts of inside messages, and the evidence."""

from concurrent.futures import Executor
from typing import Any, TypeVar, Unpack, overload

from recbayes.checks.arrays import whole_number
from recbayes.errors import DataError
from recbayes.family.family import Model
from recbayes.inference.candidates import with_candidates
from recbayes.inference.reading import ManySequences, ManyTokens, OneSequence, read
from recbayes.spans.constraints import Constraints, Known

ChartT = TypeVar("ChartT")


@overload
def inside(  # type: ignore[overload-overlap]
    model: Model[ChartT, Any, Any],
    series: OneSequence,
    *,
    components: int = 1,
    executor: Executor | None = None,
    **known: Unpack[Known],
) -> ChartT: ...
@overload
def inside(
    model: Model[ChartT, Any, Any],
    series: ManySequences | ManyTokens,
    *,
    components: int = 1,
    executor: Executor | None = None,
    **known: Unpack[Known],
) -> list[ChartT]: ...
def inside(
    model: Model[Any, Any, Any],
    series: object,
    *,
    components: int = 1,
    executor: Executor | None = None,
    **known: Unpack[Known],
) -> Any:
    """The inside chart of a series, or a list of charts for a list of series of any lengths (in threads).

    `boundaries` restricts segments to begin and end at the given positions; the cost is then that of a series with so many
    observations. "auto" finds them for a Gaussian model (`chart.candidates`), also for a list of series. `allowed` is a
    boolean array (N + 1, N + 1) of spans that may be nodes, or what is known of the tree (`rb.known_spans`,
    `tree.span_mask()`). `preference`, of the same shape, is added to the log weight of trees for each
    span that is a node (`rb.balanced_preference`). For a list of series, all are lists (or None). `components` is how many
    Gaussians a message may have, 1 (the paper's) to 8: more are closer to the exact evidence, at a cost that grows with
    their square.

    For a discrete model (`PCFG`, `DiscreteRBN`) a series is a sequence of terminals (None: missing); its chart is exact.
    """
    components = whole_number(components, "components", least=1, error=DataError)
    task = read(model, series, known)
    task.warn_if_long("inside", components)
    return task.result(task.run(inside_one, [components] * len(task.sequences), executor=executor))


def inside_one(model: Any, sequence: Any, constraints: Constraints, components: int) -> Any:
    """The chart of one checked sequence."""
    return model.family.inside(model, sequence, with_candidates(model, sequence, constraints), components)
