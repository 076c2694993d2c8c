import keras
from keras import layers, metrics


def top_3_acc(y_true, y_pred):
    return metrics.top_k_categorical_accuracy(y_true, y_pred, k=3)


def build(side, n_classes):
    inp = keras.Input((side, side, 1))
    x = layers.Conv2D(12, 3, activation="relu", padding="same")(inp)
    x = layers.MaxPooling2D()(x)
    x = layers.Conv2D(24, 3, activation="relu", padding="same")(x)
    x = layers.MaxPooling2D()(x)
    x = layers.Flatten()(x)
    x = layers.Dense(48, activation="relu")(x)
    x = layers.Dropout(0.3)(x)
    out = layers.Dense(n_classes, activation="softmax")(x)
    net = keras.Model(inp, out, name="screws")
    net.compile(optimizer=keras.optimizers.Adam(2e-3),
                loss="categorical_crossentropy",
                metrics=["accuracy", top_3_acc])
    return net
