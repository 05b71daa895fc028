"""Libraries that read music, which are an extra: imported when they are needed, and asked for in one line where missing."""

from importlib import import_module
from typing import Any

from recbayes.errors import DataError


def music_module(name: str) -> Any:
    """A module of verovio or symusic."""
    try:
        return import_module(name)
    except ImportError as problem:
        raise DataError(f"scores need {name}: pip install 'recbayes[music]' ({problem})") from None
