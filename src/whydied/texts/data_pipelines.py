"""What TensorFlow says of generators, batches, the end of the data, and pictures that it cannot decode. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

# Generators.

YIELDED_SHAPE = Text(
    "tensorflow",
    r"enerator`? yielded an element of shape \((?P<got>[\d, ]*)\) "
    r"where an element of shape \((?P<wanted>[\d, None]*)\) was expected",
)
YIELDED_TO_KERAS = Text("keras", r"Your generator provides")
YIELDED_SPEC = Text(
    "tensorflow",
    r"`generator` yielded an element of (?P<got>.*?) where an element of (?P<wanted>.*?) was expected",
    flags=re.DOTALL,
)
YIELDED_STRUCTURE = Text(
    "tensorflow",
    r"did not match the expected structure\. The expected structure was (?P<wanted>.*?), "
    r"but the yielded element was (?P<got>.*?)\.(?:\n|$)",
    flags=re.DOTALL,
)
YIELDED_TYPE = Text(
    "tensorflow",
    r"could not be converted to the expected type\. The expected type was (?P<wanted>\w+), "
    r"but the yielded element was (?P<got>.*)\.(?:\n|$)",
)
LIST_IN_SIGNATURE = Text(
    "tensorflow",
    r"`output_signature` must contain objects that are subclass of `tf\.TypeSpec` but found <class 'list'>",
)
SPEC = Text(
    "tensorflow",
    r"\w+Spec\((?:shape=\(|TensorShape\(\[)(?P<shape>[\d, None]*)(?:\)|\]\)), (?:dtype=)?tf\.(?P<dtype>\w+)",
)

# Batches, and the end.

BATCH_OF_SHAPES = Text(
    "tensorflow",
    r"Cannot batch tensors with different shapes in component (?P<part>\d+)\. "
    r"First element had shape \[(?P<first>[\d,]*)\] and element (?P<at>\d+) had shape \[(?P<other>[\d,]*)\]",
)
ADDED_TO_BATCH = Text(
    "tensorflow",
    r"Cannot add tensor to the batch: number of elements does not match\. "
    r"Shapes are: \[tensor\]: \[(?P<other>[\d,]*)\], \[batch\]: \[(?P<first>[\d,]*)\]",
)
FIELD_MISSING = Text(
    "tensorflow", r"Feature: (?P<key>.+?) \(data type: (?P<wanted>\w+)\) is required but could not be found"
)
FIELD_TYPE = Text(
    "tensorflow",
    r"Key: (?P<key>.+?)(?:, Index: \d+)?\.\s+Data types don't match\. "
    r"(?:Data type: (?P<got>\w+) but expected type: (?P<wanted>\w+)|"
    r"Expected type: (?P<wanted_2>\w+), Actual type: (?P<got_2>\w+))",
)
FIELD_SIZE = Text(
    "tensorflow",
    r"Key: (?P<key>.+?), Index: \d+\.\s+Number of \w+ values != expected\.\s+"
    r"[Vv]alues size: (?P<got>\d+) but output shape: (?P<wanted>\[[\d,]*\])",
)
RAW_LENGTH = Text(
    "tensorflow", r"Input to DecodeRaw has length (?P<length>\d+) that is not a multiple of (?P<size>\d+)"
)
NOT_A_TENSOR = Text("tensorflow", r"Could not parse `serialized` as TensorProto")
PARSED_TYPE = Text("tensorflow", r"Type mismatch between parsed tensor \((?P<got>\w+)\) and dtype \((?P<wanted>\w+)\)")
RECORD_CORRUPT = Text("tensorflow", r"corrupted record at (?P<at>\d+)")
CACHE_LOCKED = Text("tensorflow", r"cache lockfile already exists \('(?P<file>(?P<prefix>[^']+)_\d+\.lockfile)'\)")
END_OF_SEQUENCE = Text("tensorflow", r"End of sequence")
RAN_OUT = Text("keras", r"Your input ran out of data; interrupting training")

NO_ELEMENT = Text("keras", r"Received an empty generator")
NO_BATCH = Text("keras", r"The PyDataset has length 0")

# Pictures.

NO_BATCH_AXIS = Text("keras", r"arrays must be at least rank 1")
NO_PICTURE = Text("tensorflow", r"Unknown image file format")
EMPTY_PICTURE = Text("tensorflow", r"Input is empty")
BROKEN_JPEG = Text("tensorflow", r"jpeg::Uncompress failed")
BROKEN_PICTURE = Text("tensorflow", r"Invalid (?:JPEG|PNG|GIF) ")
