"""Running compiled kernels, and telling the user when the first run on a machine has to compile them."""

import sys
import threading
from collections.abc import Callable
from typing import Any

import numba

PATIENCE = 2.0  # seconds; loading a kernel from the disk cache takes less


_compiling = threading.Lock()  # many threads may want the same kernel at once; one compiles it, and says so once


def run_kernel(kernel: Callable[..., Any], *args: Any) -> Any:
    """Call a kernel. If it is neither loaded nor on disk, say so while it is being compiled."""
    if not kernel.overloads:  # type: ignore[attr-defined]
        with _compiling:
            if not kernel.overloads:  # type: ignore[attr-defined]
                _compile(kernel, args)
    return kernel(*args)


def _compile(kernel: Callable[..., Any], args: tuple[Any, ...]) -> None:
    notice = threading.Timer(PATIENCE, _tell, [kernel.__name__])
    notice.daemon = True
    notice.start()
    try:
        kernel.compile(tuple(numba.typeof(arg) for arg in args))  # type: ignore[attr-defined]
    finally:
        notice.cancel()


def _tell(name: str) -> None:
    print(f"recbayes: compiling the kernel {name}, once on this machine; this takes some seconds", file=sys.stderr)
