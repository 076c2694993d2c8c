"""What TensorFlow and Keras say of shapes, ranks and types that do not fit each other. Pure.

The shapes and types of the values themselves are asked first; these tell that an error is about them at all.
"""

from __future__ import annotations

from whydied.texts.entry import Text

_MODEL = """\
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(3)])
model.compile("sgd", "{}")
model.fit({}, {}, verbose=0)"""

# Nothing is left to slide over.

NOT_POSITIVE = Text(
    "keras",
    r"output size would be (?:zero or )?negative",
    "Computed output size would be zero or negative. Received `inputs shape=(None, 3, 3, 1)`",
    seen=("keras 3.15",),
    provoked_by="keras.layers.Conv2D(1, 5)(keras.Input((3, 3, 1)))",
)
NEGATIVE_DIMENSION = Text(
    "tensorflow",
    r"Negative dimension size caused by subtracting",
    "Negative dimension size caused by subtracting 5 from 3",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): tf.nn.max_pool2d(tf.zeros((1, 3, 3, 1)), 5, 1, 'VALID')",
)
NOT_POSITIVE_2 = Text(
    "tf_keras",
    r"dimensions in the output is <= 0",
    "One of the dimensions in the output is <= 0 due to downsampling in conv2d.",
    seen=("tf_keras 2.21",),
    provoked_by="keras.layers.Conv2D(1, 5)(keras.Input((3, 3, 1)))",
)
INPUT_SHAPE = Text(
    "keras",
    r"inputs?[ .]shape=[\[(]([^\])]*)[\])]|input shapes?: \[([^\]]*)\]",
    NOT_POSITIVE.example,
    seen=("keras 3.15",),
    provoked_by="keras.layers.Conv2D(1, 5)(keras.Input((3, 3, 1)))",
)

# Types.

OTHER_TENSOR_EXPECTED = Text(
    "tensorflow",
    r"was expected to be an? \w+ tensor but is an? \w+ tensor",
    "cannot compute AddV2 as input #1(zero-based) was expected to be a int32 tensor but is a float tensor",
    seen=("tensorflow 2.21",),
    provoked_by="tf.constant(1) + tf.constant(1.0)",
)
TYPE_OF_ARGUMENT = Text(
    "tensorflow",
    r"that does not match type",
    "Input 'y' of 'AddV2' Op has type float32 that does not match type int32 of argument 'x'.",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): tf.constant(1) + tf.constant(1.0)",
)
DTYPE_REQUESTED = Text(
    "tensorflow",
    r"conversion requested dtype",
    "Tensor conversion requested dtype float32 for Tensor with dtype int32",
    seen=("tensorflow 2.21",),
    provoked_by="tf.convert_to_tensor(tf.constant(1), tf.float32)",
)
INVALID_DTYPE = Text(
    "keras",
    r"Invalid dtype",
    "Invalid dtype: object",
    seen=("keras 3.15",),
    provoked_by=_MODEL.format("mse", "np.array([[1], [None]], object)", "np.zeros((2, 3))"),
)
NOT_ALLOWED = Text(
    "tensorflow",
    r"not in the list of allowed values",
    "Value for attr 'T' of int32 is not in the list of allowed values: bfloat16, half, float",
    seen=("tensorflow 2.21",),
    provoked_by="tf.sqrt(tf.constant(1))",
)
NOT_ALLOWED_IN_GRAPH = Text(
    "tensorflow",
    r"not in list of allowed values",
    "Value passed to parameter 'x' has DataType int32 not in list of allowed values: bfloat16, float16",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): tf.sqrt(tf.constant(1))",
)
ARRAY_OF_OBJECTS = Text(
    "tensorflow",
    r"Failed to convert a NumPy array",
    "Failed to convert a NumPy array to a Tensor (Unsupported object type list).",
    seen=("tensorflow 2.21",),
    provoked_by="tf.constant(np.array([[1], [1, 2]], object))",
)
NO_CAST = Text(
    "tensorflow",
    r"Cast \w+ to \w+ is not supported",
    "Cast string to float is not supported [Op:Cast]",
    seen=("tensorflow 2.21",),
    provoked_by='tf.cast(tf.constant("a"), tf.float32)',
)
NO_KERNEL = Text(
    "tensorflow",
    r"Could not find device for node",
    "Could not find device for node: {{node CudnnRNN}} = CudnnRNN[T=DT_FLOAT, dropout=0]",
    seen=("tensorflow 2.21",),
    provoked_by="""\
state = tf.zeros((1, 1, 1))
tf.raw_ops.CudnnRNN(input=state, input_h=state, input_c=state, params=tf.zeros(8))""",
)
NOT_OF_DTYPE = Text(
    "tensorflow",
    r"Cannot convert .* to EagerTensor of dtype",
    "Cannot convert 1.5 to EagerTensor of dtype int32",
    seen=("tensorflow 2.21",),
    provoked_by="tf.constant(1.5, tf.int32)",
)
SAME_DTYPE = Text(
    "tensorflow",
    r"must have the same dtype",
    "`x` and `y` must have the same dtype, got tf.float32 != tf.float64.",
    seen=("tensorflow 2.21",),
    provoked_by="tf.truediv(tf.constant(1.0), tf.constant(1.0, tf.float64))",
)

# Shapes.

INCOMPATIBLE = Text(
    "tensorflow",
    r"ncompatible",
    "Incompatible shapes: [2] vs. [3] [Op:AddV2]",
    seen=("tensorflow 2.21",),
    provoked_by="tf.zeros(2) + tf.zeros(3)",
)
NOT_COMPATIBLE = Text(
    "tensorflow",
    r"not compatible",
    "Tensor's shape (1, 2) is not compatible with supplied shape (3, 3).",
    seen=("tensorflow 2.21",),
    provoked_by="tf.zeros((1, 2)).set_shape((3, 3))",
)
MUST_BE_EQUAL = Text(
    "tensorflow",
    r"must be equal",
    "Cannot update variable with shape [1] using a Tensor with shape [2], shapes must be equal.",
    seen=("tensorflow 2.21",),
    provoked_by="tf.Variable([1.0]).assign_add([1.0, 2.0])",
)
MUST_MATCH = Text(
    "tensorflow",
    r"must match",
    "Shapes of all inputs must match: values[0].shape = [1] != values[1].shape = [2] [Op:Pack]",
    seen=("tensorflow 2.21",),
    provoked_by="tf.stack([tf.zeros(1), tf.zeros(2)])",
)
MISMATCH = Text(
    "tensorflow",
    r"ismatch",
    "Cannot assign value to variable ' w:0': Shape mismatch.",
    seen=("tensorflow 2.21",),
    provoked_by="tf.Variable([1.0]).assign([1.0, 2.0])",
)
MUST_HAVE_THE_SAME = Text(
    "keras",
    r"must have the same",
    "Arguments `target` and `output` must have the same shape. Received: target.shape=(None, 4)",
    seen=("keras 3.15",),
    provoked_by=_MODEL.format("categorical_crossentropy", "np.zeros((2, 1))", "np.zeros((2, 4))"),
)
SAME_SHAPE = Text(
    "tensorflow",
    r"same shape",
    "var and delta do not have the same shape[1] [2] [Op:ResourceApplyGradientDescent]",
    seen=("tensorflow 2.21",),
    provoked_by="""\
weight = tf.Variable([1.0])
tf.raw_ops.ResourceApplyGradientDescent(var=weight.handle, alpha=1.0, delta=[1.0, 2.0])""",
)
HAS_DIMENSIONS = Text(
    "tensorflow",
    r"must have \d dimensions",
    "input tensor must have 5 dimensions",
    seen=("tensorflow 2.21",),
    provoked_by="""\
tf.raw_ops.Conv3DBackpropInputV2(input_sizes=[1, 1, 1], filter=tf.zeros((1, 1, 1, 1, 1)),
    out_backprop=tf.zeros((1, 1, 1, 1, 1)), strides=[1] * 5, padding="SAME")""",
)
MATCHING_SHAPES = Text(
    "keras",
    r"matching shapes",
    "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by="keras.layers.Concatenate()([keras.Input((2, 1)), keras.Input((3, 1))])",
)
SIZE_MUST_BE_UNCHANGED = Text(
    "keras",
    r"total size of the tensor must be unchanged",
    "The total size of the tensor must be unchanged. Received: input_shape=(3,), target_shape=(2, 2)",
    seen=("keras 3.15",),
    provoked_by="keras.layers.Reshape((2, 2))(keras.Input((3,)))",
)
RESHAPED = Text(
    "tensorflow",
    r"Input to reshape",
    "Input to reshape is a tensor with 3 values, but the requested shape has 4 [Op:Reshape]",
    seen=("tensorflow 2.21",),
    provoked_by="tf.reshape(tf.zeros(3), (2, 2))",
)
VALUES_TO_RESHAPE = Text(
    "tensorflow",
    r"is a tensor with (\d+) values, but the requested shape has (\d+)",
    RESHAPED.example,
    seen=("tensorflow 2.21",),
    provoked_by=RESHAPED.provoked_by,
)
DIMENSION = Text(
    "tensorflow",
    r"Dimension",
    "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [1,2] vs. shape[1] = [1,3] [Op:ConcatV2]",
    seen=("tensorflow 2.21",),
    provoked_by="tf.concat([tf.zeros((1, 2)), tf.zeros((1, 3))], 0)",
)
MUST_BE_RANK = Text(
    "tensorflow",
    r"must be (?:at least |at most )?rank",
    "Shape must be rank 2 but is rank 1 for '{{node MatMul}}",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): tf.linalg.inv(tf.zeros(3))",
)
MUST_HAVE_RANK = Text(
    "keras",
    r"must have rank",
    "Argument `output` must have rank (ndim) `target.ndim - 1`. Received: target.shape=(None, 4)",
    seen=("keras 3.15",),
    provoked_by=_MODEL.format("sparse_categorical_crossentropy", "np.zeros((2, 1))", "np.zeros((2, 4))"),
)
DIMENSIONS_EXPECTED = Text(
    "tensorflow",
    r"(?:must be|must have|expected) .*dimension",
    "convolution input must be 4-dimensional: [1,3] [Op:Conv2D]",
    seen=("tensorflow 2.21",),
    provoked_by="tf.nn.conv2d(tf.zeros((1, 3)), tf.zeros((1, 1, 1, 1)), 1, 'VALID')",
)
N_DIMENSIONAL = Text(
    "tensorflow",
    r"must be \d-dimensional",
    DIMENSIONS_EXPECTED.example,
    seen=("tensorflow 2.21",),
    provoked_by=DIMENSIONS_EXPECTED.provoked_by,
)
NDIM = Text(
    "keras",
    r"ndim",
    "Input 0 of layer 'lstm' is incompatible with the layer: expected ndim=3, found ndim=2.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by="keras.layers.LSTM(1)(keras.Input((3,)))",
)
PAIR_OF_SHAPES = Text(
    "tensorflow",
    r"\[([\d,\s?]*)\](?:\s*(?:vs\.?|and|!=|,)\s*(?:\w+(?:\[\d\])?(?:\.shape)?(?: =|:) )?)\[([\d,\s?]*)\]",
    "Matrix size-incompatible: In[0]: [1,2], In[1]: [3,1] [Op:MatMul]",
    seen=("tensorflow 2.21",),
    provoked_by="tf.zeros((1, 2)) @ tf.zeros((3, 1))",
)
CARDINALITY = Text(
    "keras",
    r"cardinality",
    "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.",
    seen=("keras 3.15", "tf_keras 2.21"),
    provoked_by=_MODEL.format("mse", "np.zeros((2, 1))", "np.zeros((4, 3))"),
)
