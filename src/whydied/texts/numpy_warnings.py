"""What NumPy warns of when values leave the numbers. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

NOT_A_NUMBER = Text(
    "numpy",
    r"(invalid value|divide by zero|overflow) encountered in (?:scalar )?(\w+)",
    "divide by zero encountered in log",
    seen=("numpy 2.4",),
    provoked_by="np.log(np.zeros(1))",
)
