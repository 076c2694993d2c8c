import numpy as np


class Corpus:
    """Token stream with a long-tailed vocabulary, cut into windows."""

    def __init__(self, n_tokens, vocab, seed=0):
        rng = np.random.default_rng(seed)
        ranks = rng.zipf(1.3, size=n_tokens)
        self.vocab = vocab
        self.tokens = (ranks % vocab).astype("int32")

    def windows(self, width, step):
        starts = np.arange(0, len(self.tokens) - width - 1, step)
        ctx = np.stack([self.tokens[starts + k] for k in range(width)], axis=1)
        nxt = self.tokens[starts + width]
        return ctx, nxt


def encode_targets(nxt, vocab):
    labels = np.zeros((len(nxt), vocab), dtype=np.float32)
    for row, token in enumerate(nxt):
        labels[row, token] = 1.0
    return labels
