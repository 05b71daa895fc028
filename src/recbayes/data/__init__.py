"""Data: small real series to try things with, each an `Example`, which is taken wherever a series is; others to fetch."""

from recbayes.data.compositions import dirichlet_series
from recbayes.data.example import el_nino, nile, us_growth
from recbayes.data.fetch import fetch_wtc

__all__ = ["dirichlet_series", "el_nino", "fetch_wtc", "nile", "us_growth"]
