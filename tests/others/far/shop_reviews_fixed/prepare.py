import json
import os
import re

import numpy as np
from tensorflow.keras.preprocessing.sequence import pad_sequences
from tensorflow.keras.preprocessing.text import Tokenizer

DATA_DIR = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data_in')
MAX_LEN = 8

GOOD = ['crisp', 'tasty', 'fresh', 'friendly', 'warm', 'cosy', 'quick', 'generous']
BAD = ['stale', 'cold', 'rude', 'slow', 'greasy', 'noisy', 'dirty', 'bland']
NOUNS = ['soup', 'bread', 'waiter', 'table', 'coffee', 'cake', 'room', 'garden', 'bill', 'menu']
STOP = {'the', 'was', 'and', 'a'}


def write_reviews(n=240, seed=3):
    rng = np.random.RandomState(seed)
    rows = []
    for i in range(n):
        label = int(rng.randint(2))
        words = GOOD if label else BAD
        a, b = rng.choice(words, 2)
        n1, n2 = rng.choice(NOUNS, 2)
        rows.append(('The %s was %s and the %s was %s!' % (n1, a, n2, b), label))
    return rows


def clean(text):
    text = re.sub('[^a-z ]', '', text.lower())
    return [w for w in text.split() if w not in STOP]


def main():
    os.makedirs(DATA_DIR, exist_ok=True)
    rows = write_reviews()
    texts = [clean(t) for t, _ in rows]
    labels = np.array([l for _, l in rows])

    tokenizer = Tokenizer()
    tokenizer.fit_on_texts(texts)
    sequences = tokenizer.texts_to_sequences(texts)
    inputs = pad_sequences(sequences, maxlen=MAX_LEN, padding='post')

    np.save(os.path.join(DATA_DIR, 'train_input.npy'), inputs)
    np.save(os.path.join(DATA_DIR, 'train_label.npy'), labels)
    configs = {'vocab': tokenizer.word_index, 'vocab_size': len(tokenizer.word_index)}
    with open(os.path.join(DATA_DIR, 'data_configs.json'), 'w') as f:
        json.dump(configs, f)
