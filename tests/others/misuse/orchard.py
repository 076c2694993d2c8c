import numpy as np
import pandas as pd
from tensorflow import keras

TARGETS = {"tonnage": "mse", "ripe": "binary_crossentropy"}


def survey(n=240, seed=14):
    rng = np.random.default_rng(seed)
    df = pd.DataFrame({
        "rain": rng.gamma(3, 20, n),
        "sun": rng.normal(200, 25, n),
        "age": rng.integers(2, 30, n),
    })
    df["tonnage"] = 0.02 * df.rain + 0.01 * df.sun + rng.normal(0, 0.2, n)
    df["ripe"] = (df.sun + rng.normal(0, 10, n) > 200).astype("float32")
    return df


def features(df):
    x = df[["rain", "sun", "age"]]
    return ((x - x.mean()) / x.std()).to_numpy("float32")


def two_headed(width):
    inp = keras.Input((width,), name="site")
    trunk = keras.layers.Dense(24, activation="relu")(inp)
    trunk = keras.layers.Dense(12, activation="relu")(trunk)
    tonnage = keras.layers.Dense(1)(trunk)  # <- cause
    ripe = keras.layers.Dense(1, activation="sigmoid")(trunk)  # <- cause
    return keras.Model(inputs=inp, outputs=[tonnage, ripe])


def main():
    df = survey()
    x = features(df)
    y = {name: df[name].to_numpy("float32")[:, None] for name in TARGETS}
    model = two_headed(x.shape[1])
    model.compile(optimizer=keras.optimizers.Adam(5e-3), loss=TARGETS,
                  loss_weights={"tonnage": 1.0, "ripe": 0.5})
    hist = model.fit(x, y, batch_size=24, epochs=4, validation_split=0.2, verbose=2)
    print(sorted(hist.history))


if __name__ == "__main__":
    main()
