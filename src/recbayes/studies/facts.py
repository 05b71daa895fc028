"""What a rerun must know to be comparable: the code, versions, and the machine."""

import hashlib
import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "numba", "ruptures", "scikit-learn", "matplotlib")


def versions() -> dict[str, str | None]:
    """Of this package, with a checksum of its sources, of Python and of what the numbers depend on."""
    import recbayes

    return {
        "recbayes": recbayes.__version__,
        "recbayes sources": _checksum(Path(recbayes.__file__).parent),
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
    }


def facts(workers: int | None) -> dict[str, Any]:
    """Of the process that calls, and of how many it has work for it."""
    machine = {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count(),
        "workers": workers,
    }
    return {"date": datetime.now(UTC).isoformat(timespec="seconds"), "versions": versions(), "machine": machine}


def _checksum(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        total.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """The name on the chip, where it can be had."""
    if sys.platform == "linux":
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        if names:
            return names[0]
    return platform.processor() or "unknown"
