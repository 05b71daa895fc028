"""The study from end to end: every method on every series, and its scores."""

import os
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.checks.arrays import whole_number
from recbayes.errors import StudyError
from recbayes.studies.facts import facts, versions
from recbayes.studies.parts import Done, Folder, Part, elapsed, run_parts
from recbayes.studies.pool import worker_pool
from recbayes.studies.progress import stage
from recbayes.studies.real.methods import METHODS, Method, check_methods
from recbayes.studies.real.reading import Collection
from recbayes.studies.real.scores import covering, margin_f1
from recbayes.studies.real.series import AnnotatedSeries, Score, checksum

QUICK = 150  # observations of the longest series of a quick look


@dataclass(frozen=True)
class Finding:
    """What a method found in a series, and in how many seconds; `problem` says why it found nothing, if it failed.

    `warnings` are those that it gave.
    """

    series: AnnotatedSeries
    method: Method
    change_points: tuple[int, ...]
    score: Score | None
    seconds: float
    problem: str | None
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Results:
    """Findings, series by series; `absent` are series that have annotations only."""

    series: tuple[AnnotatedSeries, ...]
    methods: tuple[Method, ...]
    findings: tuple[Finding, ...]
    absent: tuple[str, ...]
    seed: int
    facts: dict[str, Any]
    elapsed: float

    @property
    def failures(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.problem is not None)


def run(
    collection: Collection,
    path: str | Path,
    *,
    methods: Sequence[Method] = METHODS,
    seed: int = 0,
    longest: int | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Results:
    """Run the study, or what is left of it, in `workers` processes (by default one per core) or through any executor.

    What was found is kept in the folder `path`; the same call with the same series, seed, code and versions goes on from
    there, also with more methods. Series with more than `longest` observations are left out.
    """
    check_methods(methods)
    seed = whole_number(seed, "seed", least=0, error=StudyError)
    chosen = [place for place, one in enumerate(collection.series) if longest is None or len(one) <= longest]
    if not chosen:
        raise StudyError(f"no series has at most {longest} observations; run the study on all of them")
    identity = {"study": "real", "seed": seed, "series": checksum(collection.series), "versions": versions()}
    folder = Folder(path, identity)
    workers = (workers or os.cpu_count() or 1) if executor is None else None
    places = sorted(chosen, key=lambda place: -len(collection.series[place]))  # the longest, which take longest, first
    parts = [
        Part(_key(method, place), apply, (method, collection.series[place].values, seed))
        for place in places
        for method in methods
    ]
    with worker_pool(executor, workers) as pool, stage("segmenting", len(parts), progress) as tell:
        done = run_parts(parts, folder, pool, tell)
    return Results(
        series=tuple(collection.series[place] for place in chosen),
        methods=tuple(methods),
        findings=tuple(
            _finding(collection.series[place], method, done[_key(method, place)]) for place in chosen for method in methods
        ),
        absent=collection.absent,
        seed=seed,
        facts=facts(workers),
        elapsed=elapsed(list(done.values())),
    )


def apply(method: Method, values: np.ndarray, seed: int) -> dict[str, Any]:
    """Change points, and what a method has to say: one that fails on a series does not end the study.

    It does if memory or disk fail, which may go better the next time.
    """
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        points: list[int] = []
        problem = None
        try:
            found = method.find(values.copy(), seed)
            points = sorted({_position(point, len(values)) for point in found} - {0})
        except (MemoryError, OSError):
            raise
        except Exception as failure:
            problem = " ".join(f"{type(failure).__name__}: {failure}".split())
    return {
        "change_points": points,
        "problem": problem,
        "warnings": sorted({" ".join(str(one.message).split()) for one in given}),
    }


def _key(method: Method, place: int) -> str:
    return f"{method.name}/{place:04d}"


def _position(point: object, length: int) -> int:
    return whole_number(point, "a change point", least=0, most=length - 1, error=StudyError)


def _finding(series: AnnotatedSeries, method: Method, done: Done) -> Finding:
    points, problem, said = (done.result[field] for field in ("change_points", "problem", "warnings"))
    truths = list(series.annotations.values())
    score = Score(covering(truths, points, len(series)), margin_f1(truths, points)) if problem is None else None
    return Finding(series, method, tuple(points), score, done.ended - done.began, problem, tuple(said))
