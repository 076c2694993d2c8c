"""Faces from video frames: grey pictures become colour pictures, and are mirrored."""

import numpy as np
import tensorflow as tf

HEIGHT, WIDTH = 40, 36


class Frames:
    def __init__(self, count, seed=0):
        rng = np.random.default_rng(seed)
        self.pictures = rng.integers(0, 256, (count, HEIGHT, WIDTH)).astype("uint8")

    def __iter__(self):
        return iter(self.pictures)


def coloured(picture):
    tensor = tf.expand_dims(tf.convert_to_tensor(picture), -1)
    return tf.image.grayscale_to_rgb(tensor)


def mirrored(picture):
    return tf.image.flip_left_right(picture)


def prepare(frames):
    found = []
    for picture in frames:
        face = coloured(picture)
        found += [face, mirrored(face)]
    return tf.stack(found)


if __name__ == "__main__":
    faces = prepare(Frames(3))
    print("faces", faces.shape, "brightness", round(float(tf.reduce_mean(tf.cast(faces, tf.float32))), 1))
