"""Recordings of different lengths from TFRecord-like examples, padded to batches."""

import numpy as np
import tensorflow as tf

BATCH = 4


def serialized(count):
    rng = np.random.default_rng(14)
    for number in range(count):
        samples = rng.normal(size=int(rng.integers(5, 12))).astype("float32")
        feature = {
            "key": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"clip%d" % number])),
            "samples": tf.train.Feature(float_list=tf.train.FloatList(value=samples)),
            "speaker": tf.train.Feature(int64_list=tf.train.Int64List(value=[number % 3])),
            "length": tf.train.Feature(int64_list=tf.train.Int64List(value=[len(samples)])),
        }
        yield tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def parse(text):
    fields = {
        "key": tf.io.FixedLenFeature([], tf.string),
        "samples": tf.io.VarLenFeature(tf.float32),
        "speaker": tf.io.FixedLenFeature([], tf.int64),
        "length": tf.io.FixedLenFeature([], tf.int64),
    }
    found = tf.io.parse_single_example(text, fields)
    return found["key"], tf.sparse.to_dense(found["samples"]), found["speaker"], found["length"]


def batches(records):
    data = tf.data.Dataset.from_tensor_slices(list(records)).map(parse)
    return data.padded_batch(BATCH, padded_shapes=[None])  # <- cause


def main():
    for keys, samples, speakers, lengths in batches(serialized(10)):
        print(keys.numpy()[0].decode(), samples.shape, speakers.numpy(), lengths.numpy())


if __name__ == "__main__":
    main()
