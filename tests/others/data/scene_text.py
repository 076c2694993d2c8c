import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
HEIGHT, WIDTH, LONGEST = 16, 64, 24


def signs(count, seed=5):
    """Cut-out words; a word may be long on a narrow sign."""
    draw = np.random.default_rng(seed)
    texts = ["".join(draw.choice(list(ALPHABET), draw.integers(3, 9))) for _ in range(count)]
    texts[150] = "gaststaettenverordnung"
    texts[170] = "strassenbahnhaltestelle"
    return texts


def drawn(texts):
    pictures = np.zeros((len(texts), HEIGHT, WIDTH, 1), "float32")
    for picture, text in zip(pictures, texts, strict=True):
        step = WIDTH / len(text)
        for place, letter in enumerate(text):
            picture[ALPHABET.index(letter) % HEIGHT, int(place * step) : int((place + 1) * step)] = 1.0
    return pictures


def encoded(texts):
    rows, lengths = np.zeros((len(texts), LONGEST), "int32"), np.zeros(len(texts), "int32")
    for number, text in enumerate(texts):
        rows[number, : len(text)] = [ALPHABET.index(letter) + 1 for letter in text]
        lengths[number] = len(text)
    return rows, lengths


class Recogniser(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")
        self.second = keras.layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")
        self.rnn = keras.layers.Bidirectional(keras.layers.GRU(16, return_sequences=True))
        self.out = keras.layers.Dense(len(ALPHABET) + 1)

    def call(self, pictures):
        hidden = self.second(self.first(pictures))
        columns = tf.transpose(hidden, (0, 2, 1, 3))
        shape = tf.shape(columns)
        return self.out(self.rnn(tf.reshape(columns, (shape[0], WIDTH // 4, HEIGHT // 4 * 16))))


def loss_of(logits, labels, lengths):
    times = tf.fill(tf.shape(lengths), tf.shape(logits)[1])
    sparse = tf.RaggedTensor.from_tensor(labels, lengths).to_sparse()
    return tf.reduce_mean(
        tf.compat.v1.nn.ctc_loss_v2(
            tf.cast(sparse, tf.int32), logits, None, times, logits_time_major=False, blank_index=0
        )
    )


def training_texts(count):
    return signs(count)  # <- cause


def main():
    keras.utils.set_random_seed(3)
    texts = training_texts(240)
    data = tf.data.Dataset.from_tensor_slices((drawn(texts), *encoded(texts))).batch(16)
    model, optimizer = Recogniser(), keras.optimizers.Adam(1e-3)
    for number, (pictures, labels, lengths) in enumerate(data):
        with tf.GradientTape() as tape:
            loss = loss_of(model(pictures), labels, lengths)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        print("batch", number, "loss", float(loss), flush=True)


main()
