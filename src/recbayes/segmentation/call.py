"""How a segmentation was asked for, as a line of Python."""

from numbers import Number
from typing import Any

LONGEST = 60  # characters of a setting; longer ones are not told
SHORT = "…"


def call_of(**settings: Any) -> str:
    """The call with those settings that are given: numbers and texts as they are, of others that they were there."""
    told = [f"{name}={_said(value)}" for name, value in settings.items() if value is not None and not _is_empty(value)]
    return f"rb.segment({', '.join(['data', *told])})"


def _is_empty(value: Any) -> bool:
    return isinstance(value, tuple | list) and not len(value)


def _said(value: Any) -> str:
    parts = list(value) if isinstance(value, tuple | list | range) else [value]
    plain = len(parts) <= LONGEST and all(isinstance(one, Number | str) for one in parts)
    text = repr(value) if plain else SHORT
    return text if len(text) <= LONGEST else SHORT
