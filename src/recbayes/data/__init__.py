"""Data: small real series to try things with. Each function returns an `Example`, which is taken wherever a series is."""

from recbayes.data.compositions import dirichlet_series
from recbayes.data.example import el_nino, nile, us_growth

__all__ = ["dirichlet_series", "el_nino", "nile", "us_growth"]
