"""`rb.sample_posterior`: draws of trees from the posterior."""

from concurrent.futures import Executor
from typing import Any, TypeVar, Unpack, overload

import numpy as np

from recbayes.checks.arguments import executor_of, generator_of
from recbayes.checks.arrays import MOST_DRAWS, whole_number
from recbayes.errors import DataError
from recbayes.family.family import Model
from recbayes.family.posterior import Posterior
from recbayes.inference.candidates import with_candidates
from recbayes.inference.reading import ManySequences, ManyTokens, OneSequence, read
from recbayes.spans.constraints import Constraints, Known

PosteriorT = TypeVar("PosteriorT", bound=Posterior)


@overload
def sample_posterior(  # type: ignore[overload-overlap]
    model: Model[Any, Any, PosteriorT],
    series: OneSequence,
    *,
    draws: int = 1000,
    seed: int | np.random.Generator,
    components: int | None = None,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> PosteriorT: ...
@overload
def sample_posterior(
    model: Model[Any, Any, PosteriorT],
    series: ManySequences | ManyTokens,
    *,
    draws: int = 1000,
    seed: int | np.random.Generator,
    components: int | None = None,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> list[PosteriorT]: ...
def sample_posterior(
    model: Model[Any, Any, Any],
    series: object,
    *,
    draws: int = 1000,
    seed: int | np.random.Generator,
    components: int | None = None,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> Any:
    """Weighted draws of trees from the posterior of a series; a list of posteriors for a list of series (in threads).

    Draws of a discrete model (`PCFG`, `DiscreteRBN`) are exact. Those of an `RBN` have values of their nodes, too; they come
    from a Gaussian stand-in of the model and are weighted by its true densities, or, where these weights are worth little,
    from Gibbs sampling (`method` says which). Draws that are poor are warned of.

    Arguments:
        model: a model of any family.
        series: what is observed, or a list of such, as for `rb.inside`; for an `RBN`, rows of numbers, or pairs (terminal,
            value).
        draws: how many trees.
        seed: a whole number or a `numpy.random.Generator`, which decides all draws: the same seed gives the same posterior,
            however many threads there are.
        components: as for `rb.inside`. None takes one Gaussian per message, and more where the draws disagree with the chart
            and the series is short enough.
        executor: what runs the work on several series, any of `concurrent.futures`. None takes threads.
        n_jobs: how many jobs of joblib run it instead: threads, unless `joblib.parallel_config` says otherwise; -1 for all
            processors. None leaves it to the executor.
        boundaries: as for `rb.inside`. Long series of Gaussian models (above 300 observations, where the chart takes long)
            have "auto" by default: `posterior.candidates` says which these are, and how many boundaries are expected
            elsewhere; `boundaries=range(len(y) + 1)` has them all.
        allowed: as for `rb.inside`. None: all spans may be nodes.
        preference: as for `rb.inside`. None: no tree is preferred.
    """
    count = whole_number(draws, "draws", least=1, most=MOST_DRAWS, error=DataError)
    generator = generator_of(seed)
    if components is not None:
        components = whole_number(components, "components", least=1, error=DataError)
    runner = executor_of(executor, n_jobs)
    task = read(model, series, known)
    task.warn_if_long("sample_posterior", components or 1, by_default=True)
    seeds = [int(generator.integers(2**62)) for _ in task.sequences]
    settings = [components] * len(seeds), [count] * len(seeds), seeds
    posteriors = task.run(draw_one, *settings, executor=runner)
    for name, posterior in zip(task.names, posteriors, strict=True):
        posterior.warn(f"{name}: " if name else "")
    return task.result(posteriors)


def draw_one(
    model: Any, sequence: Any, constraints: Constraints, components: int | None, draws: int, seed: int
) -> Posterior:
    """Draws of one checked sequence."""
    constraints = with_candidates(model, sequence, constraints, by_default=True)
    return model.family.posterior(model, sequence, constraints, draws, seed, components)
