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
    "numerics/temperature_reaches_zero": ["return tf.nn.softmax(tf.math.divide_no_nan(scores, heat))"],
    "numerics/mask_of_infinity_times_zero": ["open_places = tf.constant([0.0, 0.0, 0.0, -1e9])"],
    "numerics_v1/log_of_a_raw_output": ["predicted = tf.nn.softmax(tf.matmul(x, weights) + bias)"],
    "numerics/where_with_a_poisoned_branch": [
        "inverse = tf.where(shifted > 0.0, tf.math.divide_no_nan(1.0, shifted), 0.0)"
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
    "memory/batch_of_1024": ["model.fit(images, labels, batch_size=512, epochs=1, verbose=0)"],
    "memory/whole_test_set_called": ["scores = net.predict(digits, batch_size=32)"],
    "numerics/infinite_class_weight": ['shares = (60.0 / np.where(counts == 0, 1, counts)).astype("float32")'],
    "numerics/adapted_to_a_gap": ["scaling.adapt(speed[np.isfinite(speed).all(axis=1)])"],
    "numerics/constant_eagerly": ["scale = np.float32(1.0) / np.where(shortest == 0, 1, shortest)"],
    "memory/whole_test_set_session": [
        "print(np.mean([accuracy.eval({images: test_images[start:start + 256], labels: test_labels[start:start + 256]})"
        " for start in range(0, len(test_images), 256)]))"
    ],
    "memory/eager_tensors_kept": ["import collections", "outputs = collections.deque(maxlen=10)"],
    "memory/pictures_cached_by_function": ["@functools.lru_cache(maxsize=50)"],
    "memory/figures_never_closed": ["plt.close()"],
    "leaks/retraced_for_scalar": ["total += float(scaled(tf.ones((1, 1000)), tf.constant(step, tf.float32)))"],
    "pipelines/shuffle_of_images": ["images = images.shuffle(20)"],
    "pipelines/queue_of_batches": ["data = Pictures(workers=2, max_queue_size=4)"],
    "pipelines/pool_loads_the_table": ["with ProcessPoolExecutor(4, initializer=load) as pool:"],
    "graphs/ops_in_loop": ["layer_op = layer(x)", "sess.run(layer_op, {x: np.ones((1, 1000))})"],
    "graphs/interactive_sessions": [
        "with tf.Session() as session:",
        "init.run()",
        "out.eval({x: np.ones((10, 2000))})",
        'print("held", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024, flush=True)',
    ],
    "graphs/array_in_loop": ["batch = tf.convert_to_tensor(images)", "logits = tf.matmul(batch, w)"],
    "graphs/assign_in_loop": ["table.load(values, sess)"],
    "numerics/weights_saved_bad": [
        "model.set_weights([np.nan_to_num(weight, posinf=0.0, neginf=0.0) for weight in saved])"
    ],
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
    "memory/tables_in_a_list",
    "memory/batch_refused",
    "leaks/retraced_for_shape",
    "leaks/models_rebuilt",
    "leaks/gradients_kept",
    "graphs/sessions_of_a_class",
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
