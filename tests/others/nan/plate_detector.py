import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

CONFIG = {
    "size": 32,
    "grid": 4,
    "batch_size": 4,
    "epochs": 2,
    "rate": 1e-3,
    "coordinate_scale": 5.0,
}


def street_scenes(count, config, seed=4):
    """Pictures of a street; most of them, not all, show one bright plate."""
    draw = np.random.default_rng(seed)
    grid, cell = config["grid"], config["size"] // config["grid"]
    pictures = draw.normal(0.2, 0.05, (count, config["size"], config["size"], 1))
    truth = np.zeros((count, grid, grid, 5))
    for number in range(count):
        if number % 40 >= 36:
            continue
        row, column = draw.integers(0, grid, 2)
        pictures[number, row * cell + 2 : row * cell + 6, column * cell + 1 : column * cell + 7, 0] += 0.7
        truth[number, row, column] = (1.0, 0.5, 0.5, 0.75, 0.5)
    return pictures.astype("float32"), truth.astype("float32")


class BoxLoss(keras.layers.Layer):
    """Gives, for each picture, how far its boxes are from the truth."""

    def __init__(self, scale, **options):
        super().__init__(**options)
        self.scale = scale

    def call(self, inputs):
        predicted, truth = inputs
        mask = truth[..., :1]
        centre = mask * (tf.sigmoid(predicted[..., :2]) - truth[..., 1:3])
        size = mask * (predicted[..., 2:4] - truth[..., 3:5])
        parts = tf.reduce_sum(tf.square(centre), [1, 2, 3]) + tf.reduce_sum(tf.square(size), [1, 2, 3])
        return tf.expand_dims(self.scale * parts, -1)


def build(config):
    picture = keras.Input((config["size"], config["size"], 1))
    truth = keras.Input((config["grid"], config["grid"], 5))
    hidden = picture
    for filters in (8, 16, 16):
        hidden = keras.layers.Conv2D(filters, 3, strides=2, padding="same", activation="leaky_relu")(hidden)
    boxes = keras.layers.Conv2D(4, 1)(hidden)
    return keras.Model([picture, truth], BoxLoss(config["coordinate_scale"])([boxes, truth]))


def passed_on(_, losses):
    return tf.sqrt(tf.reduce_sum(losses))  # <- cause


def main():
    pictures, truth = street_scenes(400, CONFIG)
    model = build(CONFIG)
    model.compile(keras.optimizers.Adam(CONFIG["rate"]), loss=passed_on)
    dummy = np.zeros((len(pictures), 1), "float32")
    model.fit(
        [pictures, truth], dummy, batch_size=CONFIG["batch_size"], epochs=CONFIG["epochs"], shuffle=False, verbose=2
    )


main()
