"""What a rerun must know to be comparable: versions, and the machine."""

import os
import platform
import sys
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scipy", "numba", "ruptures", "scikit-learn", "matplotlib")


def facts() -> dict[str, Any]:
    """Of the process that calls."""
    import recbayes

    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "recbayes": recbayes.__version__,
            "python": platform.python_version(),
            **{name: _version(name) for name in PACKAGES},
        },
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
    }


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
