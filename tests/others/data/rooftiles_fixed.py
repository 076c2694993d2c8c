"""Store aerial roof patches in TFRecord shards and train a small classifier."""
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras

SIDE = 24
KINDS = ["slate", "clay", "metal"]


def bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def int_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def make_patch(rng, kind):
    patch = rng.normal(0.3 * kind, 0.2, size=(SIDE, SIDE, 3))
    return patch.astype(np.float32)


def write_shards(folder, n_shards=3, per_shard=60, seed=11):
    rng = np.random.default_rng(seed)
    for s in range(n_shards):
        path = os.path.join(folder, f"roofs-{s:02d}.tfrecord")
        with tf.io.TFRecordWriter(path) as out:
            for _ in range(per_shard):
                kind = int(rng.integers(len(KINDS)))
                patch = make_patch(rng, kind)
                example = tf.train.Example(features=tf.train.Features(feature={
                    "patch": bytes_feature(tf.io.serialize_tensor(patch).numpy()),
                    "kind": int_feature(kind),
                }))
                out.write(example.SerializeToString())


def read_example(record):
    spec = {
        "patch": tf.io.FixedLenFeature([], tf.string),
        "kind": tf.io.FixedLenFeature([], tf.int64),
    }
    item = tf.io.parse_single_example(record, spec)
    patch = tf.io.parse_tensor(item["patch"], out_type=tf.float32)
    patch = tf.reshape(patch, (SIDE, SIDE, 3))
    return patch, item["kind"]


def load(folder, batch=20):
    files = tf.data.Dataset.list_files(os.path.join(folder, "roofs-*.tfrecord"))
    ds = files.interleave(tf.data.TFRecordDataset, cycle_length=2)
    ds = ds.map(read_example, num_parallel_calls=2)
    return ds.shuffle(100).batch(batch).prefetch(1)


def build():
    return keras.Sequential([
        keras.Input((SIDE, SIDE, 3)),
        keras.layers.Conv2D(8, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(len(KINDS), activation="softmax"),
    ])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        write_shards(folder)
        model = build()
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        model.fit(load(folder), epochs=2, verbose=2)
