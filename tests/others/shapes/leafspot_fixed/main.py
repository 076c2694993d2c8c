import numpy as np
from tensorflow import keras

from backbone import feature_extractor
from heads import disease_head

CONFIG = {"arch": "mobile", "side": 96, "classes": 4, "lr": 1e-3}


def leaves(n, side, classes, seed=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    x = rng.uniform(0, 1, (n, side, side, 3)).astype("float32")
    x[..., 1] += y[:, None, None] * 0.1
    return x, y


def assemble(cfg):
    base = feature_extractor(cfg["arch"], cfg["side"])
    out = disease_head(base.output, cfg["classes"])
    return keras.Model(base.input, out)


def main(cfg=CONFIG):
    x, y = leaves(24, cfg["side"], cfg["classes"])
    model = assemble(cfg)
    model.compile(optimizer=keras.optimizers.Adam(cfg["lr"]),
                  loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x, y, batch_size=8, epochs=1, verbose=2)


if __name__ == "__main__":
    main()
