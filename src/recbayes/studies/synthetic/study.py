"""The study from end to end: tune the baselines, learn the models, test all methods."""

import os
import warnings
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from recbayes.errors import ApproximationWarning, StudyError
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.inference.charts import outside
from recbayes.inference.inside import inside
from recbayes.learn.gradient import log_evidence_and_gradient
from recbayes.studies.facts import facts, versions
from recbayes.studies.parts import Done, Folder, Part, elapsed, run_parts
from recbayes.studies.pool import worker_pool
from recbayes.studies.progress import stage
from recbayes.studies.synthetic.data import make_sequence, paper_model
from recbayes.studies.synthetic.learning import learn
from recbayes.studies.synthetic.methods import BEST_TREE, EXPECTED_F1, MOST_PROBABLE, NODES
from recbayes.studies.synthetic.settings import Settings
from recbayes.studies.synthetic.testing import Clock, infer, run_methods, run_unshifted
from recbayes.studies.synthetic.tuning import choose_change_points, try_change_points, tune_bayesian

Work = dict[str, tuple[float, int]]  # what: seconds in all processes together, how many times

TUNED_AT_ONCE = 10  # sequences in one part; they take longer than those of the test


@dataclass(frozen=True)
class Results:
    """What the study found, by noise level, and what it took. Everything can be written as JSON."""

    settings: Settings
    facts: dict[str, Any]
    change_points: dict[float, dict[str, Any]]
    bayesian: dict[float, dict[str, Any]]
    learnt: dict[float, dict[str, Any]]
    records: dict[float, list[dict[str, Any]]]
    unshifted: dict[float, list[dict[str, Any]]]
    work: Work
    elapsed: dict[str, float]


def run(
    settings: Settings,
    path: str | Path,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Results:
    """Run the study, or what is left of it, in `workers` processes (by default one per core) or through any executor.

    Finished parts are kept in the folder `path`; the same call with the same settings, code and versions goes on from there.
    """
    if find_spec("ruptures") is None:
        raise StudyError("the baseline needs the package ruptures: pip install 'recbayes[study]'")
    folder = Folder(path, {"study": "synthetic", "settings": settings.to_data(), "versions": versions()})
    workers = (workers or os.cpu_count() or 1) if executor is None else None
    with worker_pool(executor, workers) as pool:

        def finish(name: str, parts: list[Part]) -> dict[str, Done]:
            with stage(name, len(parts), progress) as tell:
                return run_parts(parts, folder, pool, tell)

        tuning = finish("tuning the baselines, compiling", _tuning_parts(settings))
        learning = finish("learning", [Part(f"learn/{noise}", learn, (settings, noise)) for noise in settings.noise_levels])
        change_points = {
            noise: choose_change_points(settings, _results(tuning, f"change_points/{noise}/"))
            for noise in settings.noise_levels
        }
        bayesian = {noise: tuning[f"bayesian/{noise}"].result for noise in settings.noise_levels}
        learnt = {noise: learning[f"learn/{noise}"].result for noise in settings.noise_levels}
        prepared = {noise: prepare(change_points[noise], bayesian[noise], learnt[noise]) for noise in settings.noise_levels}
        testing = finish("testing", _testing_parts(settings, prepared))
    return Results(
        settings=settings,
        facts=facts(workers),
        change_points=change_points,
        bayesian=bayesian,
        learnt=learnt,
        records=_records(settings, testing, "test"),
        unshifted=_records(settings, testing, "unshifted"),
        work=_work(settings, tuning, learning, testing),
        elapsed={
            "tuning": elapsed(list(tuning.values())),
            "learning": elapsed(list(learning.values())),
            "testing": elapsed(list(testing.values())),
            "all": elapsed([*tuning.values(), *learning.values(), *testing.values()]),
        },
    )


def prepare(change_points: dict[str, Any], bayesian: dict[str, Any], learnt: dict[str, Any]) -> dict[str, Any]:
    return {"change_points": change_points["chosen"], "bayesian": bayesian, "learnt": learnt}


def compile_draws(settings: Settings) -> None:
    """What posterior draws need, on a short series; what is compiled stays on disk for all workers."""
    infer(*_short(settings), 10, 0, Clock(), (BEST_TREE, MOST_PROBABLE, EXPECTED_F1, NODES))


def compile_passes(settings: Settings) -> None:
    """What works on the chart without drawing."""
    model, values = _short(settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ApproximationWarning)
        outside(inside(model, values))
    log_evidence_and_gradient(model, values)


def _short(settings: Settings) -> tuple[GaussianRBN, np.ndarray]:
    noise = settings.noise_levels[0]
    return paper_model(noise), make_sequence(settings, noise, "training", 0)[0][:12]


def _tuning_parts(settings: Settings) -> list[Part]:
    """Tuning needs no kernels, so that they can be compiled meanwhile."""
    parts = [Part("compile/draws", compile_draws, (settings,))]
    parts += [Part(f"bayesian/{noise}", tune_bayesian, (settings, noise)) for noise in settings.noise_levels]
    for noise in settings.noise_levels:
        for name, numbers in _chunks(settings.tuning, TUNED_AT_ONCE):
            parts.append(Part(f"change_points/{noise}/{name}", try_change_points, (settings, noise, numbers)))
    return [*parts, Part("compile/passes", compile_passes, (settings,))]


def _testing_parts(settings: Settings, prepared: dict[float, dict[str, Any]]) -> list[Part]:
    parts = []
    for noise in settings.noise_levels:
        for name, numbers in _chunks(settings.test, settings.chunk):
            parts.append(Part(f"test/{noise}/{name}", run_methods, (settings, noise, numbers, prepared[noise])))
        for name, numbers in _chunks(settings.unshifted, settings.chunk):
            parts.append(Part(f"unshifted/{noise}/{name}", run_unshifted, (settings, noise, numbers)))
    return parts


def _chunks(count: int, size: int) -> Iterator[tuple[str, range]]:
    for start in range(0, count, size):
        yield f"{start:05d}", range(start, min(start + size, count))


def _results(done: dict[str, Done], prefix: str) -> list[Any]:
    """In the order of their keys, whatever the order in which they were finished."""
    return [done[key].result for key in sorted(done) if key.startswith(prefix)]


def _records(settings: Settings, testing: dict[str, Done], role: str) -> dict[float, list[dict[str, Any]]]:
    return {
        noise: [record for result in _results(testing, f"{role}/{noise}/") for record in result["records"]]
        for noise in settings.noise_levels
    }


def _work(settings: Settings, tuning: dict[str, Done], learning: dict[str, Done], testing: dict[str, Done]) -> Work:
    """What was done, the seconds it took in all processes together, and how many times: sequences, levels or runs."""
    levels = len(settings.noise_levels)
    work = {
        "compiling": (_spent(tuning, "compile/"), 1),
        "tuning HC/CPD, a sequence": (_spent(tuning, "change_points/"), levels * settings.tuning),
        "tuning Bayesian change points, a sequence": (_spent(tuning, "bayesian/"), levels * settings.tuning),
        "learning, a level": (_spent(learning, "learn/"), levels),
    }
    for result in _results(testing, "test/"):
        for what, (seconds, times) in result["work"].items():
            before = work.get(f"testing: {what}", (0.0, 0))
            work[f"testing: {what}"] = (before[0] + seconds, before[1] + times)
    work["without transpositions, a sequence"] = (_spent(testing, "unshifted/"), levels * settings.unshifted)
    return work


def _spent(done: dict[str, Done], prefix: str) -> float:
    return sum(one.ended - one.began for key, one in done.items() if key.startswith(prefix))
