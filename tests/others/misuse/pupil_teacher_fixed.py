"""Knowledge distillation with a train_step of its own, fed with a generator of augmented pictures."""

import numpy as np
import tensorflow as tf
from tensorflow import keras

CLASSES = 4
SHAPE = (16, 16, 3)


def classifier(filters, name):
    return keras.Sequential(
        [
            keras.layers.Input(SHAPE),
            keras.layers.Conv2D(filters, 3, strides=2, activation="relu"),
            keras.layers.GlobalAveragePooling2D(),
            keras.layers.Dense(CLASSES),
        ],
        name=name,
    )


class Distiller(keras.Model):
    def __init__(self, student, teacher, temperature=3.0, alpha=0.1):
        super().__init__()
        self.student = student
        self.teacher = teacher
        self.temperature = temperature
        self.alpha = alpha
        self.distance = keras.losses.KLDivergence()
        self.hard = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def call(self, inputs, training=False):
        return self.student(inputs, training=training)

    def train_step(self, data):
        x, y = data
        wise = self.teacher(x, training=False)
        with tf.GradientTape() as tape:
            guess = self.student(x, training=True)
            soft = self.distance(tf.nn.softmax(wise / self.temperature), tf.nn.softmax(guess / self.temperature))
            loss = self.alpha * self.hard(y, guess) + (1 - self.alpha) * soft
        weights = self.student.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return self.compute_metrics(x, y, guess)


def augmented(pictures, labels, batch_size, seed=2):
    rng = np.random.default_rng(seed)
    while True:
        rows = rng.integers(0, len(pictures), size=batch_size)
        batch = pictures[rows]
        if rng.random() < 0.5:
            batch = batch[:, :, ::-1]
        yield batch, labels[rows]


rng = np.random.default_rng(55)
X_train = rng.random((80, *SHAPE), dtype="float32")
Y_train = rng.integers(0, CLASSES, size=80)
X_test, Y_test = X_train[:20], Y_train[:20]

distiller = Distiller(classifier(4, "student"), classifier(12, "teacher"))
distiller.compile(
    optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"]
)
distiller.fit(augmented(X_train, Y_train, 16), steps_per_epoch=4, epochs=2, validation_data=(X_test, Y_test), verbose=0)
print("test", distiller.evaluate(X_test, Y_test, verbose=0))
