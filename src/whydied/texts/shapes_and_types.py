"""What TensorFlow and Keras say of shapes, ranks and types that do not fit each other. Pure.

The shapes and types of the values themselves are asked first; these tell that an error is about them at all.
"""

from __future__ import annotations

from whydied.texts.entry import Text

# Nothing is left to slide over.

NOT_POSITIVE = Text("keras", r"output size would be (?:zero or )?negative")
NEGATIVE_DIMENSION = Text("tensorflow", r"Negative dimension size caused by subtracting")
NOT_POSITIVE_2 = Text("tf_keras", r"dimensions in the output is <= 0")
INPUT_SHAPE = Text("keras", r"inputs?[ .]shape=[\[(]([^\])]*)[\])]|input shapes?: \[([^\]]*)\]")

# Types.

OTHER_TENSOR_EXPECTED = Text("tensorflow", r"was expected to be an? \w+ tensor but is an? \w+ tensor")
TYPE_OF_ARGUMENT = Text("tensorflow", r"that does not match type")
DTYPE_REQUESTED = Text("tensorflow", r"conversion requested dtype")
INVALID_DTYPE = Text("keras", r"Invalid dtype")
NOT_ALLOWED = Text("tensorflow", r"not in the list of allowed values")
NOT_ALLOWED_IN_GRAPH = Text("tensorflow", r"not in list of allowed values")
ARRAY_OF_OBJECTS = Text("tensorflow", r"Failed to convert a NumPy array")
NO_CAST = Text("tensorflow", r"Cast \w+ to \w+ is not supported")
NO_KERNEL = Text("tensorflow", r"Could not find device for node")
NOT_OF_DTYPE = Text("tensorflow", r"Cannot convert (?P<value>.*) to EagerTensor of dtype (?P<wanted>\w+)")
NUMBER_BESIDE = Text(
    "tensorflow",
    r"Expected (?P<wanted>\w+)(?: passed to parameter '\w+' of op '\w+'|,(?: but)?),? got "
    r"(?P<value>.+?) of type '(?P<kind>\w+)'",
)
OTHER_TYPES_IN_LIST = Text("tensorflow", r"have types \[.*\] that don't all match")
SAME_DTYPE = Text("tensorflow", r"must have the same dtype")

NO_SEQUENCE = Text("numpy", r"must be passed as a \"sequence\" type|first input argument needs to be a sequence")

# Shapes.

INCOMPATIBLE = Text("tensorflow", r"ncompatible")
NOT_COMPATIBLE = Text("tensorflow", r"not compatible")
MUST_BE_EQUAL = Text("tensorflow", r"must be equal")
MUST_MATCH = Text("tensorflow", r"must match")
MISMATCH = Text("tensorflow", r"ismatch")
MUST_HAVE_THE_SAME = Text("keras", r"must have the same")
SAME_SHAPE = Text("tensorflow", r"same shape")
HAS_DIMENSIONS = Text("tensorflow", r"must have \d dimensions")
MATCHING_SHAPES = Text("keras", r"matching shapes")
SIZE_MUST_BE_UNCHANGED = Text("keras", r"total size of the tensor must be unchanged")
NOT_RESHAPED = Text("numpy", r"cannot reshape array of size (?P<size>\d+) into shape \((?P<shape>[\d,]+)\)")
RESHAPED = Text("tensorflow", r"Input to reshape")
VALUES_TO_RESHAPE = Text("tensorflow", r"is a tensor with (\d+) values, but the requested shape has (\d+)")
DIMENSION = Text("tensorflow", r"Dimension")
MUST_BE_RANK = Text("tensorflow", r"must be (?:at least |at most )?rank")
MUST_HAVE_RANK = Text("keras", r"must have rank")
DIMENSIONS_EXPECTED = Text("tensorflow", r"(?:must be|must have|expected) .*dimension")
N_DIMENSIONAL = Text("tensorflow", r"must be \d-dimensional")
NDIM = Text("keras", r"ndim")
PAIR_OF_SHAPES = Text(
    "tensorflow", r"\[([\d,\s?]*)\](?:\s*(?:vs\.?|and|!=|,)\s*(?:\w+(?:\[\d\])?(?:\.shape)?(?: =|:) )?)\[([\d,\s?]*)\]"
)
LOGITS_AND_LABELS = Text(
    "tensorflow",
    r"logits(?:_size=| shape )\[(?P<logits>[\d,]*)\](?: and)? labels(?:_size=| shape )\[(?P<labels>[\d,]*)\]",
)
LABELS_ARE_ROWS = Text("tensorflow", r"labels must be 1-D, but got shape")
CARDINALITY = Text("keras", r"cardinality")
NO_SHAPE = Text("tensorflow", r"contains no shape|unknown rank|rank is not statically known")
NONE_AMONG_SIZES = Text(
    "tensorflow",
    r"Failed to convert elements of [\[(](?:.*\W)?None\W.*to Tensor|partially known TensorShape"
    r"|None values not supported|got None of type 'NoneType'",
)
