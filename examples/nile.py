"""When the flow of the Nile changed: the series with its segments, the probability of a change, and the tree.

Run it with `.venv/bin/python examples/nile.py`; it writes docs/figures/nile.png, the first picture of the README.
"""

from pathlib import Path

import matplotlib

import recbayes as rb


def main(path: Path, draws: int = 1000) -> None:
    found = rb.segment(rb.data.nile(), draws=draws, seed=0)
    found.plot().savefig(path, dpi=110)


if __name__ == "__main__":
    matplotlib.use("Agg")
    main(Path(__file__).parents[1] / "docs" / "figures" / "nile.png")
