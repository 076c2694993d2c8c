"""Which stocks matter: a layer with one weight for each column, before a small regression."""

import numpy as np
from tensorflow import keras


class HardAttention(keras.layers.Layer):
    def build(self, input_shape):
        self.attention = self.add_weight(shape=input_shape[1:], initializer="uniform", name="attention")
        super().build(input_shape)

    def call(self, inputs):
        return inputs * self.attention


def quotes(rows, stocks):
    rng = np.random.default_rng(15)
    prices = rng.normal(size=(rows, stocks)).cumsum(axis=0)
    return prices[:-1].astype("float32"), prices[1:, :2].astype("float32")


def regression(stocks, targets):
    model = keras.Sequential()
    model.add(keras.layers.InputLayer(shape=(stocks,)))
    model.add(HardAttention())
    model.add(keras.layers.Dense(targets))
    model.compile(optimizer="adam", loss="mse")
    return model


if __name__ == "__main__":
    x, y = quotes(120, 3)
    model = regression(x.shape[1], y.shape[1])
    print("loss", round(model.fit(x, y, epochs=1, verbose=0).history["loss"][0], 2))
