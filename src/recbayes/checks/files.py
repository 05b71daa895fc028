"""Files that are replaced whole, so that a crash never leaves half of one."""

import os
from pathlib import Path


def write_beside(path: Path, text: str) -> Path:
    """Write a neighbouring file to the disk, which the caller puts in place: `write_beside(path, text).replace(path)`.

    Its name has the number of the process, so that two that write the same file do not disturb each other.
    """
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return part
