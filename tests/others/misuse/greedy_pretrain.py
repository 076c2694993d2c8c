import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import argparse

import numpy as np
from tensorflow.keras import Input, Sequential
from tensorflow.keras.layers import Dense, Dropout
from tensorflow.keras.optimizers import SGD


class StackedEncoder:
    def __init__(self, dims, batch_size):
        self.dims = dims
        self.batch_size = batch_size
        self.stacks = [self._one_stack(a, b) for a, b in zip(dims[:-1], dims[1:])]
        self.encoders = []

    def _one_stack(self, n_in, n_hidden):
        return Sequential(
            [
                Input(shape=(n_in,)),
                Dropout(0.2),
                Dense(n_hidden, activation="relu", name=f"enc_{n_in}_{n_hidden}"),
                Dropout(0.2),
                Dense(n_in, name=f"dec_{n_hidden}_{n_in}"),
            ]
        )

    def pretrain(self, x, epochs):
        features = x
        for number, stack in enumerate(self.stacks, start=1):
            print(f"stack {number}: {features.shape[1]} features")
            rate = 0.1
            for _ in range(2):
                stack.compile(optimizer=SGD(rate, momentum=0.9), loss="mse")
                stack.fit(features, features, batch_size=self.batch_size, epochs=epochs, verbose=0)  # <- cause
                rate /= 10
            encoder = Sequential([Input(shape=(features.shape[1],)), stack.layers[1]])
            self.encoders.append(encoder)
            features = encoder.predict(features, verbose=0)
        return features

    def fit(self, x, epochs):
        return self.pretrain(x, epochs=epochs / 2)  # <- cause


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--code", type=int, default=4)
    return parser.parse_args()


def main():
    args = parse_args()
    rng = np.random.default_rng(12)
    centers = rng.normal(size=(5, 20))
    x = centers[rng.integers(0, 5, size=160)] + 0.1 * rng.normal(size=(160, 20))

    sae = StackedEncoder([20, 12, args.code], batch_size=args.batch_size)
    codes = sae.fit(x.astype("float32"), epochs=args.epochs)
    print("codes:", codes.shape)


if __name__ == "__main__":
    main()
