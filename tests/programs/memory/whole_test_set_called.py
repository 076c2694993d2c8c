"""A loop of its own trains well, then the model is called with all the rows of the test set."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import keras
import tensorflow as tf


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Conv2D(32, 3, activation="relu", padding="same")
        self.second = keras.layers.Conv2D(64, 3, activation="relu", padding="same")
        self.pool = keras.layers.GlobalAveragePooling2D()
        self.out = keras.layers.Dense(10)

    def call(self, x):
        return self.out(self.pool(self.second(self.first(x))))


def accuracy(net, digits, labels):
    scores = net(digits)  # <- cause
    return tf.reduce_mean(tf.cast(tf.argmax(scores, 1) == labels, tf.float32))


net = Net()
adam = keras.optimizers.Adam()
digits = tf.random.uniform([9000, 28, 28, 1])
labels = tf.random.uniform([9000], 0, 10, tf.int64)
for start in range(0, 500, 50):
    with tf.GradientTape() as tape:
        logits = net(digits[start : start + 50], training=True)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels[start : start + 50], logits=logits)
        )
    adam.apply(tape.gradient(loss, net.trainable_variables), net.trainable_variables)
print(float(accuracy(net, digits, labels)))
