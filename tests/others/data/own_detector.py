"""Finetunes a small detector in two stages on annotated frames, then decides by the validation loss of the stages."""
import os
import tempfile

import numpy as np
import tensorflow as tf

VAL_SPLIT = 0.1
BATCH_SIZE = 4
SIDE = 32


def annotate(folder, frames=9):
    rng = np.random.default_rng(1)
    lines = []
    for i in range(frames):
        picture = rng.random((SIDE, SIDE, 3)).astype("float32") * 0.3
        x, y = rng.integers(0, SIDE - 10, 2)
        picture[y:y + 10, x:x + 10] = 1.0
        path = os.path.join(folder, f"frame{i}.npy")
        np.save(path, picture)
        lines.append(f"{path} {x},{y},{x + 10},{y + 10},0")
    with open(os.path.join(folder, "data_train.txt"), "w") as f:
        f.write("\n".join(lines))
    return os.path.join(folder, "data_train.txt")


def data_generator(lines, batch_size):
    i = 0
    while True:
        pictures, boxes = [], []
        for _ in range(batch_size):
            if i == 0:
                np.random.shuffle(lines)
            path, box = lines[i].split()
            pictures.append(np.load(path))
            boxes.append([int(v) / SIDE for v in box.split(",")[:4]])
            i = (i + 1) % len(lines)
        yield np.array(pictures), np.array(boxes, "float32")


def data_generator_wrapper(lines, batch_size):
    if len(lines) == 0 or batch_size <= 0:
        return None
    return data_generator(lines, batch_size)


def create_model():
    body = tf.keras.Sequential([tf.keras.Input((SIDE, SIDE, 3)),
                                tf.keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
                                tf.keras.layers.Conv2D(16, 3, strides=2, activation="relu")], name="body")
    body.trainable = False
    return tf.keras.Sequential([body, tf.keras.layers.Flatten(), tf.keras.layers.Dense(4)])


def train(model, train_lines, val_lines, rate, epochs):
    model.compile(optimizer=tf.keras.optimizers.Adam(rate), loss="mse")
    print(f"Train on {len(train_lines)} samples, val on {len(val_lines)} samples, with batch size {BATCH_SIZE}.")
    return model.fit(data_generator_wrapper(train_lines, BATCH_SIZE),
                     steps_per_epoch=max(1, len(train_lines) // BATCH_SIZE),
                     validation_data=data_generator_wrapper(val_lines, BATCH_SIZE),
                     validation_steps=max(1, len(val_lines) // BATCH_SIZE), epochs=epochs, verbose=2)


if __name__ == "__main__":
    annotation_path = annotate(tempfile.mkdtemp())
    with open(annotation_path) as f:
        lines = f.readlines()
    num_val = int(len(lines) * VAL_SPLIT)  # <- cause
    num_train = len(lines) - num_val
    model = create_model()
    history = train(model, lines[:num_train], lines[num_train:], 1e-3, 3)
    step1_val_loss = np.array(history.history["val_loss"])
    print("Unfreeze all layers.")
    model.get_layer("body").trainable = True
    history = train(model, lines[:num_train], lines[num_train:], 1e-4, 3)
    step2_val_loss = np.array(history.history["val_loss"])
    print("best of stage 1 %.4f, of stage 2 %.4f" % (step1_val_loss.min(), step2_val_loss.min()))
