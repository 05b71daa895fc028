"""The study from end to end: learn the models, analyse all pieces, compare with what analysts say."""

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from recbayes.errors import StudyError
from recbayes.studies.facts import facts, versions
from recbayes.studies.music.annotations import Annotations
from recbayes.studies.music.learning import Learn, learn
from recbayes.studies.music.models import MODELS, MusicModel
from recbayes.studies.music.pieces import Piece, checksum
from recbayes.studies.music.settings import Settings
from recbayes.studies.music.stages import (
    Analysed,
    Climb,
    Compared,
    Plan,
    analysis_parts,
    best_start,
    comparison_parts,
    learn_all,
    mark,
)
from recbayes.studies.parts import Done, Folder, Part, elapsed, run_parts
from recbayes.studies.pool import worker_pool
from recbayes.studies.progress import stage

KeyT = TypeVar("KeyT", bound=tuple)


@dataclass(frozen=True)
class Results:
    """What the study found. `climbs`, `analyses` and `comparisons` can be written as JSON, and say how long they took.

    A piece was analysed by the model that was learnt from "all" pieces; where there is an analyst's tree, also by that which
    was learnt "without" it, and by this one with the bars "given": where the leaves of that tree are.
    """

    plan: Plan
    climbs: dict[Climb, dict[str, Any]]
    analyses: dict[Analysed, dict[str, Any]]
    comparisons: dict[Compared, list[dict[str, Any]]]
    best: dict[str, int]  # start of each model
    facts: dict[str, Any]
    elapsed: dict[str, float]


def choose_pieces(pieces: Sequence[Piece], annotations: dict[str, Annotations], most: int | None) -> tuple[Piece, ...]:
    """All, or so many: those with an analyst's tree first, then those with an analysis, then those with few bars."""

    def order(piece: Piece) -> tuple[bool, bool, int, str]:
        known = annotations[piece.name]
        return known.tree is None, not known.keys, len(piece.bar_names), piece.name

    chosen = sorted(pieces, key=order)[:most]
    return tuple(piece for piece in pieces if piece in chosen)


def run(
    pieces: Sequence[Piece],
    annotations: dict[str, Annotations],
    settings: Settings,
    path: str | Path,
    *,
    models: Sequence[MusicModel] = MODELS,
    learning: Learn = learn,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Results:
    """Run the study, or what is left of it, in `workers` processes (by default one per core) or through any executor.

    What was found is kept in the folder `path`, and the same call goes on from there. Climbs go on from their checkpoints
    even if the code has changed since; all that follows from them is then done again. `learning` is what learns a model.
    """
    chosen = choose_pieces(pieces, annotations, settings.pieces)
    if len(chosen) < 2:
        raise StudyError(f"models are learnt from two pieces or more, got {len(chosen)}; give a folder with more of them")
    plan = Plan(chosen, annotations, tuple(models), settings, mark(versions()))
    folder = Folder(path, {"study": "music", "settings": settings.to_data(), "pieces": checksum(chosen)})
    workers = (workers or os.cpu_count() or 1) if executor is None else None
    climbs = learn_all(plan, folder, learning, workers, progress)
    with worker_pool(executor, workers) as pool:

        def finish(name: str, parts: dict[KeyT, Part]) -> dict[KeyT, Done]:
            with stage(name, len(parts), progress) as tell:
                done = run_parts(list(parts.values()), folder, pool, tell)
            return {key: done[part.key] for key, part in parts.items()}

        analyses = finish("analysing", analysis_parts(plan, climbs))
        compared = finish("comparing", comparison_parts(plan, climbs, analyses))
    done = {"learning": [*climbs.values()], "analysing": [*analyses.values()], "comparing": [*compared.values()]}
    return Results(
        plan=plan,
        climbs={key: {**one.result, "seconds": one.ended - one.began} for key, one in climbs.items()},
        analyses={key: {**one.result, "seconds": one.ended - one.began} for key, one in analyses.items()},
        comparisons={key: one.result for key, one in compared.items()},
        best={model.name: best_start(climbs, model.name) for model in models},
        facts=facts(workers),
        elapsed={
            **{name: elapsed(many) for name, many in done.items()},
            "all": elapsed([one for many in done.values() for one in many]),
        },
    )
