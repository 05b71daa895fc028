"""What all models that are kept as JSON share: they are saved, equal and sent to other processes by what they are made of.

Files are data, never code. Floats are written so that they read back bit for bit.
"""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self

from recbayes.checks.arguments import path_of
from recbayes.checks.documents import read_document, restored
from recbayes.checks.files import write_whole

VERSION = 1
HOMES = {"recbayes.Harmony": "recbayes.music.harmony"}  # of formats that nobody but their users imports
BEGINNING = 200  # characters of a document, in which its format is named

_formats: dict[str, "type[Saved]"] = {}  # every class of models enters itself


class Saved:
    """Gives a model `save`, equality and a hash; it says what it is made of by `to_data` and `from_data`."""

    __slots__ = ("_kept",)

    format: ClassVar[str]  # its name in files
    _kept: dict[Callable[..., Any], Any]  # see `recbayes.checks.kept`

    def __new__(cls, *arguments: Any, **settings: Any) -> Self:
        made = super().__new__(cls)
        made._kept = {}
        return made

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "format" in cls.__dict__:
            _formats[cls.format] = cls

    def to_data(self) -> dict[str, Any]:
        """All that the model is, as plain data."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it is made of")

    @classmethod
    def from_data(cls, document: dict[str, Any]) -> Self:
        """The model that `to_data` described.

        Arguments:
            document: plain data: dictionaries, lists, numbers and texts.
        """
        raise NotImplementedError(f"{cls.__name__} does not say how it is made")

    def save(self, path: str | Path) -> None:
        """Write the model to a JSON file from which `recbayes.load` restores it exactly; a crash never leaves half of it.

        Arguments:
            path: the file, which is replaced if it is there.
        """
        write_whole(path_of(path), to_json(self) + "\n")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and to_json(self) == to_json(other)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash(to_json(self))

    def __getstate__(self) -> dict[str, Any]:
        """Copies and messages to other processes leave out what only follows from the model."""
        slots = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ()) if name != "_kept"]
        return {name: getattr(self, name) for name in [*slots, *getattr(self, "__dict__", ())]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


def to_json(model: Saved) -> str:
    """The model as JSON text."""
    document = {"format": model.format, "version": VERSION, **model.to_data()}
    return json.dumps(document, indent=1, allow_nan=False)


def from_json(text: str) -> Saved:
    """The model that JSON text describes; a clear error if it is damaged, foreign or from a newer version.

    Formats of folders further down are read when they are asked for.
    """
    for name, home in HOMES.items():
        if f'"{name}"' in text[:BEGINNING] and name not in _formats:
            import_module(home)
    document = read_document(text, "model", _formats, VERSION)
    return restored(document, "model", _formats[document["format"]].from_data, to_json)
