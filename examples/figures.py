"""The pictures of two pages, drawn by the very Python that stands on them.

Run it with `.venv/bin/python examples/figures.py`; it writes the PNG files that the pages save into docs/figures.
"""

import os
import re
import tempfile
from pathlib import Path

import matplotlib

DOCS = Path(__file__).parents[1] / "docs"
PAGES = ("start/what-is-an-rbn.md", "guides/pictures.md")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def main(folder: Path) -> None:
    from matplotlib import pyplot

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for page in PAGES:
            names: dict[str, object] = {}
            for block in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
                exec(block, names)
            pyplot.close("all")
        os.chdir(before)
        for picture in Path(scratch).glob("*.png"):
            (folder / picture.name).write_bytes(picture.read_bytes())


if __name__ == "__main__":
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"savefig.dpi": 90, "figure.max_open_warning": 0})
    main(DOCS / "figures")
