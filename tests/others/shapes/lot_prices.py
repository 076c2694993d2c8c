"""A price model with two branches, each with an input of its own; fit gets one table for both of them."""

import numpy as np
from tensorflow.keras.layers import Dense, Dropout, Input, concatenate
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import RMSprop

N_LOTS = 300
N_COLUMNS = 12


def branch(inputs, units):
    x = Dense(units, activation="relu")(inputs)
    x = Dropout(0.1)(x)
    return Dense(units // 2, activation="relu")(x)


def make_model():
    left = Input(shape=(N_COLUMNS,), name="left")
    right = Input(shape=(N_COLUMNS,), name="right")
    merged = concatenate([branch(left, 32), branch(right, 16)])
    price = Dense(1, name="price")(merged)
    model = Model(inputs=[left, right], outputs=price)
    model.compile(optimizer=RMSprop(0.001), loss="mae")
    return model


def auction_table(seed=5):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(N_LOTS, N_COLUMNS)).astype("float32")
    weights = rng.normal(size=N_COLUMNS)
    prices = table @ weights + rng.normal(0, 0.1, N_LOTS)
    return table, prices.astype("float32")


lots, prices = auction_table()
mean, deviation = lots.mean(axis=0), lots.std(axis=0)
lots = (lots - mean) / deviation
train_lots, held_lots = lots[:240], lots[240:]
train_prices, held_prices = prices[:240], prices[240:]

final_model = make_model()
print("parameters", final_model.count_params())
final_model.fit(x=train_lots, y=train_prices, batch_size=32, epochs=3, verbose=0)  # <- cause
print("held-out error", final_model.evaluate(held_lots, held_prices, verbose=0))
