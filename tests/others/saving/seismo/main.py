import os

import numpy as np
import tensorflow as tf

from detector import Detector
from settings import CKPT_PREFIX, EPOCHS, WINDOW
from waves import windows

loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def train():
    x, y = windows(900, seed=1)
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(900, seed=1).batch(32)
    model = Detector()
    optimizer = tf.keras.optimizers.Adam(0.01)
    saver = tf.train.Checkpoint(model=model)

    @tf.function
    def step(xb, yb):
        with tf.GradientTape() as tape:
            loss = loss_fn(yb, model(xb, training=True))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    for epoch in range(EPOCHS):
        losses = [float(step(xb, yb)) for xb, yb in data]
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.3f}")
        saver.save(CKPT_PREFIX)
    return accuracy(model)


def accuracy(model):
    x, y = windows(300, seed=2)
    guess = tf.argmax(model(x), axis=1).numpy()
    return float(np.mean(guess == y))


def load_detector():
    model = Detector()
    model(tf.zeros((1, WINDOW, 1)))
    saver = tf.train.Checkpoint(model=model)
    saver.restore(tf.train.latest_checkpoint(CKPT_PREFIX))  # <- cause
    return model


def main():
    tf.keras.utils.set_random_seed(4)
    print(f"accuracy after training: {train():.3f}")
    detector = load_detector()
    print(f"accuracy of the loaded detector: {accuracy(detector):.3f}")


if __name__ == "__main__":
    main()
