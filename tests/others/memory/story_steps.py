import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

VOCABULARY, LENGTH, WIDTH = 800, 12, 96


class Writer(keras.Model):
    def __init__(self, blocks=6):
        super().__init__()
        self.words = keras.layers.Embedding(VOCABULARY, WIDTH)
        self.blocks = [keras.layers.Dense(WIDTH, activation="relu") for _ in range(blocks)]
        self.out = keras.layers.Dense(VOCABULARY)
        self.places = np.sin(np.arange(LENGTH * 4096).reshape(-1, 1) / np.arange(1, WIDTH + 1)).astype("float32")

    def call(self, text):
        hidden = self.words(text) + tf.constant(self.places)[: tf.shape(text)[1]]
        for block in self.blocks:
            hidden = hidden + block(hidden)
        return self.out(hidden)


class Trainer:
    def __init__(self, log_every=50):
        self.model = Writer()
        self.optimizer = keras.optimizers.SGD(0.01)
        self.log_every = log_every

    @tf.function
    def train_step(self, text, step, clip=1.0):
        inputs, targets = text[:, :-1], text[:, 1:]
        with tf.GradientTape() as tape:
            logits = self.model(inputs)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        gradients = [tf.clip_by_value(gradient, -clip, clip) for gradient in gradients]
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        if step % self.log_every == 0:
            tf.print("step", step, "loss", loss)
        return loss

    def fit(self, data):
        for step, text in enumerate(data):
            self.train_step(text, step)  # <- cause


def stories(batches, seed=1):
    draw = np.random.default_rng(seed)
    texts = draw.integers(0, VOCABULARY, (batches, 4, LENGTH + 1))
    return tf.data.Dataset.from_tensor_slices(texts.astype("int32"))


Trainer().fit(stories(300))
