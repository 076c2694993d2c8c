import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

draw = np.random.default_rng(8)
table = draw.normal(size=(20_000, 128)).astype("float32")
heads = {"topic": draw.normal(size=(128, 12)).astype("float32"), "mood": draw.normal(size=(128, 3)).astype("float32")}


@tf.function
def answer(tokens, mask):
    words = tf.gather(table, tokens) * mask[:, None]
    sentence = tf.reduce_sum(words, axis=0) / tf.reduce_sum(mask)
    return {name: tf.nn.softmax(tf.linalg.matvec(head, sentence, transpose_a=True)) for name, head in heads.items()}


def tokenize(text):
    return np.array([sum(map(ord, word)) * 31 % len(table) for word in text.split()], "int32")


def requests(count):
    for number in range(count):
        yield " ".join(f"w{number * 7 % (k + 3)}" for k in range(5 + number))


def serve():
    for number, text in enumerate(requests(80)):
        tokens = tokenize(text)
        reply = answer(tf.constant(tokens), tf.ones(len(tokens)))  # <- cause
        if number % 10 == 0:
            print("request", number, int(tf.argmax(reply["topic"])), flush=True)


serve()
