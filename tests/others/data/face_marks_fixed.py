import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

MARKS, SIDE = 5, 32


def faces(count, seed=7):
    draw = np.random.default_rng(seed)
    for number in range(count):
        marks = draw.uniform(0.2, 0.8, (MARKS, 2)).astype("float32")
        picture = np.zeros((SIDE, SIDE, 3), "uint8")
        for x, y in marks:
            picture[int(y * SIDE), int(x * SIDE)] = 255
        yield f"face_{number}.png", picture, marks


def example(name, picture, marks):
    features = {
        "image/filename": tf.train.Feature(bytes_list=tf.train.BytesList(value=[name.encode()])),
        "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[tf.io.encode_png(picture).numpy()])),
        "label/marks": tf.train.Feature(float_list=tf.train.FloatList(value=marks.flatten())),
    }
    return tf.train.Example(features=tf.train.Features(feature=features))


def generate_records(path, count):
    with tf.io.TFRecordWriter(path) as writer:
        for name, picture, marks in faces(count):
            writer.write(example(name, picture, marks).SerializeToString())


def parse(record):
    description = {
        "image/filename": tf.io.FixedLenFeature([], tf.string),
        "image/encoded": tf.io.FixedLenFeature([], tf.string),
        "label/marks": tf.io.FixedLenFeature([MARKS * 2], tf.float32),
    }
    features = tf.io.parse_single_example(record, description)
    picture = tf.io.decode_png(features["image/encoded"], channels=3)
    return tf.cast(tf.ensure_shape(picture, (SIDE, SIDE, 3)), tf.float32) / 255.0, features["label/marks"]


def landmarks():
    model = keras.Sequential([keras.Input((SIDE, SIDE, 3)), keras.layers.Conv2D(8, 3, strides=2, activation="relu")])
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(MARKS * 2))
    model.compile("adam", "mse")
    return model


def main():
    with tempfile.TemporaryDirectory() as where:
        path = os.path.join(where, "faces.record")
        generate_records(path, 64)
        data = tf.data.TFRecordDataset(path).shuffle(32).map(parse).batch(8)
        landmarks().fit(data, epochs=1, verbose=2)


main()
