"""What scikit-learn says of data that an encoder or a scaler does not know, and NumPy of sizes and items. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

UNSEEN_LABELS = Text("scikit-learn", r"contains previously unseen labels: (?P<labels>.+)")
UNKNOWN_CATEGORIES = Text("scikit-learn", r"Found unknown categories (?P<labels>.+?) in column (?P<column>\d+)")
WRONG_RANK = Text("scikit-learn", r"Expected 2D array, got |should be a 1d array, got an array of shape")
INDEX_BEYOND = Text("numpy", r"index (?P<index>-?\d+) is out of bounds for axis (?P<axis>\d+) with size (?P<size>\d+)")
ITEMS_DIFFER = Text("numpy", r"has an inhomogeneous shape|all input arrays must have the same shape")
LENGTHS_DIFFER = Text("scikit-learn", r"inconsistent numbers of samples: \[")
FIRST_DIMENSIONS_DIFFER = Text("matplotlib", r"x and y must have same first dimension")
COLUMN_LENGTH_DIFFERS = Text(
    "pandas", r"Length of values \((?P<given>\d+)\) does not match length of index \((?P<rows>\d+)\)"
)
MIXED_TARGETS = Text("scikit-learn", r"can't handle a mix of \S+ and \S+ targets")
NOT_BROADCAST = Text(
    "numpy", r"could not broadcast input array from shape \((?P<given>[\d,]*)\) into shape \((?P<room>[\d,]*)\)"
)
STR_AND_NUMBER = Text(
    "python", r"can only concatenate str|unsupported operand type\(s\) for|did not contain a loop with signature"
)
NO_PICTURE_SHAPE = Text("matplotlib", r"Invalid shape \((?P<shape>[\d, ]+)\) for image data")
MORE_JSON = Text("python", r"Extra data: line 2 column 1")
NOT_AS_WIDE = Text(
    "numpy",
    r"non-broadcastable output operand with shape \((?P<given>[\d, ]*)\) doesn't match the broadcast shape "
    r"\((?P<wanted>[\d, ]*)\)",
)
