import numpy as np
from tensorflow.keras import Model, layers

from ticket_data import TicketBatches, load_tickets

VOCAB = 400
TITLE_LEN = 12
META = 6


def build_router(n_teams):
    title = layers.Input(shape=(TITLE_LEN,), name="title")
    meta = layers.Input(shape=(META,), name="meta")

    t = layers.Embedding(VOCAB, 16)(title)
    t = layers.GlobalAveragePooling1D()(t)
    m = layers.Dense(8, activation="relu")(meta)

    h = layers.concatenate([t, m])
    h = layers.Dense(24, activation="relu")(h)
    out = layers.Dense(n_teams, activation="softmax")(h)
    return Model(inputs=[title, meta], outputs=out)


def main():
    titles, meta, team = load_tickets(320, VOCAB, TITLE_LEN, META)
    split = 256
    train = TicketBatches(titles[:split], meta[:split], team[:split], batch_size=32)
    valid = TicketBatches(titles[split:], meta[split:], team[split:], batch_size=32, shuffle=False)

    router = build_router(int(team.max()) + 1)
    router.compile(optimizer="adam",
                   loss="sparse_categorical_crossentropy",
                   metrics=["accuracy"])
    router.fit(train, validation_data=valid, epochs=2, verbose=2)
    print("done, team histogram", np.bincount(team))


if __name__ == "__main__":
    main()
