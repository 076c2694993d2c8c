import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

CONFIG = {
    "size": 16,
    "batch_size": 8,
    "momentum": 0.9,
    "stages": [
        {"until": 60, "rate": 1e-3},
        {"until": 400, "rate": 1e-2},  # <- cause
    ],
    "weight_decay": 5e-4,
}


def signs(count, size, seed=13):
    """Pictures of signs, and for each pixel how strongly it belongs to a word."""
    draw = np.random.default_rng(seed)
    pictures = draw.uniform(0, 255, (count, size, size, 3)).astype("float32") - 120.0
    words = np.zeros((count, size, size, 1), "float32")
    for number in range(count):
        row = draw.integers(2, size - 4)
        pictures[number, row : row + 3] = draw.uniform(100, 130)
        words[number, row : row + 3] = 1.0
    return pictures, words


def schedule(config):
    stages = config["stages"]
    return keras.optimizers.schedules.PiecewiseConstantDecay(
        [stage["until"] for stage in stages[:-1]], [stage["rate"] for stage in stages]
    )


def network(config):
    decay = keras.regularizers.L2(config["weight_decay"])
    small = keras.initializers.RandomNormal(stddev=0.002, seed=1)
    picture = keras.Input((config["size"], config["size"], 3))
    hidden = keras.layers.Conv2D(
        4, 3, padding="same", activation="relu", kernel_initializer=small, kernel_regularizer=decay
    )(picture)
    return keras.Model(picture, keras.layers.Conv2D(1, 1, kernel_initializer=small)(hidden))


def batches(config):
    data = tf.data.Dataset.from_tensor_slices(signs(64, config["size"]))
    return data.shuffle(64, seed=2).repeat().batch(config["batch_size"])


def main():
    keras.utils.set_random_seed(3)
    model = network(CONFIG)
    optimizer = keras.optimizers.SGD(schedule(CONFIG), momentum=CONFIG["momentum"])

    @tf.function
    def train_step(pictures, words):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(pictures) - words)) + tf.add_n(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    last = CONFIG["stages"][-1]["until"]
    for step, (pictures, words) in enumerate(batches(CONFIG).take(last)):
        loss = train_step(pictures, words)
        if step % 20 == 0:
            print("step", step, "loss", float(loss), flush=True)


main()
