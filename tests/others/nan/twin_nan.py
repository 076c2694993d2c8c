import numpy as np
import tensorflow as tf
from tensorflow.keras import Model
from tensorflow.keras.layers import Dense, Input, Lambda

DIM = 16


def signature_pairs(n=120, seed=17):
    rng = np.random.default_rng(seed)
    writers = rng.normal(size=(10, DIM))
    left, right, same = [], [], []
    for k in range(n):
        a = rng.integers(10)
        genuine = k % 2 == 0
        b = a if genuine else (a + rng.integers(1, 10)) % 10
        left.append(writers[a])
        right.append(writers[b] + (0.0 if k % 8 == 0 else 0.1) * rng.normal(size=DIM))
        same.append(1.0 if genuine else 0.0)
    return (np.array(left, "float32"), np.array(right, "float32"),
            np.array(same, "float32").reshape(-1, 1))


def base_network():
    inp = Input(shape=(DIM,))
    x = Dense(32, activation="relu")(inp)
    x = Dense(8)(x)
    return Model(inp, x, name="embedder")


def euclidean_distance(vects):
    x, y = vects
    return tf.sqrt(tf.reduce_sum(tf.square(x - y), axis=1, keepdims=True))  # <- cause


def build_siamese():
    embed = base_network()
    a, b = Input(shape=(DIM,)), Input(shape=(DIM,))
    dist = Lambda(euclidean_distance, output_shape=(1,))([embed(a), embed(b)])
    score = Dense(1, activation="sigmoid", name="same_writer")(dist)
    model = Model([a, b], score)
    model.compile(optimizer="rmsprop", loss="binary_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    tf.random.set_seed(1)
    left, right, same = signature_pairs()
    model = build_siamese()
    history = model.fit([left, right], same, batch_size=24, epochs=3, verbose=2)
    print("losses:", history.history["loss"])
    print("scores:", model.predict([left[:4], right[:4]], verbose=0).ravel())
