import argparse
import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--snapshots", default="snapshots")
    parser.add_argument("--compute-val-loss", action="store_true")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=6)
    return parser.parse_args()


class Heatmaps(keras.utils.PyDataset):
    def __init__(self, count, batch_size=8, seed=1):
        super().__init__()
        self.count, self.batch_size, self.seed = count, batch_size, seed

    def __len__(self):
        return self.count // self.batch_size

    def __getitem__(self, index):
        draw = np.random.default_rng(self.seed + index)
        pictures = draw.random((self.batch_size, 32, 32, 3)).astype("float32")
        return pictures, pictures.mean(axis=-1, keepdims=True)[:, ::4, ::4]


def centernet():
    model = keras.Sequential([keras.Input((32, 32, 3))])
    for filters in (8, 8):
        model.add(keras.layers.Conv2D(filters, 3, strides=2, padding="same", activation="relu"))
    model.add(keras.layers.Conv2D(1, 1, activation="sigmoid"))
    model.compile("adam", "mse")
    return model


def create_callbacks(args, where):
    folder = os.path.join(where, args.snapshots)
    os.makedirs(folder, exist_ok=True)
    return [
        keras.callbacks.ModelCheckpoint(
            os.path.join(folder, "points_{epoch:02d}_{loss:.4f}_{val_loss:.4f}.keras"),  # <- cause
            verbose=0,
        )
    ]


def main():
    args = arguments()
    train, validation = Heatmaps(args.steps * 8), Heatmaps(16, seed=100)
    if not args.compute_val_loss:
        validation = None
    with tempfile.TemporaryDirectory() as where:
        centernet().fit(
            train, epochs=args.epochs, validation_data=validation, callbacks=create_callbacks(args, where), verbose=2
        )


main()
