"""Data: small real series to try things with, each an `Example`, which is taken wherever a series is; others to fetch; and
series from files."""

from recbayes.data.compositions import dirichlet_series
from recbayes.data.example import el_nino, nile, us_growth
from recbayes.data.fetch import fetch_wtc
from recbayes.data.files.read import read_file
from recbayes.data.files.reading import Reading

__all__ = ["Reading", "dirichlet_series", "el_nino", "fetch_wtc", "nile", "read_file", "us_growth"]
