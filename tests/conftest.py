import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Kernels may be compiled in the middle of an example, so there is no deadline. Examples are the same in every run, so that a
# failure can be seen by everybody; `pytest --hypothesis-profile=random` tries others.
common = {"deadline": None, "max_examples": 60, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("recbayes", derandomize=True, **common)
settings.register_profile("random", **common)
settings.load_profile("recbayes")

# What JAX compiles is kept on disk, by all that it is made of, so that nothing there can be stale; machines that share a
# folder have different processors, and workers of one run do not write to the same files. Set here, before JAX is loaded,
# processes that tests start have it too.
KEPT = Path(__file__).parents[1] / ".cache" / "jax" / platform.node() / os.environ.get("PYTEST_XDIST_WORKER", "alone")
if Path(os.environ.get("JAX_COMPILATION_CACHE_DIR", KEPT)).parent == KEPT.parent:  # workers inherit that of their parent
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(KEPT)
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.05")


@pytest.fixture(autouse=True)
def _figures() -> Iterator[None]:
    """Figures of a test end with it."""
    yield
    if (plt := sys.modules.get("matplotlib.pyplot")) is not None:
        plt.close("all")
