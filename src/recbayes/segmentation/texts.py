"""What was found, in words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from recbayes.segmentation.together import going_together

if TYPE_CHECKING:
    from recbayes.segmentation.effects import Effect
    from recbayes.segmentation.result import Segmentation


MOST = 40  # changes and segments that are listed; of more, the first of them
MOST_EFFECTS = 4  # of a change, the clearest


def summary(found: "Segmentation") -> str:
    """Change points with probabilities, segments with their levels, and how it was found."""
    return "\n".join([*told_changes(found), _segments(found), *told_method(found)])


def told_changes(found: "Segmentation") -> list[str]:
    """Change points with probabilities, a line each."""
    data = found.data
    lines = [headline(found)]
    for number, change in enumerate(found.changes[:MOST]):
        spread = f" (between {data.place(change.low)} and {data.place(change.high)})" if change.low < change.high else ""
        wide = f" within {change.within} observations" if change.within > found.tolerance else ""
        lines.append(f"  {data.place(change.position)}: probability {change.probability:.2f}{wide}{spread}")
        if data.values.shape[1] > 1 and found.effects[number]:
            lines.append(f"    {told_effects(found.effects[number])}")
    lines += _more(len(found.changes), "changes")
    for where, probability, why, average in told_unplaced(found)[:MOST]:
        lines += [f"  {where}: probability {probability:.2f}, {why}", f"    {average}"]
    return lines + _more(len(found.unplaced), "unplaced")


def told_effects(effects: "Sequence[Effect]") -> str:
    """What differs at a change, column by column."""
    told: dict[str, list[str]] = {}
    for one in effects:
        told.setdefault(one.column, []).append(f"{one.quantity} {one.before:.4g} to {one.after:.4g}")
    columns = [f"{column}: {', '.join(parts)}" for column, parts in list(told.items())[:MOST_EFFECTS]]
    more = len(told) - len(columns)
    return "; ".join(columns + ([f"and {more} more column{'s' if more > 1 else ''}"] if more else []))


def told_unplaced(found: "Segmentation") -> list[tuple[str, float, str, str]]:
    """Of changes that are more probable than not while their places are not: where, how probable, why they are not told, and
    what that means."""
    data, edges = found.data, [0, *(change.position for change in found.changes), len(found.data)]
    told = []
    for one in found.unplaced:
        segment = int(np.searchsorted(edges, one.low, side="right")) - 1
        first, last = (data.place(row) for row in (edges[segment], edges[segment + 1] - 1))
        where = f"somewhere between {data.place(one.low)} and {data.place(one.high)}"
        why = f"its place too uncertain to be told (a tolerance of {one.tolerance} tells it)"
        average = f"what is said of {first} to {last.removeprefix('row ')} is an average over it"
        told.append((where, one.probability, why, average))
    return told


def told_method(found: "Segmentation") -> list[str]:
    """What kinds of segments there are, and how all was found."""
    data = found.data
    lines = ["kinds of segments: " + ", ".join(f"{kind} {p:.2f}" for kind, p in found.kinds.items() if p >= 0.005)]
    posterior = found.posterior
    lines.append(
        f"{len(posterior.trees)} draws worth {posterior.effective_sample_size:.0f}, {posterior.method}; "
        f"{len(found.points.positions) - 2} of {len(data) - 1} positions looked at, {found.points.left_out:.2g} changes "
        "expected elsewhere"
    )
    if found.outliers is not None and found.outliers.any():
        out = int(found.outliers.sum())
        what = "1 observation sticks" if out == 1 else f"{out} observations stick"
        lines.append(f"{what} out from neighbours, and {'was' if out == 1 else 'were'} taken for missing")
    if found.likely_period is not None:
        lines.append(told_season(found.likely_period))
    return lines + told_together(found)


def told_together(found: "Segmentation") -> list[str]:
    """Which columns have noise that goes together, which no kind of segments knows of."""
    pair = going_together(found.data.values)
    if pair is None:
        return []
    names = [repr(found.data.names[n]) if found.data.names else str(n) for n in pair[:2]]
    return [
        f"the noise of columns {names[0]} and {names[1]} goes together (correlation {pair.correlation:.2f}), and is taken "
        "as independent: changes may be told that are none; look at one column, at means or differences of columns, or at "
        "principal components"
    ]


def told_season(period: int) -> str:
    """What may be a season, which nobody told of."""
    return (
        f"the series seems to repeat itself every {period} observations: a period of {period} would take that into account"
    )


def headline(found: "Segmentation") -> str:
    """How many change points there are, and in what."""
    data, count = found.data, len(found.changes)
    what = "no change point" if not count else "1 change point" if count == 1 else f"{count} change points"
    if found.unplaced:
        more = "1 change" if len(found.unplaced) == 1 else f"{len(found.unplaced)} changes"
        what += f", {'and' if count else 'but'} {more} without a place"
    extent = f"{len(data)} observation{'s' if len(data) > 1 else ''} from {data.place(0)} to {data.place(len(data) - 1)}"
    return f"{what} in {extent}" + (", taken in logarithms" if found.logarithms else "")


def _segments(found: "Segmentation") -> str:
    lines = ["segments:"]
    rows = [row for row in found.rows() if row["kind"] != "group"]
    for row, leaf in zip(rows[:MOST], found.tree.leaves, strict=False):
        told = ("level", "slope", "noise") if row["kind"].startswith("trend") else ("level", "noise")
        numbers = [f"{name} {value:.4g}" for name, value in row.items() if name.split(" ")[0] in told and value is not None]
        first, last = (found.data.place(position).removeprefix("row ") for position in (leaf.start, leaf.end - 1))
        lines.append(f"  {first} to {last}: " + ", ".join(numbers))
    return "\n".join([*lines, *_more(len(rows), "table()")])


def _more(count: int, name: str) -> list[str]:
    return [f"  and {count - MOST} more: see {name}"] if count > MOST else []
