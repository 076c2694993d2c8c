import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras

CONFIG = {"vocab": 60, "units": 16, "passage": 12, "question": 5, "batch": 16}


class CrossAttention(keras.layers.Layer):
    """Each word of the passage looks at the words of the question."""

    def __init__(self, units, **options):
        super().__init__(**options)
        self.query = keras.layers.Dense(units, use_bias=False)
        self.key = keras.layers.Dense(units, use_bias=False)

    def call(self, passage, question, question_ids):
        scores = tf.matmul(self.query(passage), self.key(question), transpose_b=True)
        blocked = tf.equal(question_ids, 0)[:, tf.newaxis, :]
        scores = tf.where(blocked, float("-inf"), scores)  # <- cause
        weights = tf.nn.softmax(scores, axis=-1)
        return tf.matmul(weights, question)


def make_reader():
    passage = keras.Input((CONFIG["passage"],), dtype="int32")
    question = keras.Input((CONFIG["question"],), dtype="int32")
    embed = keras.layers.Embedding(CONFIG["vocab"], CONFIG["units"])
    seen = CrossAttention(CONFIG["units"])(embed(passage), embed(question), question)
    joined = keras.layers.Concatenate()([embed(passage), seen])
    start = keras.layers.Flatten()(keras.layers.Dense(1)(joined))
    return keras.Model([passage, question], start)


def squad_like(count=400, seed=69):
    draw = np.random.default_rng(seed)
    passages = draw.integers(1, CONFIG["vocab"], (count, CONFIG["passage"]))
    questions = draw.integers(1, CONFIG["vocab"], (count, CONFIG["question"]))
    lengths = draw.integers(2, CONFIG["question"] + 1, count)
    lengths[211] = 0
    questions[np.arange(CONFIG["question"])[None] >= lengths[:, None]] = 0
    return (passages, questions), draw.integers(0, CONFIG["passage"], count)


def main():
    keras.utils.set_random_seed(9)
    inputs, starts = squad_like()
    reader = make_reader()
    reader.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    reader.fit(list(inputs), starts, batch_size=CONFIG["batch"], epochs=2, shuffle=False, verbose=2)


main()
