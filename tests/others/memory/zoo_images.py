import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf


class Preprocessing:
    """Resizes and normalises pictures, for training with a random crop."""

    def __init__(self, size):
        self.size = size

    def inputs(self, data, training):
        picture = tf.image.resize(data["picture"], (self.size + 8, self.size + 8))
        if training:
            picture = tf.image.random_crop(picture, (self.size, self.size, 3))
        else:
            picture = tf.image.resize_with_crop_or_pad(picture, self.size, self.size)
        return picture / 127.5 - 1.0

    def outputs(self, data):
        return tf.one_hot(data["label"], 4)


class Experiment:
    size, batch, epochs = 160, 32, 1
    examples = {"train": 4000, "validation": 100}

    def records(self, split):
        draw = np.random.default_rng(len(split))
        base = draw.integers(0, 255, (16, 24, 24, 3), dtype="uint8")

        def element(number):
            return {"picture": tf.gather(base, number % 16), "label": number % 4}

        return tf.data.Dataset.range(self.examples[split]).map(element)

    def pipeline(self, split):
        training = split == "train"
        preprocessing = Preprocessing(self.size)
        data = self.records(split).map(
            lambda element: (preprocessing.inputs(element, training), preprocessing.outputs(element))
        )
        data = data.cache()  # <- cause
        if training:
            data = data.shuffle(64)
        return data.batch(self.batch).prefetch(1)

    def model(self):
        return keras.Sequential(
            [
                keras.Input((self.size, self.size, 3)),
                keras.layers.AveragePooling2D(16),
                keras.layers.Flatten(),
                keras.layers.Dense(4, activation="softmax"),
            ]
        )

    def run(self):
        model = self.model()
        model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
        model.fit(self.pipeline("train"), validation_data=self.pipeline("validation"), epochs=self.epochs, verbose=2)


Experiment().run()
