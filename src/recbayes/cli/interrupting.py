"""Ctrl-C ends a command promptly, also while threads compute in kernels, which hear of nothing until they are done.

Python tells only its main thread of an interrupt, between two lines of Python, and pools of threads are waited for before
anybody is told. So another thread listens to the signal itself; if the command has not ended by itself soon after, it ends
the process, when no file is being written.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any

GRACE = 0.7  # seconds in which a command may end by itself
WRITES = 10.0  # seconds in which a file may be finished
SHOW_CURSOR = "\x1b[?25h"  # of a terminal, which lines of progress hide


def promptly(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which an interrupt ends promptly: one that has nothing to keep of what it has done so far."""

    @wraps(command)
    def run(*args: Any, **given: Any) -> None:
        with _listening():
            command(*args, **given)

    return run


@contextmanager
def _listening() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard, told = socket.socketpair()
    told.setblocking(False)
    before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    over = threading.Event()
    listener = threading.Thread(target=_listen, args=(heard, over), daemon=True)
    listener.start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        told.close()  # the listener hears that, too
        listener.join()
        heard.close()


def _listen(heard: socket.socket, over: threading.Event) -> None:
    while signals := heard.recv(64):
        if signal.SIGINT in signals:
            if not over.wait(GRACE):
                _end()
            return


def _end() -> None:
    from recbayes.cli.outputs import WRITING

    WRITING.acquire(timeout=WRITES)
    with suppress(OSError):
        cursor = SHOW_CURSOR if sys.stderr.isatty() else ""
        os.write(2, f"{cursor}recbayes: interrupted\n".encode())
    os._exit(130)
