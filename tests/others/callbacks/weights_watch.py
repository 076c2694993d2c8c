"""Follows how far each layer moves from its first weights during the training."""
import numpy as np
import tensorflow as tf


class WeightDrift(tf.keras.callbacks.Callback):
    def __init__(self, layer_names):
        super().__init__()
        self.layer_names = layer_names
        self.first = {name: self.model.get_layer(name).get_weights()[0].copy() for name in layer_names}  # <- cause
        self.drift = {name: [] for name in layer_names}

    def on_epoch_end(self, epoch, logs=None):
        for name in self.layer_names:
            now = self.model.get_layer(name).get_weights()[0]
            self.drift[name].append(float(np.linalg.norm(now - self.first[name])))


def spirals(count=400):
    rng = np.random.default_rng(17)
    labels = rng.integers(0, 2, count)
    angle = rng.uniform(0.5, 9, count)
    radius = angle / 9
    sign = np.where(labels == 1, 1, -1)
    points = np.stack([sign * radius * np.cos(angle), sign * radius * np.sin(angle)], axis=1)
    return (points + rng.normal(0, 0.02, points.shape)).astype("float32"), labels


def build_model():
    return tf.keras.Sequential([
        tf.keras.Input((2,)),
        tf.keras.layers.Dense(32, activation="tanh", name="first"),
        tf.keras.layers.Dense(32, activation="tanh", name="second"),
        tf.keras.layers.Dense(1, activation="sigmoid", name="out"),
    ])


if __name__ == "__main__":
    points, labels = spirals()
    model = build_model()
    model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
    watch = WeightDrift(["first", "second"])
    model.fit(points, labels, epochs=4, batch_size=32, verbose=2, callbacks=[watch])
    for name, values in watch.drift.items():
        print(name, " ".join("%.3f" % v for v in values))
