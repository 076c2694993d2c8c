"""Layer by layer pretraining of an autoencoder, before its codes are clustered."""

import numpy as np
from tensorflow.keras.layers import Dense, Dropout, Input
from tensorflow.keras.models import Model, Sequential


class StackedAutoencoder:
    def __init__(self, dims, drop_rate=0.2, batch_size=64):
        self.dims = dims
        self.drop_rate = drop_rate
        self.batch_size = batch_size
        self.stacks = [self.make_stack(i) for i in range(len(dims) - 1)]

    def make_stack(self, level):
        outer, inner = self.dims[level], self.dims[level + 1]
        return Sequential(
            [
                Input((outer,)),
                Dropout(self.drop_rate),
                Dense(inner, activation="relu", name=f"encoder_{level}"),
                Dropout(self.drop_rate),
                Dense(outer, name=f"decoder_{level}"),
            ]
        )

    def pretrain_stacks(self, x, epochs):
        features = x
        for level, stack in enumerate(self.stacks):
            print(f"Pretraining the {level + 1}th layer...")
            stack.compile("adam", loss="mse")
            stack.fit(features, features, batch_size=self.batch_size, epochs=epochs, verbose=0)
            encoder = Model(stack.inputs, stack.get_layer(f"encoder_{level}").output)
            features = encoder.predict(features, verbose=0)
        return features

    def fit(self, x, epochs=4):
        return self.pretrain_stacks(x, epochs=int(epochs / 2))


def blobs(count, width):
    rng = np.random.default_rng(13)
    centres = rng.normal(0, 3, (4, width))
    return (centres[rng.integers(0, 4, count)] + rng.normal(size=(count, width))).astype("float32")


if __name__ == "__main__":
    autoencoder = StackedAutoencoder([30, 16, 4])
    codes = autoencoder.fit(blobs(400, 30))
    print("codes", codes.shape)
