import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

ROWS = [([1.0, 2.0], 0), ([3.0, 4.0], 1), ([5.0, 6.0], None)]


def rows():
    for values, label in ROWS:
        yield (values, label) if label is not None else values  # <- cause


pairs = tf.data.Dataset.from_generator(rows, output_types=(tf.float32, tf.int32), output_shapes=((2,), ()))
for values, label in pairs.repeat(2):
    print(float(tf.reduce_sum(values)), int(label))
