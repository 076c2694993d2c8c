"""What functions and classes of TensorFlow, Keras and NumPy give: the names of the kinds, and which call gives which.
Pure."""

from __future__ import annotations

import ast

CALLBACK = "callback"
GENERATOR = "generator"
"""Of random numbers, by NumPy."""
DRAWN = frozenset({"random", "normal", "standard_normal", "uniform", "integers", "rand", "randn", "permutation"})
TENSORS = "tensors"
"""A list of them."""
TENSOR, ARRAY, NUMBER, MODEL, LAYER, DATASET = "tensor", "array", "number", "model", "layer", "dataset"
SESSION, OPTIMIZER, TAPE, LOSS, METRIC, LIST, ITERATOR = (
    "session",
    "optimizer",
    "tape",
    "loss",
    "metric",
    "list",
    "iterator",
)
_NOT_OPS = frozenset(
    {
        *(
            "shape",
            "function",
            "executing_eagerly",
            "py_function",
            "device",
            "name_scope",
            "variable_scope",
            "control_dependencies",
        ),
        *(
            "get_logger",
            "print",
            "as_dtype",
            "reset_default_graph",
            "get_default_graph",
            "is_tensor",
            "init_scope",
            "no_op",
        ),
        *("set_random_seed", "get_collection", "global_variables", "trainable_variables", "local_variables", "group"),
        *("global_variables_initializer", "local_variables_initializer", "numpy_function", "py_func", "recompute_grad"),
        *(
            "custom_gradient",
            "enable_eager_execution",
            "disable_eager_execution",
            "get_variable_scope",
            "gradients",
            "split",
            "unstack",
        ),
        *(
            "enable_v2_behavior",
            "disable_v2_behavior",
            "initialize_all_variables",
            "add_to_collection",
            "compute_gradients",
        ),
        *(
            "meshgrid",
            "moments",
            "set_printoptions",
            "add_check_numerics_ops",
            "while_loop",
            "type_spec_from_value",
            "as_str",
        ),
        *("static_bidirectional_rnn", "dynamic_rnn", "static_rnn", "bidirectional_dynamic_rnn", "top_k", "in_top_k"),
    }
)
_OP_ROOTS = ("tf.math.", "tf.nn.", "tf.random.", "tf.linalg.", "tf.image.", "tf.signal.", "tf.strings.", "keras.ops.")
_KERAS_LOSSES = ("keras.losses.", "keras.metrics.")


def library_kind(call: ast.Call, name: str, place: tuple[int, ...]) -> str:
    """What a call of a function or class of TensorFlow, Keras or NumPy gives; "" where that is not known."""
    last = name.rpartition(".")[2]
    if name in (
        "keras.Sequential",
        "keras.Model",
        "keras.models.Sequential",
        "keras.models.Model",
        "keras.models.load_model",
    ):
        return MODEL
    if name.startswith("keras.applications.") and last[:1].isupper():
        return MODEL
    if name.startswith("keras.layers."):
        return LAYER if last[:1].isupper() and last != "Input" else TENSOR
    if name in ("keras.Input",):
        return TENSOR
    if name.startswith(_KERAS_LOSSES):
        return (LOSS if "losses" in name else METRIC) if last[:1].isupper() else TENSOR
    if name.startswith(("keras.optimizers.", "tf.train.", "tf.optimizers.")) and last.endswith(
        ("Optimizer", "Adam", "SGD", "RMSprop", "Adagrad", "Adadelta", "Nadam", "AdamW", "Adamax", "Ftrl", "Lion")
    ):
        return OPTIMIZER
    if name in ("tf.Session", "tf.InteractiveSession"):
        return SESSION
    if name == "tf.GradientTape":
        return TAPE
    if name.startswith("tf.data.") and (
        last[:1].isupper() or last.startswith("from_") or last in ("list_files", "range", "zip")
    ):
        return DATASET
    if name in ("tfds.load", "tensorflow_datasets.load", "keras.utils.image_dataset_from_directory"):
        return DATASET if not any(one.arg == "with_info" for one in call.keywords) or place[:1] == (0,) else ""
    if name in ("np.random.default_rng", "np.random.RandomState"):
        return GENERATOR
    if name.startswith("np."):
        return "" if last in ("load", "save", "seterr", "set_printoptions", "errstate", "shape") else ARRAY
    if name.startswith("keras.datasets."):
        return ARRAY if last == "load_data" else ""
    if name.startswith("keras.backend."):
        return (
            ""
            if last
            in (
                "get_value",
                "clear_session",
                "set_session",
                "image_data_format",
                "floatx",
                "epsilon",
                "int_shape",
                "ndim",
                "function",
                "set_floatx",
                "get_session",
                "eval",
                "learning_phase",
            )
            else TENSOR
        )
    return TENSOR if is_op(name) else ""


def is_op(name: str) -> bool:
    """Whether a name is that of a function of TensorFlow or Keras that gives a tensor."""
    last = name.rpartition(".")[2]
    if not last[:1].islower() or last in _NOT_OPS:
        return name == "tf.Variable"
    return name.startswith(_OP_ROOTS) or (name.startswith("tf.") and name.count(".") == 1)
