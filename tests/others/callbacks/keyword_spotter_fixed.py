import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import argparse

import numpy as np
import tensorflow as tf


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--out", default="spotter_ckpt")
    return parser.parse_args()


def fake_spectrograms(n, seed):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 4, size=n)
    x = rng.normal(scale=0.5, size=(n, 16, 12, 1))
    for i, w in enumerate(words):
        x[i, :, 3 * w : 3 * w + 3, 0] += 1.0
    return x.astype("float32"), words.astype("int32")


class Spotter:
    def __init__(self, n_words):
        self.model = tf.keras.Sequential(
            [
                tf.keras.layers.Input(shape=(16, 12, 1)),
                tf.keras.layers.Conv2D(8, 3, activation="relu"),
                tf.keras.layers.GlobalMaxPooling2D(),
                tf.keras.layers.Dense(n_words, activation="softmax"),
            ]
        )
        self.model.compile(
            loss="sparse_categorical_crossentropy",
            optimizer=tf.keras.optimizers.Adam(5e-3),
            metrics=["acc"],
        )


def main():
    args = parse_args()
    tf.keras.utils.set_random_seed(2)
    os.makedirs(args.out, exist_ok=True)

    train_x, train_y = fake_spectrograms(256, seed=2)
    dev_x, dev_y = fake_spectrograms(64, seed=3)
    spotter = Spotter(n_words=4)

    path = os.path.join(args.out, "spotter_{epoch:02d}-{val_acc:.2f}.weights.h5")
    checkpoint = tf.keras.callbacks.ModelCheckpoint(
        path, monitor="val_loss", save_weights_only=True, save_best_only=False, verbose=1
    )
    spotter.model.fit(
        train_x,
        train_y,
        validation_data=(dev_x, dev_y),
        epochs=args.epochs,
        batch_size=args.batch,
        callbacks=[checkpoint],
        verbose=2,
    )
    print("checkpoints:", sorted(os.listdir(args.out)))


if __name__ == "__main__":
    main()
