"""What users can say about a file; the rest is guessed."""

from collections.abc import Collection
from dataclasses import dataclass

from recbayes.data.files.numbers import MISSING


@dataclass(frozen=True)
class Settings:
    """How a file is to be read."""

    columns: tuple[str, ...] | None = None
    time: str | bool | None = None  # False: there is none
    by: str | bool | None = None  # False: there is one series
    separator: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    comment: str | None = None
    skip: int = 0
    missing: tuple[str, ...] = ()
    dates: str | None = None
    sort: bool = False
    duplicates: str = "error"
    since_1970: bool = False  # whether the time is in seconds, milliseconds, ... since then
    array: str | None = None  # of an NPZ file

    @property
    def missing_words(self) -> Collection[str]:
        return MISSING | set(self.missing)

    @property
    def as_text(self) -> Collection[str]:
        """Columns that are no numbers, whatever they look like."""
        dated = isinstance(self.time, str) and self.dates is not None
        return {one for one in (self.by, self.time if dated else None) if isinstance(one, str)}
