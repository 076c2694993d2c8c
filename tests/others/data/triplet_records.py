"""Writes pictures as records and trains an embedding on them."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
CLASSES = 6
SIDE = 20


def bytes_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def int_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


def write_records(path, images, labels):
    with tf.io.TFRecordWriter(path) as writer:
        for image, label in zip(images, labels):
            features = {
                "features_raw": bytes_feature(image.tobytes()),  # <- cause
                "label": int_feature(int(label)),
            }
            example = tf.train.Example(features=tf.train.Features(feature=features))
            writer.write(example.SerializeToString())


def parse(record):
    parsed = tf.io.parse_single_example(
        record,
        {
            "img_raw": tf.io.FixedLenFeature([], tf.string),  # <- cause
            "label": tf.io.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.io.decode_raw(parsed["img_raw"], tf.float32)  # <- cause
    image = tf.reshape(image, [SIDE, SIDE, 1])
    return image, tf.cast(parsed["label"], tf.int32)


def read_records(path, batch_size):
    dataset = tf.data.TFRecordDataset(path)
    dataset = dataset.shuffle(200, seed=0).map(parse, num_parallel_calls=2)
    return dataset.batch(batch_size).prefetch(1)


def triplet_loss(labels, embeddings, margin=0.5):
    dots = tf.matmul(embeddings, embeddings, transpose_b=True)
    squares = tf.linalg.diag_part(dots)
    distances = tf.maximum(squares[:, None] - 2.0 * dots + squares[None, :], 0.0)
    same = tf.cast(labels[:, None] == labels[None, :], tf.float32)
    hardest_positive = tf.reduce_max(same * distances, axis=1)
    hardest_negative = tf.reduce_min(distances + 1e3 * same, axis=1)
    return tf.reduce_mean(tf.maximum(hardest_positive - hardest_negative + margin, 0.0))


def main():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLASSES, 200)
    images = rng.random((200, SIDE, SIDE)).astype("float32") + labels[:, None, None] * 0.2
    images = images.astype("float32")
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(16),
        ]
    )
    optimizer = tf.keras.optimizers.Adam(1e-3)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "train.tfrecords")
        write_records(path, images, labels)
        for epoch in range(3):
            losses = []
            for batch, kinds in read_records(path, 40):
                with tf.GradientTape() as tape:
                    loss = triplet_loss(kinds, model(batch))
                grads = tape.gradient(loss, model.trainable_variables)
                optimizer.apply_gradients(zip(grads, model.trainable_variables))
                losses.append(float(loss))
            print("epoch", epoch, "loss", np.mean(losses))


main()
