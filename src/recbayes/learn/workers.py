"""Evaluating the log evidence of many series again and again, wherever an executor runs.

Series are sent to a worker once and stay there; later evaluations send the free vector only. A worker that does not hold
what it is asked for (a new one, in place of one that died) says so, and is sent it again. Results come back series by series
and are summed in their order, so that the sum does not depend on who did what.
"""

import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np

from recbayes.checks.many import sent_out
from recbayes.learn.here import Centre
from recbayes.parameters.parameters import Parameters
from recbayes.spans.constraints import FREE, Constraints

PARCELS = 16  # into which the series are divided at most: enough for the workers at hand, few enough to send
POOLS = 3  # further pools of processes, where processes are killed again and again
MODELS = 4  # that a worker keeps
HELD = 4 * PARCELS  # parcels that a worker keeps: those of some fits at a time
REFUSED = ValueError, ArithmeticError  # where nothing can be computed; errors of ours and of linear algebra are the former


class Constrained(NamedTuple):
    """A checked sequence, and what is known of its tree."""

    sequence: Any
    constraints: Constraints = FREE


class Parcel(NamedTuple):
    """What a worker needs to know: the model with what is free in it, and some series."""

    parameters: Parameters
    series: tuple[Constrained, ...]


class Outcome(NamedTuple):
    """The log evidence of one series and its gradient, or why there is none.

    Where it is exact, by draws: the variance of its error, and the effective share of the draws.
    """

    log_evidence: float
    gradient: np.ndarray
    problem: str = ""
    variance: float = 0.0
    efficiency: float = 1.0


class Held:
    """What a worker keeps: parameters, series, and the trees last drawn for each of them, by where they were drawn."""

    def __init__(self, parcel: Parcel) -> None:
        self.parameters = parcel.parameters
        self.series = parcel.series
        self.drawn: dict[int, tuple[bytes, Any]] = {}


class Workers:
    """The series, divided into parcels, and who works on them."""

    def __init__(self, parameters: Parameters, series: Sequence[Constrained], executor: Executor | None) -> None:
        parts = min(PARCELS, len(series))
        self._places = [list(range(part, len(series), parts)) for part in range(parts)]
        self._parcels = [Parcel(parameters, tuple(series[place] for place in places)) for places in self._places]
        self._count = len(series)
        self._pool: Executor | None = None  # one of our own, which ends with us
        if executor is None:
            self._pool = ThreadPoolExecutor(os.cpu_count())  # kernels release the lock
        self._executor: Any = self._pool if executor is None else executor
        self._key = uuid4().hex
        self._tickets = count()  # makes every call a new one for executors that remember results
        self._sent = [False] * parts

    def replace(self, series: Sequence[Constrained]) -> None:
        """Other constraints on the same series: they are sent again, and what was drawn under the old ones is let go."""
        for part, places in enumerate(self._places):
            _held.pop((self._key, part), None)
            self._parcels[part] = Parcel(self._parcels[part].parameters, tuple(series[place] for place in places))
        self._key = uuid4().hex
        self._sent = [False] * len(self._parcels)

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *problem: object) -> None:
        """Threads end, and what this process holds is let go; other processes let it go when they hold enough else."""
        if self._pool is not None:
            self._pool.shutdown()
        for part in range(len(self._parcels)):
            _held.pop((self._key, part), None)

    def __call__(
        self, vector: np.ndarray, chosen: Sequence[int] | None = None, around: Centre | None = None
    ) -> list[Outcome | None]:
        """The outcomes of all series at a free vector, or of chosen ones (None for the others); by draws around a centre."""
        wanted = set(range(self._count)) if chosen is None else set(chosen)
        parts = [part for part, places in enumerate(self._places) if wanted.intersection(places)]
        inner = [tuple(n for n, place in enumerate(self._places[part]) if place in wanted) for part in parts]
        with sent_out():
            found = self._ask_again(parts, inner, (vector, around))
        outcomes: list[Outcome | None] = [None] * self._count
        for part, numbers, results in zip(parts, inner, found, strict=True):
            for number, outcome in zip(numbers, results, strict=True):
                outcomes[self._places[part][number]] = outcome
        return outcomes

    def _ask_again(
        self, parts: list[int], inner: list[tuple[int, ...]], where: tuple[np.ndarray, Centre | None]
    ) -> list[Any]:
        """Ask, and if a process of a pool was killed, which breaks the pool, ask another pool like it."""
        for _ in range(POOLS):
            try:
                return self._ask(self._executor, parts, inner, where)
            except BrokenExecutor:
                if not isinstance(self._executor, ProcessPoolExecutor):
                    raise
                if self._pool is not None:
                    self._pool.shutdown()
                self._executor = self._pool = _like(self._executor)
                self._sent = [False] * len(self._parcels)
        return self._ask(self._executor, parts, inner, where)

    def _ask(
        self, executor: Executor, parts: list[int], inner: list[tuple[int, ...]], where: tuple[np.ndarray, Centre | None]
    ) -> list[Any]:
        def submit(part: int, numbers: tuple[int, ...], parcel: Parcel | None) -> Any:
            places = [self._places[part][number] for number in numbers]
            return executor.submit(evaluate, (self._key, part), *where, numbers, places, next(self._tickets), parcel)

        futures = []
        for part, numbers in zip(parts, inner, strict=True):
            futures.append(submit(part, numbers, None if self._sent[part] else self._parcels[part]))
            self._sent[part] = True
        try:
            found = [future.result() for future in futures]
        finally:
            for future in futures:  # those that an error or an interrupt has left waiting
                future.cancel()
        for place, (part, numbers) in enumerate(zip(parts, inner, strict=True)):
            if found[place] is None:
                found[place] = submit(part, numbers, self._parcels[part]).result()
        return found


def _like(pool: Any) -> ProcessPoolExecutor:
    """A new pool of processes as one that is broken was."""
    return ProcessPoolExecutor(pool._max_workers, pool._mp_context, pool._initializer, pool._initargs)


_held: OrderedDict[tuple[str, int], Held] = OrderedDict()  # on every worker, the newest last
_models: OrderedDict[tuple[str, bytes], Any] = OrderedDict()  # likewise: parcels of one evaluation share the model
_making = threading.Lock()


def evaluate(
    key: tuple[str, int],
    vector: np.ndarray,
    around: Centre | None,
    numbers: Sequence[int],
    places: Sequence[int],
    ticket: int,
    parcel: Parcel | None,
) -> list[Outcome] | None:
    """Runs on a worker: the outcomes of some series of a parcel, or None if the parcel is neither here nor sent along."""
    if parcel is not None:
        _held[key] = Held(parcel)
        while len(_held) > HELD:
            _held.popitem(last=False)
    held = _held.get(key)
    if held is None:
        return None
    try:
        model = _model_at(key[0], held.parameters, vector)
    except REFUSED as problem:
        return [_failed(held.parameters, problem)] * len(numbers)
    with np.errstate(all="ignore"):  # what is not finite is refused
        return [_evaluate_one(model, held, number, place, around) for number, place in zip(numbers, places, strict=True)]


def _evaluate_one(model: Any, held: Held, number: int, place: int, around: Centre | None) -> Outcome:
    parameters, family, (sequence, constraints) = held.parameters, model.family, held.series[number]
    try:
        if around is None:
            outcome = Outcome(*family.evidence_and_gradient(model, sequence, constraints, parameters))
        else:
            drawn = _drawn(held, number, place, around)
            value, slopes, variance, efficiency = family.evaluate_around(model, sequence, constraints, drawn)
            outcome = Outcome(value, parameters.pull_back(model, slopes), "", variance, efficiency)
    except REFUSED as problem:
        return _failed(parameters, problem)
    if not (np.isfinite(outcome.log_evidence) and np.isfinite(outcome.gradient).all()):
        return _failed(parameters, "the log evidence or its gradient is not finite")
    return outcome


def _model_at(fit: str, parameters: Parameters, vector: np.ndarray) -> Any:
    key = fit, vector.tobytes()
    with _making:
        if key not in _models:
            _models[key] = parameters.with_vector(vector)
            while len(_models) > MODELS:
                _models.popitem(last=False)
        return _models[key]


def _drawn(held: Held, number: int, place: int, around: Centre) -> Any:
    """The trees of a series around a centre: drawn here, or before. The same everywhere, by their seed."""
    key = around.vector.tobytes() + f"{around.draws} {around.seed} {around.components}".encode()
    if number not in held.drawn or held.drawn[number][0] != key:
        seed = int(np.random.default_rng([around.seed, place]).integers(2**62))
        centre = held.parameters.with_vector(around.vector)
        drawn = centre.family.draw_around(centre, *held.series[number], around.draws, seed, around.components)
        held.drawn[number] = key, drawn
    return held.drawn[number][1]


def _failed(parameters: Parameters, problem: object) -> Outcome:
    return Outcome(-np.inf, np.zeros(parameters.size), str(problem) or repr(problem))
