import os

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.callbacks import EarlyStopping, ModelCheckpoint


class AcousticModel:
    def __init__(self, n_mels, n_words, lr=0.001):
        self.n_mels = n_mels
        self.n_words = n_words
        self.lr = lr
        self._model_init()
        self._opt_init()

    def _model_init(self):
        inputs = layers.Input(shape=(None, self.n_mels), name="the_inputs")
        x = layers.Conv1D(16, 3, padding="same", activation="relu")(inputs)
        x = layers.GlobalMaxPooling1D()(x)
        x = layers.Dense(32, activation="relu")(x)
        outputs = layers.Dense(self.n_words, activation="softmax")(x)
        self.model = keras.Model(inputs, outputs)

    def _opt_init(self):
        opt = keras.optimizers.Adam(learning_rate=self.lr, beta_1=0.9, beta_2=0.999)
        self.model.compile(optimizer=opt, loss="sparse_categorical_crossentropy", metrics=["accuracy"])


def fake_clips(n, seed):
    rng = np.random.RandomState(seed)
    words = rng.randint(0, 5, size=n)
    mels = rng.normal(size=(n, 30, 20)).astype("float32")
    mels[np.arange(n), :, words] += 2.0
    return mels, words


def main():
    train_x, train_y = fake_clips(160, 0)
    dev_x, dev_y = fake_clips(40, 1)
    am = AcousticModel(n_mels=20, n_words=5)

    ckpt_dir = "checkpoints"
    os.makedirs(ckpt_dir, exist_ok=True)
    pattern = os.path.join(ckpt_dir, "model_{epoch:02d}-{val_accuracy:.2f}.keras")
    checkpoint = ModelCheckpoint(pattern, monitor="val_loss", save_weights_only=False,
                                 verbose=1, save_best_only=False)
    stopper = EarlyStopping(monitor="val_loss", patience=3)

    am.model.fit(train_x, train_y, batch_size=32, epochs=3,
                 validation_data=(dev_x, dev_y),
                 callbacks=[checkpoint, stopper], verbose=2)
    print(sorted(os.listdir(ckpt_dir)))


if __name__ == "__main__":
    main()
