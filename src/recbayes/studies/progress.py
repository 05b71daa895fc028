"""What a long study shows while it runs: a bar per stage on a terminal, a line per stage in logs."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any


class Stages:
    """`wanted` None: bars if the error stream is a terminal, else lines; False: nothing."""

    def __init__(self, wanted: bool | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        self._console = Console(stderr=True, quiet=wanted is False)
        self._bars: Any = None
        if wanted is not False and self._console.is_terminal:
            columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
            self._bars = Progress(*columns, TimeRemainingColumn(), console=self._console)

    def __enter__(self) -> "Stages":
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._bars is not None:
            self._bars.stop()

    def stage(self, name: str, total: int) -> Callable[[], None]:
        """Begin a stage of so many parts; what is returned is to be called after each."""
        if self._bars is not None:
            task = self._bars.add_task(name, total=total)
            return lambda: self._bars.advance(task)
        began, done = time.monotonic(), 0

        def tell() -> None:
            nonlocal done
            done += 1
            if done == total:
                self._console.print(f"{name}: {total} parts in {time.monotonic() - began:.0f} s", highlight=False)

        return tell
