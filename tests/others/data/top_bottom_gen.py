import numpy as np
from tensorflow.keras.layers import Conv2D, Dense, Flatten, Input, concatenate
from tensorflow.keras.models import Model
from tensorflow.keras.optimizers import Adam

TOP_DIM = (12, 16, 1)
BOT_DIM = (8, 10, 1)


def data_gen(top_dim, bot_dim, batch_size=16):
    """Yields batches of image pairs and their labels."""
    rng = np.random.default_rng(21)
    while True:
        batch_imgs = []  # <- cause
        batch_labels = []
        for _ in range(batch_size):
            label = int(rng.integers(0, 2))
            level = rng.uniform(0.0, 0.5) + 0.5 * label
            top_img = np.full(top_dim, level, dtype="float32")
            bot_img = np.full(bot_dim, level, dtype="float32")
            batch_imgs.append([top_img, bot_img])
            batch_labels.append(label)
        yield batch_imgs, np.array(batch_labels)  # <- cause


def get_branch(dim, name):
    inp = Input(shape=dim, name=name)
    x = Conv2D(4, (3, 3), activation="relu")(inp)
    x = Flatten()(x)
    x = Dense(8, activation="relu")(x)
    return inp, x


def get_compiled_model(top_dim, bot_dim):
    top_in, top = get_branch(top_dim, "top")
    bot_in, bot = get_branch(bot_dim, "bottom")
    merged = concatenate([top, bot])
    out = Dense(1, activation="sigmoid")(merged)
    model = Model(inputs=[top_in, bot_in], outputs=out)
    model.compile(optimizer=Adam(1e-3), loss="binary_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    model = get_compiled_model(TOP_DIM, BOT_DIM)
    model.fit(data_gen(TOP_DIM, BOT_DIM), steps_per_epoch=10, epochs=2, verbose=2)
