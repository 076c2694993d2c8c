import numpy as np
from tensorflow.keras import Model
from tensorflow.keras.layers import Dense, Dropout, Input, concatenate

BATCH_SIZE = 32
TEXT_DIM = 20
META_DIM = 6


def fake_tickets(n, seed=11):
    rng = np.random.default_rng(seed)
    text = rng.normal(size=(n, TEXT_DIM)).astype("float32")
    meta = rng.normal(size=(n, META_DIM)).astype("float32")
    urgent = (text[:, 0] + meta[:, 0] > 0).astype("float32").reshape(-1, 1)
    hours = np.abs(text[:, 1] * 3 + meta[:, 1]).astype("float32").reshape(-1, 1)
    return text, meta, urgent, hours


class TicketStore:
    def __init__(self, n):
        self.text, self.meta, self.urgent, self.hours = fake_tickets(n)
        self.split = int(0.8 * n)

    def indices(self, train):
        n = len(self.text)
        return np.arange(self.split) if train else np.arange(self.split, n)


def data_generator(store, train, batch_size):
    idx = store.indices(train)
    while True:
        if train:
            np.random.shuffle(idx)
        for start in range(0, len(idx) - batch_size + 1, batch_size):
            sel = idx[start:start + batch_size]
            X1 = store.text[sel]
            X2 = store.meta[sel]
            y = (store.urgent[sel], store.hours[sel])
            yield (X1, X2), y


def build_model():
    input_a = Input(shape=(TEXT_DIM,), name="text")
    input_b = Input(shape=(META_DIM,), name="meta")
    a = Dense(24, activation="relu")(input_a)
    b = Dense(8, activation="relu")(input_b)
    shared = Dropout(0.2)(concatenate([a, b]))
    output_a = Dense(1, activation="sigmoid", name="urgent")(shared)
    output_b = Dense(1, name="hours")(shared)
    model = Model(inputs=[input_a, input_b], outputs=[output_a, output_b])
    model.compile(optimizer="adam", loss=["binary_crossentropy", "mse"], loss_weights=[1.0, 0.2])
    return model


def main():
    store = TicketStore(320)
    train_steps = len(store.indices(True)) // BATCH_SIZE
    val_steps = len(store.indices(False)) // BATCH_SIZE
    model = build_model()
    model.fit(data_generator(store, True, BATCH_SIZE),
              steps_per_epoch=train_steps,
              epochs=2,
              validation_data=data_generator(store, False, BATCH_SIZE),
              validation_steps=val_steps,
              verbose=2)


main()
