"""What TensorFlow and Keras say of tensors without values, and of gradients that are not there. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

# Symbolic tensors.

AS_PYTHON_VALUE = Text("tensorflow", r"[Uu]sing a symbolic `?tf\.Tensor`? as a Python `?(?P<type>\w+)`? is not allowed")
ITERATED = Text("tensorflow", r"[Ii]terating over a symbolic `?tf\.Tensor`? is not allowed")
KERAS_ITERATED = Text("keras", r"Iterating over a symbolic")
TO_NUMPY = Text("tensorflow", r"Cannot convert a symbolic (?:tf\.)?Tensor \((?P<node>[^)]+)\) to a numpy array")
NO_VALUE_METHOD = Text(
    "tensorflow",
    r"'(?P<type>SymbolicTensor|KerasTensor|Tensor)' object has no attribute '(?P<attribute>numpy|item|tolist)'",
)
TO_NUMBER = Text(
    "python",
    r"(?P<call>float|int)\(\) argument must be [^']*, not '(?P<type>SymbolicTensor|KerasTensor|Tensor)'",
)
KERAS_TO_VALUE = Text("keras", r"You cannot convert it to (?:a |an )?(?P<what>[\w ]+?)\.")
KERAS_AS_BOOLEAN = Text("keras", r"symbolic KerasTensor cannot be used as a (?P<bool>boolean)")
VARIABLE_AS_CONDITION = Text("keras", r"Keras Variable cannot be used as a boolean")
VARIABLE_ADDED_TO = Text("tensorflow", r"`variable (?P<sign>[^\w\s=]+)= value` with `tf\.Variable`s is not supported")
KERAS_IN_TENSORFLOW = Text("keras", r"A KerasTensor cannot be used as input to a TensorFlow function")
OUT_OF_SCOPE = Text(
    "tensorflow",
    r"<tf\.Tensor '(?P<node>[^':]+)[^>]*?(?:shape=\((?P<shape>[^)]*)\) )?(?:dtype=(?P<dtype>\w+))?> is out of scope "
    r"and cannot be used here",
)
WHERE_DEFINED = Text("tensorflow", r"was defined here(?P<stack>[\s\S]*?)(?:The tensor|\Z)")

# Gradients.

NO_GRADIENTS = Text("keras", r"No gradients? provided for any variable")
OP_WITHOUT_GRADIENT = Text(
    "tensorflow", r"No gradient defined for operation ?'(?P<node>[^']+)' \(op type: (?P<op>\w+)\)"
)
OP_NOT_REGISTERED = Text("tensorflow", r"gradient registry has no entry for: (?P<kind>\w+)")
TARGET_IS_NO_TENSOR = Text("tensorflow", r"'(?P<type>[\w.]+)' object has no attribute '_id'")
NONE_CONVERTED = Text("tensorflow", r"Attempt to convert a value \(None\) with an unsupported type")
NONE_UNSUPPORTED = Text("tensorflow", r"None values not supported")
OTHER_DTYPE = Text("tensorflow", r"Got value of type (?P<got>[A-Z]+\d*) but expected type (?P<expected>[A-Z]+\d*)\b")
UNPACKED = Text(
    "python", r"(?:too many values to unpack|not enough values to unpack|cannot unpack|cannot iterate over)"
)
OTHER_TO_NUMPY = Text(
    "torch",
    r"Can't call numpy\(\) on Tensor that requires grad|can't convert meta device type tensor to numpy"
    r"|__array__\(\) was called on traced array"
    r"|(?P<bool>Attempted boolean conversion of traced array)"
    r"|(?P<number>Abstract tracer value encountered where concrete value is expected)",
)
NOT_RECTANGULAR = Text("tensorflow", r"non-rectangular Python sequence")
