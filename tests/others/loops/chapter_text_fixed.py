"""Character model of a text: embedding, recurrent layer, scores for the next character."""

import numpy as np
import tensorflow as tf

TEXT = "the rain in the plain falls mainly on the train that runs again through the lane " * 12
SEQ_LENGTH = 20


class MyModel(tf.keras.Model):
    def __init__(self, vocab_size, embedding_dim, rnn_units):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
        self.gru = tf.keras.layers.GRU(rnn_units, return_sequences=True)
        self.dense = tf.keras.layers.Dense(vocab_size)

    def call(self, inputs, training=False):
        x = self.embedding(inputs, training=training)
        x = self.gru(x, training=training)
        return self.dense(x, training=training)


def split_input_target(sequence):
    return sequence[:-1], sequence[1:]


def make_dataset(text):
    vocab = sorted(set(text))
    ids_from_chars = {char: number for number, char in enumerate(vocab)}
    ids = np.array([ids_from_chars[char] for char in text])
    sequences = tf.data.Dataset.from_tensor_slices(ids).batch(SEQ_LENGTH + 1, drop_remainder=True)
    return sequences.map(split_input_target).shuffle(100).batch(8, drop_remainder=True), vocab


def main():
    dataset, vocab = make_dataset(TEXT)
    model = MyModel(vocab_size=len(vocab), embedding_dim=12, rnn_units=24)
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss)
    history = model.fit(dataset, epochs=1, verbose=0)
    print("loss", history.history["loss"][-1])


if __name__ == "__main__":
    main()
