import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np

text = keras.Input((20,), dtype="int32", name="text")
picture = keras.Input((32, 32, 3), name="picture")
read = keras.layers.LSTM(8)(keras.layers.Embedding(100, 8)(text))
seen = keras.layers.GlobalAveragePooling2D()(keras.layers.Conv2D(4, 3)(picture))
answer = keras.layers.Dense(5, activation="softmax")(keras.layers.Concatenate()([read, seen]))
model = keras.Model([text, picture], answer)
model.compile("adam", "sparse_categorical_crossentropy")
generator = np.random.default_rng(0)


def batches():
    for number in range(40):
        side = 28 if number == 23 else 32
        words = generator.integers(0, 100, (8, 20))
        pictures = generator.random((8, side, side, 3), dtype="float32")
        yield {"text": words, "picture": pictures}, generator.integers(0, 5, 8)  # <- cause


model.fit(batches(), verbose=0)
