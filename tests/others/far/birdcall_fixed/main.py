import numpy as np
import tensorflow as tf

from clips import clips
from config import ListenConfig, TrainConfig
from net import call_net


def train(cfg):
    x, y = clips(cfg, 500, seed=1)
    model = call_net(cfg)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, epochs=cfg.EPOCHS, batch_size=cfg.BATCH, verbose=2)
    model.save_weights(cfg.WEIGHTS)


def listen(cfg, how_many=5):
    model = call_net(cfg)
    model.load_weights(cfg.WEIGHTS)
    x, y = clips(cfg, how_many, seed=2)
    scores = model.predict(x, batch_size=cfg.BATCH, verbose=0)
    for truth, guess in zip(y, np.argmax(scores, axis=1)):
        name = "nothing" if guess == 0 else cfg.SPECIES[guess - 1]
        print(f"heard {name} (true class {truth})")


def main():
    tf.keras.utils.set_random_seed(1)
    train(TrainConfig())
    listen(ListenConfig())


if __name__ == "__main__":
    main()
