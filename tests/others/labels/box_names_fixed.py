import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

NAMES = ["chair", "desk", "table"]
FEATURES = 10


def write_records(path, seed=8):
    """Boxes that people drew in office pictures, with the name that they gave each."""
    draw = np.random.default_rng(seed)
    with tf.io.TFRecordWriter(path) as writer:
        for _ in range(120):
            name = draw.choice(["chair", "desk", "table"])
            features = tf.train.Features(
                feature={
                    "box": tf.train.Feature(float_list=tf.train.FloatList(value=draw.normal(size=FEATURES))),
                    "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[name.encode()])),
                }
            )
            writer.write(tf.train.Example(features=features).SerializeToString())


def load(path, class_file):
    index = tf.lookup.TextFileInitializer(
        class_file, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
    )
    table = tf.lookup.StaticHashTable(index, -1)

    def parse(record):
        example = tf.io.parse_single_example(
            record, {"box": tf.io.FixedLenFeature([FEATURES], tf.float32), "name": tf.io.FixedLenFeature([], tf.string)}
        )
        return example["box"], table.lookup(example["name"])

    return tf.data.TFRecordDataset(path).map(parse).batch(12)


def main():
    with tempfile.TemporaryDirectory() as where:
        records, class_file = os.path.join(where, "boxes.tfrecord"), os.path.join(where, "office.names")
        write_records(records)
        with open(class_file, "w") as file:
            file.write("\n".join(NAMES) + "\n")
        model = tf.keras.Sequential([tf.keras.Input((FEATURES,)), tf.keras.layers.Dense(len(NAMES))])
        model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        model.fit(load(records, class_file), epochs=1, verbose=2)


main()
