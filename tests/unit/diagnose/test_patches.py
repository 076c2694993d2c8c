"""The patches that stored recordings give for shapes, labels, ids and feeds: the lines that they write.

Pure: nothing is started. `benchmarks/advice.py` applies them and runs the programs again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import recordings
from whydied.read.recording import load
from whydied.report.finish import compose

WRITTEN = {
    "contracts/label_in_pipeline": ["model = Classifier(4)"],
    "contracts/labels_from_one": ["model.fit(images, labels - 1, batch_size=32, verbose=0)"],
    "errors_mixed/data_set_not_batched": ["model.fit(shuffled.batch(32), verbose=0)"],
    "errors_mixed/inputs_in_other_order": ["model.fit([pictures, table], np.zeros(20), epochs=1, verbose=0)"],
    "errors_mixed/last_state_through_dropout": ["inner = keras.layers.GRU(16, return_sequences=True)(series)"],
    "errors_mixed/pictures_of_two_sizes": [
        "train = train.skip(1).map(lambda picture, *rest: (tf.image.resize(picture, (16, 16)), *rest)).batch(4)",
        "train = train.skip(1).map(lambda picture: tf.image.resize(picture, (16, 16))).batch(4)",
        "train = train.skip(1).map(lambda picture, mask, *rest: (tf.image.resize(picture, (16, 16)), "
        'tf.image.resize(mask, (16, 16), method="nearest"), *rest)).batch(4)',
    ],
    "labels/embedding_one_short": [
        "keras.layers.Embedding(input_dim=VOCABULARY + 1, output_dim=8),",
        "model.fit(reviews - 1, liked, batch_size=64, verbose=0)",
    ],
    "labels/missing_labels": [
        'model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=-1))'
    ],
    "labels/steps_in_function": ["gesture = rng.integers(1, CLASSES + 1, 400) - 1"],
    "labels/words_beyond_the_table": [
        "ROWS = 17",
        "numbered = keras.layers.TextVectorization(output_sequence_length=6, max_tokens=12)",
    ],
    "saving/weights_of_another": ['student.add(keras.layers.Dense(5, name="wide"))'],
    "sessions/one_row_fed": ["session.run(doubled, feed_dict={features: rows[0][None]})"],
    "sessions/result_takes_the_name": ["loss_value = session.run(loss)"],
    "shapes/add_of_two_types": ["total = lengths + tf.cast(counts, tf.float32)"],
    "shapes/conv_on_flat_images": ["pictures = keras.Input(shape=(28, 28, 1))"],
    "shapes/images_into_dense": [
        "model.fit(images.reshape(len(images), 784), wanted, verbose=0)",
        "model.add(keras.layers.Input(shape=(28, 28)))",
        "model.add(keras.layers.Flatten())",
    ],
    "shapes/kernel_larger_than_input": [
        'model.add(keras.layers.Conv2D(8, 5, padding="same"))',
        "model.add(keras.layers.Conv2D(8, 4))",
    ],
    "shapes/last_batch_of_a_stateful": [
        "model.fit(series[:32], following[:32], batch_size=8, shuffle=False, verbose=0)"
    ],
    "shapes/matmul_with_itself": [
        "return tf.matmul(batch, batch, transpose_b=True)",
        "return tf.matmul(batch, batch, transpose_a=True)",
    ],
    "shapes/one_column_too_many": ["inputs = keras.Input(shape=(9,))"],
    "shapes/one_hot_sparse_loss": [
        'model.compile("sgd", loss=keras.losses.CategoricalCrossentropy())',
        "model.fit(np.random.rand(40, 6), np.argmax(one_hot, axis=-1), verbose=0)",
    ],
    "shapes/own_layer_weights": ["self.kernel = tf.Variable(tf.zeros([8, 2]))"],
    "shapes/reshape_of_wrong_count": ["patches = tf.reshape(image, [16, 49])"],
    "shapes/signature_of_generator": [
        "signature = (tf.TensorSpec((None, 6), tf.float32), tf.TensorSpec((), tf.int32))",
        "for window, label in Recordings(20).dataset().padded_batch(4):",
    ],
    "shapes/single_sample_predicted": ["print(model.predict(sample[None], verbose=0))"],
    "shapes/width_of_classes": [
        '[keras.layers.Input((6,)), keras.layers.Dense(16), keras.layers.Dense(5, activation="softmax")]'
    ],
    "labels/neighbours_gathered": ["neighbours = np.clip(neighbours, 0, 24)"],
    # What is right cannot be known, or written: no patch.
    "errors_mixed/function_meets_other_width": [],
    "saving/checkpoint_of_other_width": [],
    "sessions/rate_not_fed": [],
    "shapes/add_of_two_sizes": [],
    "shapes/rows_of_x_and_y": [],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_patch_writes_what_the_advice_says(name: str, tmp_path: Path) -> None:
    stored = recordings.unpack(recordings.path_of(name).read_bytes(), tmp_path)
    fixes = compose(load(stored.run)).fixes
    added = [
        line[1:].partition("  # <- cause")[0].strip()
        for fix in fixes
        for line in (fix.patch or "").splitlines()
        if line.startswith("+") and not line.startswith("+++")
    ]
    assert added == WRITTEN[name]
