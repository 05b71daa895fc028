"""What all models that are kept as JSON share: they are saved, and equal, by what they write."""

from pathlib import Path
from typing import Any


class Saved:
    """Gives a model `save`, equality and a hash."""

    __slots__ = ()

    def save(self: Any, path: str | Path) -> None:
        """Write the model to a JSON file from which `recbayes.load` restores it exactly."""
        from recbayes.inference.storage import save

        save(self, path)

    def __eq__(self: Any, other: object) -> bool:
        from recbayes.inference.storage import to_json

        return type(other) is type(self) and to_json(self) == to_json(other)  # type: ignore[arg-type]

    def __hash__(self: Any) -> int:
        from recbayes.inference.storage import to_json

        return hash(to_json(self))
