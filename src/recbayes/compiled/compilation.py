"""Running compiled kernels, and telling the user when they have to be compiled.

They are kept on disk, where numba finds a folder for them: one that the user names, that of the package, or that of the
user's caches. Where it finds none, they are compiled at every start.

Where a kernel is missing, the others that the same job is going to need are compiled at the same time, by processes of their
own (`warm.py`). Who needs a kernel that another process is compiling takes one that nobody compiles yet, or waits.
"""

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
from numba.core.errors import NumbaError

from recbayes.compiled.kept import PAUSE, Kept, NotKept
from recbayes.compiled.lean import lean
from recbayes.compiled.needs import Need, cost_of, likely_job, needs_of

PATIENCE = 2.0  # seconds; a kernel that takes less to compile is not worth a word
MOST_HELPERS = 3  # processes beside this one
WORTH_HELP = 4.0  # seconds of compilation beside the kernel that is missing, for another process to be started

_compiling = threading.RLock()  # many threads may want the same kernel at once; one compiles it, and says so once
_job: ContextVar[str | None] = ContextVar("job", default=None)


def can_be_kept() -> bool:
    """Whether there is a folder for compiled kernels; asked once, as numba refuses kernels that are to be kept nowhere."""
    try:
        numba.njit(cache=True)(can_be_kept)
    except RuntimeError:
        return False
    return True


@contextmanager
def doing(job: str) -> Iterator[None]:
    """Say, for a whole function, which kernels it is going to need: those of a job of `kernels.json`."""
    before = _job.set(_job.get() or job)
    try:
        yield
    finally:
        _job.reset(before)


def run_kernel(kernel: Callable[..., Any], *args: Any) -> Any:
    """Call a kernel. If it is neither loaded nor on disk, say so while it is being compiled."""
    if "compile" not in vars(kernel):
        prepare(kernel)
    return kernel(*args)


def prepare(kernel: Any) -> None:
    """Have numba ask `_obtain` for every signature of this kernel that is not loaded."""
    with _compiling:
        if "compile" not in vars(kernel):
            if kernel.stats.cache_path is not None:
                kernel._cache = Kept(kernel._cache)
            kernel.compile = partial(_obtain, kernel, kernel.compile)


def _obtain(kernel: Any, compile_it: Callable[[Any], Any], signature: Any) -> Any:
    """Load a kernel, or compile it, or wait until another process has done so."""
    with _compiling:
        known = kernel.overloads.get(tuple(signature))
        if known is not None:
            return known.entry_point
        if kernel.stats.cache_path is None:
            _tell_that_nothing_is_kept()
            with _telling(kernel), lean():
                return compile_it(signature)
        with suppress(NotKept):
            return compile_it(signature)
        job = _job.get() or likely_job(kernel)
        others = needs_of(job) if job else []
        if job and _worth_help(kernel, others):
            _start_helpers(job)
        with _telling(kernel):
            while True:
                found = _compile_unless_another_does(kernel, compile_it, signature)
                if found is not None:
                    return found
                if not any(_help(one) for one in others):
                    time.sleep(PAUSE)


def _compile_unless_another_does(kernel: Any, compile_it: Callable[[Any], Any], signature: Any) -> Any:
    """The compiled kernel; None if another process is at it."""
    lock = kernel._cache.lock(signature)
    if not lock.take():
        return None
    kernel._cache.open = True  # what another process has finished a moment ago is loaded all the same
    try:
        with lean():
            return compile_it(signature)
    finally:
        kernel._cache.open = False
        lock.give_back()


def _help(need: Need) -> bool:
    """Compile a kernel that will be needed, if nobody has done so yet or is at it."""
    try:
        kernel, signature = need.kernel(), need.signature()
        if kernel.overloads.get(signature) is not None or is_kept(kernel, signature):
            return False
        return _compile_unless_another_does(kernel, partial(type(kernel).compile, kernel), signature) is not None
    except (AttributeError, ImportError, TypeError, NumbaError):  # the table is older than the kernel
        return False


def is_kept(kernel: Any, signature: Any) -> bool:
    prepare(kernel)
    return isinstance(kernel._cache, Kept) and kernel._cache.has(signature, kernel.targetctx)


def compile_all(needs: Sequence[Need], goes_on: Callable[[], bool] = lambda: True) -> None:
    """Compile what nobody has compiled or is compiling, the longest first."""
    for need in needs:
        if not goes_on():
            return
        with suppress(OSError):
            prepare(need.kernel())
            _help(need)


def _worth_help(kernel: Any, others: Sequence[Need]) -> bool:
    return sum(one.seconds for one in others) - (cost_of(kernel) or 0.0) >= WORTH_HELP


@cache
def _start_helpers(job: str) -> None:
    """Once in a process: processes that compile what the job needs. Where none can be started, this one does it all."""
    for number in range(min((os.cpu_count() or 1) - 1, MOST_HELPERS)):
        with suppress(OSError, ValueError):
            atexit.register(_end, start_helper(job, number))


def _end(helper: "subprocess.Popen[bytes]") -> None:
    """Files of kernels are written whole or not at all: a process that is ended leaves nothing half done."""
    helper.terminate()
    helper.wait()


def start_helper(job: str, number: int) -> "subprocess.Popen[bytes]":
    """A process that compiles the kernels of a job into the same folder; one of each number at a time."""
    if not sys.executable:
        raise ValueError("it is not known which Python this is")
    ours = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([ours, *filter(None, [os.environ.get("PYTHONPATH")])])}
    if numba.config.CACHE_DIR:
        environment["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    call = [sys.executable, "-m", "recbayes.compiled.warm", job, str(number)]
    return subprocess.Popen(call, env=environment, **quiet)  # type: ignore[call-overload]


@contextmanager
def _telling(kernel: Any) -> Iterator[None]:
    """Say that a kernel is being compiled, once it takes long."""
    done = threading.Event()
    threading.Thread(target=_tell, args=(kernel, done), daemon=True).start()
    try:
        yield
    finally:
        done.set()


def _tell(kernel: Any, done: threading.Event) -> None:
    if not done.wait(PATIENCE):
        once = "" if kernel.stats.cache_path is None else ", once on this machine"
        seconds = cost_of(kernel)
        wait = "this may take a while" if seconds is None else f"this takes about {max(round(seconds), 1)} s"
        print(f"recbayes: compiling the kernel {kernel.__name__}{once}; {wait}", file=sys.stderr)


@cache
def _tell_that_nothing_is_kept() -> None:
    print(
        "recbayes: compiled kernels cannot be kept, so every start compiles them again: neither the package's folder nor "
        "the user's caches can be written; set NUMBA_CACHE_DIR to a folder that can",
        file=sys.stderr,
    )
