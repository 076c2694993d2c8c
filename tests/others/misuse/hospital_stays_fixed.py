"""Mortality of hospital stays from hourly measurements: readers, a model, the training."""

import numpy as np
import keras


class StayReader:
    """Yields the measurements of one stay after the other, with its outcome."""

    def __init__(self, stays, hours, channels, seed):
        self.rng = np.random.default_rng(seed)
        self.stays, self.hours, self.channels = stays, hours, channels

    def __iter__(self):
        for _ in range(self.stays):
            died = int(self.rng.random() < 0.3)
            yield self.rng.normal(died * 0.5, 1.0, (self.hours, self.channels)), died


def load(reader, normalizer=None):
    data, outcomes = [], []
    for measurements, died in reader:
        data.append(measurements)
        outcomes.append(died)
    data = np.array(data, dtype="float32")
    if normalizer is not None:
        data = (data - normalizer[0]) / normalizer[1]
    return data, np.array(outcomes)


def network(hours, channels, dim=8):
    inputs = keras.layers.Input((hours, channels))
    hidden = keras.layers.Bidirectional(keras.layers.LSTM(dim))(inputs)
    hidden = keras.layers.Dropout(0.3)(hidden)
    return keras.Model(inputs, keras.layers.Dense(1, activation="sigmoid")(hidden))


def main():
    hours, channels = 12, 6
    train_raw = load(StayReader(150, hours, channels, seed=0))
    normalizer = (train_raw[0].mean(), train_raw[0].std())
    train_raw = load(StayReader(150, hours, channels, seed=0), normalizer)
    val_raw = load(StayReader(50, hours, channels, seed=1), normalizer)

    model = network(hours, channels)
    model.compile(optimizer="adam", loss="binary_crossentropy")
    print("==> training")
    model.fit(
        x=train_raw[0],
        y=train_raw[1],
        validation_data=val_raw,
        epochs=1,
        batch_size=16,
        verbose=0,
    )
    print("==> done")


if __name__ == "__main__":
    main()
