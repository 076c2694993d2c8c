"""What libraries say of names and arguments that they no longer have. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

UNRECOGNISED_ARGUMENTS = Text(
    "keras",
    r"Unrecognized keyword arguments? passed to [\w.]+:\s*\{",
    "Unrecognized keyword arguments passed to Dense: {'unit': 3}",
    seen=("keras 3.15",),
    provoked_by="keras.layers.Dense(1, unit=3)",
)
NOT_RECOGNISED = Text(
    "keras",
    r"not recognized:\s*\{",
    "Arguments not recognized: {'size': 3}",
    seen=("keras 3.15",),
    provoked_by="""\
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.evaluate(np.zeros((1, 1)), np.zeros((1, 1)), size=3)""",
)
NOT_IN_KERAS_3 = Text(
    "keras",
    r"`(\w[\w.]*)` is not supported in",
    "`keras.optimizers.legacy` is not supported in Keras 3.",
    seen=("keras 3.15",),
    provoked_by="keras.optimizers.legacy.Adam()",
)
NOT_WITH_KERAS_3 = Text(
    "tensorflow",
    r"`(\w[\w.]*)` is not available with",
    "`dense` is not available with Keras 3.",
    seen=("tensorflow 2.21",),
    provoked_by="v1.layers.dense",
)
REMOVED_FROM_NUMPY = Text(
    "numpy",
    r"`(\w[\w.]*)` was removed in",
    "`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
    seen=("numpy 2.4",),
    provoked_by="np.float_",
)
