"""Vision transformer on small pictures, with the best weights kept during the training."""

import os
import tempfile

import keras
import numpy as np
from keras import layers

SIDE, PATCH, WIDTH, CLASSES = 16, 4, 16, 4


def mlp(x, units, rate):
    for unit in units:
        x = layers.Dense(unit, activation="gelu")(x)
        x = layers.Dropout(rate)(x)
    return x


def create_classifier(blocks=1):
    inputs = keras.Input((SIDE, SIDE, 1))
    x = layers.Conv2D(WIDTH, PATCH, strides=PATCH)(inputs)
    x = layers.Reshape(((SIDE // PATCH) ** 2, WIDTH))(x)
    for _ in range(blocks):
        x1 = layers.LayerNormalization(epsilon=1e-6)(x)
        attention = layers.MultiHeadAttention(num_heads=2, key_dim=8)(x1, x1)
        x2 = layers.Add()([attention, x])
        x3 = mlp(layers.LayerNormalization(epsilon=1e-6)(x2), [2 * WIDTH, WIDTH], 0.1)
        x = layers.Add()([x3, x2])
    x = layers.Flatten()(layers.LayerNormalization(epsilon=1e-6)(x))
    return keras.Model(inputs, layers.Dense(CLASSES)(x))


def pictures(count, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, CLASSES, count)
    x = rng.random((count, SIDE, SIDE, 1)).astype("float32")
    x[np.arange(count), y * 4] += 1.0
    return x, y


def run_experiment(model, folder):
    x_train, y_train = pictures(160, seed=0)
    x_test, y_test = pictures(40, seed=1)
    model.compile(
        optimizer=keras.optimizers.AdamW(learning_rate=1e-3, weight_decay=1e-4),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
    )
    checkpoint_filepath = os.path.join(folder, "checkpoint.weights.h5")
    checkpoint = keras.callbacks.ModelCheckpoint(
        checkpoint_filepath,
        monitor="val_accuracy",
        save_best_only=True,
        save_weights_only=True,
    )
    model.fit(x_train, y_train, batch_size=32, epochs=1, validation_split=0.1, callbacks=[checkpoint], verbose=0)
    model.load_weights(checkpoint_filepath)
    _, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"Test accuracy: {accuracy:.2f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        run_experiment(create_classifier(), place)
