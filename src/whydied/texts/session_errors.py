"""What TensorFlow says of v1 sessions: feeds, fetches, what was not initialised, eager tensors among graphs. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

# Feeds.

FEED_SHAPE = Text(
    "tensorflow",
    r"Cannot feed value of shape \((?P<value>[^)]*)\) for Tensor '?(?P<name>[^\s,']+?)(?::\d+)?'?, "
    r"which has shape '?\(?(?P<shape>[^)']*)\)?",
)
NOT_FED = Text(
    "tensorflow",
    r"You must feed a value for placeholder tensor '(?P<name>[^']+)' with dtype (?P<dtype>\w+)"
    r"(?: and shape \[(?P<shape>[^\]]*)\])?",
)
FEED_KEY = Text("tensorflow", r"Cannot interpret feed_dict key as Tensor: (?P<why>[^\n]+)")
NOT_OF_THIS_GRAPH = Text("tensorflow", r"is not an element of this graph")
NAMED_IN_KEY = Text("tensorflow", r"Tensor\(\"(?P<name>[^:\"]+)|The name '(?P<text>[^']+)'")
FEED_IS_TENSOR = Text(
    "tensorflow", r'The value of a feed cannot be a tf\.Tensor object.*key Tensor\("(?P<name>[^:"]+)', flags=re.DOTALL
)
FEED_IS_TEXT = Text("numpy", r"could not convert string to (?P<dtype>\w+): (?:np\.str_\()?(?P<value>'[^']*')")
FEED_IS_RAGGED = Text("numpy", r"setting an array element with a sequence")

# Fetches.

FETCH_NO_TENSOR = Text(
    "tensorflow", r"Argument `fetch` = (?P<value>.*?) has invalid type \"?(?P<type>[^\s,\"]+)", flags=re.DOTALL
)
FETCH_OF_OTHER_GRAPH = Text(
    "tensorflow",
    r"Argument `fetch` = (?P<value>.*?) cannot be interpreted as a Tensor\. "
    r"\((?:Tensor|Operation) .*is not an element of this graph",
    flags=re.DOTALL,
)
TENSOR_SHOWN = Text("tensorflow", r"Tensor\(\"(?P<name>[^\"]+)\"")
FETCH_NAME = Text("tensorflow", r"The name '(?P<name>[^']+)' (?:refers to (?:a Tensor|an Operation)|looks like)")
NOT_FOUND_IN_GRAPH = Text(
    "tensorflow",
    r"Tensor (?P<name>\S+), specified in either feed_devices or fetch_devices was not found in the Graph",
)
CLOSED = Text("tensorflow", r"Attempted to use a closed Session")
FINALISED = Text("tensorflow", r"Graph is finalized and cannot be modified")
NODE_IN_TEXT = Text("tensorflow", r"\{\{node (?P<name>[^}]+)\}\}")
WHERE_IT_WAS_MADE = Text("tensorflow", r"Original stack trace")

# Eager tensors where a graph is meant.

EMPTY_GRAPH = Text("tensorflow", r"The Session graph is empty")
EAGER_HAS_NO_GRAPH = Text("tensorflow", r"Tensor\.(?P<attribute>graph|op|name) is undefined when eager execution")
NOT_WITH_EAGER = Text(
    "tensorflow", r"(?P<what>[\w.]+)(?:\(\))? is not (?:compatible with|supported when) eager execution"
)
LOSS_NOT_A_FUNCTION = Text(
    "tensorflow", r"`loss` passed to Optimizer\.compute_gradients should be a function when eager execution is enabled"
)

# What has no value yet, or none any more.

UNINITIALISED_REFERENCE = Text("tensorflow", r"Attempting to use uninitialized value (?P<ref>[^\s\]]+)")
VARIABLE_NOT_FOUND = Text("tensorflow", r"Could not find variable (?P<name>[^\s]+?)\. ")
VARIABLE_DELETED = Text(
    "tensorflow", r"Could not find variable (?P<name>[^\s]+?)\. This could mean that the variable has been deleted"
)
FUNCTION_OUTLIVES_VARIABLE = Text("tensorflow", r"Called a function referencing variables which have been deleted")
RESOURCE_GONE = Text("tensorflow", r"Resource [^\s/]+/(?P<resource>\S+)/[^\s/]*Var[^\s/]* does not exist")
ITERATOR_UNINITIALISED = Text("tensorflow", r"GetNext\(\) failed because the iterator has not been initialized")
TABLE_UNINITIALISED = Text("tensorflow", r"Table not initialized")

# Variables by name.

VARIABLE_EXISTS = Text("tensorflow", r"Variable (?P<name>\S+) already exists, disallowed")
VARIABLE_NOT_MADE = Text(
    "tensorflow", r"Variable (?P<name>\S+) does not exist, or was not created with tf\.get_variable"
)
KEY_NOT_IN_CHECKPOINT = Text("tensorflow", r"Key (?P<name>\S+) not found in checkpoint")
SHAPE_NOT_OF_CHECKPOINT = Text(
    "tensorflow",
    r"does not match the shape stored in checkpoint|Assign requires shapes of both tensors to match|"
    r"mismatch between the current graph and the graph",
)
NOTHING_TO_SAVE = Text("tensorflow", r"No variables to save")

# A graph that cannot be built.

REFUSED_NODE = Text("tensorflow", r"for '\{\{node (?P<name>[^ }]+)\}\} = ")
REFUSED_SHAPES = Text("tensorflow", r"with input shapes: (?P<shapes>(?:(?:\[[^\]]*\]|\?|<unknown>)(?:, )?)+)")
