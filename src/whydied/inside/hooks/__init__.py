"""Hooks into the libraries, one concern a file; runs in the user's process.

Invariant: a hook is put in place after the module that it is about was imported, is loaded only then, sees
calls through `whydied.inside.guest.frameless`, and where the library is not as expected says so with a RecorderLimited.
"""

from __future__ import annotations

from whydied.inside.imports import Installer, lazily

REPORTED = frozenset({"tensorflow", "keras", "tf_keras", "torch", "jax"})
"""Modules whose import is a fact of its own."""

_FUNCTION = "tensorflow.python.eager.polymorphic_function"
_TABLE = {
    "tensorflow": ("whydied.inside.sampling.memory_watch", "hook_tensorflow"),
    "traceback": ("whydied.inside.endings.exception_hooks", "hook_traceback"),
    "threading": ("whydied.inside.endings.exception_hooks", "hook_threading"),
    "IPython.core.interactiveshell": ("whydied.inside.notebook.cells", "hook_shell"),
    f"{_FUNCTION}.polymorphic_function": ("whydied.inside.hooks.functions", "hook_calls"),
    f"{_FUNCTION}.tracing_compilation": ("whydied.inside.hooks.functions", "hook_traces"),
    f"{_FUNCTION}.transform": ("whydied.inside.hooks.graphs", "hook_traces"),
    "tensorflow.python.saved_model.save": ("whydied.inside.hooks.traced_numerics", "hook_saves"),
    "tensorflow.python.client.session": ("whydied.inside.hooks.sessions", "hook_session"),
    "tensorflow.python.ops.script_ops": ("whydied.inside.hooks.inputs", "hook_scripts"),
    "tensorflow.python.ops.gen_script_ops": ("whydied.inside.errors.callback_errors", "hook_scripts"),
    "tensorflow.python.ops.resource_variable_ops": ("whydied.inside.hooks.variables_made", "hook_variables"),
    "tensorflow.python.ops.ref_variable": ("whydied.inside.hooks.variables_made", "hook_variables"),
    "tensorflow.python.ops.gen_resource_variable_ops": ("whydied.inside.hooks.eager_numerics", "hook_assignments"),
    "tensorflow.python.framework.ops": ("whydied.inside.hooks.read_numerics", "hook_tensors"),
    "tensorflow.python.eager.backprop": ("whydied.inside.hooks.eager_numerics", "hook_tapes"),
    "tensorflow.python.framework.tensor_util": ("whydied.inside.hooks.variables_made", "hook_constants"),
    "tensorflow.python.data.ops.shuffle_op": ("whydied.inside.hooks.datasets", "hook_stage"),
    "tensorflow.python.data.ops.cache_op": ("whydied.inside.hooks.datasets", "hook_stage"),
    "tensorflow.python.data.ops.prefetch_op": ("whydied.inside.hooks.datasets", "hook_stage"),
    "tensorflow.python.data.ops.from_tensor_slices_op": ("whydied.inside.hooks.datasets", "hook_slices"),
    "tensorflow.python.data.ops.dataset_ops": ("whydied.inside.hooks.datasets", "hook_parallel"),
    "tensorflow.python.data.ops.batch_op": ("whydied.inside.hooks.inputs", "hook_batches"),
    "tensorflow.python.data.ops.padded_batch_op": ("whydied.inside.hooks.inputs", "hook_batches"),
    "tensorflow.python.util.traceback_utils": ("whydied.inside.hooks.error_filters", "hook_filter"),
    # Keras 3
    "keras.src.utils.traceback_utils": ("whydied.inside.hooks.error_filters", "hook_filter"),
    "keras.src.models.model": ("whydied.inside.hooks.inputs", "hook_models"),
    "keras.src.layers.layer": ("whydied.inside.hooks.graphs", "hook_layer"),
    "keras.src.ops.operation": ("whydied.inside.hooks.graphs", "hook_operation"),
    "keras.src.trainers.trainer": ("whydied.inside.hooks.keras_calls", "hook_trainer"),
    "keras.src.trainers.epoch_iterator": ("whydied.inside.hooks.keras_calls", "hook_iterator"),
    "keras.src.backend.tensorflow.trainer": ("whydied.inside.hooks.keras_calls", "hook_backend"),
    "keras.src.callbacks.callback_list": ("whydied.inside.hooks.keras_calls", "hook_callbacks"),
    "keras.src.optimizers.base_optimizer": ("whydied.inside.hooks.optimizer", "hook_optimizer"),
    "keras.src.losses.losses": ("whydied.inside.hooks.contracts", "hook_losses"),
    # Both
    **{
        f"{package}.src.{part}": ("whydied.inside.hooks.watched", f"hook_{part}")
        for package in ("keras", "tf_keras")
        for part in ("layers", "optimizers")
    },
    # Keras 2, inside TensorFlow 2.15 and as tf_keras
    "tf_keras.src.utils.traceback_utils": ("whydied.inside.hooks.error_filters", "hook_filter"),
    **{
        f"{package}.src.{module}": (f"whydied.inside.hooks.{file}", function)
        for package in ("keras", "tf_keras")
        for module, file, function in (
            ("engine.training", "keras_calls", "hook_engine"),
            ("engine.training_v1", "keras_calls", "hook_engine_v1"),
            ("engine.base_layer", "graphs", "hook_layer"),
            ("engine.base_layer_v1", "graphs", "hook_layer"),
            ("callbacks", "keras_calls", "hook_callbacks"),
            ("losses", "contracts", "hook_losses"),
            ("optimizers.optimizer", "optimizer", "hook_optimizer"),
            ("optimizers.legacy.optimizer_v2", "optimizer", "hook_optimizer"),
        )
    },
}

INSTALLERS: dict[str, Installer] = {
    name: lazily(module, function, f"install.{module.rpartition('.')[2]}.{function}")
    for name, (module, function) in _TABLE.items()
}
