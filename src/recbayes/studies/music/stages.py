"""The stages of the study: what is to be learnt, analysed and compared, each a part that is kept when it is done."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from recbayes.music.model import log_profiles
from recbayes.studies.music.analysis import analyse
from recbayes.studies.music.annotations import Annotations
from recbayes.studies.music.comparing import Known, compare_expert, compare_probability, compare_regions, expert_tree
from recbayes.studies.music.learning import Learn
from recbayes.studies.music.models import MusicModel
from recbayes.studies.music.pieces import Piece
from recbayes.studies.music.settings import Settings
from recbayes.studies.parts import Done, Folder, Part, timed

FREE, WITHOUT, GIVEN = "all", "without", "given"  # how a piece was analysed; see `Results`


class Climb(NamedTuple):
    """What is learnt: by which model, from all pieces or all without one, from which start."""

    model: str
    without: str | None
    start: int


class Analysed(NamedTuple):
    """Which model, which piece, and how: learnt from all pieces, from all others, or so and told where bars are."""

    model: str
    piece: str
    how: str


class Compared(NamedTuple):
    """With what a model's trees of a piece were compared: "regions", "expert" or "probability"."""

    model: str
    piece: str
    what: str


@dataclass(frozen=True)
class Plan:
    """All that a run is about."""

    pieces: tuple[Piece, ...]
    annotations: dict[str, Annotations]
    models: tuple[MusicModel, ...]
    settings: Settings
    code: str  # what was done by other code is done again

    def key(self, *names: str) -> str:
        """Where a part is kept."""
        return "/".join([self.code, *names])

    def model(self, name: str) -> MusicModel:
        return next(one for one in self.models if one.name == name)

    @property
    def experts(self) -> list[Piece]:
        """Pieces of which there is an analyst's tree."""
        return [one for one in self.pieces if self.annotations[one.name].tree is not None]

    def known(self, model: str, piece: Piece) -> Known:
        return Known(piece.observed(self.model(model).per), piece.bars, self.annotations[piece.name])

    def seed(self, *names: str) -> int:
        text = "/".join([str(self.settings.seed), *names])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def learn_all(plan: Plan, folder: Folder, learning: Learn, workers: int | None, progress: bool | None) -> dict[Climb, Done]:
    """All starts with all pieces; then, from the best of each model's, without each piece that has an analyst's tree.

    Climbs take long, and show themselves how far they are; here is a line for each.
    """
    from rich.console import Console

    console = Console(stderr=True, quiet=progress is False)
    total = len(plan.models) * (plan.settings.starts + len(plan.experts))
    found: dict[Climb, Done] = {}
    with ThreadPoolExecutor(workers) as pool:

        def finish(climb: Climb) -> None:
            model = plan.model(climb.model)
            counts = [one.observed(model.per).counts for one in plan.pieces if one.name != climb.without]
            said = f"learning {model.title} without {climb.without}" if climb.without else f"learning {model.title}"
            console.print(f"{said}, start {climb.start} ({len(found) + 1} of {total})", highlight=False, markup=False)

            def climbed() -> dict[str, Any]:
                settings = {"executor": pool, "evaluations": plan.settings.evaluations, "progress": progress}
                return learning(model, counts, climb.start, folder=folder.path / "climbs", **settings)

            key = plan.key("climb", climb.model, climb.without or FREE, str(climb.start))
            done = folder.read(key)
            if done is None:
                done = timed(climbed, ())
                folder.write(key, done)
            found[climb] = done

        for model in plan.models:
            for start in range(plan.settings.starts):
                finish(Climb(model.name, None, start))
            for piece in plan.experts:
                finish(Climb(model.name, piece.name, best_start(found, model.name)))
    return found


def best_start(found: dict[Climb, Done], model: str) -> int:
    """The one with the highest log likelihood of all pieces."""
    likelihoods = {one.start: done.result["log_likelihood"] for one, done in found.items() if one[:2] == (model, None)}
    return max(likelihoods, key=lambda start: likelihoods[start])


def analysis_parts(plan: Plan, climbs: dict[Climb, Done]) -> dict[Analysed, Part]:
    """All pieces by all models; those that have an analyst's tree also by models that have not seen them.

    Where the leaves of that tree are single observations, every tree has them, and they need not be told.
    """
    parts = {}
    for model in plan.models:
        start = best_start(climbs, model.name)
        for piece in plan.pieces:
            counts = piece.observed(model.per).counts
            given: dict[str, Any] = {FREE: None}
            if piece in plan.experts:
                leaves = expert_leaves(plan, model.name, piece)
                given |= {WITHOUT: None} | ({GIVEN: leaves} if len(leaves) < len(counts) else {})
            for how, leaves in given.items():
                learnt = climbs[Climb(model.name, None if how == FREE else piece.name, start)].result
                rest = plan.settings.draws, plan.settings.drawn, plan.seed(model.name, piece.name, how), leaves
                one = Analysed(model.name, piece.name, how)
                parts[one] = Part(plan.key("analysis", *one), analyse, (model, learnt, counts, *rest))
    return parts


def comparison_parts(plan: Plan, climbs: dict[Climb, Done], analyses: dict[Analysed, Done]) -> dict[Compared, Part]:
    """All that there are annotations for."""
    parts = {}
    for model in plan.models:
        start = best_start(climbs, model.name)
        for piece in plan.pieces:
            known = plan.known(model.name, piece)
            values = log_profiles(known.observed.counts)
            found = {how: analyses.get(Analysed(model.name, piece.name, how)) for how in (FREE, WITHOUT, GIVEN)}
            results = {how: None if done is None else done.result for how, done in found.items()}
            rest = plan.settings, plan.seed(model.name, piece.name)
            work: dict[str, tuple] = {}
            if known.annotations.keys:
                work["regions"] = compare_regions, (known, results[FREE], values, *rest)
            if known.annotations.tree is not None:
                learnt = climbs[Climb(model.name, piece.name, start)].result
                work["expert"] = compare_expert, (known, results[WITHOUT], results[GIVEN], values, *rest)
                work["probability"] = compare_probability, (model, learnt, known, *rest)
            for what, (function, arguments) in work.items():
                one = Compared(model.name, piece.name, what)
                parts[one] = Part(plan.key("comparison", *one, mark(known.annotations)), function, arguments)
    return parts


def expert_leaves(plan: Plan, model: str, piece: Piece) -> list[tuple[int, int]]:
    """The leaves of an analyst's tree, in observations."""
    return [leaf.span for leaf in expert_tree(plan.known(model, piece)).leaves]


def mark(what: Any) -> str:
    """A short name for all that something says."""
    if isinstance(what, Annotations):
        tree = None if what.tree is None else what.tree.spans
        what = [tree, what.keys, what.chords, what.phrases]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:10]
