"""Feature extractor that takes RGB pictures and wants mean-free BGR, as the old weights do."""

import numpy as np
import tensorflow as tf

MEAN = [103.939, 116.779, 123.68]


class Extractor:
    def __init__(self, seed=0):
        rng = np.random.default_rng(seed)
        shapes = {"conv1": (3, 3, 3, 4), "conv2": (3, 3, 4, 8)}
        self.data = {name: rng.normal(0, 0.1, shape).astype("float32") for name, shape in shapes.items()}

    def to_bgr(self, rgb):
        rgb_scaled = rgb * 255.0
        red, green, blue = tf.split(3, 3, rgb_scaled)  # <- cause
        bgr = tf.concat([blue - MEAN[0], green - MEAN[1], red - MEAN[2]], axis=3)
        assert bgr.shape[1:] == rgb.shape[1:]
        return bgr

    def conv(self, bottom, name):
        return tf.nn.relu(tf.nn.conv2d(bottom, self.data[name], strides=1, padding="SAME"))

    def pool(self, bottom):
        return tf.nn.max_pool2d(bottom, 2, 2, "SAME")

    def build(self, rgb):
        bottom = self.to_bgr(rgb)
        for name in ("conv1", "conv2"):
            bottom = self.pool(self.conv(bottom, name))
        return tf.reduce_mean(bottom, axis=[1, 2])


def load_batch(count, side=32):
    rng = np.random.default_rng(1)
    return tf.constant(rng.random((count, side, side, 3)), tf.float32)


if __name__ == "__main__":
    extractor = Extractor()
    features = extractor.build(load_batch(4))
    print("features", features.shape)
