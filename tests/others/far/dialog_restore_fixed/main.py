import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf

import nets

WEIGHTS = "copier.weights.h5"


class Trainer:
    def __init__(self, epochs):
        self.epochs = epochs
        self.model = nets.build_copier()

    def run(self):
        phrases = nets.random_phrases(256, seed=6)
        self.model.fit(phrases, phrases[:, ::-1], epochs=self.epochs, batch_size=32, verbose=2)
        nets.save(self.model, WEIGHTS)
        print("weights written,", self.model.count_params(), "parameters")


class Responder:
    def __init__(self, path):
        self.model = nets.restore(path)

    def answer(self, phrases):
        probabilities = self.model.predict(phrases, verbose=0)
        return np.argmax(probabilities, axis=-1)


def main():
    tf.keras.utils.set_random_seed(6)
    Trainer(epochs=2).run()
    responder = Responder(WEIGHTS)
    questions = nets.random_phrases(3, seed=60)
    for question, reply in zip(questions, responder.answer(questions)):
        print(question.tolist(), "->", reply.tolist())


if __name__ == "__main__":
    main()
