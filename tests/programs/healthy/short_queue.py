import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import time

import keras
import numpy as np


class Pictures(keras.utils.PyDataset):
    def __len__(self):
        return 20

    def __getitem__(self, index):
        return np.full((32, 100, 100, 3), index % 7, "float32"), np.zeros((32, 1), "float32")


class Slow(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        time.sleep(0.05)


model = keras.Sequential([keras.Input((100, 100, 3)), keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.001), "mse")
model.fit(Pictures(workers=2, max_queue_size=4), epochs=1, callbacks=[Slow()], verbose=0)
