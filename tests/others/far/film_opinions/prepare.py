import json
import os

import numpy as np

MAX_LEN = 8
OUT = 'data_out'
NOUNS = ['plot', 'cast', 'music', 'ending', 'scene', 'actor', 'script', 'sound', 'shot', 'joke']
GOOD = ['great', 'lovely', 'warm', 'clever', 'funny', 'bright']
BAD = ['dull', 'weak', 'slow', 'silly', 'cold', 'messy']


def sentences(n, seed=1):
    rng = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        y = int(rng.integers(0, 2))
        words = list(rng.choice(NOUNS, 4)) + list(rng.choice(GOOD if y else BAD, 3))
        rng.shuffle(words)
        texts.append([str(w) for w in words])
        labels.append(y)
    return texts, labels


def build():
    texts, labels = sentences(400)
    counts = {}
    for words in texts:
        for w in words:
            counts[w] = counts.get(w, 0) + 1
    ordered = sorted(counts, key=lambda w: -counts[w])
    word_index = {w: i for i, w in enumerate(ordered, start=1)}
    data = np.zeros((len(texts), MAX_LEN), dtype=np.int32)
    for r, words in enumerate(texts):
        ids = [word_index[w] for w in words][:MAX_LEN]
        data[r, :len(ids)] = ids
    os.makedirs(OUT, exist_ok=True)
    np.save(os.path.join(OUT, 'train_input.npy'), data)
    np.save(os.path.join(OUT, 'train_label.npy'), np.array(labels))
    with open(os.path.join(OUT, 'data_configs.json'), 'w') as f:
        json.dump({'vocab': word_index, 'vocab_size': len(word_index)}, f)
