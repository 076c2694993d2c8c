"""Straight-line model for taxi fares: two coins per street crossed."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from tensorflow import keras

N_TRIPS = 200
COINS_PER_STREET = 2.0


def load_trips():
    streets = np.arange(N_TRIPS, dtype="float32").reshape(-1, 1)
    fares = COINS_PER_STREET * streets
    return streets, fares


def build_model():
    model = keras.Sequential(name="fare_line")
    model.add(keras.Input(shape=(1,)))
    model.add(keras.layers.Dense(1, name="line"))
    optimizer = keras.optimizers.SGD(learning_rate=0.00001, momentum=0.0, nesterov=False)
    model.compile(loss="mean_squared_error", optimizer=optimizer)
    return model


def report(model, streets, fares):
    weights, bias = model.get_layer("line").get_weights()
    print("slope", weights.ravel(), "offset", bias)
    quoted = model.predict(streets[:10], batch_size=10, verbose=0)
    print("streets  fare  quoted")
    for street, fare, quote in zip(streets[:10, 0], fares[:10, 0], quoted[:, 0]):
        print(f"{int(street):7d} {int(fare):5d} {int(round(float(quote))):7d}")


def main():
    tf.random.set_seed(21)
    np.random.seed(21)
    streets, fares = load_trips()
    model = build_model()
    history = model.fit(streets, fares, epochs=3, batch_size=1, shuffle=True, verbose=0)
    print("loss per epoch:", history.history["loss"])
    report(model, streets, fares)


if __name__ == "__main__":
    main()
