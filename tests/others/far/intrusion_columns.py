import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

PROTOCOLS = ["tcp", "udp", "icmp"]
SERVICES = ["http", "smtp", "ftp", "dns", "ssh", "telnet", "pop3", "aol"]


def connections(count, services, seed):
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "duration": draw.exponential(3.0, count),
            "bytes": draw.lognormal(6, 1, count),
            "protocol": draw.choice(PROTOCOLS, count),
            "service": draw.choice(services, count),
            "attack": draw.integers(0, 2, count),
        }
    )


def read():
    train = connections(800, SERVICES, 1)
    test = connections(200, [name for name in SERVICES if name not in ("aol", "pop3")], 2)
    return train, test


def encode(table):
    labels = table.pop("attack").to_numpy("float32")
    encoded = pd.get_dummies(table, columns=["protocol", "service"], dtype="float32")
    for column in ("duration", "bytes"):
        encoded[column] = (encoded[column] - encoded[column].mean()) / encoded[column].std()
    return encoded, labels


def prepare():
    train, test = read()
    x_train, y_train = encode(train)
    x_test, y_test = encode(test)  # <- cause
    return x_train.to_numpy("float32"), y_train, x_test.to_numpy("float32"), y_test


def detector(width):
    model = keras.Sequential([keras.Input((width,)), keras.layers.Dense(24, activation="relu")])
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def main():
    x_train, y_train, x_test, y_test = prepare()
    model = detector(x_train.shape[1])
    model.fit(x_train, y_train, epochs=1, batch_size=64, verbose=2)
    print("test", model.evaluate(x_test, y_test, verbose=0))


main()
