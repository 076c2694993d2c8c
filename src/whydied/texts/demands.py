"""What TensorFlow and Keras say where a value does not meet what a call demands of it: of another argument, of its own
order, of what was declared, of what has to come before. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

# One argument against another.

CTC_STEPS = Text("tensorflow", r"sequence_length\((?P<row>\d+)\) <= (?P<most>\d+)")
CTC_LABELS = Text(
    "tensorflow",
    r"Not enough time for target transition sequence \(required: (?P<needs>\d+), available: (?P<has>\d+)\)",
)
CSV_FIELDS = Text("tensorflow", r"Expect (?P<wanted>\d+) fields but have (?P<has>\d+) in record (?P<record>\d+)")
ROWS_DIFFER = Text("tensorflow", r"Dimensions (?P<one>\d+) and (?P<other>\d+) are not compatible")
KEY_TWICE = Text(
    "tensorflow",
    r"different value for same key\. Key (?P<key>.+?) has (?P<first>\S+) and trying to add value (?P<second>[^\s.]+)",
)
CROP_SIZE = Text("tensorflow", r"Need value\.shape >= size, got ")
BOX_SIZE = Text("tensorflow", r"(?P<side>width|height) must be >= target \+ offset")
TOO_FEW_COLUMNS = Text("tensorflow", r"input must have at least k columns\. Had (?P<has>\d+), needed (?P<needs>\d+)")
LABEL_BOUND = Text(
    "tensorflow",
    r"`(?P<what>labels|predictions)` out of bound.*?First 1 elements of y:\s*\[(?P<classes>\d+)\]",
    flags=re.DOTALL,
)
METRIC_RANK = Text(
    "keras",
    r"(?P<metric>\w+) expects 2D inputs with shape \(batch_size, output_dim\)\. Received input shapes: "
    r"y_pred\.shape=\((?P<output>[^)]*)\) and y_true\.shape=\((?P<target>[^)]*)\)",
)
ARRAY_FULL = Text(
    "tensorflow", r"Tried to write to index (?P<index>\d+) but array is not resizeable and size is: (?P<size>\d+)"
)

# The order of what is given.

SEGMENTS_UNSORTED = Text("tensorflow", r"segment ids are not increasing")
SPARSE_UNSORTED = Text("tensorflow", r"indices\[(?P<at>\d+)\] = (?P<index>\[[\d,]*\]) is out of order")

# What was declared.

RETURNED_TYPE = Text("tensorflow", r"(?P<at>\d+)-th value returned by \w+ is (?P<got>\w+), but expects (?P<wanted>\w+)")
RETURNED_COUNT = Text("tensorflow", r"\w+ returns (?P<got>\d+) values, but expects to see (?P<wanted>\d+) values")
TEXT_FOR_BYTES = Text("protobuf", r"expected bytes, str found|has type str, but expected one of: bytes")
FLOAT_FOR_INTEGER = Text("protobuf", r"'float' object cannot be interpreted as an integer|, but expected one of: int\b")
ROW_FOR_NUMBER = Text(
    "protobuf", r"has type ndarray, but expected one of: (?P<wanted>\w+)|must be real number, not ndarray"
)

# What has to come first.

TOO_LATE = Text("tensorflow", r"cannot be modified after (?:being )?initializ(?:ed|ation)")
NO_LENGTH = Text("tensorflow", r"The dataset (?P<why>length is unknown|is infinite)")
NO_VOCABULARY = Text("keras", r"you must set the layer's vocabulary before calling it")
NO_BOUNDARIES = Text("keras", r"You need to either pass the `bin_boundaries` argument")
OUT_OF_VOCABULARY = Text("keras", r"all inputs should be in vocabulary, found OOV values (?P<words>\[[^\]]*\])")
EXAMPLE_WRITTEN = Text("tensorflow", r"write\(\): incompatible function arguments[\s\S]*RecordWriter")
