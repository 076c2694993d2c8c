"""A small adversarial pair: a generator of 8x8 digits and its discriminator."""

import numpy as np
from keras.layers import Dense, Dropout, Flatten, Input, LeakyReLU, Reshape
from keras.models import Model, Sequential
from keras.optimizers import Adam
from keras.regularizers import L1L2

OPTIONS = dict(latent_dim=16, hidden_dim=64, input_shape=(8, 8), batch=32, steps=3)


def model_generator(latent_dim, input_shape, hidden_dim, reg=lambda: L1L2(1e-5, 1e-5)):
    return Sequential(
        [
            Input((latent_dim,)),
            Dense(int(hidden_dim / 4), kernel_regularizer=reg()),
            LeakyReLU(negative_slope=0.2),
            Dense(hidden_dim, kernel_regularizer=reg()),
            LeakyReLU(negative_slope=0.2),
            Dense(int(np.prod(input_shape)), activation="sigmoid", kernel_regularizer=reg()),
            Reshape(input_shape, name="fake"),
        ],
        name="generator",
    )


def model_discriminator(input_shape, hidden_dim, reg=lambda: L1L2(1e-5, 1e-5), dropout=0.4):
    model = Sequential(name="discriminator")
    model.add(Input(input_shape))
    model.add(Flatten())
    model.add(Dense(hidden_dim, kernel_regularizer=reg()))
    model.add(LeakyReLU(negative_slope=0.2))
    model.add(Dropout(dropout))
    model.add(Dense(hidden_dim / 2, kernel_regularizer=reg()))  # <- cause
    model.add(LeakyReLU(negative_slope=0.2))
    model.add(Dense(1, activation="sigmoid"))
    return model


def real_digits(count):
    rng = np.random.default_rng(9)
    return (rng.random((count, *OPTIONS["input_shape"])) > 0.7).astype("float32")


def main():
    rng = np.random.default_rng(10)
    generator = model_generator(OPTIONS["latent_dim"], OPTIONS["input_shape"], OPTIONS["hidden_dim"])
    discriminator = model_discriminator(OPTIONS["input_shape"], OPTIONS["hidden_dim"])
    discriminator.compile(Adam(1e-3), "binary_crossentropy")
    latent = Input((OPTIONS["latent_dim"],))
    combined = Model(latent, discriminator(generator(latent)))
    combined.compile(Adam(1e-3), "binary_crossentropy")
    for _ in range(OPTIONS["steps"]):
        z = rng.normal(size=(OPTIONS["batch"], OPTIONS["latent_dim"])).astype("float32")
        both = np.concatenate([real_digits(OPTIONS["batch"]), generator.predict(z, verbose=0)])
        truth = np.concatenate([np.ones((OPTIONS["batch"], 1)), np.zeros((OPTIONS["batch"], 1))])
        discriminator.train_on_batch(both, truth)
        loss = combined.train_on_batch(z, np.ones((OPTIONS["batch"], 1)))
    print("generator loss", float(loss))


if __name__ == "__main__":
    main()
