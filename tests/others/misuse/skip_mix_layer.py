import numpy as np
import keras
from keras import ops
from keras.layers import Layer, Input, Dense, Embedding, GlobalAveragePooling1D
from keras.models import Model
from keras.utils import pad_sequences
from sklearn.model_selection import train_test_split

keras.utils.set_random_seed(5)

# short complaint texts of a parcel service, 1 = urgent
urgent_words = "broken leaking medicine urgent lost perishable today".split()
plain_words = "question invoice address form colour label office letter number please parcel".split()
vocab = {w: i + 1 for i, w in enumerate(urgent_words + plain_words)}
rs = np.random.RandomState(9)

texts, flags = [], []
for i in range(400):
    n = rs.randint(4, 11)
    words = list(rs.choice(plain_words, n))
    if i % 2:
        for k in rs.choice(n, 2, replace=False):
            words[k] = rs.choice(urgent_words)
    texts.append(" ".join(words))
    flags.append(i % 2)

seqs = [[vocab[w] for w in t.split()] for t in texts]
X = pad_sequences(seqs, maxlen=10)
y = np.array(flags, dtype="float32")
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, random_state=3)
print("vocabulary", len(vocab), "train", X_tr.shape)


class ContextMix(Layer):
    """(batch, dim) -> (batch, n_context, out_dim), one projection per context slot"""

    def __init__(self, out_dim, n_context, init="glorot_uniform", **kwargs):
        super().__init__(**kwargs)
        self.out_dim = out_dim
        self.n_context = n_context
        self.init = init

    def build(self, input_shape):
        dim = input_shape[-1]
        self.W = self.add_weight(
            shape=(self.n_context, dim, self.out_dim),
            initializer=self.init,
            trainable=True,
            name="W_ctx",
        )
        super().build()  # <- cause

    def call(self, x):
        return ops.einsum("bd,cdo->bco", x, self.W)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.n_context, self.out_dim)


tokens = Input(shape=(10,), dtype="int32", name="tokens")
h = Embedding(len(vocab) + 1, 16)(tokens)
h = GlobalAveragePooling1D()(h)
h = ContextMix(8, 3)(h)
h = GlobalAveragePooling1D()(h)
out = Dense(1, activation="sigmoid")(h)

net = Model(tokens, out)
net.compile(optimizer=keras.optimizers.Adam(0.01), loss="binary_crossentropy", metrics=["accuracy"])
net.summary()
net.fit(X_tr, y_tr, epochs=6, batch_size=32, verbose=2)
print("test:", net.evaluate(X_te, y_te, verbose=0))
