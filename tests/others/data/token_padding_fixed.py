import os
import tempfile

import numpy as np
import tensorflow as tf

VOCAB_SIZE = 50
NUM_SPEAKERS = 4


def int_feature(values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def write_utterances(path, n, seed=14):
    rng = np.random.default_rng(seed)
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(n):
            length = int(rng.integers(3, 12))
            tokens = rng.integers(1, VOCAB_SIZE, size=length)
            example = tf.train.Example(features=tf.train.Features(feature={
                "speaker": int_feature([i % NUM_SPEAKERS]),
                "tokens": int_feature(tokens.tolist()),
                "length": int_feature([length]),
                "intent": int_feature([int(tokens[0] > VOCAB_SIZE // 2)]),
            }))
            writer.write(example.SerializeToString())


def parse(serialized):
    features = tf.io.parse_single_example(serialized, {
        "speaker": tf.io.FixedLenFeature([], tf.int64),
        "tokens": tf.io.VarLenFeature(tf.int64),
        "length": tf.io.FixedLenFeature([], tf.int64),
        "intent": tf.io.FixedLenFeature([], tf.int64),
    })
    tokens = tf.sparse.to_dense(features["tokens"])
    return features["speaker"], tokens, features["length"], features["intent"]


def input_fn(path, batch_size):
    dataset = tf.data.TFRecordDataset(path)
    dataset = dataset.map(parse)
    dataset = dataset.shuffle(64, seed=2)
    dataset = dataset.padded_batch(batch_size, padded_shapes=([], [None], [], []))
    return dataset


def to_keras(speaker, tokens, length, intent):
    return {"speaker": speaker, "tokens": tokens}, intent


def build_model():
    speaker = tf.keras.Input(shape=(), dtype="int64", name="speaker")
    tokens = tf.keras.Input(shape=(None,), dtype="int64", name="tokens")
    who = tf.keras.layers.Embedding(NUM_SPEAKERS, 4)(speaker)
    text = tf.keras.layers.Embedding(VOCAB_SIZE, 8, mask_zero=True)(tokens)
    text = tf.keras.layers.GRU(8)(text)
    out = tf.keras.layers.Dense(1, activation="sigmoid")(tf.keras.layers.concatenate([who, text]))
    return tf.keras.Model({"speaker": speaker, "tokens": tokens}, out)


def main():
    record = os.path.join(tempfile.mkdtemp(), "utterances.tfrecord")
    write_utterances(record, 40)
    train = input_fn(record, batch_size=8).map(to_keras)
    model = build_model()
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    model.fit(train, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
