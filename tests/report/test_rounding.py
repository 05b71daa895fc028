"""Numbers for readers: with the digits that their intervals need, whatever their size."""

import pytest

from recbayes.report.rounding import to_extent

TOLD = [
    (955.512, 40.0, "956"),
    (0.029, 0.4, "0.03"),
    (-0.001, 0.4, "0.00"),
    (50_123_456.0, 30_000.0, "50123456"),
    (50_123_456.0, 3e6, "5.01e7"),
    (1e9 + 0.0012, 0.002, "1000000000.0012"),
    (50_123_456.0, 300_000.0, "50123456"),
    (-1e9, 1e8, "−1.00e9"),
    (1.234e12, 1e11, "1.23e12"),
    (1.234e-12, 1e-13, "1.23e−12"),
    (5e-5, 0.3, "0.00"),
    (0.0, 1e-13, "0"),
    (0.0, 2.0, "0.0"),
]


@pytest.mark.parametrize(("value", "extent", "expected"), TOLD)
def test_a_tenth_of_the_interval_is_seen(value: float, extent: float, expected: str) -> None:
    assert to_extent(value, extent) == expected
