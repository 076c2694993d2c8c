import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

SPEAKERS, TIMES, BANDS = 6, 20, 13


def of_bytes(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def of_integers(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


class RecordWriter:
    def __init__(self, path):
        self.path = path

    def write(self, utterances):
        with tf.io.TFRecordWriter(self.path) as writer:
            for number, (speaker, spectrum) in enumerate(utterances):
                fields = {
                    "x": of_bytes(spectrum.tobytes()),
                    "times": of_integers(spectrum.shape[0]),
                    "bands": of_integers(spectrum.shape[1]),
                    "file": of_integers(number),
                    "label": of_integers(speaker),
                }
                example = tf.train.Example(features=tf.train.Features(feature=fields))
                writer.write(example.SerializeToString())


class RecordReader:
    fields = {
        "x": tf.io.FixedLenFeature([], tf.string),
        "times": tf.io.FixedLenFeature([], tf.int64),
        "bands": tf.io.FixedLenFeature([], tf.int64),
        "file": tf.io.FixedLenFeature([], tf.int64),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }

    def __init__(self, path, batch_size):
        self.path, self.batch_size = path, batch_size

    def parse(self, record):
        found = tf.io.parse_single_example(record, self.fields)
        spectrum = tf.reshape(tf.io.decode_raw(found["x"], tf.float32), (TIMES, BANDS))
        return spectrum, found["label"]

    def dataset(self):
        return tf.data.TFRecordDataset(self.path).map(self.parse).shuffle(64).batch(self.batch_size)


def recordings(count, seed=2):
    draw = np.random.default_rng(seed)
    for number in range(count):
        speaker = number % SPEAKERS
        yield speaker, draw.normal(speaker, 1.0, (TIMES, BANDS)).astype("float32")


def identifier():
    model = keras.Sequential([keras.Input((TIMES, BANDS)), keras.layers.GlobalAveragePooling1D()])
    model.add(keras.layers.Dense(SPEAKERS, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "speakers.tfrecord")
        RecordWriter(path).write(recordings(120))
        identifier().fit(RecordReader(path, 16).dataset(), epochs=1, verbose=2)


main()
