"""A series with its segments, where changes are likely, and the tree, above each other."""

from typing import Any


def segmented(found: Any, *, figure: Any = None) -> Any:
    """To come."""
    raise NotImplementedError
