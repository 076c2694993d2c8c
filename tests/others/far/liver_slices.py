import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from keras import ops

SIDE, CLASSES = 16, 3


def mean_iou(y_true, y_pred):
    true, pred = ops.argmax(y_true, -1), ops.argmax(y_pred, -1)
    both = ops.sum(ops.cast((true == pred) & (true > 0), "float32"))
    either = ops.sum(ops.cast((true > 0) | (pred > 0), "float32"))
    return both / (either + 1e-6)


def read_slices(count, seed):
    draw = np.random.default_rng(seed)
    labels = np.zeros((count, SIDE, SIDE), "int32")
    labels[:, 4:9, 4:9] = 1
    labels[:, 10:13, 10:13] = 2
    images = labels[..., None] + draw.normal(0, 0.3, (count, SIDE, SIDE, 1))
    return images.astype("float32"), keras.utils.to_categorical(labels, CLASSES)


def unet():
    inputs = keras.Input((SIDE, SIDE, 1))
    down = keras.layers.Conv2D(6, 3, padding="same", activation="relu")(inputs)
    pooled = keras.layers.MaxPooling2D()(down)
    up = keras.layers.UpSampling2D()(keras.layers.Conv2D(6, 3, padding="same", activation="relu")(pooled))
    joined = keras.layers.Concatenate()([down, up])
    return keras.Model(inputs, keras.layers.Conv2D(CLASSES, 1, activation="softmax")(joined))


def train():
    model = unet()
    model.compile("sgd", "categorical_crossentropy", metrics=[mean_iou, "acc"])  # <- cause
    images, labels = read_slices(32, 1)
    model.fit(images, labels, batch_size=8, epochs=1, verbose=2)
    print("start test!")
    images, labels = read_slices(16, 2)
    loss, acc = model.evaluate(images, labels, verbose=0)  # <- cause
    print("loss, mean_iou:", loss, acc)


train()
