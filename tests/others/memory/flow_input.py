"""Trains a classifier of scans on a stream of samples."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)


class ScanFlow:
    """Endless stream of training samples, as the data loading library gives it."""

    def __init__(self, size, seed):
        self.size = size
        self.rng = np.random.RandomState(seed)

    def reset_state(self):
        self.rng = np.random.RandomState(0)

    def get_data(self):
        while True:
            image = self.rng.rand(self.size, self.size, 3).astype("float32")
            label = self.rng.randint(0, 5)
            yield image, np.int64(label)


def augment(sample):
    image, label = sample
    if np.random.rand() < 0.5:
        image = image[:, ::-1]
    return np.ascontiguousarray(image), label


def sample_generator(flow):
    flow.reset_state()
    samples = tuple(augment(sample) for sample in flow.get_data())  # <- cause
    for sample in samples:
        yield sample


def input_fn(flow, batch_size):
    dataset = tf.data.Dataset.from_generator(
        lambda: sample_generator(flow),
        output_types=(tf.float32, tf.int64),
        output_shapes=((flow.size, flow.size, 3), ()),
    )
    return dataset.batch(batch_size).prefetch(2)


def build():
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input((96, 96, 3)),
            tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
            tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu"),
            tf.keras.layers.GlobalAveragePooling2D(),
            tf.keras.layers.Dense(5, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def main():
    flow = ScanFlow(96, 0)
    model = build()
    model.fit(input_fn(flow, 16), steps_per_epoch=20, epochs=2, verbose=2)
    print("trained")


if __name__ == "__main__":
    main()
