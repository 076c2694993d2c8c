"""Makes one table that is larger than the memory, with numbers in the source."""

import numpy as np

ROWS, COLUMNS = 60_000, 4_000
table = np.ones((ROWS, COLUMNS))  # <- cause
print(table.sum())
