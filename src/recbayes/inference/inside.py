"""`rb.inside`: charts of inside messages, and the evidence."""

from concurrent.futures import Executor
from typing import Any, TypeVar, Unpack, overload

from recbayes.checks.arguments import executor_of
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
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> ChartT: ...
@overload
def inside(
    model: Model[ChartT, Any, Any],
    series: ManySequences | ManyTokens,
    *,
    components: int = 1,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> list[ChartT]: ...
def inside(
    model: Model[Any, Any, Any],
    series: object,
    *,
    components: int = 1,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> Any:
    """The inside chart of a series, or a list of charts for a list of series of any lengths (in threads).

    The chart of a Gaussian model is a `Chart`. That of a discrete one (`PCFG`, `DiscreteRBN`) is a `DiscreteChart`, and
    exact.

    Arguments:
        model: a `GaussianRBN`, `LinearGaussianRBN`, `PCFG` or `DiscreteRBN`, a chain among them.
        series: for Gaussian models an array (N,) or (N, columns) with NaN where something is missing, a data frame, or a
            `Series`; for discrete ones a sequence of terminals, None where one is missing; or a list of these.
        components: how many Gaussians a message may have, 1 (the paper's) to 8: more are closer to the exact evidence, at a
            cost that grows with their square.
        executor: what runs the work on several series, any of `concurrent.futures`. None takes threads.
        n_jobs: how many jobs of joblib run it instead: threads, unless `joblib.parallel_config` says otherwise; -1 for all
            processors. None leaves it to the executor.
        boundaries: the positions, 0 to N, at which segments may begin and end; the cost is then that of a series with so
            many observations. "auto" finds them for a Gaussian model (`chart.candidates`). None: all. For a list of series
            this and the next two are lists (or None), one entry for each.
        allowed: a boolean array (N + 1, N + 1) of spans that may be nodes, by start and end, or what is known of the tree
            (`rb.known_spans`, `tree.span_mask()`, for long series `rb.KnownSpans`, `tree.only_spans()`). None: all.
        preference: numbers (N + 1, N + 1), which are added to the log weight of a tree for each span that is a node
            (`rb.balanced_preference`). None: none. The weights of all trees then no longer sum to one.
    """
    components = whole_number(components, "components", least=1, error=DataError)
    runner = executor_of(executor, n_jobs)
    task = read(model, series, known)
    task.warn_if_long("inside", components)
    return task.result(task.run(inside_one, [components] * len(task.sequences), executor=runner))


def inside_one(model: Any, sequence: Any, constraints: Constraints, components: int) -> Any:
    """The chart of one checked sequence."""
    return model.family.inside(model, sequence, with_candidates(model, sequence, constraints), components)
