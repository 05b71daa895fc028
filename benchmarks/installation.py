"""What recbayes needs to be installed and imported: disk for each package, processor seconds of each import.

python -m benchmarks.installation
"""

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution, requires
from statistics import median

from packaging.requirements import Requirement

STATEMENTS = (
    "import recbayes",
    "import recbayes; recbayes.segment",
    "import recbayes; recbayes.segment; recbayes.plot.series",
    "import recbayes; recbayes.segment; recbayes.HierarchicalSegmenter",
)
REPEATS = 5
WATCHED = ("joblib", "matplotlib", "numba", "numpy", "scipy", "sklearn")


def needed(name: str, extra: str = "") -> Iterator[str]:
    """What a distribution needs here and now, without extras."""
    for text in requires(name) or []:
        one = Requirement(text)
        if one.marker is None or one.marker.evaluate({"extra": extra}):
            yield one.name.lower().replace("_", "-")


def closure(name: str) -> set[str]:
    """A distribution, and all that it needs."""
    found, waiting = set(), [name]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += needed(one)
    return found


def megabytes(names: set[str]) -> float:
    """On disk, with compiled Python."""
    sizes = 0
    for name in names:
        for file in distribution(name).files or []:
            path = file.locate()
            sizes += path.stat().st_size if path.is_file() else 0  # type: ignore[attr-defined]
    return sizes / 1e6


def seconds(statement: str) -> tuple[float, str]:
    """Of the processor for a statement in a new process, and which of the larger packages it has loaded."""
    code = (
        f"import sys, time; began = time.process_time(); {statement}; took = time.process_time() - began; "
        f"print(took, *(name for name in {WATCHED!r} if name in sys.modules))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(REPEATS)]
    rows = [run.stdout.split() for run in runs]
    return median(float(row[0]) for row in rows), ", ".join(rows[0][1:]) or "none of them"


def main() -> None:
    everything = closure("recbayes")
    print(f"{'needed':32}{'MB':>6}   without it, {megabytes(everything):.0f} MB become")
    for name in sorted(needed("recbayes")):
        others = set().union(*(closure(other) for other in needed("recbayes") if other != name))
        print(f"{name:32}{megabytes(closure(name)):6.0f}   {megabytes(others | {'recbayes'}):.0f}")
    print(f"\n{'statement':68}{'seconds':>8}   loads, of the larger ones")
    for statement in STATEMENTS:
        took, loaded = seconds(statement)
        print(f"{statement:68}{took:8.2f}   {loaded}")


if __name__ == "__main__":
    main()
