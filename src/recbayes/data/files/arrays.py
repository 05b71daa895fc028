"""Arrays of numpy: NPY and NPZ, never pickles."""

import io
import zipfile

import numpy as np

from recbayes.data.files.column import NUMBERS, Column, Contents
from recbayes.data.files.settings import Settings
from recbayes.errors import FileError


def read_npy(content: bytes, settings: Settings) -> Contents:
    """The columns of one array, called 1, 2 and so on."""
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError) as problem:
        raise _not_read(problem) from problem
    return _contents(array, "the array", [])


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
            array = file[name]
    except FileError:
        raise
    except (ValueError, EOFError, OSError, zipfile.BadZipFile, KeyError, SyntaxError) as problem:
        raise _not_read(problem) from problem
    return _contents(array, f"the array {name!r}", notes)


def _not_read(problem: Exception) -> FileError:
    if "allow_pickle" in str(problem) or "pickle" in str(problem).lower():
        return FileError("it has Python objects in it (pickles), which are code and not read; save numbers")
    return FileError(f"it is damaged, or no array of numpy ({problem})")


def _contents(array: np.ndarray, what: str, notes: list[str]) -> Contents:
    if array.dtype.kind not in "fiub":
        raise FileError(f"{what} must be numbers, and has {array.dtype}")
    if array.ndim not in (1, 2):
        raise FileError(f"{what} must have shape (observations,) or (observations, columns), got {array.shape}")
    table = (array[:, None] if array.ndim == 1 else array).astype(np.float64)
    columns = [Column(str(number), NUMBERS, table[:, number - 1]) for number in range(1, table.shape[1] + 1)]
    return Contents(columns, False, notes)
