"""Stories of the gallery in the order of telling: real series first, then models of one's own, then how to show them."""

from pathlib import Path

FIRST = ("nile", "growth", "el_nino", "latents", "paper_model", "trees", "training", "grammar", "states", "music")


def order(name: str) -> tuple[int, str]:
    story = Path(name).stem.removeprefix("plot_")
    return (FIRST.index(story) if story in FIRST else len(FIRST), story)
