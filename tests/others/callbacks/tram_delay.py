import numpy as np
import tensorflow as tf

EPOCHS = 6
PEAK = 0.01


def delays(n=600, seed=4):
    rng = np.random.default_rng(seed)
    hour = rng.uniform(5, 23, n)
    rain = rng.random(n) < 0.3
    stops = rng.integers(3, 30, n)
    late = 0.1 * stops + 1.5 * rain + np.exp(-((hour - 8) ** 2) / 4) * 3 + rng.normal(0, 0.2, n)
    x = np.stack([hour / 23, rain.astype(float), stops / 30], axis=1)
    return x.astype("float32"), late.astype("float32")[:, None]


def warm_then_cosine(epoch, lr):
    """Two epochs at a low rate, then a half cosine down from PEAK."""
    if epoch < 2:
        return PEAK / 10
    progress = (epoch - 2) / (EPOCHS - 2)
    return PEAK * 0.5 * (1.0 + tf.math.cos(np.pi * progress))  # <- cause


def tram_model():
    inputs = tf.keras.Input((3,))
    x = tf.keras.layers.Dense(32, activation="relu")(inputs)
    x = tf.keras.layers.Dense(16, activation="relu")(x)
    outputs = tf.keras.layers.Dense(1)(x)
    model = tf.keras.Model(inputs, outputs)
    model.compile(optimizer="adam", loss="huber")
    return model


def run():
    tf.keras.utils.set_random_seed(4)
    x, y = delays()
    cut = 480
    model = tram_model()
    history = model.fit(
        x[:cut],
        y[:cut],
        validation_data=(x[cut:], y[cut:]),
        epochs=EPOCHS,
        batch_size=24,
        verbose=2,
        callbacks=[tf.keras.callbacks.LearningRateScheduler(warm_then_cosine)],
    )
    print("last val loss", history.history["val_loss"][-1])


if __name__ == "__main__":
    run()
