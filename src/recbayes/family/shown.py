"""What notebooks show of models and posteriors: small tables and static pictures, without scripts.

Sizes are bounded, and what users have named is text (`recbayes.checks.markup`).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recbayes.checks.markup import Column, Markup, facts, joined, short_number, table, tag

if TYPE_CHECKING:
    from recbayes.family.posterior import Posterior

LETTERS = 80  # of one entry of a table
MOST_FACTS = 40
MOST_POINTS = 300  # of a curve


class Way(NamedTuple):
    """One rule of a model: from a variable, with a probability (None where it depends on the value), to what, and how."""

    variable: str
    probability: float | None
    leads_to: str
    how: str = ""


def model_html(name: str, about: Sequence[tuple[str, object]], ways: Sequence[Way]) -> str:
    """A model: what there is to say about it, and a table of its rules."""
    columns = [Column("variable"), Column("probability", numbers=True), Column("leads to"), Column("how")]
    rows = [(clipped(way.variable), number(way.probability), clipped(way.leads_to), clipped(way.how)) for way in ways]
    used = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    shown = table([columns[place] for place in used], [[row[place] for place in used] for row in rows])
    return panel(name, facts([(clipped(key), clipped(str(value))) for key, value in about[:MOST_FACTS]]), shown)


def posterior_html(posterior: "Posterior") -> str:
    """What the draws say and are worth, and the tree of highest expected F1."""
    error = posterior.log_evidence_error
    known = [
        ("observations", posterior.length),
        ("draws", f"{len(posterior.trees)}, {posterior.method}, worth {posterior.effective_sample_size:.0f}"),
        ("log evidence", f"{posterior.log_evidence:.3f}" + (f" ± {error:.3f}" if error > 0 else "")),
        ("expected F1 of the tree", f"{posterior.expected_f1:.2f}"),
    ]
    doubt = tag("p", posterior.complaint) if posterior.complaint else ""
    return panel(type(posterior).__name__, facts(known), doubt, Markup(posterior.tree().to_svg()))


def panel(title: str, *content: object) -> str:
    """What belongs together, below its title."""
    return tag("div", tag("p", tag("strong", title)), *content)


def number(value: float | None) -> str:
    """A number for readers, or nothing."""
    return "" if value is None else short_number(float(value))


def numbers(values: np.ndarray) -> str:
    """A few numbers for readers: one, where all are the same."""
    flat = np.ravel(values)
    if len(flat) and (flat == flat[0]).all():
        return short_number(float(flat[0]), 3)
    shown = [short_number(float(value), 3) for value in flat[:6]]
    return f"({', '.join(shown)}{', …' if len(flat) > 6 else ''})"


def clipped(text: str) -> str:
    """A text that is not too long for a table."""
    return text if len(text) <= LETTERS else text[: LETTERS - 1] + "…"


def said(value: object) -> str:
    """What an object says of itself, in short."""
    return clipped(" ".join(repr(value).split()))


def curve(values: Sequence[float], name: str) -> Markup:
    """Numbers one after the other as a line, with the first and the last of them written beside it."""
    given = np.asarray(values, dtype=np.float64)
    keep = np.unique(np.linspace(0, len(given) - 1, min(len(given), MOST_POINTS)).round().astype(int))
    keep = keep[np.isfinite(given[keep])]
    if len(keep) < 2:
        return Markup("")
    shown = given[keep]
    low, high = np.quantile(shown, 0.05), shown.max()  # first steps may come from far below
    x = 90 + 300 * keep / (len(given) - 1)
    y = 60 - 52 * np.clip((shown - low) / (high - low or 1.0), 0.0, 1.0)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    ends = [(84.0, y[0], "end", shown[0]), (396.0, y[-1], "start", shown[-1])]
    labels = [
        tag(
            "text",
            short_number(value, 6),
            x=f"{a:g}",
            y=f"{b + 4:.1f}",
            text_anchor=side,
            font_size="11",
            fill="currentColor",
        )
        for a, b, side, value in ends
    ]
    line = tag("polyline", points=points, fill="none", stroke="currentColor", stroke_width="1.5")
    return tag(
        "svg",
        tag("title", f"{name}, from {shown[0]:.6g} to {shown[-1]:.6g} in {len(given)} steps"),
        joined([line, *labels]),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        viewBox="0 0 480 70",
        width="480",
        style="max-width:100%;height:auto;font-family:system-ui,sans-serif",
    )
