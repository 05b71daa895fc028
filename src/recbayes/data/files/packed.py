"""Files that are compressed: gzip, bzip2 and xz, unpacked by Python itself."""

import io
from importlib import import_module
from typing import Any

from recbayes.errors import FileError

MARKS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
OPENERS = {"gzip": ("gzip", "GzipFile"), "bzip2": ("bz2", "BZ2File"), "xz": ("lzma", "LZMAFile")}
OTHERS = {b"(\xb5/\xfd": "zstd"}
MOST = 1 << 30  # bytes that are unpacked: a small file may have been made to fill a computer's memory
ENDINGS = (".gz", ".bz2", ".xz")


def unpacked(content: bytes, most: int = MOST) -> tuple[bytes, str]:
    """What is in a compressed file, and how it was compressed; of others, what they are, and nothing."""
    other = next((name for mark, name in OTHERS.items() if content.startswith(mark)), None)
    if other is not None:
        raise FileError(f"it is compressed ({other}); unpack it first")
    kind = next((name for mark, name in MARKS.items() if content.startswith(mark)), "")
    if not kind:
        return content, ""
    module, opener = OPENERS[kind]
    try:
        make: Any = getattr(import_module(module), opener)
    except ImportError as problem:  # a Python that was built without
        raise FileError(f"it is compressed ({kind}), which this Python cannot unpack; unpack it first") from problem
    try:
        with make(io.BytesIO(content)) if kind != "gzip" else make(fileobj=io.BytesIO(content)) as file:
            found = file.read(most + 1)
    except Exception as problem:  # each library has errors of its own
        raise FileError(
            f"it is compressed ({kind}), and damaged ({problem}); it may have been copied in part only"
        ) from problem
    if len(found) > most:
        raise FileError(f"it is compressed ({kind}), and unpacks to more than {most >> 20} megabytes; unpack it first")
    return found, kind
