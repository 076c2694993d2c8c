"""Intent classifier of a help-desk bot: bag of words in, intent out."""
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import random

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

INTENTS = {
    "greeting": ["hello there", "good morning", "hi bot", "hey how are you"],
    "password": ["i forgot my password", "reset my password please", "password does not work"],
    "printer": ["the printer is jammed", "printer prints blank pages", "no paper in the printer"],
    "goodbye": ["bye", "see you later", "thanks and bye"],
}


def tokenize(sentence):
    return sentence.lower().split()


class BotTrainer:
    def __init__(self, intents):
        self.intents = intents
        self.tags = sorted(intents)
        self.words = sorted({w for lines in intents.values() for s in lines for w in tokenize(s)})

    def bag(self, sentence):
        tokens = set(tokenize(sentence))
        return [1 if word in tokens else 0 for word in self.words]

    def dataset(self):
        training = []
        for position, tag in enumerate(self.tags):
            for sentence in self.intents[tag]:
                row = [0] * len(self.tags)
                row[position] = 1
                training.append([self.bag(sentence), row])
        random.shuffle(training)
        training = np.array(training, dtype=object)
        train_x = np.array(list(training[:, 0]), dtype="float32")
        train_y = np.array(list(training[:, 1]), dtype="float32")
        return train_x, train_y

    def build(self):
        model = keras.Sequential(
            [
                keras.Input((len(self.words),)),
                layers.Dense(32, activation="relu"),
                layers.Dropout(0.3),
                layers.Dense(len(self.tags), activation="softmax"),
            ]
        )
        model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
        return model


def main():
    random.seed(13)
    keras.utils.set_random_seed(13)
    trainer = BotTrainer(INTENTS)
    print(len(trainer.words), "words,", len(trainer.tags), "intents")
    train_x, train_y = trainer.dataset()
    model = trainer.build()
    model.fit(train_x, train_y, epochs=20, batch_size=4, verbose=0)
    question = "my printer is jammed"
    scores = model.predict(np.array([trainer.bag(question)], dtype="float32"), verbose=0)[0]
    print(question, "->", trainer.tags[int(scores.argmax())])


if __name__ == "__main__":
    main()
