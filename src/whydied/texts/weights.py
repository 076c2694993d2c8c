"""What Keras and TensorFlow say of weights that do not fit a model. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

_SHAPE = r"\(([\d, ]*)\)"

# Shapes: what the model has, then what came.

VALUE_SHAPE = Text("keras", rf"variable\.shape={_SHAPE}, Received: value\.shape={_SHAPE}")
SAVED_SHAPE = Text("keras", rf"Weight expects shape {_SHAPE}\. Received saved weight with shape {_SHAPE}")
PROVIDED_SHAPE = Text("keras", rf"weight shape {_SHAPE} is not compatible with provided weight shape {_SHAPE}")
ASSIGNED_SHAPE = Text(
    "tensorflow", r"Assign requires shapes of both tensors to match\. lhs shape= ?\[([\d,]*)\] rhs shape= ?\[([\d,]*)\]"
)
REFUSED_SHAPE = Text(
    "tensorflow", rf"The variable shape {_SHAPE}, and the assigned value shape {_SHAPE} are incompatible"
)

# What came, then what the variable has.

RESTORED_SHAPE = Text(
    "tensorflow", rf"incompatible tensor with shape {_SHAPE} when attempting to restore variable with shape {_SHAPE}"
)

# Counts.

LAYERS_FOUND = Text("keras", r"expected (\d+) layers, found (\d+) saved layers")
WEIGHTS_GIVEN = Text("keras", r"weight list of length (?P<b>\d+), but the layer was expecting (?P<a>\d+) weights")
VARIABLES_RECEIVED = Text("keras", r"expected (\d+) variables?, but received (\d+) variables? during loading")
WEIGHT_COUNT = Text("keras", r"Weight count mismatch")
NO_WEIGHTS_YET = Text("keras", r"expected 0 layers|expecting 0 weights")

# Whose weights.

OBJECT = Text("keras", r"for object <(\w+) name=([^,>]+)")
VARIABLE = Text("keras", r"(?:Variable path=|for weight |and name |to variable ' ?)([\w/.\-]+?)(?::0)?[,.\s']")
LAYER = Text("keras", r"(?:\(named |[Ll]ayer '|[Ll]ayer (?=\S+ weight shape))([\w.\-]+)")
UNKNOWN_VARIABLE = Text("keras", r"Unknown variable: <\w+ path=(?P<variable>[^,>]+)")

RATE_NOT_SETTABLE = Text("keras", r"created with a `LearningRateSchedule` object[\s\S]*not\s+settable")
