"""How many different values the text columns of a table have; runs in the user's process, when NumPy was refused an
array.

Invariant: only texts are compared, so nothing of the user's runs; what would take long is left out.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from whydied import redact

LARGEST_COLUMNS = 200
LARGEST_ROWS = 1_000_000
LONGEST_S = 0.2
MOST_TOLD = 8
_LONGEST_NAME = 60


def distinct(table: Any) -> dict[str, int]:
    """The text columns with the most different values."""
    pandas = sys.modules.get("pandas")
    if pandas is None or type(table) is not pandas.DataFrame or not 0 < len(table) <= LARGEST_ROWS:
        return {}
    found: dict[str, int] = {}
    end = time.monotonic() + LONGEST_S
    for at in range(min(table.shape[1], LARGEST_COLUMNS)):
        name, column = table.columns[at], table.iloc[:, at]
        if isinstance(name, str) and pandas.api.types.infer_dtype(column, skipna=True) == "string":
            found[redact.text(name[:_LONGEST_NAME])] = int(column.nunique())
        if time.monotonic() > end:
            break
    return dict(sorted(found.items(), key=lambda pair: -pair[1])[:MOST_TOLD])
