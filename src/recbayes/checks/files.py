"""Files that are replaced whole, so that neither a crash nor another writer ever leaves half of one."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from recbayes.errors import FileError


def write_whole(path: str | os.PathLike, content: str | bytes) -> None:
    """Put a file in place, or in that of the one that is there, whose permissions it takes on.

    The content goes into a neighbouring file first. Its name is random and must be new, so that no two threads or processes
    share one and nobody can put a link there; nor is it ever open to more people than the old file. A link at `path` stays,
    and what it points to is replaced.
    """
    target, there = _target(path)
    mode = 0o666 if there is None else stat.S_IMODE(there)  # the system takes from these what the user's umask says
    part = _neighbour(target)
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            if there is not None:
                part.chmod(mode)
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException as problem:  # a full disk, Ctrl-C
        with suppress(OSError):
            part.unlink(missing_ok=True)
        if isinstance(problem, OSError) and problem.filename is not None:
            problem.filename = str(path)  # what was asked for, and not its neighbour
        raise


def check_writable(path: str | os.PathLike) -> None:
    """An error if nothing can be written there, found by trying: a neighbour is made, and taken away."""
    part = _neighbour(_target(path)[0])
    try:
        part.touch(exist_ok=False)
        part.unlink()
    except OSError as problem:
        problem.filename = str(path)
        raise


def _target(path: str | os.PathLike) -> tuple[Path, int | None]:
    """The file to be written, behind all links, and its mode if it is there."""
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise FileError(f"{path} cannot be written: there is no folder {target.parent}; make it first")
    there = target.stat().st_mode if target.exists() else None
    if there is not None and not stat.S_ISREG(there):
        raise FileError(f"{path} is there, and it is not a file that can be replaced")
    return target, there


def _neighbour(target: Path) -> Path:
    return target.with_name(f"{target.name[:32]}.{secrets.token_hex(8)}.part")
