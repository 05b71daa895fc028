"""What `rb.segment` shows while it runs: one line on a terminal, if it takes more than two seconds; nothing in logs."""

import time
from threading import Lock, Timer
from types import TracebackType
from typing import Any

PATIENCE = 2.0  # seconds before anything is shown


class Progress:
    """A line that is rewritten. `wanted` None: if the error stream is a terminal."""

    def __init__(self, wanted: bool | None, series: int = 1) -> None:
        from rich.console import Console

        console = Console(stderr=True)
        self._status: Any = console.status("") if (console.is_terminal if wanted is None else wanted) else None
        self._timer: Timer | None = None
        self._lock, self._series, self._number = Lock(), series, 0
        self._stage, self._done, self._parts, self._began = "", 0, 0, time.monotonic()

    def __enter__(self) -> "Progress":
        if self._status is not None:
            self._timer = Timer(PATIENCE, self._status.start)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
            self._status.stop()

    def next_series(self) -> None:
        self._number += 1

    def stage(self, name: str, parts: int = 0) -> None:
        """A stage of the work on one series begins, with so many parts."""
        self._stage, self._done, self._parts, self._began = name, 0, parts, time.monotonic()
        self._say()

    def advance(self) -> None:
        """A part of the stage is done."""
        with self._lock:
            self._done += 1
        self._say()

    def _say(self) -> None:
        if self._status is None:
            return
        text = f"series {self._number} of {self._series}: " if self._series > 1 else ""
        text += self._stage
        if self._parts:
            text += f", {self._done} of {self._parts}"
        if 0 < self._done < self._parts:
            left = (time.monotonic() - self._began) / self._done * (self._parts - self._done)
            text += f", about {left:.0f} s left"
        self._status.update(text)
