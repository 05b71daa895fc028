"""Arrays of numpy: NPY and NPZ, never pickles."""

import io
import zipfile
from collections import Counter
from math import prod
from typing import IO

import numpy as np

from recbayes.data.files.column import NUMBERS, Column, Contents
from recbayes.data.files.numbers import told_missing, without_told
from recbayes.data.files.packed import MOST
from recbayes.data.files.settings import Settings
from recbayes.errors import FileError


def read_npy(content: bytes, settings: Settings) -> Contents:
    """The columns of one array, called 1, 2 and so on."""
    try:
        _check_room(io.BytesIO(content), len(content))
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except FileError:
        raise
    except (ValueError, EOFError, OSError, SyntaxError) as problem:
        raise _not_read(problem) from problem
    return _contents(array, "the array", [], settings)


def read_npz(content: bytes, settings: Settings) -> Contents:
    """The array that is named, or the only one of numbers."""
    notes = []
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            names = list(file.files)
            name = settings.array
            if name is None and len(names) != 1:
                raise FileError(f"it has {len(names)} arrays, {', '.join(map(repr, names[:8]))}; say which (array)")
            if name is not None and name not in names:
                raise FileError(f"it has no array {name!r}; it has {', '.join(map(repr, names[:8]))}")
            if name is None:
                name = names[0]
                notes.append(f"its only array is {name!r}")
            with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(f"{name}.npy") as member:
                _check_room(member, max(MOST, len(content)))
            array = file[name]
    except FileError:
        raise
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, KeyError, SyntaxError) as problem:
        raise _not_read(problem) from problem
    return _contents(array, f"the array {name!r}", notes, settings)


def _not_read(problem: Exception) -> FileError:
    if "allow_pickle" in str(problem) or "pickle" in str(problem).lower():
        return FileError("it has Python objects in it (pickles), which are code and not read; save numbers")
    return FileError(f"it is damaged, or no array of numpy ({problem})")


def _check_room(file: IO[bytes], most: int) -> None:
    """An error if an array, by what is said of it at its beginning, has more bytes."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    size = prod(shape) * dtype.itemsize
    if size > most:
        raise FileError(f"it says that it has {size >> 20} megabytes of numbers, more than {most >> 20}; is it damaged?")


def _contents(array: np.ndarray, what: str, notes: list[str], settings: Settings) -> Contents:
    if array.dtype.kind not in "fiub":
        raise FileError(f"{what} must be numbers, and has {array.dtype}")
    if array.ndim not in (1, 2):
        raise FileError(f"{what} must have shape (observations,) or (observations, columns), got {array.shape}")
    seen: Counter[str] = Counter()
    table = (array[:, None] if array.ndim == 1 else array).astype(np.float64)
    table = without_told(table, settings.missing, ".", seen)
    columns = [Column(str(number), NUMBERS, table[:, number - 1]) for number in range(1, table.shape[1] + 1)]
    return Contents(columns, False, [*notes, *told_missing(seen, "empty")])
