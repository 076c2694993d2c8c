"""Training with clipped and noised gradients, as privacy asks for."""

import numpy as np
import tensorflow as tf

FLAGS = {"batch_size": 50, "clip": 1.0, "noise": 0.3, "epochs": 1, "classes": 10}


def load_data(count=500):
    rng = np.random.default_rng(17)
    digits = rng.integers(0, FLAGS["classes"], count)
    images = rng.random((count, 8, 8, 1), dtype=np.float32) * 0.2
    images[np.arange(count), digits % 8, :, 0] += 1.0
    labels = digits.astype("int64")
    return images, labels


def make_model():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Input((8, 8, 1)),
            tf.keras.layers.Conv2D(8, 3, activation="relu"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(FLAGS["classes"]),
        ]
    )


def vector_loss(labels, logits):
    flat = tf.reshape(labels, [-1])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=flat, logits=logits)


def private_gradients(tape, loss, variables):
    gradients = tape.gradient(loss, variables)
    gradients, _ = tf.clip_by_global_norm(gradients, FLAGS["clip"])
    scale = FLAGS["noise"] * FLAGS["clip"] / FLAGS["batch_size"]
    return [g + tf.random.normal(tf.shape(g), stddev=scale) for g in gradients]


def train():
    images, labels = load_data()
    batches = tf.data.Dataset.from_tensor_slices((images, labels)).batch(FLAGS["batch_size"])
    model = make_model()
    optimizer = tf.keras.optimizers.SGD(0.15)
    for epoch in range(FLAGS["epochs"]):
        for x, y in batches:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(vector_loss(y, model(x, training=True)))
            gradients = private_gradients(tape, loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        print("epoch", epoch, "loss", float(loss))


if __name__ == "__main__":
    train()
