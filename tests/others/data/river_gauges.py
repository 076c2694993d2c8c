"""Tomorrow's level of a river from the levels at four gauges."""

import numpy as np
from tensorflow import keras

GAUGES = 4
DAYS = 10

noise = np.random.default_rng(4)
levels = np.cumsum(noise.normal(size=(220, GAUGES)), axis=0).astype("float32")


class Windows:
    def __init__(self, series, days):
        self.inputs = np.stack(
            [series[day : day + days, 0] for day in range(len(series) - days)]  # <- cause
        )
        self.next_level = series[days:, 1]

    def for_network(self):
        count, days = len(self.inputs), self.inputs.shape[1]
        return self.inputs.reshape((count, days, GAUGES)), self.next_level


history, level = Windows(levels, DAYS).for_network()
network = keras.Sequential(
    [
        keras.layers.Input((DAYS, GAUGES)),
        keras.layers.GRU(6),
        keras.layers.Dense(1),
    ]
)
network.compile(optimizer="rmsprop", loss="mae")
network.fit(history, level, batch_size=30, epochs=1, verbose=0)
print("levels for", network.predict(history[-3:], verbose=0).shape[0], "days")
