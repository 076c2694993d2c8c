"""Colour pictures from a small square of noise, with a transposed convolution in TensorFlow's own ops."""

import numpy as np
import tensorflow as tf

SIDE, NOISE_SIDE, CHANNELS, FILTERS = 100, 10, 3, 4


class Generator(tf.Module):
    def __init__(self, stride):
        super().__init__()
        self.stride = stride
        self.widen = tf.Variable(tf.random.normal([5, 5, FILTERS, CHANNELS], stddev=0.2, seed=1))
        self.mix = tf.Variable(tf.random.normal([3, 3, FILTERS, CHANNELS], stddev=0.2, seed=2))

    def __call__(self, noise):
        rows = noise.shape[0]
        x = tf.nn.conv2d_transpose(
            noise, self.widen, output_shape=[rows, SIDE, SIDE, FILTERS], strides=self.stride, padding="SAME"
        )
        x = tf.nn.leaky_relu(x)
        return tf.sigmoid(tf.nn.conv2d(x, self.mix, strides=1, padding="SAME"))


def settings():
    return {"stride": SIDE // NOISE_SIDE}


def noise(count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, NOISE_SIDE, NOISE_SIDE, CHANNELS)).astype("float32")


def main():
    generator = Generator(**settings())
    pictures = generator(noise(2))
    print("pictures", pictures.shape, "mean", round(float(tf.reduce_mean(pictures)), 3))


if __name__ == "__main__":
    main()
