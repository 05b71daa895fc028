"""Learning the models: one climb after the other, each of which goes on from its checkpoint if it was interrupted.

Climbs are long, and use all workers; so they run in the study's own process, one at a time.
"""

import hashlib
import math
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import singledispatch
from pathlib import Path
from typing import Any, cast

import numpy as np

from recbayes.checks.series import Series
from recbayes.errors import ApproximationWarning
from recbayes.family.saved import from_json, to_json
from recbayes.gaussian.model.rbn import GaussianRBN
from recbayes.learn.fit import fit
from recbayes.music.harmony import Harmony
from recbayes.music.harmony_learning import learn_harmony
from recbayes.studies.music.models import Learnt, MusicModel

Learn = Callable[..., dict[str, Any]]  # what `learn` is


def learn(
    named: MusicModel,
    counts: Sequence[np.ndarray],
    start: int,
    *,
    folder: Path,
    executor: Executor | None = None,
    evaluations: int | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """The model of highest evidence that a climb from this start finds in the pieces. Its checkpoint is in the folder."""
    return _climb(named.start(counts, start), named, counts, folder, executor, evaluations, progress)


@singledispatch
def _climb(
    begin: Any,
    named: MusicModel,
    counts: Sequence[np.ndarray],
    folder: Path,
    executor: Executor | None,
    evaluations: int | None,
    progress: bool | None,
) -> dict[str, Any]:
    series = [named.values(one) for one in counts]
    settings = {"restarts": 0, **named.settings}
    places = [np.append(np.arange(0, len(one), named.step), len(one)) for one in counts]
    if evaluations is not None:
        settings |= {"max_evaluations": evaluations, "standard_errors": False}
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = folder / f"{named.name}-{_checksum(begin, series, settings)}.checkpoint"
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always", ApproximationWarning)
        found = fit(
            begin,
            series,
            boundaries=places,
            checkpoint=checkpoint,
            resume=True,
            executor=executor,
            progress=progress,
            **settings,
        )
    if found.reason.startswith("interrupted"):
        raise KeyboardInterrupt  # what was evaluated is in the checkpoint; a model that is half learnt is no result
    return {
        "model": to_json(found.model),
        "log_likelihood": found.log_likelihood,
        "error": found.log_likelihood_error,
        "converged": found.converged,
        "reason": found.reason,
        "evaluations": len(found.history),
        "free": found.free,
        "parameters": [[row.name, row.estimate, _finite(row.standard_error)] for row in found.table],
        "warnings": sorted({" ".join(str(one.message).split()) for one in given}),
    }


@_climb.register
def _(
    begin: Harmony,
    named: MusicModel,
    counts: Sequence[np.ndarray],
    folder: Path,
    executor: Executor | None,
    evaluations: int | None,
    progress: bool | None,
) -> dict[str, Any]:
    """Exact, and without a checkpoint: it takes a minute or two."""
    settings: dict[str, Any] = {} if evaluations is None else {"steps": evaluations}
    found = learn_harmony(counts, start=begin, executor=executor, **settings)
    return {
        "model": to_json(found.model),
        "log_likelihood": found.history[-1],
        "error": 0.0,
        "converged": found.converged,
        "reason": "evidence no longer rises" if found.converged else "all steps were made",
        "evaluations": len(found.history),
        "free": found.free,
        "parameters": [],
        "warnings": [],
    }


def learnt_model(learnt: dict[str, Any]) -> Learnt:
    """The model that `learn` found."""
    return cast(Learnt, from_json(learnt["model"]))


def _checksum(begin: GaussianRBN, series: Sequence[Any], settings: dict[str, Any]) -> str:
    total = hashlib.sha256((to_json(begin) + repr(sorted(settings.items()))).encode())
    for one in series:
        total.update(np.ascontiguousarray(one.values if isinstance(one, Series) else one).tobytes())
    return total.hexdigest()[:12]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
