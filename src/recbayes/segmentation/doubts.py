"""What is said of data before they are segmented: that they may not be what they seem."""

import warnings
from collections.abc import Sequence
from typing import Any

from recbayes.data.table import Table
from recbayes.errors import ApproximationWarning, SlowWarning
from recbayes.segmentation.sparse import Sparse, sparse_columns

WIDE = 10  # columns, from which on more of them than rows are a doubt
BEYOND = 4  # the decorator of the verb, the verb, and this


def tell_doubts(data: Any, tables: Sequence[Table]) -> None:
    """Warn of what is told by tables (which `data` became): columns where rows were meant, and values that have no noise."""
    for number, table in enumerate(tables):
        name = "the data" if len(tables) == 1 else f"series {number}"
        rows, columns = table.values.shape
        if WIDE <= columns > rows:
            warnings.warn(
                f"{name}: {rows} row{'s' if rows > 1 else ''} of {columns} columns; is it transposed? Rows are "
                "observations, all columns change together, and many of them take long",
                SlowWarning,
                stacklevel=BEYOND,
            )
        elif columns > rows > 1 and isinstance(data, list) and len(tables) == 1:
            warnings.warn(
                f"a list of {rows} lists is {rows} observations of {columns} columns; {rows} series are a list of arrays, "
                "[np.array(one) for one in data]",
                UserWarning,
                stacklevel=BEYOND,
            )
        sparse = sparse_columns(table.values)
        if sparse:
            warnings.warn(f"{name}: {_told(table, sparse)}", ApproximationWarning, stacklevel=BEYOND)


def _told(table: Table, sparse: Sequence[Sparse]) -> str:
    first = sparse[0]
    if table.values.shape[1] == 1:
        which = "its observations"
    else:
        which = f"those of column {table.names[first.column]!r}" if table.names else f"those of column {first.column}"
    more = f" (and {len(sparse) - 1} more columns are alike)" if len(sparse) > 1 else ""
    return (
        f"{first.share:.0%} of {which} are exactly {first.value:g}, and others come in between{more}, as of yes and no or "
        "of counts of what is rare. Levels with normal noise fit that badly: small changes are overlooked, and rare values "
        "may be taken for outliers, which spoils levels. Give sums or means over stretches (per hour, per day) that hold "
        "many of them; for states there is rb.HMM"
    )
