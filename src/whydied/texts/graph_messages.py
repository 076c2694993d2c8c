"""What TensorFlow and Keras put around an error: the op, the node, the stack, the layer; and what AutoGraph demands of
Python code that becomes a graph. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

# The op and its node.

OP = Text("tensorflow", r"\[Op:(\w+)\]")
OP_AT_THE_END = Text("tensorflow", r"\[Op:\w+\](?: name:\s*\S*)?\s*$")
NODE = Text("tensorflow", r"\{\{node ([^}\s]+)\}\}")
NODE_THAT_RAN = Text("tensorflow", r"\[\[\{\{node ")
NODE_AND_ALL_AFTER = Text("tensorflow", r"\[\[\{\{node .*", flags=re.DOTALL)
NODE_OR_OP = Text("tensorflow", r"\n\s*(?:\[\[\{\{node |\[Op:)")
OP_OR_NODE = Text("tensorflow", r"\[Op:(?P<op>\w+)\]|\{\{node (?P<node>[^}\s]+)\}\}")
MADE_NODE = Text("tensorflow", r"\{\{node (\S+)\}\} = (\w+)\[")
MADE_NODE_WHOLE = Text("tensorflow", r"'\{\{node [^}]*\}\} = (\w+)\[[^']*'")
FUNCTION_NODE = Text("tensorflow", r"\{\{function_node [^{}]*\}\}")
DETECTED_AT = Text(
    "tensorflow", r"Detected at node (?P<node>\S+) defined at \(most recent call last\):(?P<stack>(?:\n.*)*)"
)
DEFINED_AT = Text("tensorflow", r"defined at \(most recent call last\):(.*?)\nNode:", flags=re.DOTALL)
EXECUTION_ERROR = Text(
    "tensorflow",
    r"(?:Graph execution error:\s*)?Detected at node .*?\n(?=\S[^\n]*\n?\s*\[\[\{\{node )",
    flags=re.DOTALL,
)
EXECUTION_ERROR_WITHOUT_STACK = Text(
    "tensorflow", r"Graph execution error:\s*Detected at node [^\n]*\s*<stack traces unavailable>"
)
IN_A_TRANSFORMATION = Text(
    "tensorflow", r"Error in user-defined function passed to \S+ transformation with iterator: [\w:\[\]]+: "
)

# Distribution.

OUTSIDE_SCOPE = Text(
    "tensorflow",
    r"`colocate_vars_with` must only be passed a variable created in this tf\.distribute\.Strategy\.scope\(\), not: "
    r"<tf\.Variable '([^']+)'",
)
SLOT_OUTSIDE_SCOPE = Text(
    "tf_keras",
    r"Trying to create optimizer slot variable under the scope for tf\.distribute\.Strategy|"
    r"was not created in the distribution strategy scope of",
)

# AutoGraph.

IN_USER_CODE = Text("tensorflow", r"in user code:")
CONVERTED_ERROR = Text("tensorflow", r"^in user code:\s.*\n\s*\n\s+\w+: (.*)\Z", flags=re.DOTALL)
CONVERTED_LINE = Text("tensorflow", r'File "([^"\n]+)", line (\d+), in (\S+)  \*\s*\n')
ONE_BRANCH_SETS = Text("tensorflow", r"'(?P<name>[\w.]+)' must also be initialized in the (?P<branch>\w+) branch")
LOOP_SETS = Text("tensorflow", r"'(?P<name>[\w.]+)' must be defined before the loop")
DTYPE_CHANGES = Text(
    "tensorflow",
    r"'(?P<name>[\w.]+)' has dtype (?P<one>\w+) (?:in the main branch|before the loop), but dtype (?P<two>\w+)",
)
SHAPE_CHANGES = Text(
    "tensorflow",
    r"'(?P<name>[\w.]+)' has shape \((?P<before>[^)]*)\)[^']*?(?: shape \((?P<after>[^)]*)\))? after one iteration",
)
ONE_BRANCH_RETURNS = Text("tensorflow", r"the (?P<branch>\w+) branch must also have a return statement")

# Keras.

CALLING = Text("keras", r"Exception encountered when calling (\w+)\.call\(\)")
CALLING_2 = Text("tf_keras", r"Exception encountered when calling layer \S+ \(type (\w+)\)")
CALLING_AROUND = Text("keras", r"Exception encountered when calling [\w.]+\(\)\.\s")
ARGUMENTS_RECEIVED = Text("keras", r"\n\s*Arguments received by [\w.]+\(\):.*", flags=re.DOTALL)
VALUES_SHOWN = Text("keras", r"value=\[[-\d.e+\s\[\],…]*\]")
UPDATES_A_METRIC = Text("tensorflow", r'File "([^"]+)", line (\d+), in update_state')

# A graph holds at most 2 GB.

TENSOR_OVER_2GB = Text("tensorflow", r"tensor proto whose content is larger than 2GB", flags=re.IGNORECASE)
GRAPH_OVER_2GB = Text("tensorflow", r"GraphDef cannot be larger than 2GB", flags=re.IGNORECASE)
MESSAGE_OVER_2GB = Text("protobuf", r"exceeded maximum protobuf size|Failed to serialize message", flags=re.IGNORECASE)
