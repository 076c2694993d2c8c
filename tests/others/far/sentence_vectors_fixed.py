import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

CONFIG = {"vocabulary": 500, "width": 32, "max_position": 64, "heads": 2}


class Tokenizer:
    """Splits texts into pieces of three letters and numbers them."""

    def __init__(self, size, longest):
        self.size, self.longest = size, longest

    def encode(self, text, max_length=None):
        pieces = [text[at : at + 3] for at in range(0, len(text), 3)]
        numbers = [2] + [sum(map(ord, piece)) % (self.size - 4) + 4 for piece in pieces] + [3]
        return numbers[:max_length]


class Embeddings(keras.layers.Layer):
    def __init__(self, config):
        super().__init__()
        self.words = keras.layers.Embedding(config["vocabulary"], config["width"])
        self.places = keras.layers.Embedding(config["max_position"], config["width"])
        self.norm = keras.layers.LayerNormalization()

    def call(self, tokens):
        places = tf.range(tf.shape(tokens)[1])[None]
        return self.norm(self.words(tokens) + self.places(places))


class Encoder(keras.Model):
    def __init__(self, config):
        super().__init__()
        self.embeddings = Embeddings(config)
        self.attention = keras.layers.MultiHeadAttention(config["heads"], config["width"] // config["heads"])
        self.out = keras.layers.Dense(config["width"])

    def call(self, tokens):
        hidden = self.embeddings(tokens)
        return self.out(hidden + self.attention(hidden, hidden))


class SentenceVectors:
    def __init__(self, config):
        self.tokenizer = Tokenizer(config["vocabulary"], config["max_position"])
        self.encoder = Encoder(config)

    def __call__(self, texts):
        vectors = []
        for text in texts:
            tokens = self.tokenizer.encode(text, self.tokenizer.longest)
            vectors.append(tf.reduce_mean(self.encoder(np.array([tokens])), axis=1)[0].numpy())
        return np.stack(vectors)


def articles(count=20):
    lead = "the council met on monday to talk about the new bridge "
    return [lead * (1 + number // 6) + f"report {number}" for number in range(count)]


def main():
    vectors = SentenceVectors(CONFIG)(articles())
    print("vectors", vectors.shape)


main()
