"""How a fit is done, in groups: the way up, the penalty, and where the work runs.

Older spellings, every setting by itself, are accepted too (`Spellings`); `groups_of` sorts them into their groups.
"""

import os
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple

from recbayes.checks.arguments import choice, executor_of, flag, path_of
from recbayes.errors import ModelError
from recbayes.learn.adam import Adam
from recbayes.learn.climb import Climb, QuasiNewton
from recbayes.learn.penalty import Penalty
from recbayes.spans.constraints import Known

METHODS: dict[str, Any] = {"quasi-newton": QuasiNewton, "adam": Adam}


@dataclass(frozen=True)
class Work:
    """Where a fit runs, and what it leaves behind.

    Arguments:
        executor: what evaluates series, any of `concurrent.futures`. None takes threads.
        n_jobs: how many jobs of joblib do it instead: threads, unless `joblib.parallel_config` says otherwise; -1 for all
            processors. None leaves it to the executor.
        checkpoint: a file in which every evaluation is kept. None keeps none.
        resume: whether to go on from the checkpoint, to the same end as without an interruption.
        progress: whether a line tells how far it is. None tells it on a terminal only.
    """

    executor: Executor | None = None
    checkpoint: str | os.PathLike | None = None
    resume: bool = False
    progress: bool | None = None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        executor_of(self.executor, self.n_jobs)
        flag(self.resume, "resume")
        if self.checkpoint is not None:
            path_of(self.checkpoint, "checkpoint")
        if self.progress is not None:
            flag(self.progress, "progress")

    @property
    def runner(self) -> Executor | None:
        """What runs it; None for threads."""
        return executor_of(self.executor, self.n_jobs)


class Spellings(Known, total=False):
    """Settings by themselves: of the climb, of the penalty and of the work; and what is known of the trees."""

    method: Literal["quasi-newton", "adam"]
    tolerance: float
    max_evaluations: int
    batch: int
    epochs: int
    learning_rate: float
    smallest_std: float | None
    pseudo_count: float
    executor: Executor | None
    n_jobs: int | None
    checkpoint: str | os.PathLike | None
    resume: bool
    progress: bool | None


class Groups(NamedTuple):
    """All settings of a fit that have a group, and what is known of the trees."""

    climb: Climb
    penalty: Penalty
    work: Work
    known: Known


def groups_of(climb: Climb | None, penalty: Penalty | None, work: Work | None, given: dict[str, Any]) -> Groups:
    """The groups, with what was given by itself put into them."""
    rest = dict(given)
    known: Known = {name: rest.pop(name) for name in Known.__annotations__ if name in rest}  # type: ignore[assignment]
    method = rest.pop("method", "quasi-newton")
    choice(method, METHODS, "method")
    for name, group, kind in (("climb", climb, Climb), ("penalty", penalty, Penalty), ("work", work, Work)):
        if group is not None and not isinstance(group, kind):
            example = "QuasiNewton(...) or Adam(...)" if kind is Climb else f"{kind.__name__}(...)"
            raise ModelError(f"{name} must be {example}, got {group!r}")
    if climb is not None and "method" in given:
        raise ModelError("method says which climb to take; give one of them")
    groups = (climb or METHODS[method](), penalty or Penalty(), work or Work())
    changed = [_changed(group, rest) for group in groups]
    for other in METHODS.values():  # settings of the other way up have no say, but are to be right
        _changed(other(), rest)
    if rest:
        raise TypeError(f"fit has no argument {next(iter(rest))!r}")
    return Groups(changed[0], changed[1], changed[2], known)


def _changed(group: Any, rest: dict[str, Any]) -> Any:
    own = {field.name: rest.pop(field.name) for field in fields(group) if field.name in rest}
    return replace(group, **own) if own else group
