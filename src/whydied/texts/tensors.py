"""What TensorFlow and Keras say of tensors without values, and of gradients that are not there. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

# Symbolic tensors.

AS_PYTHON_VALUE = Text(
    "tensorflow",
    r"[Uu]sing a symbolic `?tf\.Tensor`? as a Python `?(?P<type>\w+)`? is not allowed",
    "Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): bool(v1.placeholder(tf.bool))",
)
ITERATED = Text(
    "tensorflow",
    r"[Ii]terating over a symbolic `?tf\.Tensor`? is not allowed",
    "Iterating over a symbolic `tf.Tensor` is not allowed.",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): list(v1.placeholder(tf.float32, (2,)))",
)
KERAS_ITERATED = Text(
    "keras",
    r"Iterating over a symbolic",
    "Iterating over a symbolic KerasTensor is not supported.",
    seen=("keras 3.15",),
    provoked_by="list(keras.Input((1,)))",
)
TO_NUMPY = Text(
    "tensorflow",
    r"Cannot convert a symbolic (?:tf\.)?Tensor \((?P<node>[^)]+)\) to a numpy array",
    "Cannot convert a symbolic tf.Tensor (x:0) to a numpy array.",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): np.array(tf.constant(1))",
)
NO_VALUE_METHOD = Text(
    "tensorflow",
    r"'(?P<type>SymbolicTensor|KerasTensor|Tensor)' object has no attribute '(?P<attribute>numpy|item|tolist)'",
    "'SymbolicTensor' object has no attribute 'numpy'",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): tf.constant(1).numpy()",
)
KERAS_TO_VALUE = Text(
    "keras",
    r"You cannot convert it to (?:a |an )?(?P<what>[\w ]+?)\.",
    "A KerasTensor is symbolic. You cannot convert it to a NumPy array.",
    seen=("keras 3.15",),
    provoked_by="np.array(keras.Input((1,)))",
)
KERAS_AS_BOOLEAN = Text(
    "keras",
    r"symbolic KerasTensor cannot be used as a (?P<bool>boolean)",
    "A symbolic KerasTensor cannot be used as a boolean.",
    seen=("keras 3.15",),
    provoked_by="bool(keras.Input((1,)))",
)
KERAS_IN_TENSORFLOW = Text(
    "keras",
    r"A KerasTensor cannot be used as input to a TensorFlow function",
    "A KerasTensor cannot be used as input to a TensorFlow function.",
    seen=("keras 3.15",),
    provoked_by="tf.abs(keras.Input((1,)))",
)
OUT_OF_SCOPE = Text(
    "tensorflow",
    r"<tf\.Tensor '(?P<node>[^':]+)[^>]*> is out of scope and cannot be used here",
    "<tf.Tensor 'add:0' shape=() dtype=int32> is out of scope and cannot be used here.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
kept = []
@tf.function
def keeps(x):
    kept.append(x + 1)
keeps(tf.constant(1))
kept[0] + 1""",
)
WHERE_DEFINED = Text(
    "tensorflow",
    r"was defined here(?P<stack>[\s\S]*?)(?:The tensor|\Z)",
    "<tf.Tensor 'add:0' shape=()> was defined here:\n    File \"train.py\", line 3, in keeps\n\nThe tensor cannot",
    seen=("tensorflow 2.21",),
    provoked_by=OUT_OF_SCOPE.provoked_by,
)

# Gradients.

NO_GRADIENTS = Text(
    "keras",
    r"No gradients? provided for any variable",
    "No gradients provided for any variable.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by="keras.optimizers.SGD().apply_gradients([(None, tf.Variable(1.0))])",
)
OP_WITHOUT_GRADIENT = Text(
    "tensorflow",
    r"No gradient defined for operation ?'(?P<node>[^']+)' \(op type: (?P<op>\w+)\)",
    "No gradient defined for operation'AdjustHue' (op type: AdjustHue).",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default():
    x = tf.zeros((1, 1, 3))
    tf.gradients(tf.image.adjust_hue(x, 0.1), x)""",
)
OP_NOT_REGISTERED = Text(
    "tensorflow",
    r"gradient registry has no entry for: (?P<kind>\w+)",
    "gradient registry has no entry for: AdjustHue",
    seen=("tensorflow 2.21",),
    provoked_by="""\
x = tf.Variable(tf.zeros((1, 1, 3)))
with tf.GradientTape() as tape:
    y = tf.image.adjust_hue(x, 0.1)
tape.gradient(y, x)""",
)
TARGET_IS_NO_TENSOR = Text(
    "tensorflow",
    r"'(?P<type>[\w.]+)' object has no attribute '_id'",
    "'float' object has no attribute '_id'",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.GradientTape() as tape:
    x = tf.Variable(1.0)
tape.gradient(1.0, x)""",
)
NONE_CONVERTED = Text(
    "tensorflow",
    r"Attempt to convert a value \(None\) with an unsupported type",
    "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.",
    seen=("tensorflow 2.21",),
    provoked_by="tf.constant(1.0) + None",
)
NONE_UNSUPPORTED = Text(
    "tensorflow",
    r"None values not supported",
    "None values not supported.",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): tf.convert_to_tensor(None)",
)
