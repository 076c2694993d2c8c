import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import matplotlib
import numpy as np

matplotlib.use("agg")
from matplotlib import pyplot as plt


class Plots(keras.callbacks.Callback):
    def __init__(self, folder, x):
        super().__init__()
        self.folder, self.x = folder, x

    def on_epoch_end(self, epoch, logs=None):
        shown = self.model.predict(self.x, verbose=0)
        figure, axes = plt.subplots(1, 2, figsize=(12, 8))
        axes[0].imshow(shown)
        axes[1].hist(shown.ravel(), bins=10)
        figure.savefig(os.path.join(self.folder, f"epoch{epoch}.png"))
        plt.close(figure)


rng = np.random.default_rng(13)
x = rng.normal(size=(2000, 16)).astype("float32")
model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(3000)])
model.compile("sgd", "mse")
with tempfile.TemporaryDirectory() as folder:
    model.fit(x, x[:, :1].repeat(3000, 1), batch_size=1000, epochs=8, verbose=2, callbacks=[Plots(folder, x)])
