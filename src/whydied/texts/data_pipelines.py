"""What TensorFlow says of generators, batches, the end of the data, and pictures that it cannot decode. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

_UNEVEN = """\
sizes = tf.data.Dataset.range(1, 3).map(tf.range)
list(sizes.batch(2{}))"""

# Generators.

YIELDED_SHAPE = Text(
    "tensorflow",
    r"enerator`? yielded an element of shape \((?P<got>[\d, ]*)\) "
    r"where an element of shape \((?P<wanted>[\d, None]*)\) was expected",
    "`generator` yielded an element of shape (2,) where an element of shape (3,) was expected.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
spec = tf.TensorSpec((3,), tf.float32)
list(tf.data.Dataset.from_generator(lambda: iter([np.zeros(2, "float32")]), output_signature=spec))""",
)
YIELDED_TO_KERAS = Text(
    "keras",
    r"Your generator provides",
    "Generator yielded an element of shape (2, 2) where an element of shape (None, 1) was expected. Your generator "
    "provides tensors with variable input dimensions other than the batch size.",
    seen=("keras 3.15",),
    provoked_by="""\
def rows():
    for width in (1, 1, 1, 2):
        yield np.zeros((2, width)), np.zeros((2, 1))
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(rows(), verbose=0, steps_per_epoch=4)""",
)
YIELDED_SPEC = Text(
    "tensorflow",
    r"`generator` yielded an element of (?P<got>.*?) where an element of (?P<wanted>.*?) was expected",
    "`generator` yielded an element of RaggedTensorSpec(TensorShape([1, None]), tf.int32) where an element of "
    "RaggedTensorSpec(TensorShape([2, None]), tf.int32) was expected.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
spec = tf.RaggedTensorSpec((2, None), tf.int32)
list(tf.data.Dataset.from_generator(lambda: iter([tf.ragged.constant([[1]])]), output_signature=spec))""",
    flags=re.DOTALL,
)
YIELDED_STRUCTURE = Text(
    "tensorflow",
    r"did not match the expected structure\. The expected structure was (?P<wanted>.*?), "
    r"but the yielded element was (?P<got>.*)\.(?:\n|$)",
    "`generator` yielded an element that did not match the expected structure. The expected structure was (tf.int32,), "
    "but the yielded element was (1, 2).",
    seen=("tensorflow 2.21",),
    provoked_by="list(tf.data.Dataset.from_generator(lambda: iter([(1, 2)]), (tf.int32,)))",
)
YIELDED_TYPE = Text(
    "tensorflow",
    r"could not be converted to the expected type\. The expected type was (?P<wanted>\w+), "
    r"but the yielded element was (?P<got>.*)\.(?:\n|$)",
    "`generator` yielded an element that could not be converted to the expected type. The expected type was int32, but "
    "the yielded element was a.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
spec = tf.TensorSpec((), tf.int32)
list(tf.data.Dataset.from_generator(lambda: iter(["a"]), output_signature=spec))""",
)
SPEC = Text(
    "tensorflow",
    r"\w+Spec\((?:shape=\(|TensorShape\(\[)(?P<shape>[\d, None]*)(?:\)|\]\)), (?:dtype=)?tf\.(?P<dtype>\w+)",
    "TensorSpec(shape=(2, None), dtype=tf.int32, name=None)",
    seen=("tensorflow 2.21",),
    provoked_by="print(tf.TensorSpec((2, None), tf.int32))",
)

# Batches, and the end.

BATCH_OF_SHAPES = Text(
    "tensorflow",
    r"Cannot batch tensors with different shapes in component (?P<part>\d+)\. "
    r"First element had shape \[(?P<first>[\d,]*)\] and element (?P<at>\d+) had shape \[(?P<other>[\d,]*)\]",
    "Cannot batch tensors with different shapes in component 0. First element had shape [1] and element 1 had shape "
    "[2].",
    seen=("tensorflow 2.21",),
    provoked_by=_UNEVEN.format(", num_parallel_calls=2"),
)
ADDED_TO_BATCH = Text(
    "tensorflow",
    r"Cannot add tensor to the batch: number of elements does not match\. "
    r"Shapes are: \[tensor\]: \[(?P<other>[\d,]*)\], \[batch\]: \[(?P<first>[\d,]*)\]",
    "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: [2], [batch]: [1]",
    seen=("tensorflow 2.21",),
    provoked_by=_UNEVEN.format(""),
)
END_OF_SEQUENCE = Text(
    "tensorflow",
    r"End of sequence",
    "End of sequence [Op:IteratorGetNext]",
    seen=("tensorflow 2.21",),
    provoked_by="iter(tf.data.Dataset.range(0)).get_next()",
)

NO_ELEMENT = Text(
    "keras",
    r"Received an empty generator",
    "Received an empty generator.",
    seen=("keras 3.15",),
    provoked_by="""\
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit((row for row in ()), verbose=0, steps_per_epoch=1)""",
)
NO_BATCH = Text(
    "keras",
    r"The PyDataset has length 0",
    "The PyDataset has length 0",
    seen=("keras 3.15",),
    provoked_by="""\
class Empty(keras.utils.PyDataset):
    def __len__(self):
        return 0
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(Empty(), verbose=0)""",
)

# Pictures.

NO_PICTURE = Text(
    "tensorflow",
    r"Unknown image file format",
    "Unknown image file format. One of JPEG, PNG, GIF, BMP required. [Op:DecodeImage]",
    seen=("tensorflow 2.21",),
    provoked_by='tf.io.decode_image(b"hello, this is a text")',
)
EMPTY_PICTURE = Text(
    "tensorflow",
    r"Input is empty",
    "Input is empty. [Op:DecodeImage]",
    seen=("tensorflow 2.21",),
    provoked_by='tf.io.decode_image(b"")',
)
BROKEN_JPEG = Text(
    "tensorflow",
    r"jpeg::Uncompress failed",
    "jpeg::Uncompress failed. Invalid JPEG data or crop window. [Op:DecodeJpeg]",
    seen=("tensorflow 2.21",),
    provoked_by=r'tf.io.decode_jpeg(b"\xff\xd8\xff and no more")',
)
BROKEN_PICTURE = Text(
    "tensorflow",
    r"Invalid (?:JPEG|PNG|GIF) ",
    "Invalid PNG data, size 45 [Op:DecodePng]",
    seen=("tensorflow 2.21",),
    provoked_by='tf.io.decode_png(tf.io.encode_png(np.zeros((64, 64, 3), "uint8")).numpy()[:45])',
)
