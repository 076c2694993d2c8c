import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


def campaigns(count=200, seed=31):
    """Money for television, in thousands, and what was sold."""
    draw = np.random.default_rng(seed)
    spent = draw.uniform(1, 300, count)
    sold = 7.0 + 0.047 * spent + draw.normal(0, 1.5, count)
    return spent[:, None], sold[:, None]


def prepare(column):
    return column.astype("float32")  # <- cause


def linear():
    inputs = keras.Input((1,))
    return keras.Model(inputs, keras.layers.Dense(1, activation="linear")(inputs))


def main():
    keras.utils.set_random_seed(0)
    spent, sold = campaigns()
    x, y = prepare(spent), prepare(sold)
    model = linear()
    model.compile(keras.optimizers.SGD(), "mse", metrics=["mse"])
    model.fit(x, y, batch_size=1, epochs=3, shuffle=False, verbose=2)
    print(
        "slope and offset",
        [float(weight[0]) if weight.ndim == 1 else float(weight[0, 0]) for weight in model.get_weights()],
    )


main()
