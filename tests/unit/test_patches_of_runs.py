"""What the rules of memory and numerics change in a program, from the stored recordings: the lines that a patch adds.

Pure: nothing is started. `benchmarks/advice.py` applies such patches and runs the programs again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from recordings import path_of, unpack
from whydied.read.recording import load
from whydied.report.finish import compose

ADDED = {
    "numerics/log_of_zero_in_a_layer": ["return tf.math.log(tf.maximum(counts, 1e-7))"],
    "numerics/weights_saved_bad": [
        "model.set_weights([np.nan_to_num(weight, posinf=0.0, neginf=0.0) for weight in saved])"
    ],
    "numerics/temperature_reaches_zero": ["return tf.nn.softmax(tf.math.divide_no_nan(scores, heat))"],
    "numerics/mask_of_infinity_times_zero": ["open_places = tf.constant([0.0, 0.0, 0.0, -1e9])"],
    "numerics_v1/log_of_a_raw_output": ["predicted = tf.nn.softmax(tf.matmul(x, weights) + bias)"],
    "numerics/where_with_a_poisoned_branch": [
        "inverse = tf.where(shifted > 0.0, 1.0 / tf.where(shifted > 0.0, shifted, tf.ones_like(shifted)), 0.0)"
    ],
    "numerics/metric_of_a_subclassed_model": ["self.decades.update_state(tf.math.log(tf.maximum(loss, 1e-7)))"],
    "numerics/constant_column": ["scaled = (table - table.mean(axis=0)) / (table.std(axis=0) + 1e-8)"],
    "numerics/nan_in_one_row": [
        "finite = np.isfinite(readings).all(axis=1)",
        "readings, targets = readings[finite], targets[finite]",
    ],
    "numerics/adam_without_epsilon": ['model.compile(keras.optimizers.Adam(0.01, epsilon=1e-7), "mse")'],
    "numerics/diverges_eagerly": ["learning_rate = 0.03"],
    "numerics/schedule_that_grows": [
        "rate = keras.optimizers.schedules.ExponentialDecay(0.01, decay_steps=5, decay_rate=0.67)"
    ],
    "numerics/half_precision_mask": ["scores += padded[:, None, :] * -6e4"],
    "numerics/half_precision_input": ['keras.mixed_precision.set_global_policy("mixed_bfloat16")'],
    "numerics/accumulates_for_ever": ["for total in totals:", "total.assign(tf.zeros_like(total))"],
    "memory/batch_of_1024": [
        "model.compile(keras.optimizers.Adam(gradient_accumulation_steps=2), "
        "keras.losses.SparseCategoricalCrossentropy(from_logits=True))",
        "model.fit(images, labels, batch_size=512, epochs=1, verbose=0)",
    ],
    "memory/batch_refused": ["model.fit(rows, scores, batch_size=256, verbose=0)"],
    "memory/outer_product": [
        "blocks = []",
        "for start in range(0, len(queries), 500):",
        "scores = tf.matmul(queries[start:start + 500], keys, transpose_b=True)",
        "blocks.append(tf.reduce_max(scores))",
        "print(float(tf.reduce_max(blocks)))",
    ],
    "memory/pictures_to_float64": [
        "X = np.array(images)",
        "model = tf.keras.Sequential([tf.keras.layers.Rescaling(1 / 255.0), tf.keras.layers.Flatten(), "
        'tf.keras.layers.Dense(10, "softmax")])',
    ],
    "memory/table_of_ones": [
        "import tempfile",
        'table = np.memmap(tempfile.TemporaryFile(dir="."), dtype="float64", mode="w+", shape=(ROWS, COLUMNS))',
        "table[:] = 1",
    ],
    "memory/tensor_of_terabytes": ["side = 20000"],
    "memory/long_text_in_function": ["loss = step(batch[:, :8192])"],
    "memory/attention_over_a_long_text": ["yield tf.ones((4, length), tf.int32)[:, :1024], tf.zeros((4, 1))"],
    "memory/large_picture_eager": ["logits = net(picture[:, :128, :128], training=True)"],
    "memory/adam_slots": ['model.compile("sgd", "mse")'],
    "memory/model_too_big": ["keras.layers.Dense(2048),"],
    "memory/rows_three_times": [
        "stacked_shape = stacked.shape",
        "del stacked",
        "del pictures",
        "second = tensor",
        "print(len(tensor), stacked_shape[0], tensor.shape, second.shape)",
    ],
    "memory/split_keeps_all": ["del self.everything", "del self.shuffled"],
    "memory/predict_gives_more": [
        "import tempfile",
        'pictures = np.memmap(tempfile.TemporaryFile(dir="."), dtype="float32", mode="w+", '
        "shape=(len(rows), 256, 256, 3))",
        "for start in range(0, len(rows), 20):",
        "pictures[start : start + 20] = model.predict_on_batch(rows[start : start + 20])",
    ],
    "pipelines/workers_copy_the_data": ["for number in range(2):"],
    "memory/whole_test_set_called": ["scores = net.predict(digits, batch_size=32)"],
    "numerics/infinite_class_weight": ['shares = (60.0 / np.where(counts == 0, 1, counts)).astype("float32")'],
    "numerics/adapted_to_a_gap": ["scaling.adapt(speed[np.isfinite(speed).all(axis=1)])"],
    "numerics/constant_eagerly": ["scale = np.float32(1.0) / np.where(shortest == 0, 1, shortest)"],
    "memory/whole_test_set_session": [
        "print(np.mean([accuracy.eval({images: test_images[start:start + 256], labels: test_labels[start:start + 256]})"
        " for start in range(0, len(test_images), 256)]))"
    ],
    "memory/eager_tensors_kept": ["tf.nn.relu(batch @ weights)"],
    "leaks/gradients_kept": ["tape.gradient(loss, [weights, bias])", "accumulated.append(None)"],
    "leaks/models_rebuilt": ["import gc", "keras.backend.clear_session()", "gc.collect()"],
    "leaks/predict_over_generators": [
        "global _rows",
        "_rows = rows",
        "for start in range(0, len(_rows), 5000):",
        "yield _rows[start : start + 5000]",
    ],
    "leaks/py_function_closures": ["kernel = np.ones((500, 500))", "", ""],
    "leaks/retraced_for_object": ["settings = Settings(0.1)", "x = step(x, settings)"],
    "leaks/retraced_for_shape": [
        "@tf.function(reduce_retracing=True)",
        "return [float(encoder.encode(tf.constant(ids))[0]) for ids in sentences]",
    ],
    "memory/tables_in_a_list": ["del parts[:-100]"],
    "memory/rows_appended": ["embeddings = embeddings[-7125:]"],
    "memory/rounds_in_a_tensor_array": ["if number % 50 == 0:", "path = path.write(number // 50, state)"],
    "memory/threads_that_wait": ["del rows"],
    "graphs/sessions_of_a_class": ["scorers[item].session.close()"],
    "graphs/large_constant": [
        "table = tf.ensure_shape(tf.numpy_function(lambda: features, [], tf.float32), features.shape)"
    ],
    "backends/torch_losses_kept": ["losses.append(loss.detach())"],
    "memory/pictures_cached_by_function": ["@functools.lru_cache(maxsize=50)"],
    "memory/figures_never_closed": ["plt.close()"],
    "leaks/retraced_for_scalar": ["total += float(scaled(tf.ones((1, 1000)), tf.constant(step, tf.float32)))"],
    "pipelines/shuffle_of_images": ["images = tf.data.Dataset.range(100_000).shuffle(4000).map(decode)"],
    "pipelines/queue_of_batches": ["data = Pictures(workers=2, max_queue_size=4)"],
    "pipelines/pool_loads_the_table": ["load()", "with ProcessPoolExecutor(8) as pool:"],
    "graphs/ops_in_loop": ["layer_op = layer(x)", "sess.run(layer_op, {x: np.ones((1, 1000))})"],
    "graphs/interactive_sessions": [
        "with tf.Session() as session:",
        "init.run()",
        "out.eval({x: np.ones((10, 2000))})",
        'print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)',
    ],
    "graphs/array_in_loop": ["batch = tf.convert_to_tensor(images)", "logits = tf.matmul(batch, w)"],
    "graphs/assign_in_loop": ["table.load(values, sess)"],
    "numerics/column_of_salaries": [
        "features = (features - np.mean(features, axis=0)) / (np.std(features, axis=0) + 1e-7)"
    ],
    "numerics/loss_with_the_wrong_sign": ["return tf.reduce_mean(tf.square(wanted - given))"],
    "numerics/schedule_below_zero": ["return max(0.2 - 0.05 * epoch, 1e-06)"],
    "numerics/softmax_written_out": ["return tf.nn.softmax(scores, axis=-1)"],
    "numerics/start_too_wide": ["start = draw.normal([inputs, outputs], stddev=0.05)"],
}
WITHOUT = [
    "numerics/loaded_function_takes_a_logarithm",
]
"""Programs whose fix is not known as an edit."""


def added(name: str, place: Path) -> list[list[str]]:
    """The lines that each patch of a stored recording's report adds, without what is said behind them."""
    report = compose(load(unpack(path_of(name).read_bytes(), place).run))
    assert report.internal_errors == []
    return [
        [
            line[1:].partition("  # <-")[0].strip()
            for line in (fix.patch or "").splitlines()
            if line.startswith("+") and not line.startswith("+++")
        ]
        for fix in report.fixes
    ]


@pytest.mark.parametrize("name", ADDED)
def test_a_run_that_went_wrong_gets_its_patch(name: str, tmp_path: Path) -> None:
    assert added(name, tmp_path)[:1] == [ADDED[name]]


@pytest.mark.parametrize("name", WITHOUT)
def test_what_is_not_known_as_an_edit_gets_none(name: str, tmp_path: Path) -> None:
    assert added(name, tmp_path) == []
