import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.utils import Sequence

keras.utils.set_random_seed(64)

# hourly tide gauge + wind; forecast the level three hours ahead
hours = 24 * 60
t = np.arange(hours)
wind = pd.Series(np.random.normal(0, 1, hours)).rolling(6, min_periods=1).mean().to_numpy() * 3
level = (1.6 * np.sin(2 * np.pi * t / 12.42) + 0.5 * np.sin(2 * np.pi * t / 24.0)
         + 0.12 * wind + np.random.normal(0, 0.05, hours))
gauge = pd.DataFrame({"level": level, "wind": wind})
gauge["hour_sin"] = np.sin(2 * np.pi * t / 24)
gauge["hour_cos"] = np.cos(2 * np.pi * t / 24)

n_train = int(hours * 0.8)
mu, sd = gauge[:n_train].mean(), gauge[:n_train].std()
gauge = (gauge - mu) / sd
print(gauge.head(3).round(2))


class TideBatches(Sequence):
    """windows of `lookback` hours, target is the level `ahead` hours later"""

    def __init__(self, table, lookback=24, ahead=3, batch_size=32, shuffle=True, **kwargs):
        super().__init__(**kwargs)
        self.values = table.to_numpy("float32")
        self.lookback = lookback
        self.ahead = ahead
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.starts = np.arange(len(self.values) - lookback - ahead)
        self.on_epoch_end()

    def on_epoch_end(self):
        if self.shuffle:
            np.random.shuffle(self.starts)

    def __len__(self):
        return int(np.ceil(len(self.starts) / self.batch_size))

    def __getitem__(self, idx):
        part = self.starts[idx * self.batch_size:(idx + 1) * self.batch_size]
        x = np.stack([self.values[s:s + self.lookback] for s in part])
        y = np.array([self.values[s + self.lookback + self.ahead - 1, 0] for s in part])
        return x, y[:, None]


train_seq = TideBatches(gauge[:n_train])
valid_seq = TideBatches(gauge[n_train:], shuffle=False)
bx, by = train_seq[0]
print("one batch:", bx.shape, by.shape)

model = keras.Sequential([
    layers.Input(shape=(24, 4)),
    layers.Conv1D(16, 5, activation="relu"),
    layers.GRU(16),
    layers.Dense(1),
])
model.compile(optimizer=keras.optimizers.Adam(0.005), loss="mse", metrics=["mae"])

history = model.fit(train_seq, validation_data=valid_seq, epochs=4, verbose=2)

mae = history.history["val_mae"][-1] * sd["level"]
print("mean error three hours ahead: %.1f cm" % (100 * mae))
naive = np.abs(np.diff(gauge["level"][n_train:].to_numpy()[::3])).mean() * sd["level"]
print("taking the present level instead: %.1f cm" % (100 * naive))
