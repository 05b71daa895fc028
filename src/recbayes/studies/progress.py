"""What a long study shows while it runs: a bar per stage on a terminal, a line per stage in logs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def stage(name: str, total: int, wanted: bool | None) -> Iterator[Callable[[], None]]:
    """A stage of so many parts; what it gives is to be called after each. Nothing is shown if `wanted` is False.

    Every stage has a display of its own, since rich writes to logs when a display ends, and not before.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True, quiet=wanted is False)) as bars:
        task = bars.add_task(name, total=total)
        yield lambda: bars.advance(task)
