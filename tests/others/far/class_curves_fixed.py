import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

NUM_EPOCH = 2
CLASSES = ["cats", "dogs", "horses"]


def pictures(count, seed=52):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, len(CLASSES), count)
    x = draw.normal(0, 1, (count, 12, 12, 1)) + labels[:, None, None, None]
    return x.astype("float32"), keras.utils.to_categorical(labels, len(CLASSES))


def network():
    model = keras.Sequential([keras.Input((12, 12, 1)), keras.layers.Conv2D(4, 3, activation="relu")])
    model.add(keras.layers.Flatten())
    model.add(keras.layers.Dense(len(CLASSES), activation="softmax"))
    model.compile("rmsprop", "categorical_crossentropy", metrics=["accuracy"])
    return model


def plot_curves(hist):
    train_loss = hist.history["loss"]
    val_loss = hist.history["val_loss"]
    xc = range(len(train_loss))
    plt.figure(1, figsize=(7, 5))
    plt.plot(xc, train_loss)
    plt.plot(xc, val_loss)
    plt.xlabel("num of Epochs")
    plt.legend(["train", "val"])
    plt.savefig("loss.png")


x, y = pictures(120)
hist = network().fit(x, y, batch_size=16, epochs=NUM_EPOCH, validation_split=0.2, verbose=0)
plot_curves(hist)
