"""What scikit-learn says of data that an encoder or a scaler does not know, and NumPy of sizes and items. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

UNSEEN_LABELS = Text("scikit-learn", r"contains previously unseen labels: (?P<labels>.+)")
UNKNOWN_CATEGORIES = Text("scikit-learn", r"Found unknown categories (?P<labels>.+?) in column (?P<column>\d+)")
WRONG_RANK = Text("scikit-learn", r"Expected 2D array, got |should be a 1d array, got an array of shape")
INDEX_BEYOND = Text("numpy", r"index (?P<index>-?\d+) is out of bounds for axis (?P<axis>\d+) with size (?P<size>\d+)")
ITEMS_DIFFER = Text("numpy", r"has an inhomogeneous shape|all input arrays must have the same shape")
LENGTHS_DIFFER = Text(
    "scikit-learn",
    r"inconsistent numbers of samples: \[|Data cardinality is ambiguous|All arrays must be of the same length",
)
