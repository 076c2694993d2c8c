# spelled numbers (knitting pattern language) -> digits, character level, encoder/decoder
import numpy as np
from keras.models import Model
from keras.layers import Input, LSTM, Dense, Bidirectional, Concatenate
import keras

keras.utils.set_random_seed(31)
half = 24
epochs = 30
batch_size = 32

ones = ["nul", "een", "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen"]
rs = np.random.RandomState(1)
src_texts, tgt_texts = [], []
for _ in range(320):
    digits = rs.randint(0, 10, rs.randint(1, 4))
    src_texts.append("-".join(ones[d] for d in digits))
    tgt_texts.append("<" + "".join(str(d) for d in digits) + ">")

src_chars = sorted(set("".join(src_texts)))
tgt_chars = sorted(set("".join(tgt_texts)))
src_index = {c: i for i, c in enumerate(src_chars)}
tgt_index = {c: i for i, c in enumerate(tgt_chars)}
rev_tgt = {i: c for c, i in tgt_index.items()}
n_src, n_tgt = len(src_chars), len(tgt_chars)
max_src = max(len(t) for t in src_texts)
max_tgt = max(len(t) for t in tgt_texts)
print("samples", len(src_texts), "| chars", n_src, n_tgt, "| longest", max_src, max_tgt)

enc_in = np.zeros((len(src_texts), max_src, n_src), dtype="float32")
dec_in = np.zeros((len(src_texts), max_tgt, n_tgt), dtype="float32")
dec_out = np.zeros((len(src_texts), max_tgt, n_tgt), dtype="float32")
for k, (s, t) in enumerate(zip(src_texts, tgt_texts)):
    for p, ch in enumerate(s):
        enc_in[k, p, src_index[ch]] = 1.0
    for p, ch in enumerate(t):
        dec_in[k, p, tgt_index[ch]] = 1.0
        if p > 0:
            dec_out[k, p - 1, tgt_index[ch]] = 1.0

# ---- training model
letters_in = Input(shape=(None, n_src))
reader = Bidirectional(LSTM(half, return_state=True))
_whole, fh, fc, bh, bc = reader(letters_in)
mem_h = Concatenate()([fh, bh])
mem_c = Concatenate()([fc, bc])
word_memory = [mem_h, mem_c]

digits_in = Input(shape=(None, n_tgt))
writer = LSTM(half * 2, return_sequences=True, return_state=True)
digit_probs, _, _ = writer(digits_in, initial_state=word_memory)
to_digit = Dense(n_tgt, activation="softmax")
digit_probs = to_digit(digit_probs)

model = Model([letters_in, digits_in], digit_probs)
model.compile(optimizer=keras.optimizers.RMSprop(0.01), loss="categorical_crossentropy")
model.fit([enc_in, dec_in], dec_out, batch_size=batch_size, epochs=epochs, verbose=0)
print("loss after training %.3f" % model.history.history["loss"][-1])

# ---- inference models
reader_net = Model(letters_in, word_memory)

mem_h_in = Input(shape=(half,))  # <- cause
mem_c_in = Input(shape=(half,))  # <- cause
mem_in = [mem_h_in, mem_c_in]
digit_probs, mem_h, mem_c = writer(digits_in, initial_state=mem_in)
mem_out = [mem_h, mem_c]
digit_probs = to_digit(digit_probs)
writer_net = Model([digits_in] + mem_in, [digit_probs] + mem_out)


def decode(one):
    states = reader_net.predict(one, verbose=0)
    cur = np.zeros((1, 1, n_tgt), dtype="float32")
    cur[0, 0, tgt_index["<"]] = 1.0
    text = ""
    while len(text) < max_tgt:
        probs, h, c = writer_net.predict([cur] + list(states), verbose=0)
        best = int(np.argmax(probs[0, -1]))
        if rev_tgt[best] == ">":
            break
        text += rev_tgt[best]
        cur = np.zeros((1, 1, n_tgt), dtype="float32")
        cur[0, 0, best] = 1.0
        states = [h, c]
    return text


for k in range(3):
    print(src_texts[k], "->", decode(enc_in[k:k + 1]), "(should be", tgt_texts[k] + ")")
