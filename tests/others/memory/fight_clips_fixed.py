import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

FEATURES = 512


def load_clips(number):
    rng = np.random.default_rng(9)
    lengths = rng.integers(15, 30, number)
    lengths[17] = 2600
    return [rng.normal(size=(length, FEATURES)).astype("float32") for length in lengths]


def get_sequences(clips):
    return keras.utils.pad_sequences(clips, maxlen=30, truncating="pre", padding="pre", dtype="float32")


clips = load_clips(400)
x = get_sequences(clips)
y = np.arange(len(clips)) % 2
model = keras.Sequential([keras.Input((None, FEATURES)), keras.layers.LSTM(8), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x, y, batch_size=4, epochs=1, verbose=2)
