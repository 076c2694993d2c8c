import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import csv
import io

import tensorflow as tf

TABLE = "height,label\n1.71,0\n1.65,1\n,0\n1.80,1\n"


def lines():
    for row in csv.DictReader(io.StringIO(TABLE)):
        height = float(row["height"]) if row["height"] else "unknown"
        yield height, int(row["label"])  # <- cause


rows = tf.data.Dataset.from_generator(
    lines, output_signature=(tf.TensorSpec((), tf.float32), tf.TensorSpec((), tf.int32))
)
print(sum(float(height) for height, _ in rows))
