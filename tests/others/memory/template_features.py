import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


def backbone():
    return keras.Sequential([keras.Input((64, 64, 3)), keras.layers.Conv2D(32, 3, strides=2, padding="same")])


class FrameSource:
    def __init__(self, count, per_chunk=200):
        self.count, self.per_chunk = count, per_chunk

    def __iter__(self):
        for start in range(0, self.count, self.per_chunk):
            yield np.full((self.per_chunk, 64, 64, 3), start / self.count, "float32")


class FeatureStore:
    """What the network says about all frames, by layer."""

    def __init__(self, network, frames):
        self.network = network
        self.features = {}
        self.frames = frames

    def add(self, key, value):
        if key not in self.features:
            self.features[key] = value
        else:
            self.features[key] = np.concatenate((self.features[key], value), axis=0)  # <- cause

    def collect(self, source):
        for number, chunk in enumerate(source):
            self.add("conv_1", self.network.predict_on_batch(chunk))
            if number % 5 == 0:
                print("frames", (number + 1) * len(chunk), flush=True)
        return self.features


def main():
    source = FrameSource(4000)
    store = FeatureStore(backbone(), source.count)
    features = store.collect(source)["conv_1"]
    print("features", features.shape, "mean", float(features[::400].mean()))


main()
