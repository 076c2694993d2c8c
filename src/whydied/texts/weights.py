"""What Keras and TensorFlow say of weights that do not fit a model. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

_SHAPE = r"\(([\d, ]*)\)"
_DENSE = """\
def made(units, **others):
    return keras.Sequential([keras.Input((1,)), keras.layers.Dense(units, name="head", **others)])
"""
_CHECKPOINT = """\
path = tf.train.Checkpoint(v=tf.Variable([1.0])).save("saved/it")
tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).restore(path)"""

# Shapes: what the model has, then what came.

VALUE_SHAPE = Text(
    "keras",
    rf"variable\.shape={_SHAPE}, Received: value\.shape={_SHAPE}",
    "must match. variable.shape=(1, 2), Received: value.shape=(1, 1). Target variable: <Variable path=head/kernel>",
    seen=("keras 3.15",),
    provoked_by=_DENSE + 'made(1).save_weights("a.weights.h5")\nmade(2).load_weights("a.weights.h5")',
)
SAVED_SHAPE = Text(
    "keras",
    rf"Weight expects shape {_SHAPE}\. Received saved weight with shape {_SHAPE}",
    "Shape mismatch in layer #0 (named head)for weight head/kernel. Weight expects shape (1, 2). Received saved weight "
    "with shape (1, 1)",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_DENSE + 'made(1).save("a.h5")\nmade(2).load_weights("a.h5", by_name=True)',
)
PROVIDED_SHAPE = Text(
    "keras",
    rf"weight shape {_SHAPE} is not compatible with provided weight shape {_SHAPE}",
    "Layer head weight shape (1, 2) is not compatible with provided weight shape (1, 1).",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_DENSE + "made(2).set_weights([np.zeros((1, 1)), np.zeros(1)])",
)
ASSIGNED_SHAPE = Text(
    "tensorflow",
    r"Assign requires shapes of both tensors to match\. lhs shape= ?\[([\d,]*)\] rhs shape= ?\[([\d,]*)\]",
    "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [1]",
    seen=("tensorflow 2.21",),
    provoked_by="""\
for size in (1, 2):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("w", (size,), use_resource=False)
        saver = v1.train.Saver()
        session.run(v1.global_variables_initializer())
        saver.save(session, "./it") if size == 1 else saver.restore(session, "./it")""",
)
REFUSED_SHAPE = Text(
    "tensorflow",
    rf"The variable shape {_SHAPE}, and the assigned value shape {_SHAPE} are incompatible",
    "Cannot assign value to variable ' head/kernel:0': Shape mismatch.The variable shape (1,), and the assigned value "
    "shape (2,) are incompatible.",
    seen=("tensorflow 2.21",),
    provoked_by="tf.Variable([1.0]).assign([1.0, 2.0])",
)

# What came, then what the variable has.

RESTORED_SHAPE = Text(
    "tensorflow",
    rf"incompatible tensor with shape {_SHAPE} when attempting to restore variable with shape {_SHAPE}",
    "Received incompatible tensor with shape (1,) when attempting to restore variable with shape (2,) and name v:0.",
    seen=("tensorflow 2.21",),
    provoked_by=_CHECKPOINT,
)

# Counts.

LAYERS_FOUND = Text(
    "keras",
    r"expected (\d+) layers, found (\d+) saved layers",
    "Layer count mismatch when loading weights from file. Model expected 2 layers, found 1 saved layers.",
    seen=("keras 3.15",),
    provoked_by=_DENSE
    + 'made(1).save("a.h5")\nkeras.Sequential([made(1), keras.layers.Dense(1)]).load_weights("a.h5")',
)
WEIGHTS_GIVEN = Text(
    "keras",
    r"weight list of length (?P<b>\d+), but the layer was expecting (?P<a>\d+) weights",
    "You called `set_weights(weights)` on layer 'head' with a weight list of length 1, but the layer was expecting 2 "
    "weights.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_DENSE + "made(1).set_weights([np.zeros((1, 1))])",
)
VARIABLES_RECEIVED = Text(
    "keras",
    r"expected (\d+) variables?, but received (\d+) variables? during loading",
    "Layer 'head' expected 1 variables, but received 2 variables during loading. Expected: ['kernel']",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_DENSE + 'made(1).save_weights("a.weights.h5")\nmade(1, use_bias=False).load_weights("a.weights.h5")',
)
WEIGHT_COUNT = Text(
    "keras",
    r"Weight count mismatch",
    "Weight count mismatch for layer #0 (named head). Layer expects 1 weight(s). Received 2 saved weight(s)",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_DENSE + 'made(1).save("a.h5")\nmade(1, use_bias=False).load_weights("a.h5")',
)
NO_WEIGHTS_YET = Text(
    "keras",
    r"expected 0 layers|expecting 0 weights",
    "You called `set_weights(weights)` with a weight list of length 1, but the layer was expecting 0 weights.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by="keras.layers.Dense(1).set_weights([np.zeros((1, 1))])",
)

# Whose weights.

OBJECT = Text(
    "keras",
    r"for object <(\w+) name=([^,>]+)",
    "A total of 1 objects could not be loaded. Example error message for object <Dense name=head, built=True>:",
    seen=("keras 3.15",),
    provoked_by=VALUE_SHAPE.provoked_by,
)
VARIABLE = Text(
    "keras",
    r"(?:Variable path=|for weight |and name |to variable ' ?)([\w/.\-]+?)(?::0)?[,.\s']",
    VALUE_SHAPE.example.replace(">", ", shape=(1, 2)>"),
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=VALUE_SHAPE.provoked_by,
)
LAYER = Text(
    "keras",
    r"(?:\(named |[Ll]ayer '|[Ll]ayer (?=\S+ weight shape))([\w.\-]+)",
    "Layer head weight shape (1, 2) is not compatible with provided weight shape (1, 1).",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=PROVIDED_SHAPE.provoked_by,
)
