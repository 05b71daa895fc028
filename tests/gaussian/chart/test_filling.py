"""However a chart is divided among tiles and threads, its bits are the same; and no thread waits for one that failed."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import recbayes as rb
from recbayes.gaussian.chart import filling


def chart_of(model: rb.GaussianRBN, y: np.ndarray, threads: int, monkeypatch: pytest.MonkeyPatch) -> rb.Chart:
    monkeypatch.setattr(filling, "threads_at_hand", lambda: threads)
    return rb.inside(model, y)


def long_series(dim: int, length: int = filling.LONG + 7) -> np.ndarray:
    rng = np.random.default_rng(dim)
    return np.cumsum(rng.normal(size=(length, dim)) * (rng.random((length, 1)) < 0.05), axis=0) + rng.normal(
        scale=0.1, size=(length, dim)
    )


@pytest.mark.parametrize("dim", [1, 2])
def test_threads_and_tiles_do_not_change_a_bit(dim: int, monkeypatch: pytest.MonkeyPatch) -> None:
    model = rb.GaussianRBN.create(dim=dim, extra_observations=5.0)
    y = long_series(dim)
    charts = [chart_of(model, y, threads, monkeypatch) for threads in (1, 2, 3)]
    monkeypatch.setattr(filling, "_can_be_divided", lambda plan: False)
    charts.append(chart_of(model, y, 1, monkeypatch))
    for other in charts[1:]:
        assert other.log_evidence == charts[0].log_evidence
        np.testing.assert_array_equal(other.messages, charts[0].messages)
        np.testing.assert_array_equal(other.choices, charts[0].choices)


def test_what_fails_in_a_thread_fails_for_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    def fail(kernel: Any, dimension: Any, tile: filling.Tile, *_: Any) -> None:
        calls.append(tile)
        if len(calls) == 5:
            raise MemoryError("no room")

    monkeypatch.setattr(filling, "run_kernel", fail)
    with pytest.raises(MemoryError, match="no room"):
        chart_of(rb.GaussianRBN.create(dim=1, extra_observations=5.0), long_series(1), 2, monkeypatch)


def test_every_tile_comes_after_those_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tile needs the narrower cells of its own starts, and those of later starts that end no later than it does."""
    done: list[filling.Tile] = []
    lock = threading.Lock()

    def record(kernel: Any, dimension: Any, tile: filling.Tile, *_: Any) -> None:
        with lock:
            seen = list(done)
        for other in range(tile.start, length, filling.STARTS):
            widest = tile.end_width if other > tile.start else tile.width
            needed = {width for width in range(1, widest) if other + width <= length}
            found = {w for one in seen if one.start == other for w in range(one.width, one.end_width)}
            assert needed <= found
        with lock:
            done.append(tile)

    length = filling.LONG + 7
    fill = filling._fill_in_threads
    fill(lambda tile: record(None, (), tile), range(0, length, filling.STARTS)[::-1], length, 3)
    assert len({(tile.start, tile.width) for tile in done}) == len(done)
    assert done[-1].start == 0


def test_one_of_many_series_takes_one_thread() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(filling.threads_at_hand).result() == 1
