"""Predict compressive strength of concrete mixes from their recipe."""
import numpy as np
import tensorflow as tf

SEED = 11
COLUMNS = ["cement", "slag", "ash", "water", "plasticizer", "coarse", "fine", "age"]


def make_mixes(n=900):
    rng = np.random.default_rng(SEED)
    mixes = rng.uniform(0.0, 1.0, size=(n, len(COLUMNS))).astype("float32")
    strength = (
        40.0 * mixes[:, 0]
        - 18.0 * mixes[:, 3]
        + 12.0 * np.sqrt(mixes[:, 7])
        + rng.normal(0, 1.5, n)
    ).astype("float32")
    return mixes, strength


def hold_out(*arrays, fraction=0.2, seed=SEED):
    """Shuffle all arrays together and cut off a part of each for testing."""
    n = len(arrays[0])
    order = np.random.default_rng(seed).permutation(n)
    cut = int(n * (1 - fraction))
    parts = []
    for a in arrays:
        parts.append(a[order[:cut]])
        parts.append(a[order[cut:]])
    return parts



def build(n_features):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input(shape=(n_features,)),
            tf.keras.layers.Dense(32, activation="relu"),
            tf.keras.layers.Dense(16, activation="relu"),
            tf.keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse", metrics=["mae"])
    return model


def main():
    tf.keras.utils.set_random_seed(SEED)
    mixes, strength = make_mixes()
    x_train, y_train, x_test, y_test = hold_out(mixes, strength)  # <- cause

    model = build(len(COLUMNS))
    model.fit(x_train, y_train, epochs=8, batch_size=32, verbose=2)
    loss, mae = model.evaluate(x_test, y_test, verbose=0)
    print(f"test MAE: {mae:.2f} MPa")


if __name__ == "__main__":
    main()
