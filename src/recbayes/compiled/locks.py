"""Locks between processes: files that at most one process has locked.

The system unlocks a file when the process that locked it ends, however it ends: there are no stale locks, and the files
themselves mean nothing and may stay.
"""

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # of this process, not of those that it forks


class Lock:
    """A lock between processes. Threads of one process have to agree among themselves: each would get it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def take(self) -> bool:
        """Whether it is ours now: yes, unless another process has it. Where no file can be made there is nothing to share,
        and nobody to wait for."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT)
        except OSError:
            return True
        try:
            _lock(descriptor)
        except (BlockingIOError, PermissionError):
            os.close(descriptor)
            return False
        except OSError:  # a file system without locks
            os.close(descriptor)
            return True
        self._descriptor = descriptor
        return True

    def give_back(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)  # and with it the lock
            self._descriptor = None
