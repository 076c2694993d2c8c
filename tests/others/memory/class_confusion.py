import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

CLASSES, ROWS, FEATURES = 150, 60000, 12


def data(seed=7):
    draw = np.random.default_rng(seed)
    centres = draw.normal(0, 3, (CLASSES, FEATURES))
    labels = draw.integers(0, CLASSES, ROWS)
    return (centres[labels] + draw.normal(size=(ROWS, FEATURES))).astype("float32"), labels


class Interpretation:
    """What a classifier mixes up."""

    def __init__(self, model, x, y):
        self.classes = tf.range(CLASSES)
        self.predicted = tf.argmax(model.predict(x, batch_size=512, verbose=0), 1, output_type=tf.int32)
        self.true = tf.constant(y, tf.int32)

    def confusion_matrix(self):
        guessed = self.predicted == self.classes[:, None]
        actual = self.true == self.classes[:, None, None]
        both = tf.logical_and(guessed, actual)  # <- cause
        return tf.reduce_sum(tf.cast(both, tf.int32), 2)

    def most_confused(self, count=3):
        matrix = self.confusion_matrix()
        matrix -= tf.linalg.diag(tf.linalg.diag_part(matrix))
        values, places = tf.math.top_k(tf.reshape(matrix, [-1]), count)
        return [(int(place) // CLASSES, int(place) % CLASSES, int(value)) for value, place in zip(values, places)]


def main():
    x, y = data()
    model = tf.keras.Sequential([tf.keras.Input((FEATURES,)), tf.keras.layers.Dense(CLASSES, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=512, epochs=1, verbose=2)
    print(Interpretation(model, x, y).most_confused())


main()
