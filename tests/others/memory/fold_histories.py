import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import gc

import keras
import numpy as np

FOLDS, REPEATS = 5, 4
WIDTHS = (4000, 3000)


def table(seed=11):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(400, 600)).astype("float32")
    return x, (x[:, 0] - x[:, 1] > 0).astype("float32")


def build(widths):
    layers = [keras.layers.Dense(width, activation="relu") for width in widths]
    model = keras.Sequential([keras.Input((600,)), *layers, keras.layers.Dense(1, activation="sigmoid")])
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model


def folds(rows, count, seed):
    order = np.random.default_rng(seed).permutation(rows)
    parts = np.array_split(order, count)
    for number in range(count):
        yield np.concatenate(parts[:number] + parts[number + 1 :]), parts[number]


def cross_validate(x, y):
    results = {}
    for repeat in range(REPEATS):
        for number, (train, test) in enumerate(folds(len(x), FOLDS, repeat)):
            model = build(WIDTHS)
            history = model.fit(
                x[train], y[train], validation_data=(x[test], y[test]), epochs=1, batch_size=64, verbose=0
            )
            results[repeat, number] = history  # <- cause
            print("repeat", repeat, "fold", number, "accuracy", history.history["val_accuracy"][-1], flush=True)
            del model
            keras.backend.clear_session()
            gc.collect()
    return results


def main():
    results = cross_validate(*table())
    scores = [history.history["val_accuracy"][-1] for history in results.values()]
    print("mean", np.mean(scores), "spread", np.std(scores))


main()
