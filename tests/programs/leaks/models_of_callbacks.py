import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np

best = []


class KeepCopy(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        copy = keras.models.clone_model(self.model)
        copy.set_weights(self.model.get_weights())
        best.append(copy)  # <- cause
        print("held", len(best) * copy.count_params() * 4, flush=True)


model = keras.Sequential([keras.Input((500,)), keras.layers.Dense(8000), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.random.rand(32, 500), np.random.rand(32, 1), epochs=10_000, callbacks=[KeepCopy()], verbose=0)
