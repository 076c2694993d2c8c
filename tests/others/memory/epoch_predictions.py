import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


class History(keras.callbacks.Callback):
    def __init__(self, x):
        super().__init__()
        self.x = x

    def on_train_begin(self, logs=None):
        self.predictions = []

    def on_epoch_end(self, epoch, logs=None):
        self.predictions.append(self.model.predict(self.x, verbose=0))  # <- cause


rng = np.random.default_rng(7)
x = rng.normal(size=(5000, 32)).astype("float32")
y = rng.normal(size=(5000, 2000)).astype("float32")
model = keras.Sequential([keras.Input((32,)), keras.layers.Dense(2000)])
model.compile("sgd", "mse")
model.fit(x, y, batch_size=500, epochs=60, verbose=2, callbacks=[History(x)])
