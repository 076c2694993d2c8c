import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import pandas as pd

CODE = "000001.SZ"
START, DAYS = "2009-01-01", 3600


def quotes(code):
    """Prices of each day of a share."""
    draw = np.random.default_rng(1)
    close = 20 + draw.normal(0, 0.3, DAYS).cumsum()
    return pd.DataFrame(
        {
            "ts_code": code,
            "trade_date": pd.date_range(START, periods=DAYS).strftime("%Y%m%d"),
            "open": close + draw.normal(0, 0.1, DAYS),
            "high": close + draw.uniform(0, 0.5, DAYS),
            "low": close - draw.uniform(0, 0.5, DAYS),
            "close": close,
            "vol": draw.integers(1e5, 1e7, DAYS),
        }
    )


def basics(code):
    """Ratios of each day of a share."""
    draw = np.random.default_rng(2)
    names = ["turnover_rate", "volume_ratio", "pe", "pb", "ps", "total_share", "free_share"]
    table = pd.DataFrame(draw.uniform(0, 9, (DAYS, len(names))), columns=names)
    table.insert(0, "trade_date", pd.date_range(START, periods=DAYS).strftime("%Y%m%d"))
    table.insert(0, "ts_code", code)
    return table


def features(code):
    quote, basic = quotes(code), basics(code)
    table = pd.merge(left=quote, right=basic, on=["ts_code", "trade_date"], how="inner")
    numbers = table.select_dtypes("number")
    target = (numbers["close"].shift(-1) > numbers["close"]).astype("float32")
    return ((numbers - numbers.mean()) / numbers.std()).to_numpy("float32")[:-1], target.to_numpy()[:-1]


def main():
    x, y = features(CODE)
    network = keras.Sequential(
        [
            keras.Input(x.shape[1:]),
            keras.layers.Dense(16, activation="relu"),
            keras.layers.Dense(1, activation="sigmoid"),
        ]
    )
    network.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    network.fit(x, y, epochs=2, batch_size=64, verbose=2)


main()
