"""Random series with jumps."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def jumping_series(draw: st.DrawFn, shortest: int = 6, longest: int = 24, columns: int = 3) -> np.ndarray:
    length = draw(st.integers(shortest, longest))
    jumps = draw(st.lists(st.integers(1, length - 1), max_size=4, unique=True))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = random.normal(0.0, draw(st.sampled_from([0.01, 0.1, 0.5])), (length, columns))
    for place in jumps:
        values[place:] += random.normal(0.0, 1.0, columns)
    return values
