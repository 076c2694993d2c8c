import numpy as np
import tensorflow as tf
from tensorflow.keras.metrics import Metric


def f1_score(y_true, y_pred, classes):
    """Macro F1 as a library for arrays computes it."""
    scores = []
    for c in range(classes):
        hits = np.sum((y_true == c) & (y_pred == c))
        scores.append(2 * hits / max(1, np.sum(y_true == c) + np.sum(y_pred == c)))
    return np.float32(np.mean(scores))


class SelfF1(Metric):
    def __init__(self, classes, name="self_f1", **kwargs):
        super().__init__(name=name, **kwargs)
        self.classes = classes
        self.f1_value = self.add_weight(name="sf", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = tf.argmax(y_pred, axis=1)
        y_true = tf.cast(tf.reshape(y_true, [-1]), tf.int64)
        value = f1_score(y_true.numpy(), y_pred.numpy(), self.classes)  # <- cause
        self.f1_value.assign(value)

    def result(self):
        return self.f1_value


classes = 3
rng = np.random.default_rng(6)
x = rng.normal(size=(90, 4)).astype("float32")
y = rng.integers(0, classes, 90)
model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(classes, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=[SelfF1(classes)])
model.fit(x, y, batch_size=30, epochs=2, verbose=2)
