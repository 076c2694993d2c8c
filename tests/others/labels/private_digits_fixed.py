"""Noisy-gradient training on small digits, per-example loss vector."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

BATCH = 32
CLASSES = 10
NOISE = 0.01


def load_digits(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, size=n)
    images = rng.normal(0, 0.3, size=(n, 14, 14, 1))
    for i, k in enumerate(labels):
        images[i, k:k + 3, k:k + 3, 0] += 1.0
    return images.astype("float32"), labels.astype("int32")


def prepare(images, labels):
    images = (images - images.mean()) / images.std()
    return images, labels.astype("int32")


class NoisySGD(tf.keras.optimizers.SGD):
    def __init__(self, noise, **kwargs):
        super().__init__(**kwargs)
        self.noise = noise

    def apply_gradients(self, grads_and_vars):
        noisy = [(g + tf.random.normal(tf.shape(g), stddev=self.noise), v)
                 for g, v in grads_and_vars]
        return super().apply_gradients(noisy)


def vector_loss(y_true, y_pred):
    labels = tf.cast(tf.reshape(y_true, [-1]), tf.int32)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=y_pred)


def build_model():
    return tf.keras.Sequential([
        tf.keras.layers.Input(shape=(14, 14, 1)),
        tf.keras.layers.Conv2D(8, 3, activation="relu"),
        tf.keras.layers.MaxPool2D(2),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(CLASSES),
    ])


def main():
    tf.keras.utils.set_random_seed(11)
    x_train, y_train = prepare(*load_digits(250, seed=1))
    x_test, y_test = prepare(*load_digits(50, seed=2))

    model = build_model()
    model.compile(optimizer=NoisySGD(NOISE, learning_rate=0.1), loss=vector_loss)
    model.fit(x_train, y_train, epochs=2, batch_size=BATCH, verbose=2)
    print("test loss", model.evaluate(x_test, y_test, batch_size=BATCH, verbose=0))


if __name__ == "__main__":
    main()
