"""What TensorFlow and Keras put around an error: the op, the node, the stack, the layer; and what AutoGraph demands of
Python code that becomes a graph. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

_EAGER = "tf.gather([1], [5])"
_TRACED = """\
@tf.function
def looks_up(x):
    return tf.gather([1], x)
looks_up(tf.constant([5]))"""
_TRACING = """\
@tf.function
def adds(x):
    return x + tf.zeros(3)
adds(tf.zeros(2))"""
_FIT = """\
class Looks(keras.layers.Layer):
    def call(self, x):
        return tf.gather(x, [[5]], axis=1)
model = keras.Sequential([keras.Input((1,)), Looks()])
model.compile("sgd", "mse")
model.fit(np.zeros((2, 1)), np.zeros((2, 1)), verbose=0)"""
_IN_A_LAYER = """\
class Adds(keras.layers.Layer):
    def call(self, x):
        return x + tf.zeros(3)
Adds()(np.zeros((1, 2), "float32"))"""

# The op and its node.

OP = Text(
    "tensorflow",
    r"\[Op:(\w+)\]",
    "indices[0] = 5 is not in [0, 1) [Op:GatherV2]",
    seen=("tensorflow 2.21",),
    provoked_by=_EAGER,
)
OP_AT_THE_END = Text(
    "tensorflow",
    r"\[Op:\w+\](?: name:\s*\S*)?\s*$",
    "indices[0] = 5 is not in [0, 1) [Op:Fill] name: a",
    seen=("tensorflow 2.21",),
    provoked_by=_EAGER,
)
NODE = Text(
    "tensorflow", r"\{\{node ([^}\s]+)\}\}", "[[{{node GatherV2}}]]", seen=("tensorflow 2.21",), provoked_by=_TRACED
)
NODE_THAT_RAN = Text(
    "tensorflow", r"\[\[\{\{node ", "[[{{node GatherV2}}]]", seen=("tensorflow 2.21",), provoked_by=_TRACED
)
NODE_AND_ALL_AFTER = Text(
    "tensorflow",
    r"\[\[\{\{node .*",
    "[[{{node GatherV2}}]] [Op:__inference_f_1]",
    seen=("tensorflow 2.21",),
    provoked_by=_TRACED,
    flags=re.DOTALL,
)
NODE_OR_OP = Text(
    "tensorflow",
    r"\n\s*(?:\[\[\{\{node |\[Op:)",
    "oops\n\t [[{{node PyFunc}}]]",
    seen=("tensorflow 2.21",),
    provoked_by=_TRACED,
)
OP_OR_NODE = Text(
    "tensorflow",
    r"\[Op:(?P<op>\w+)\]|\{\{node (?P<node>[^}\s]+)\}\}",
    "[[{{node GatherV2}}]]",
    seen=("tensorflow 2.21",),
    provoked_by=_TRACED,
)
MADE_NODE = Text(
    "tensorflow",
    r"\{\{node (\S+)\}\} = (\w+)\[",
    "for '{{node add}} = AddV2[T=DT_FLOAT](x, zeros)' with input shapes: [2], [3].",
    seen=("tensorflow 2.21",),
    provoked_by=_TRACING,
)
MADE_NODE_WHOLE = Text(
    "tensorflow",
    r"'\{\{node [^}]*\}\} = (\w+)\[[^']*'",
    MADE_NODE.example,
    seen=("tensorflow 2.21",),
    provoked_by=_TRACING,
)
FUNCTION_NODE = Text(
    "tensorflow",
    r"\{\{function_node [^{}]*\}\}",
    "{{function_node __wrapped__GatherV2_device_}} oops",
    seen=("tensorflow 2.21",),
    provoked_by=_EAGER,
)
DETECTED_AT = Text(
    "tensorflow",
    r"Detected at node (?P<node>\S+) defined at \(most recent call last\):(?P<stack>(?:\n.*)*)",
    'Detected at node Gather defined at (most recent call last):\n  File "train.py", line 3, in call',
    seen=("tensorflow 2.21",),
    provoked_by=_FIT,
)
DEFINED_AT = Text(
    "tensorflow",
    r"defined at \(most recent call last\):(.*?)\nNode:",
    "Detected at node 'Gather' defined at (most recent call last):\n  File \"train.py\", line 3\nNode: 'Gather'",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run(v1.placeholder(tf.float32))""",
    flags=re.DOTALL,
)
EXECUTION_ERROR = Text(
    "tensorflow",
    r"(?:Graph execution error:\s*)?Detected at node .*?\n(?=\S[^\n]*\n?\s*\[\[\{\{node )",
    'Graph execution error:\n\nDetected at node Gather defined at:\n  File "a.py"\n\noops\n\t [[{{node Gather}}]]',
    seen=("tensorflow 2.21",),
    provoked_by=_FIT,
    flags=re.DOTALL,
)
EXECUTION_ERROR_WITHOUT_STACK = Text(
    "tensorflow",
    r"Graph execution error:\s*Detected at node [^\n]*\s*<stack traces unavailable>",
    "Graph execution error:\n\nDetected at node PyFunc defined at (most recent call last):\n<stack traces unavailable>",
    seen=("tensorflow 2.21",),
    provoked_by="""\
def rows():
    for _ in range(5):
        yield np.zeros((2, 1)), np.zeros((2, 1))
    yield 1 / 0
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(rows(), verbose=0, steps_per_epoch=9)""",
)
IN_A_TRANSFORMATION = Text(
    "tensorflow",
    r"Error in user-defined function passed to \S+ transformation with iterator: [\w:\[\]]+: ",
    "Error in user-defined function passed to MapDataset:4 transformation with iterator: Iterator::Root::Map: oops",
    seen=("tensorflow 2.21",),
    provoked_by="list(tf.data.Dataset.range(1).map(lambda n: tf.gather([1], [n + 5])))",
)

# AutoGraph.

IN_USER_CODE = Text(
    "tensorflow",
    r"in user code:",
    'in user code:\n\n    File "train.py", line 3, in adds  *\n        return x + y\n\n    ValueError: oops',
    seen=("tensorflow 2.21",),
    provoked_by=_TRACING,
)
CONVERTED_ERROR = Text(
    "tensorflow",
    r"^in user code:\s.*\n\s*\n\s+\w+: (.*)\Z",
    IN_USER_CODE.example,
    seen=("tensorflow 2.21",),
    provoked_by=_TRACING,
    flags=re.DOTALL,
)
CONVERTED_LINE = Text(
    "tensorflow",
    r'File "([^"\n]+)", line (\d+), in (\S+)  \*\s*\n',
    IN_USER_CODE.example,
    seen=("tensorflow 2.21",),
    provoked_by=_TRACING,
)
ONE_BRANCH_SETS = Text(
    "tensorflow",
    r"'(?P<name>[\w.]+)' must also be initialized in the (?P<branch>\w+) branch",
    "'y' must also be initialized in the else branch",
    seen=("tensorflow 2.21",),
    provoked_by="""\
@tf.function
def branches(x):
    if x > 0:
        y = x
    return y
branches(tf.constant(1))""",
)
LOOP_SETS = Text(
    "tensorflow",
    r"'(?P<name>[\w.]+)' must be defined before the loop",
    "'y' must be defined before the loop.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
@tf.function
def loops(n):
    for i in tf.range(n):
        y = i
        if i > 5:
            break
        z = y
    return z
loops(tf.constant(1))""",
)
DTYPE_CHANGES = Text(
    "tensorflow",
    r"'(?P<name>[\w.]+)' has dtype (?P<one>\w+) (?:in the main branch|before the loop), but dtype (?P<two>\w+)",
    "'y' has dtype int32 before the loop, but dtype float32 after one iteration",
    seen=("tensorflow 2.21",),
    provoked_by="""\
@tf.function
def loops(n):
    y = 0
    for i in tf.range(n):
        y = 1.5
    return y
loops(tf.constant(1))""",
)
SHAPE_CHANGES = Text(
    "tensorflow",
    r"'(?P<name>[\w.]+)' has shape [^']* after one iteration",
    "'y' has shape (1,) before the loop, but shape (2,) after one iteration.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
@tf.function
def loops(n):
    y = tf.zeros(1)
    for i in tf.range(n):
        y = tf.concat([y, y], 0)
    return y
loops(tf.constant(1))""",
)
ONE_BRANCH_RETURNS = Text(
    "tensorflow",
    r"the (?P<branch>\w+) branch must also have a return statement",
    "the else branch must also have a return statement.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
@tf.function
def branches(x):
    if x > 0:
        return x
branches(tf.constant(1))""",
)

# Keras.

CALLING = Text(
    "keras",
    r"Exception encountered when calling (\w+)\.call\(\)",
    "Exception encountered when calling Adds.call().",
    seen=("keras 3.15",),
    provoked_by=_IN_A_LAYER,
)
CALLING_2 = Text(
    "tf_keras",
    r"Exception encountered when calling layer \S+ \(type (\w+)\)",
    "Exception encountered when calling layer 'adds' (type Adds).",
    seen=("tf_keras 2.21",),
    provoked_by=_IN_A_LAYER,
)
CALLING_AROUND = Text(
    "keras",
    r"Exception encountered when calling [\w.]+\(\)\.\s",
    CALLING.example + "\n",
    seen=("keras 3.15",),
    provoked_by=_IN_A_LAYER,
)
ARGUMENTS_RECEIVED = Text(
    "keras",
    r"\n\s*Arguments received by [\w.]+\(\):.*",
    "oops\n\nArguments received by Adds.call():\n  • x=tf.Tensor(shape=(1, 2), dtype=float32)",
    seen=("keras 3.15",),
    provoked_by=_IN_A_LAYER,
    flags=re.DOTALL,
)
VALUES_SHOWN = Text(
    "keras",
    r"value=\[[-\d.e+\s\[\],…]*\]",
    "<Variable path=dense/kernel, shape=(1, 2), dtype=float32, value=[[-1.33  0.85]]>",
    seen=("keras 3.15",),
    provoked_by="print(keras.Variable([1.0]))",
)
UPDATES_A_METRIC = Text(
    "tensorflow",
    r'File "([^"]+)", line (\d+), in update_state',
    'File "keras/src/metrics/reduction_metrics.py", line 142, in update_state',
    seen=("tensorflow 2.21",),
    provoked_by="""\
class Counts(keras.metrics.Metric):
    def update_state(self, y_true, y_pred, sample_weight=None):
        self.add_variable((1,), "zeros").assign(tf.gather(y_pred[:, 0], tf.cast(y_pred[0] + 5, tf.int32)))
    def result(self):
        return 0
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model.compile("sgd", "mse", metrics=[Counts()])
model.fit(np.zeros((2, 1)), np.zeros((2, 1)), verbose=0)""",
)

# A graph holds at most 2 GB.

TENSOR_OVER_2GB = Text(
    "tensorflow",
    r"tensor proto whose content is larger than 2GB",
    "Cannot create a tensor proto whose content is larger than 2GB.",
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): tf.constant(np.broadcast_to(np.float32(0), 1 << 29))",
    flags=re.IGNORECASE,
)
GRAPH_OVER_2GB = Text(
    "tensorflow",
    r"GraphDef cannot be larger than 2GB",
    "GraphDef cannot be larger than 2GB.",
    known_from="TensorFlow 2.21, framework/ops.py and meta_graph.py; takes 2 GB",
    flags=re.IGNORECASE,
)
MESSAGE_OVER_2GB = Text(
    "protobuf",
    r"exceeded maximum protobuf size|Failed to serialize message",
    "tensorflow.GraphDef exceeded maximum protobuf size of 2GB: 2400000080",
    known_from="TensorFlow 2.21, in libtensorflow_cc.so; takes 2 GB",
    flags=re.IGNORECASE,
)
