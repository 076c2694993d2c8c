"""What Keras says of layers and models that break its rules or are used too early. Pure."""

from __future__ import annotations

import re

from whydied.texts.entry import Text

NO_SUPER = Text("keras", r"In layer '(\w+)', you forgot to call `super\(\)\.__init__\(\)`")
NO_SUPER_2 = Text("tf_keras", r"[Yy]ou must call `super\(\)\.__init__\(\)`")
NO_SUPER_OF_MODEL_2 = Text("tf_keras", r"forgot to call `super\(\)\.__init__\(\)`")
NO_CALL = Text("keras", r"(?:Layer|Model) (\w+) does not have a `call(?:\(\))?` method")
NO_CALL_2 = Text("tf_keras", r"calling layer \S+ \(type (\w+)\)\.\s+Unimplemented `tf\.keras\.Model\.call\(\)`")

# Variables or layers that are made in each call.

STATE_AFTER_BUILD = Text("keras", r"cannot add new elements of state")
VARIABLES_IN_FUNCTION = Text("tensorflow", r"only supports singleton tf\.Variables created on the first call")
VARIABLES_IN_LATER_CALL = Text("tensorflow", r"Creating variables on a non-first call")

VARIABLE_OF_A_TRACED_VALUE = Text("tensorflow", r"could not be lifted out of a `tf\.function`")

# Too early.

NOT_COMPILED = Text("keras", r"must call `compile\(\)` before")
NOT_COMPILED_2 = Text("tf_keras", r"must compile your model before")
NOT_YET_BUILT = Text("keras", r"has not yet been built")
LAYER_NOT_BUILT = Text("keras", r"the layer isn't built")
ACCESSED_BEFORE_BUILD = Text("keras", r"must build the layer before accessing")
NO_INPUT_SHAPE = Text("keras", r"has no defined input shape")
NEVER_CALLED = Text("keras", r"has never been called")
CLASS_WEIGHT_OF_ONE_OUTPUT = Text("keras", r"`class_weight` is only supported for [Mm]odels with a single output")
KEYS_OF_OUTPUTS = Text(
    "keras", r"Expected keys \[(?P<expected>[^\]]*)\] in \w+ dict, but found \w+\.keys\(\)=\[(?P<found>[^\]]*)\]"
)
METRICS_OF_OUTPUTS = Text(
    "keras",
    r"Invalid `(?P<argument>metrics|weighted_metrics)`\.(?s:.)*output structure of the model: (?P<outputs>[^\n]*)\.\n",
)
NAMES_EXPECTED = Text("keras", r"\b[Ee]xpected\b[^\[\]]*\[")
LIST_TAKEN = Text("keras", r"\blist of\b")
ARGUMENT_OF_METHOD = Text("keras", r"Provide an? `(?P<argument>\w+)` argument in `(?P<method>\w+)\(\)`")
NAME_TAKEN = Text("keras", r"unique names\. Name ['\"](?P<name>[^'\"]+)['\"] is already the name of a layer")
NAMED = Text("keras", r"(?:layer|model|Layer|Model) '([\w.\-]+)'")

# What a layer is given.

INPUTS_COUNTED = Text(
    "keras",
    r"[Ll]ayer \"?(?P<layer>[\w.\-]+)\"? expects (?P<expected>\d+) (?:named )?input\(s\)"
    r"[^.]*?, but it received (?P<received>\d+) input",
)

GOT_NONE = Text("keras", r"Inputs to a layer should be tensors\. Got '?None'?")
NOT_A_LAYER = Text(
    "keras", r"Only instances of `?keras\.Layer`? can be added to a Sequential model\. Received: (.+?) \(of type"
)
NO_SUCH_LAYER = Text(
    "keras",
    r"(?:No such layer|Missing data for (?:input|output)):? [\"'`]?(?P<name>[\w./-]+?)[\"'`]?\. "
    r"[^\[]*\[(?P<there>[^\]]*)\]",
)
KEYWORD_ONLY = Text("keras", r"`(?P<name>\w+)` must be passed as a keyword argument")
TENSORS_BY_POSITION = Text(
    "keras",
    r"Only input tensors may be passed as positional arguments\. The following argument value should be passed as a "
    r"keyword argument: (?P<value>.*?) \(of type <class '(?P<type>[\w.]+)'>\)",
    flags=re.DOTALL,
)
