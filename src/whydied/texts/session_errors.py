"""What TensorFlow says of v1 sessions: feeds, fetches, what was not initialised, eager tensors among graphs. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

# Feeds.

FEED_SHAPE = Text(
    "tensorflow",
    r"Cannot feed value of shape \((?P<value>[^)]*)\) for Tensor '?(?P<name>[^\s,']+?)(?::\d+)?'?, "
    r"which has shape '?\(?(?P<shape>[^)']*)\)?",
    "Cannot feed value of shape (2,) for Tensor x:0, which has shape (None, 3)",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    x = v1.placeholder(tf.float32, (None, 3))
    session.run(x, {x: np.zeros(2)})""",
)
NOT_FED = Text(
    "tensorflow",
    r"You must feed a value for placeholder tensor '(?P<name>[^']+)' with dtype (?P<dtype>\w+)"
    r"(?: and shape \[(?P<shape>[^\]]*)\])?",
    "You must feed a value for placeholder tensor 'x' with dtype float and shape [?,3]",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run(v1.placeholder(tf.float32, (None, 3)))""",
)
FEED_KEY = Text(
    "tensorflow",
    r"Cannot interpret feed_dict key as Tensor: (?P<why>[^\n]+)",
    "Cannot interpret feed_dict key as Tensor: The name 'x' looks like an (invalid) Operation name, not a Tensor.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run(tf.constant(1), {"x": 1})""",
)
NOT_OF_THIS_GRAPH = Text(
    "tensorflow",
    r"is not an element of this graph",
    'Tensor Tensor("x:0", dtype=float32) is not an element of this graph.',
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default():
    x = v1.placeholder(tf.float32)
with tf.Graph().as_default(), v1.Session() as session:
    session.run(tf.constant(1), {x: 1})""",
)
NAMED_IN_KEY = Text(
    "tensorflow",
    r"Tensor\(\"(?P<name>[^:\"]+)|The name '(?P<text>[^']+)'",
    "The name 'x' looks like an (invalid) Operation name, not a Tensor.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run(tf.constant(1), {"x": 1})""",
)
FEED_IS_TENSOR = Text(
    "tensorflow",
    r'The value of a feed cannot be a tf\.Tensor object.*key Tensor\("(?P<name>[^:"]+)',
    'The value of a feed cannot be a tf.Tensor object. It was passed to `feed_dict` with key Tensor("x:0").',
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    x = v1.placeholder(tf.float32)
    session.run(x, {x: tf.constant(1.0)})""",
    flags=re.DOTALL,
)
FEED_IS_TEXT = Text(
    "numpy",
    r"could not convert string to (?P<dtype>\w+): (?:np\.str_\()?(?P<value>'[^']*')",
    "could not convert string to float: np.str_('a')",
    seen=("numpy 2.4",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    x = v1.placeholder(tf.float32)
    session.run(x, {x: np.array(["a"])})""",
)

# Fetches.

FETCH_NO_TENSOR = Text(
    "tensorflow",
    r"Argument `fetch` = (?P<value>.*?) has invalid type \"?(?P<type>[^\s,\"]+)",
    'Argument `fetch` = None has invalid type "NoneType". Cannot be None',
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run([tf.constant(1), None])""",
    flags=re.DOTALL,
)
FETCH_OF_OTHER_GRAPH = Text(
    "tensorflow",
    r"Argument `fetch` = (?P<value>.*?) cannot be interpreted as a Tensor\. "
    r"\((?:Tensor|Operation) .*is not an element of this graph",
    'Argument `fetch` = Tensor("x:0", shape=()) cannot be interpreted as a Tensor. '
    '(Tensor Tensor("x:0", shape=()) is not an element of this graph.)',
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default():
    x = tf.constant(1)
with tf.Graph().as_default(), v1.Session() as session:
    tf.constant(1)
    session.run(x)""",
    flags=re.DOTALL,
)
TENSOR_SHOWN = Text(
    "tensorflow",
    r"Tensor\(\"(?P<name>[^\"]+)\"",
    'Tensor("x:0", shape=(), dtype=int32)',
    seen=("tensorflow 2.21",),
    provoked_by="with tf.Graph().as_default(): print(tf.constant(1))",
)
FETCH_NAME = Text(
    "tensorflow",
    r"The name '(?P<name>[^']+)' (?:refers to (?:a Tensor|an Operation)|looks like)",
    "The name 'loss' refers to an Operation not in the graph.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    tf.constant(1)
    session.run("loss")""",
)
CLOSED = Text(
    "tensorflow",
    r"Attempted to use a closed Session",
    "Attempted to use a closed Session.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default():
    x = tf.constant(1)
    session = v1.Session()
    session.close()
    session.run(x)""",
)
FINALISED = Text(
    "tensorflow",
    r"Graph is finalized and cannot be modified",
    "Graph is finalized and cannot be modified.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default() as graph:
    graph.finalize()
    tf.constant(1)""",
)
WHERE_IT_WAS_MADE = Text(
    "tensorflow",
    r"Original stack trace",
    "Original stack trace for 'x':",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run(v1.placeholder(tf.float32))""",
)

# Eager tensors where a graph is meant.

EMPTY_GRAPH = Text(
    "tensorflow",
    r"The Session graph is empty",
    "The Session graph is empty. Add operations to the graph before calling run().",
    seen=("tensorflow 2.21",),
    provoked_by='v1.Session(graph=tf.Graph()).run("x")',
)
EAGER_HAS_NO_GRAPH = Text(
    "tensorflow",
    r"Tensor\.(?P<attribute>graph|op|name) is undefined when eager execution",
    "Tensor.graph is undefined when eager execution is enabled.",
    seen=("tensorflow 2.21",),
    provoked_by="tf.constant(1).graph",
)
NOT_WITH_EAGER = Text(
    "tensorflow",
    r"(?P<what>[\w.]+)(?:\(\))? is not (?:compatible with|supported when) eager execution",
    "tf.placeholder() is not compatible with eager execution.",
    seen=("tensorflow 2.21",),
    provoked_by="v1.placeholder(tf.float32)",
)
LOSS_NOT_A_FUNCTION = Text(
    "tensorflow",
    r"`loss` passed to Optimizer\.compute_gradients should be a function when eager execution is enabled",
    "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled.",
    seen=("tensorflow 2.21",),
    provoked_by="v1.train.GradientDescentOptimizer(1.0).minimize(tf.constant(1.0))",
)

# What has no value yet, or none any more.

UNINITIALISED_REFERENCE = Text(
    "tensorflow",
    r"Attempting to use uninitialized value (?P<ref>[^\s\]]+)",
    "Attempting to use uninitialized value w",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run(v1.get_variable("w", (), use_resource=False))""",
)
VARIABLE_NOT_FOUND = Text(
    "tensorflow",
    r"Could not find variable (?P<name>[^\s]+?)\. ",
    "Could not find variable w. This could mean that the variable has been deleted.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run(v1.get_variable("w", (), use_resource=True))""",
)
VARIABLE_DELETED = Text(
    "tensorflow",
    r"Could not find variable (?P<name>[^\s]+?)\. This could mean that the variable has been deleted",
    "Could not find variable w. This could mean that the variable has been deleted.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=(), shared_name="w")
tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)""",
)
FUNCTION_OUTLIVES_VARIABLE = Text(
    "tensorflow",
    r"Called a function referencing variables which have been deleted",
    "Called a function referencing variables which have been deleted. This likely means that function-local variables "
    "were created and not referenced elsewhere in the program.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
module = tf.Module()
module.weight = tf.Variable(1.0)
called = tf.function(lambda: module.weight + 1).get_concrete_function()
del module.weight
called.graph.variables
called()""",
)
RESOURCE_GONE = Text(
    "tensorflow",
    r"Resource \S*/(?P<resource>[^\s/]+)/\S*Var\S* does not exist",
    "Resource localhost/w/N10tensorflow3VarE does not exist.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
there, gone = (tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=(), shared_name=name) for name in "vw")
tf.raw_ops.AssignVariableOp(resource=there, value=1.0)
tf.raw_ops.AssignAddVariableOp(resource=gone, value=1.0)""",
)
ITERATOR_UNINITIALISED = Text(
    "tensorflow",
    r"GetNext\(\) failed because the iterator has not been initialized",
    "GetNext() failed because the iterator has not been initialized.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    session.run(v1.data.make_initializable_iterator(tf.data.Dataset.range(1)).get_next())""",
)
TABLE_UNINITIALISED = Text(
    "tensorflow",
    r"Table not initialized",
    "Table not initialized.",
    seen=("tensorflow 2.21",),
    provoked_by="""\
with tf.Graph().as_default(), v1.Session() as session:
    filled = tf.lookup.KeyValueTensorInitializer(["a"], [1])
    session.run(tf.lookup.StaticHashTable(filled, 0).lookup(tf.constant("a")))""",
)
