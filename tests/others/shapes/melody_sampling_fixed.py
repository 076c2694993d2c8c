"""Learns melodies note by note with a stateful network, then writes one of its own."""

import keras
import numpy as np

NOTES, LENGTH, BATCH = 12, 8, 32


class Composer:
    def __init__(self, batch):
        self.model = self.network(batch)

    @staticmethod
    def network(batch):
        notes = keras.Input(batch_shape=(batch, LENGTH, NOTES))
        x = keras.layers.LSTM(24, return_sequences=True, stateful=True)(notes)
        x = keras.layers.LSTM(24, stateful=True)(x)
        return keras.Model(notes, keras.layers.Dense(NOTES, activation="softmax")(x))

    def learn(self, x, y):
        self.model.compile("rmsprop", "categorical_crossentropy")
        for start in range(0, len(x), BATCH):
            loss = self.model.train_on_batch(x[start : start + BATCH], y[start : start + BATCH])
        print("loss", float(loss))

    def compose(self, start, count):
        single = self.network(1)
        single.set_weights(self.model.get_weights())
        melody, window = [], start
        for _ in range(count):
            chances = single.predict(window[None], verbose=0)[0]
            note = int(chances.argmax())
            melody.append(note)
            window = np.concatenate([window[1:], np.eye(NOTES, dtype="float32")[note][None]])
        return melody


def main():
    rng = np.random.default_rng(1)
    song = np.eye(NOTES, dtype="float32")[rng.integers(0, NOTES, BATCH * 4 + LENGTH)]
    x = np.stack([song[at : at + LENGTH] for at in range(BATCH * 4)])
    composer = Composer(BATCH)
    composer.learn(x, song[LENGTH:])
    print(composer.compose(x[0], 10))


if __name__ == "__main__":
    main()
