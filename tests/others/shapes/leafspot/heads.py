from tensorflow import keras


def disease_head(features, n_classes, drop=0.3):
    h = keras.layers.Flatten()(features)
    h = keras.layers.Dense(32, activation="relu")(h)
    h = keras.layers.Dropout(drop)(h)
    return keras.layers.Dense(n_classes, activation="softmax", name="disease")(h)
