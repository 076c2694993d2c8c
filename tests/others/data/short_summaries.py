"""Summaries of reviews: encoder and decoder of one LSTM each, and a greedy decoder for new reviews."""
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

REVIEWS = [
    ("the dog food is good and my dog likes it a lot", "good dog food"),
    ("i did not like the taste of this coffee at all", "bad coffee"),
    ("great tea for a cold evening and a good price", "great tea"),
    ("the package was broken and half of it was gone", "broken package"),
    ("my children love these cookies", "children love them"),
] * 12
MAX_TEXT, MAX_SUMMARY = 12, 8
UNITS = 32


def fit_vocabulary(lines):
    words = sorted({w for line in lines for w in line.split()})
    return {w: i + 1 for i, w in enumerate(words)}


def encode(lines, word_index, length):
    out = np.zeros((len(lines), length), "int32")
    for row, line in enumerate(lines):
        ids = [word_index[w] for w in line.split()][:length]
        out[row, :len(ids)] = ids
    return out


texts = [t for t, _ in REVIEWS]
summaries = ["sostok " + s + " eostok" for _, s in REVIEWS]
source_index = fit_vocabulary(texts)
target_word_index = fit_vocabulary(summaries)
reverse_target_word_index = {i: w for w, i in target_word_index.items()}  # <- cause
x_tr = encode(texts, source_index, MAX_TEXT)
y_tr = encode(summaries, target_word_index, MAX_SUMMARY)

encoder_inputs = layers.Input((MAX_TEXT,))
enc = layers.Embedding(len(source_index) + 1, 24)(encoder_inputs)
_, state_h, state_c = layers.LSTM(UNITS, return_state=True)(enc)
decoder_inputs = layers.Input((None,))
dec_emb_layer = layers.Embedding(len(target_word_index) + 1, 24)
decoder_lstm = layers.LSTM(UNITS, return_sequences=True, return_state=True)
decoder_outputs, _, _ = decoder_lstm(dec_emb_layer(decoder_inputs), initial_state=[state_h, state_c])
decoder_dense = layers.Dense(len(target_word_index) + 1, activation="softmax")
model = tf.keras.Model([encoder_inputs, decoder_inputs], decoder_dense(decoder_outputs))
model.compile(optimizer="rmsprop", loss="sparse_categorical_crossentropy")
tf.keras.utils.set_random_seed(2)
model.fit([x_tr, y_tr[:, :-1]], y_tr[:, 1:], epochs=4, batch_size=16, verbose=2)

encoder_model = tf.keras.Model(encoder_inputs, [state_h, state_c])
in_h, in_c = layers.Input((UNITS,)), layers.Input((UNITS,))
step_out, step_h, step_c = decoder_lstm(dec_emb_layer(decoder_inputs), initial_state=[in_h, in_c])
decoder_model = tf.keras.Model([decoder_inputs, in_h, in_c], [decoder_dense(step_out), step_h, step_c])


def decode_sequence(input_seq):
    h, c = encoder_model.predict(input_seq, verbose=0)
    target_seq = np.array([[target_word_index["sostok"]]])
    decoded = ""
    while True:
        output_tokens, h, c = decoder_model.predict([target_seq, h, c], verbose=0)
        sampled_token_index = np.argmax(output_tokens[0, -1, :])  # <- cause
        sampled_token = reverse_target_word_index[sampled_token_index]  # <- cause
        if sampled_token == "eostok" or len(decoded.split()) >= MAX_SUMMARY - 1:
            return decoded.strip()
        decoded += " " + sampled_token
        target_seq = np.array([[sampled_token_index]])


for i in range(3):
    print("Review:", texts[i])
    print("Predicted summary:", decode_sequence(x_tr[i].reshape(1, MAX_TEXT)))
