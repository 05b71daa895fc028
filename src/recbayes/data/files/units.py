"""Units of measurement, as exports of instruments have them: in a line below the names of columns, or in every cell."""

import re
from collections.abc import Collection, Sequence

import numpy as np

from recbayes.data.files.numbers import number_in

LONGEST = 16  # signs of a unit
MOST_LINES = 2  # below the names: units, and perhaps how values were taken
KNOWN = re.compile(
    r"[\[(].*[\])]|[°º˚]\s?[CFK]?|[Dd]eg\.?\s?[CFK]?|Grad|[KCF]|%(\s?(rH|RH|r\.F\.|rF))?|‰|pp[mbt]|pH|dB\(?A?\)?|rpm|RPM|U/min|psi|"
    r"[mkhMG]?(bar|Pa|W|V|A|Wh|VA|VAr|J|N|Nm|Hz|g|m|s|l|L|Ohm|Ω|S)|[µμun]?[gmsVA]|cm|t|min|h|d|lx|lux|"
    r"(N?[mcd]?m[²³23]?|[mkN]?[lL]|k?g|t|mm|km|Umdr\.?|1|J|W|kWh|µ?S|µ?g)\s?/\s?(s|min|h|d|m|cm|k?g|[lL]|[mc]?m[²³23]|s[²2]|K)|min-1"
)
IN_CELL = re.compile(r"([+-]?\d[\d.,]*(?:[eE][+-]?\d+)?)(\s*)([^\d\s.,;:+/-][^\d]*(?:[23]|-1)?)")


def is_unit(cell: str) -> bool:
    """Whether a text is a unit that people know."""
    return KNOWN.fullmatch(cell.strip()) is not None


def without_unit(cell: str) -> str:
    """A cell such as 20.5 °C without its unit; any other as it is."""
    found = IN_CELL.fullmatch(cell.strip())
    return found[1] if found is not None and len(found[3]) <= LONGEST else cell


def unit_lines(rows: Sequence[Sequence[str]], width: int, kinds: Sequence[Sequence[str]]) -> int:
    """How many of the first rows below the names have units: texts above numbers, and neither a number nor a date.

    Arguments:
        rows: cells of rows below the names.
        width: how many columns there are.
        kinds: of the same cells: number, date, text or missing.
    """
    count = 0
    while count < MOST_LINES and count + 2 < len(rows):
        if not _has_units(rows[count], kinds[count], kinds[count + 1 :], width, sure=count > 0):
            break
        count += 1
    return count


def _has_units(row: Sequence[str], kinds: Sequence[str], below: Sequence[Sequence[str]], width: int, *, sure: bool) -> bool:
    """Whether there are texts alone in a row, above numbers; and, unless that is `sure`, whether these are units."""
    if len(row) != width or not set(kinds) <= {"text", "missing"} or any(len(cell.strip()) > LONGEST for cell in row):
        return False
    rest = [one for one in below if len(one) == width]
    columns = [place for place in range(width) if _mostly([one[place] for one in rest], ("number",))]
    clocks = [place for place in range(width) if _mostly([one[place] for one in rest], ("date",))]
    above = [row[place] for place in columns if kinds[place] == "text"]
    likely = sure or any(map(is_unit, above)) or (len(above) == len(columns) and bool(clocks))
    return bool(above) and likely


def _mostly(kinds: Sequence[str], wanted: Collection[str]) -> bool:
    there = [kind for kind in kinds if kind not in ("missing", "text")] if "text" in kinds[:1] else kinds
    there = [kind for kind in there if kind != "missing"]
    return bool(there) and sum(kind in wanted for kind in there) > 0.5 * len(there)


def numbers_with_unit(cells: Sequence[str], missing: np.ndarray, decimal: str) -> tuple[np.ndarray, str] | None:
    """The numbers of cells such as 20.5 °C, NaN for missing ones, and the unit that they share; None if they share none.

    A unit that nobody knows must be apart from its number: 12a is a name.
    """
    found, units = np.full(len(cells), np.nan), set()
    for place in np.flatnonzero(~missing).tolist():
        parts = IN_CELL.fullmatch(cells[place].strip())
        number = None if parts is None else number_in(parts[1], decimal)
        if parts is None or number is None:
            return None
        unit = parts[3].strip()
        units.add(unit)
        if len(units) > 1 or len(unit) > LONGEST or not (parts[2] or is_unit(unit)):
            return None
        found[place] = number
    return (found, units.pop()) if units else None
