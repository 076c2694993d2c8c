import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


class Scans(keras.utils.PyDataset):
    def __init__(self, count, batch_size=16, seed=1):
        super().__init__()
        draw = np.random.default_rng(seed)
        self.rows = draw.normal(size=(count, 20)).astype("float32")
        self.tumours = (self.rows[:, 0] + self.rows[:, 1] > 1).astype("float32")
        self.batch_size = batch_size

    def __len__(self):
        return len(self.rows) // self.batch_size

    def __getitem__(self, index):
        rows = slice(index * self.batch_size, (index + 1) * self.batch_size)
        return self.rows[rows], self.tumours[rows]


class F1Score(keras.callbacks.Callback):
    """Precision, recall and F1 of the validation data after each epoch."""

    def __init__(self, held_out):
        super().__init__()
        self.held_out = held_out
        self.scores = []

    def batches(self):
        return self.held_out

    def on_epoch_end(self, epoch, logs=None):
        hits = found = there = 0.0
        batches = self.batches()
        for number in range(len(batches)):
            rows, tumours = batches[number]
            predicted = self.model.predict_on_batch(rows)[:, 0] > 0.5
            hits += float((predicted * tumours).sum())
            found += float(predicted.sum())
            there += float(tumours.sum())
        precision, recall = hits / max(found, 1), hits / max(there, 1)
        self.scores.append(2 * precision * recall / max(precision + recall, 1e-7))
        print(f"epoch {epoch} precision {precision:.3f} recall {recall:.3f}", flush=True)


def network():
    model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(8, activation="relu")])
    model.add(keras.layers.Dense(1, activation="sigmoid"))
    model.compile("adam", "binary_crossentropy")
    return model


def main():
    train, held_out = Scans(320), Scans(64, seed=2)
    score = F1Score(held_out)
    network().fit(train, validation_data=held_out, epochs=2, callbacks=[score], verbose=2)
    print("best", max(score.scores))


main()
