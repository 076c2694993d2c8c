import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras

SIZE, FILTERS = 24, 16


def gram(features):
    return tf.linalg.einsum("bijc,bijd->bcd", features, features)  # <- cause


def style_loss(style, fake):
    return tf.reduce_mean(tf.square(gram(style) - gram(fake)))


def make_generator():
    inputs = keras.Input((SIZE, SIZE, 3))
    x = keras.layers.Conv2D(FILTERS, 3, padding="same", activation="relu")(inputs)
    x = keras.layers.Conv2D(FILTERS, 3, padding="same", activation="relu")(x)
    return keras.Model(inputs, keras.layers.Conv2D(3, 3, padding="same")(x), name="generator")


def make_features():
    inputs = keras.Input((SIZE, SIZE, 3))
    x = keras.layers.Conv2D(FILTERS, 3, padding="same", activation="relu")(inputs)
    model = keras.Model(inputs, x, name="features")
    model.trainable = False
    return model


class StyleTrainer:
    def __init__(self, rate=0.05):
        self.generator, self.features = make_generator(), make_features()
        self.optimizer = keras.optimizers.SGD(rate, momentum=0.5)

    @tf.function
    def train(self, photos, paintings):
        with tf.GradientTape() as tape:
            made = self.generator(photos, training=True)
            content = tf.reduce_mean(tf.abs(self.features(made) - self.features(photos)))
            loss = content + 0.1 * style_loss(self.features(paintings), self.features(made))
        weights = self.generator.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return loss


def pictures(count, seed):
    return np.random.default_rng(seed).uniform(-1, 1, (count, SIZE, SIZE, 3)).astype("float32")


def main():
    keras.utils.set_random_seed(2)
    photos, paintings = pictures(64, 1), pictures(64, 2)
    trainer = StyleTrainer()
    for epoch in range(3):
        for at in range(0, 64, 8):
            loss = trainer.train(photos[at : at + 8], paintings[at : at + 8])
        print(f"epoch {epoch}: generator loss {float(loss):.4f}")


if __name__ == "__main__":
    main()
