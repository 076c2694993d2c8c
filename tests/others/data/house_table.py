import numpy as np
import pandas as pd
from tensorflow import keras
from tensorflow.keras import layers


def read_listings(n=150, seed=12):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        area = float(rng.uniform(40, 220))
        rooms = int(rng.integers(1, 7))
        age = float(rng.uniform(0, 80))
        garden = bool(rng.integers(0, 2))
        price = area * 3.1 + rooms * 12 - age + 20 * garden + rng.normal(0, 10)
        rows.append([area, rooms, age, garden, "zone_%d" % rng.integers(0, 4), price])
    return pd.DataFrame(rows, columns=["area", "rooms", "age", "garden", "zone", "price"])


def clean(df):
    df = df.dropna().reset_index(drop=True)
    df["age"] = (df["age"] - df["age"].mean()) / df["age"].std()
    df["area"] = (df["area"] - df["area"].mean()) / df["area"].std()
    dummies = pd.get_dummies(df["zone"], prefix="z")
    return pd.concat([df.drop(columns=["zone"]), dummies], axis=1)


def split_xy(df):
    y = df["price"].to_numpy().reshape(-1, 1)
    X = df.drop(columns=["price"])  # <- cause
    return X, y


def make_net(n_inputs):
    net = keras.Sequential([
        keras.Input(shape=(n_inputs,)),
        layers.Dense(32, activation="relu"),
        layers.Dense(16, activation="relu"),
        layers.Dense(1),
    ])
    net.compile(optimizer="adam", loss="mean_squared_error", metrics=["mae"])
    return net


def main():
    table = clean(read_listings())
    X, y = split_xy(table)
    print(type(X.values), X.shape, y.shape)
    model = make_net(X.shape[1])
    model.fit(X.values, y, epochs=5, batch_size=32, verbose=2)
    print(model.evaluate(X.values, y, verbose=0))


main()
