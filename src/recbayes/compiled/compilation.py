"""Running compiled kernels, and telling the user when they have to be compiled.

They are kept on disk, where numba finds a folder for them: one that the user names, that of the package, or that of the
user's caches. Where it finds none, they are compiled at every start.
"""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any

import numba

PATIENCE = 2.0  # seconds; a kernel that takes less to compile is not worth a word


_compiling = threading.Lock()  # many threads may want the same kernel at once; one compiles it, and says so once


def can_be_kept() -> bool:
    """Whether there is a folder for compiled kernels; asked once, as numba refuses kernels that are to be kept nowhere."""
    try:
        numba.njit(cache=True)(can_be_kept)
    except RuntimeError:
        return False
    return True


def run_kernel(kernel: Callable[..., Any], *args: Any) -> Any:
    """Call a kernel. If it is neither loaded nor on disk, say so while it is being compiled."""
    if not _is_loaded(kernel, args):
        with _compiling:
            if not _is_loaded(kernel, args):
                _compile(kernel, args)
    return kernel(*args)


def _is_loaded(kernel: Any, args: tuple[Any, ...]) -> bool:
    """Kernels are called with the same types always, but for the length of a tuple that comes first (a `Dimension`)."""
    if type(args[0]) is not tuple:
        return bool(kernel.overloads)
    return any(len(types[0]) == len(args[0]) for types in kernel.overloads)


def _compile(kernel: Any, args: tuple[Any, ...]) -> None:
    if kernel.stats.cache_path is None:
        _tell_that_nothing_is_kept()
    done = threading.Event()
    threading.Thread(target=_tell, args=(kernel, done), daemon=True).start()
    try:
        with suppress(OSError):  # it is compiled, but the disk is full
            kernel.compile(tuple(numba.typeof(arg) for arg in args))
    finally:
        done.set()


def _tell(kernel: Any, done: threading.Event) -> None:
    """Say that a kernel is being compiled, once it is: loading one may take long too, and is nothing to tell of."""
    while not done.wait(PATIENCE):
        if kernel.stats.cache_misses:
            once = "" if kernel.stats.cache_path is None else ", once on this machine"
            print(f"recbayes: compiling the kernel {kernel.__name__}{once}; this takes up to a minute", file=sys.stderr)
            return


@cache
def _tell_that_nothing_is_kept() -> None:
    print(
        "recbayes: compiled kernels cannot be kept, so every start compiles them again: neither the package's folder nor "
        "the user's caches can be written; set NUMBA_CACHE_DIR to a folder that can",
        file=sys.stderr,
    )
