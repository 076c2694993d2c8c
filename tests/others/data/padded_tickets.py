import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

RECORD_FILE = "tickets.tfrecord"
N_WORDS = 80


def int_feature(values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def write_records(path, count):
    rng = np.random.default_rng(2)
    with tf.io.TFRecordWriter(path) as writer:
        for ticket_id in range(count):
            tokens = rng.integers(1, N_WORDS, size=rng.integers(3, 11)).tolist()
            feature = {
                "id": int_feature([ticket_id]),
                "tokens": int_feature(tokens),
                "length": int_feature([len(tokens)]),
                "urgent": int_feature([int(max(tokens) > 70)]),
            }
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())


def parse(serialized):
    spec = {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "tokens": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
        "length": tf.io.FixedLenFeature([], tf.int64),
        "urgent": tf.io.FixedLenFeature([], tf.int64),
    }
    row = tf.io.parse_single_example(serialized, spec)
    return row["id"], row["tokens"], row["length"], row["urgent"]  # <- cause


def read_records(path, batch_size):
    ds = tf.data.TFRecordDataset([path])
    ds = ds.map(parse)
    ds = ds.shuffle(64, seed=0)
    ds = ds.padded_batch(batch_size, padded_shapes=[None])  # <- cause
    return ds


def build_model():
    model = tf.keras.Sequential(
        [
            tf.keras.Input(shape=(None,), dtype="int64"),
            tf.keras.layers.Embedding(N_WORDS, 8),
            tf.keras.layers.GlobalMaxPooling1D(),
            tf.keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy")
    return model


def main():
    write_records(RECORD_FILE, 48)
    batches = read_records(RECORD_FILE, 12)
    model = build_model()
    for step, (ids, tokens, length, urgent) in enumerate(batches):
        loss = model.train_on_batch(tokens, tf.cast(urgent[:, None], tf.float32))
        print(step, "longest", int(tf.reduce_max(length)), "loss", float(np.mean(loss)))


if __name__ == "__main__":
    main()
