import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import json
import sys

import numpy as np
from tensorflow import keras

INTENTS = ["greeting", "refund", "delivery", "robot?"]
KEYWORDS = {
    "greeting": ["hello", "hi", "morning"],
    "refund": ["money", "refund", "return"],
    "delivery": ["courier", "parcel", "when"],
    "robot?": ["robot", "human", "bot"],
}
WORDS = sorted(w for words in KEYWORDS.values() for w in words)


def featurize(sentence):
    tokens = sentence.lower().split()
    return np.array([tokens.count(w) for w in WORDS], dtype="float32")


def training_data(copies=10):
    rng = np.random.default_rng(8)
    x, y = [], []
    for label, intent in enumerate(INTENTS):
        for _ in range(copies):
            sentence = " ".join(rng.choice(KEYWORDS[intent], size=2))
            x.append(featurize(sentence))
            y.append(label)
    return np.stack(x), np.array(y)


class IntentModel:
    def __init__(self):
        self.net = keras.Sequential(
            [keras.Input(shape=(len(WORDS),)), keras.layers.Dense(len(INTENTS), activation="softmax")]
        )
        self.net.compile(optimizer=keras.optimizers.Adam(0.05), loss="sparse_categorical_crossentropy")

    def train(self, x, y):
        self.net.fit(x, y, epochs=10, verbose=0)

    def __call__(self, sentences):
        batch = np.stack([featurize(s) for s in sentences])
        probas = self.net.predict(batch, verbose=0)  # <- cause
        picked = [INTENTS[k] for k in probas.argmax(axis=1)]
        return list(zip(probas, picked))  # <- cause


def predict_on_stream(model, stream, batch_size=2):
    lines = [line.strip() for line in stream if line.strip()]
    for start in range(0, len(lines), batch_size):
        for res in model(lines[start:start + batch_size]):
            res = json.dumps(res, ensure_ascii=False)  # <- cause
            sys.stdout.write(res + "\n")


if __name__ == "__main__":
    model = IntentModel()
    model.train(*training_data())
    requests = ["hello there", "when comes the courier", "are you a robot", ""]
    predict_on_stream(model, requests)
