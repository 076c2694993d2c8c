import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


class Sample:
    """One recorded lap: frames of the screen and what the driver's stick did."""

    HEIGHT, WIDTH = 66, 200

    def __init__(self, number, frames):
        self.number, self.frames = number, frames

    def screenshots(self):
        draw = np.random.default_rng(self.number)
        for _ in range(self.frames):
            yield draw.integers(0, 255, (self.HEIGHT * 2, self.WIDTH * 2, 3), dtype="uint8")

    def stick(self):
        return np.random.default_rng(self.number).uniform(-1, 1, (self.frames, 5))


def resized(screenshot):
    small = screenshot[::2, ::2]
    return small / 255.0


def prepare(samples):
    pictures, sticks = [], []
    for sample in samples:
        for screenshot in sample.screenshots():
            pictures.append(resized(screenshot))  # <- cause
        sticks.append(sample.stick())
    print("frames:", len(pictures), flush=True)
    return np.asarray(pictures), np.concatenate(sticks)


def driver():
    model = keras.Sequential([keras.Input((Sample.HEIGHT, Sample.WIDTH, 3))])
    model.add(keras.layers.Conv2D(4, 5, strides=4, activation="relu"))
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(5, activation="softsign"))
    model.compile("adam", "mse")
    return model


def main():
    samples = [Sample(number, 500) for number in range(8)]
    pictures, sticks = prepare(samples)
    driver().fit(pictures[:64], sticks[:64], batch_size=16, epochs=1, verbose=2)


main()
