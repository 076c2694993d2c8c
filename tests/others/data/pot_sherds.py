import os
import tempfile

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow.keras import layers, models

np.random.seed(31)
folder = tempfile.mkdtemp()

names, eras = [], []
for n in range(48):
    era = n % 4
    pic = np.random.randint(0, 90, (24, 24, 3)).astype("uint8")
    pic[6 * era:6 * era + 6] += 120
    name = "sherd_%02d.png" % n
    tf.io.write_file(os.path.join(folder, name), tf.io.encode_png(pic))
    names.append(name)
    eras.append(era)

notes = pd.DataFrame({"era": eras}, index=names)
one_hot = pd.get_dummies(notes["era"]).astype("float32")
train_notes, valid_notes = one_hot.iloc[:36], one_hot.iloc[36:]
batch_size = 12


def read_sherd(fn):
    file_name = bytes.decode(fn.numpy())
    raw = tf.io.read_file(os.path.join(folder, file_name))
    image = tf.image.decode_image(raw, channels=3, dtype=tf.float32)
    image = tf.image.resize(image, (20, 20))
    label = one_hot.loc[file_name].values
    return image, label


def make_dataset(table):
    ds = tf.data.Dataset.from_tensor_slices(table.index.values.astype(str))
    ds = ds.map(lambda fn: tf.py_function(read_sherd, [fn], [tf.float32, tf.float32]))  # <- cause
    return ds.batch(batch_size)


ds_train = make_dataset(train_notes)
ds_valid = make_dataset(valid_notes)

model = models.Sequential([
    layers.Conv2D(8, 3, activation="relu"),
    layers.MaxPooling2D(),
    layers.Flatten(),
    layers.Dense(16, activation="relu"),
    layers.Dense(4, activation="softmax"),
])
model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
history = model.fit(ds_train, validation_data=ds_valid, epochs=2, verbose=2)
print(history.history["val_accuracy"])
