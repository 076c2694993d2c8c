"""Trains a small transformer with the settings of an experiment."""

import numpy as np
import tensorflow as tf

from config import experiment
from model import SmallTransformer

tf.random.set_seed(1)


def make_data(sentences, length, words):
    rng = np.random.default_rng(0)
    source = rng.integers(1, words, (sentences, length))
    target = (source * 7) % words
    return source.astype("int32"), target.astype("int32")


def main():
    source, target = make_data(**experiment["data"])
    model = SmallTransformer(experiment["data"]["words"], experiment["data"]["length"])
    params = model.auto_config()
    params.update(experiment["params"])
    settings = experiment["train"]
    optimizer = getattr(tf.keras.optimizers, params["optimizer"])(params["learning_rate"])
    dataset = tf.data.Dataset.from_tensor_slices((source, target)).shuffle(480, seed=0)
    dataset = dataset.repeat().batch(settings["batch_size"]).take(settings["max_step"])

    @tf.function
    def train_step(ids, words):
        with tf.GradientTape() as tape:
            loss = model.smoothed_loss(words, model(ids), params["label_smoothing"])
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    for step, (ids, words) in enumerate(dataset):
        loss = train_step(ids, words)
        if step % settings["report_every"] == 0:
            print(f"step {step}: loss {float(loss):.4f}")
        if not np.isfinite(float(loss)):
            raise RuntimeError(f"Model diverged with loss = {float(loss)}.")
    print("done")


main()
