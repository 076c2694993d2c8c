import numpy as np
import pandas as pd
from tensorflow import keras
from tensorflow.keras import layers

FEATURES = ["area", "rooms", "floor", "built", "balcony", "distance"]


def read_listings(n=240):
    rng = np.random.default_rng(4)
    rows = []
    for _ in range(n):
        area = rng.uniform(25, 140)
        rooms = int(max(1, area // 28))
        rows.append({
            "area": round(area, 1),
            "rooms": rooms,
            "floor": int(rng.integers(0, 9)),
            "built": int(rng.integers(1930, 2022)),
            "balcony": bool(rng.integers(0, 2)),
            "distance": round(rng.uniform(0.2, 18.0), 2),
            "price": 1900 * area + 9000 * rooms - 2500 * rng.uniform(0, 10),
        })
    return pd.DataFrame(rows)


def split(df, frac=0.8):
    cut = int(len(df) * frac)
    return df.iloc[:cut], df.iloc[cut:]


def to_xy(df):
    X = df[FEATURES].to_numpy()  # <- cause
    y = df["price"].to_numpy() / 1e5
    return X, y


def build(n_features):
    model = keras.Sequential([
        keras.Input(shape=(n_features,)),
        layers.BatchNormalization(),
        layers.Dense(32, activation="relu"),
        layers.Dense(1),
    ])
    model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mae")
    return model


listings = read_listings()
train_df, test_df = split(listings)
X_train, y_train = to_xy(train_df)
X_test, y_test = to_xy(test_df)
print(type(X_train), X_train.shape)

model = build(len(FEATURES))
model.fit(X_train, y_train, epochs=3, batch_size=32, verbose=2)
print("test mae", model.evaluate(X_test, y_test, verbose=0))
