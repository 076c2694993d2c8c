import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
from tensorflow.keras.layers import Dense, Input
from tensorflow.keras.models import Sequential

FOLDS, REPEATS = 5, 5


def create_model(width):
    model = Sequential([Input((width,)), Dense(3000, activation="relu"), Dense(2000, activation="relu"), Dense(1)])
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    return model


def folds(rows, seed):
    order = np.random.default_rng(seed).permutation(rows)
    parts = np.array_split(order, FOLDS)
    for held in range(FOLDS):
        yield np.concatenate([part for number, part in enumerate(parts) if number != held]), parts[held]


def cross_validate(x, y):
    histories = {}
    for repeat in range(REPEATS):
        for fold, (train, test) in enumerate(folds(len(x), repeat)):
            model = create_model(x.shape[1])
            histories[repeat, fold] = model.fit(  # <- cause
                x[train], y[train], validation_data=(x[test], y[test]), epochs=1, batch_size=64, verbose=0
            )
            print("repeat", repeat, "fold", fold, histories[repeat, fold].history["val_mae"][-1], flush=True)
    return np.mean([one.history["val_mae"][-1] for one in histories.values()])


draw = np.random.default_rng(3)
x = draw.normal(size=(200, 100)).astype("float32")
print("mae", cross_validate(x, x[:, :1] * 2))
