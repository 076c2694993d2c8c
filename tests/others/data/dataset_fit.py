import numpy as np
import tensorflow as tf
from tensorflow import keras

BATCH = 10
N_FEATURES = 32
N_CLASSES = 10


def make_data(n, seed):
    rng = np.random.RandomState(seed)
    data = rng.random_sample((n, N_FEATURES)).astype("float32")
    labels = np.eye(N_CLASSES, dtype="float32")[rng.randint(0, N_CLASSES, size=n)]
    return data, labels


def input_pipeline(n, seed):
    data, labels = make_data(n, seed)
    dataset = tf.data.Dataset.from_tensor_slices((data, labels))
    dataset.batch(BATCH)  # <- cause
    return dataset


def make_model():
    inputs = keras.Input(shape=(N_FEATURES,))
    x = keras.layers.Dense(64, activation="relu")(inputs)
    x = keras.layers.Dense(64, activation="relu")(x)
    predictions = keras.layers.Dense(N_CLASSES, activation="softmax")(x)
    model = keras.Model(inputs=inputs, outputs=predictions)
    model.compile(optimizer=keras.optimizers.RMSprop(0.001),
                  loss="categorical_crossentropy",
                  metrics=["accuracy"])
    return model


train_set = input_pipeline(500, seed=0)
eval_set = input_pipeline(100, seed=1)
print("train set:", train_set)

model = make_model()
model.fit(train_set, epochs=2, verbose=2)
print("eval:", model.evaluate(eval_set, verbose=0))
