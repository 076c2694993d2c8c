"""Tags sentences with the stored tagger."""
import os
import pickle
import sys
import tempfile

import numpy as np
from tensorflow.keras.models import load_model

from make_model import make_model

SENTENCES = ["the dog sleeps", "a child sings early", "the red bird walks slowly"]


def tag(sentence, model, word2int, int2tag, max_length):
    tokens = sentence.split()
    tokenized_sentence = []
    for word in tokens:
        tokenized_sentence.append(word2int.get(word, 0))
    padded = np.zeros((1, max_length), "int32")
    padded[0, :len(tokens)] = tokenized_sentence
    prediction = model.predict(padded, verbose=0)
    return [(word, int2tag.get(int(np.argmax(prediction[0, i])), "-")) for i, word in enumerate(tokens)]


def main(sentences):
    folder = tempfile.mkdtemp()
    model_path, data_path = os.path.join(folder, "model.keras"), os.path.join(folder, "data.pkl")
    make_model(model_path, data_path)
    with open(data_path, "rb") as f:
        word2int, int2tag, max_length = pickle.load(f)
    model = load_model(model_path)
    for sentence in sentences:
        print(" ".join(f"{word}/{kind}" for word, kind in tag(sentence, model, word2int, int2tag, max_length)))


if __name__ == "__main__":
    main(sys.argv[1:] or SENTENCES)
