"""Whether a pump will fail, from the strain along its shaft."""

import keras
import numpy as np
from keras import layers


class PumpNet:
    def __init__(self, seen, width=5):
        signal = layers.Input(shape=seen, name="strain")
        state = layers.GRU(width)(signal)
        alarm = layers.Dense(1, activation="sigmoid")(state)
        self.net = keras.Model(signal, alarm)
        self.net.compile("adam", "binary_crossentropy")

    def learn(self, strain, failed):
        return self.net.fit(strain, failed, epochs=1, batch_size=25, verbose=0)


points = np.random.default_rng(3).normal(size=(150, 12))
broken = (points.max(axis=1) > 1.8).astype("float32")
pump = PumpNet((*points.shape[1:], 1))
pump.learn(points[..., None], broken)
print("alarms:", int((pump.net.predict(points[..., None], verbose=0) > 0.5).sum()) >= 0)
