"""Scene of a sound clip from a log spectrogram; the data set is shuffled and divided with take and skip."""
import numpy as np
import tensorflow as tf

CLIPS = 240
FRAMES, BANDS = 32, 20
SCENES = ["street", "park", "office", "train"]
BATCH_SIZE = 32
VAL_FRACTION = 0.2


def clips():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, len(SCENES), CLIPS)
    waves = rng.normal(size=(CLIPS, FRAMES, BANDS)).astype("float32")
    for row, label in enumerate(labels):
        waves[row, :, label * 5:(label + 1) * 5] += 1.5
    return waves, labels


def normalise(clip, label):
    mean, variance = tf.nn.moments(clip, axes=[0, 1])
    return (clip - mean) / tf.sqrt(variance + 1e-6), label


def prepare():
    waves, labels = clips()
    ds = tf.data.Dataset.from_tensor_slices((waves, labels))
    ds = ds.shuffle(CLIPS, seed=1, reshuffle_each_iteration=False)
    ds = ds.map(normalise, num_parallel_calls=2).batch(BATCH_SIZE)  # <- cause
    n_val = int(CLIPS * VAL_FRACTION)  # <- cause
    val_ds = ds.take(n_val)  # <- cause
    train_ds = ds.skip(n_val)  # <- cause
    return train_ds.prefetch(1), val_ds.prefetch(1)


def build_model():
    inputs = tf.keras.Input((FRAMES, BANDS))
    x = tf.keras.layers.Conv1D(24, 5, activation="relu")(inputs)
    x = tf.keras.layers.GlobalAveragePooling1D()(x)
    x = tf.keras.layers.Dense(24, activation="relu")(x)
    outputs = tf.keras.layers.Dense(len(SCENES), activation="softmax")(x)
    model = tf.keras.Model(inputs, outputs)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


if __name__ == "__main__":
    train_ds, val_ds = prepare()
    model = build_model()
    history = model.fit(train_ds, validation_data=val_ds, epochs=3, verbose=2)
    print("accuracy by epoch:", [round(a, 3) for a in history.history["accuracy"]])
