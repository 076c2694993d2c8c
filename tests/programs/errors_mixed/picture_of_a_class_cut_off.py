"""A folder for each class, and one of the pictures was not copied to its end.

It stays, because the files are read after the program has ended.
"""

import os
import pathlib
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf

folder = pathlib.Path(tempfile.mkdtemp(dir="."))
for kind in ("cats", "dogs"):
    (folder / kind).mkdir()
    for number in range(12):
        picture = np.random.default_rng(number).integers(0, 255, (16, 16, 3)).astype("uint8")
        (folder / kind / f"{number}.jpg").write_bytes(tf.io.encode_jpeg(picture).numpy())
whole = (folder / "dogs" / "7.jpg").read_bytes()
(folder / "dogs" / "7.jpg").write_bytes(whole[: len(whole) // 3])

pictures = keras.utils.image_dataset_from_directory(folder, image_size=(16, 16), batch_size=4)  # <- cause
model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(1, activation="sigmoid")])
model.compile("sgd", "binary_crossentropy")
model.fit(pictures, verbose=0)
