"""Compiled kernels on disk, shared by processes: numba's files, with locks, and replaced where they are damaged."""

import hashlib
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from recbayes.compiled.locks import Lock

PAUSE = 0.05  # seconds between looks at a lock that somebody else has


class NotKept(Exception):
    """There is no such kernel on disk."""


class Kept:
    """What a kernel keeps on disk, in the place of numba's own cache.

    Numba asks it for the machine code of a signature, and gives it what it has compiled. Unless it is `open`, a signature
    that is not there is an exception, so that the caller can first see whether another process is compiling it.
    """

    def __init__(self, files: Any) -> None:
        self._files = files
        self.open = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._files, name)

    @property
    def folder(self) -> Path | None:
        """None where nothing is kept."""
        path = self._files.cache_path
        return None if path is None else Path(path)

    def load_overload(self, signature: Any, context: Any) -> Any:
        try:
            found = self._files.load_overload(signature, context)
        except Exception:  # whatever reading garbage comes to
            self._discard()
            found = None
        if found is None and not self.open:
            raise NotKept
        return found

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Numba adds to a list of signatures, which two processes must not do at once; a full disk is no reason to end."""
        lock = self._lock("list")
        while not lock.take():
            time.sleep(PAUSE)
        try:
            with suppress(OSError):
                self._files.save_overload(signature, compiled)
        finally:
            lock.give_back()

    def has(self, signature: Any, context: Any) -> bool:
        """Whether a signature is on disk, without loading it."""
        if self.folder is None:
            return False
        try:
            listed = self._files._cache_file._load_index()
            name = listed.get(self._files._index_key(signature, context.codegen()))
        except Exception:
            return False
        return name is not None and (self.folder / name).exists()

    def lock(self, signature: Any) -> Lock:
        """For the one process that compiles this signature."""
        return self._lock(hashlib.sha256(str(signature).encode()).hexdigest()[:12])

    def _lock(self, what: str) -> Lock:
        assert self.folder is not None
        return Lock(self.folder / f"{self._files._impl.filename_base}.{what}.lock")

    def _discard(self) -> None:
        """Remove all files of this kernel: it is not known which of them are damaged, and they are soon made again."""
        base = self._files._impl.filename_base
        with suppress(OSError):
            for path in (self.folder or Path()).iterdir():
                if path.name.startswith(f"{base}.") and path.suffix in (".nbi", ".nbc"):
                    path.unlink()
