"""`rb.expected_counts` and `rb.reestimate`: expectation maximisation, for families whose rules can be counted."""

from concurrent.futures import Executor
from typing import Any, Generic, NamedTuple, TypeVar, Unpack

import numpy as np

from recbayes.checks.arguments import executor_of
from recbayes.checks.arrays import not_negative, whole_number
from recbayes.errors import DataError
from recbayes.family.family import Counts, Model, family_of
from recbayes.inference.reading import ManyTokens, OneSequence, Task, read
from recbayes.spans.constraints import Constraints, Known

ModelT = TypeVar("ModelT", bound=Model[Any, Any, Any])


class Estimate(NamedTuple, Generic[ModelT]):
    """A re-estimated model, and how it came about.

    Attributes:
        model: after the last step.
        history: the log evidence of the sequences before each step and at the end.
        converged: whether the last step gained less than the tolerance.
    """

    model: ModelT
    history: list[float]
    converged: bool


def expected_counts(
    model: Model[Any, Any, Any],
    sequences: OneSequence | ManyTokens,
    *,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> Counts:
    """How often every rule is expected to be used, summed over sequences, with their log evidence: `Counts`.

    Arguments:
        model: a `PCFG` or `DiscreteRBN`.
        sequences: a sequence of tokens, None where one is missing, or a list of sequences.
        executor: what runs the work on several sequences, any of `concurrent.futures`. None takes threads.
        n_jobs: how many jobs of joblib run it instead: threads, unless `joblib.parallel_config` says otherwise; -1 for all
            processors. None leaves it to the executor.
        **known: `allowed` and `preference`, as for `rb.inside`.
    """
    return _counts(model, _read(model, sequences, known), executor_of(executor, n_jobs))


def reestimate(
    model: ModelT,
    sequences: OneSequence | ManyTokens,
    *,
    steps: int = 100,
    tolerance: float = 1e-6,
    pseudo_count: float = 0.0,
    executor: Executor | None = None,
    n_jobs: int | None = None,
    **known: Unpack[Known],
) -> Estimate[ModelT]:
    """Raise the evidence of sequences by expectation maximisation: it never falls (without pseudo-counts).

    Every step replaces the weights by relative frequencies of expected counts. Structure stays: rules of weight zero stay
    out, and symbols that are never used keep their weights. An `HMM` stays one, whose last observation has the emission
    probabilities of the others, and lengths stay given if they were (Baum and Welch). Other weighted models must be
    normalised first. The result is an `Estimate`.

    Arguments:
        model: a `PCFG` or `DiscreteRBN`.
        sequences: a sequence of tokens, None where one is missing, or a list of sequences.
        steps: how many, at most.
        tolerance: it ends when the log evidence rises by less than so many times its size.
        pseudo_count: added to the expected count of every rule.
        executor: what runs the work on several sequences, any of `concurrent.futures`. None takes threads.
        n_jobs: how many jobs of joblib run it instead: threads, unless `joblib.parallel_config` says otherwise; -1 for all
            processors. None leaves it to the executor.
        **known: `allowed` and `preference`, as for `rb.inside`.
    """
    steps, pseudo_count = whole_number(steps, "steps", least=0), not_negative(pseudo_count, "pseudo_count")
    tolerance = not_negative(tolerance, "tolerance")
    family = family_of(model)
    if not family.has("maximised"):
        family.refuse("maximised")
    executor, task = executor_of(executor, n_jobs), _read(model, sequences, known)
    history: list[float] = []
    converged = False
    for _ in range(steps):
        counts = _counts(model, task, executor)
        history.append(counts.log_evidence)
        if len(history) > 1 and history[-1] - history[-2] < tolerance * (1.0 + abs(history[-1])):
            converged = True
            break
        model = family.maximised(model, counts, pseudo_count)
    else:
        history.append(_counts(model, task, executor).log_evidence)
    return Estimate(model, history, converged)


def _read(model: Any, sequences: Any, known: Known) -> Task:
    if hasattr(sequences, "__len__") and len(sequences) == 0:
        raise DataError("there are no sequences to learn from")
    return read(model, sequences, known)


def _counts(model: Any, task: Task, executor: Executor | None) -> Counts:
    found = task._replace(model=model).run(_counts_of, executor=executor)
    return Counts(
        float(sum(one.log_evidence for one in found)),
        np.sum([one.rules for one in found], axis=0),
        np.sum([one.roots for one in found], axis=0),
    )


def _counts_of(model: Any, sequence: Any, constraints: Constraints) -> Counts:
    return model.family.expected_counts(model, sequence, constraints)
