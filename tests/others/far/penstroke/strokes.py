import numpy as np

import settings as cfg


def draw_word(rng):
    n = rng.integers(3, cfg.MAX_WORD + 1)
    word = rng.integers(0, len(cfg.ALPHABET), size=n)
    track = rng.normal(0.0, 0.1, size=(cfg.FRAMES, cfg.CHANNELS))
    span = cfg.FRAMES // n
    for k, letter in enumerate(word):
        track[k * span:(k + 1) * span, letter % cfg.CHANNELS] += 1.0 + letter / 8.0
    return track.astype("float32"), word


def batches(n_batches, seed=3):
    rng = np.random.default_rng(seed)
    for _ in range(n_batches):
        x = np.zeros((cfg.BATCH, cfg.FRAMES, cfg.CHANNELS), "float32")
        y = np.zeros((cfg.BATCH, cfg.MAX_WORD), "int32")
        x_len = np.zeros((cfg.BATCH, 1), "int32")
        y_len = np.zeros((cfg.BATCH, 1), "int32")
        for i in range(cfg.BATCH):
            track, word = draw_word(rng)
            x[i] = track
            y[i, :len(word)] = word
            x_len[i] = len(track)  # <- cause
            y_len[i] = len(word)
        yield x, y, x_len, y_len
