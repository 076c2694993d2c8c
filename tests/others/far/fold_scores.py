import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
from sklearn.model_selection import KFold

SIDE, CLASSES, FOLDS = 12, 4, 3


def digits(count, seed=3):
    draw = np.random.default_rng(seed)
    labels = draw.integers(0, CLASSES, count)
    images = draw.normal(0, 0.2, (count, SIDE, SIDE, 1))
    for row, label in enumerate(labels):
        images[row, label * 3 : label * 3 + 3] += 1.0
    return images.astype("float32"), keras.utils.to_categorical(labels, CLASSES)


def network():
    model = keras.Sequential(
        [
            keras.Input((SIDE, SIDE, 1)),
            keras.layers.Conv2D(6, 3, activation="relu"),
            keras.layers.Flatten(),
            keras.layers.Dense(CLASSES, activation="softmax"),
        ]
    )
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    return model


def train(model, data, epochs=1):
    (x, y), (x_val, y_val) = data
    history = model.fit(x, y, validation_data=(x_val, y_val), epochs=epochs, batch_size=32, verbose=0)
    return history.history["val_accuracy"][-1]


images, labels = digits(240)
kfold = KFold(n_splits=FOLDS, shuffle=True, random_state=42)
scores = []
fold = 1
for train, val in kfold.split(images, labels):  # <- cause
    print("fold", fold)
    x_train, x_val = images[train], images[val]
    y_train, y_val = labels[train], labels[val]
    model = network()
    score = train(model, data=((x_train, y_train), (x_val, y_val)))
    scores.append(score)
    fold += 1
print("mean accuracy", np.mean(scores))
