import keras
import numpy as np

from data_generator import DataGenerator

WINDOW = 24


def build_model():
    mains = keras.Input((WINDOW, 1))
    x = keras.layers.Conv1D(8, 4, padding="same", activation="relu")(mains)
    x = keras.layers.Flatten()(x)
    return keras.Model(mains, keras.layers.Dense(WINDOW)(x))


def main():
    rng = np.random.default_rng(1)
    mains = rng.random(600).astype("float32")
    appliance = (mains > 0.6) * mains
    generator = DataGenerator(mains, appliance, mains > 0.6, WINDOW, batch_size=64, shuffle=True)
    model = build_model()
    model.compile("adam", "mse")
    model.fit(generator, epochs=2, verbose=2)


main()
