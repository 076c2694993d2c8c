import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import Bidirectional, Dense, Embedding, LSTM

TEXT = """the harbour lights go out before the first boats leave
the first boats carry nets and ice and two men each
the men count the nets before the lights go out
when the ice is gone the boats come back to the harbour
and the women count the fish before the men sleep"""


def build_vocab(lines):
    words = sorted({w for line in lines for w in line.split()})
    return {w: i + 1 for i, w in enumerate(words)}


def ngrams(lines, index):
    out = []
    for line in lines:
        ids = [index[w] for w in line.split()]
        for end in range(2, len(ids) + 1):
            out.append(ids[:end])
    return out


def pad_left(seqs, length):
    mat = np.zeros((len(seqs), length), dtype="int32")
    for row, s in enumerate(seqs):
        mat[row, length - len(s):] = s
    return mat


lines = TEXT.split("\n")
word_index = build_vocab(lines)
num = len(word_index) + 1

seqs = ngrams(lines, word_index)
max_len = max(len(s) for s in seqs)
data = pad_left(seqs, max_len)
X = data[:, :-1]
Y = tf.keras.utils.to_categorical(data[:, -1], num)
print(X.shape, Y.shape, "vocabulary", num)

model = tf.keras.Sequential()
model.add(Embedding(num, 64))
model.add(Bidirectional(LSTM(32)))
model.add(Dense(num, activation="softmax"))
model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])

history = model.fit(X, Y, epochs=3, verbose=2)

probe = pad_left([[word_index["the"], word_index["first"]]], max_len - 1)
best = int(np.argmax(model.predict(probe, verbose=0)))
print("next:", {v: k for k, v in word_index.items()}.get(best, "<pad>"))
