"""What Keras says when it saves or loads a model. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

# The name of the file.

MODEL_ENDING = Text("keras", r"Invalid filepath extension for saving")
WEIGHTS_ENDING = Text("keras", r"filename must end in `\.weights\.h5`")
CHECKPOINT_WEIGHTS_ENDING = Text("keras", r"filepath provided must end in `\.weights\.h5`")
CHECKPOINT_ENDING = Text("keras", r"filepath provided must end in `\.keras`")
PATH_RECEIVED = Text("keras", r"filepath=(\S+?)\.?\s*(?:$|\n)")
LOADED_FROM = Text("keras", r"(?:(?:File not found|File format not supported): filepath=)(\S+?)\.?(?:\s|$)")
LOADED_FROM_2 = Text("tf_keras", r"Unable to create a (?:TF-)?Keras model from SavedModel at (\S+?)\.?(?:\s|$)")
PLAIN_EXPORT_2 = Text("tf_keras", r"was exported with `tf\.saved_model\.save`")
FORMAT_REFUSED = Text("keras", r"File format not supported: filepath=")
PATH_IN_TEXT = Text("keras", r"(?:filepath=|from SavedModel at )(\S+?)\.?(?:\s|$)")

FORBIDDEN_BY = Text("numpy", r"cannot be loaded when (?P<name>\w+)=(?P<value>True|False)")
UNOPENED = Text("keras", r"unable to open file: name = '([^']+)', errno = 2\b")

KEY_NOT_IN_CHECKPOINT = Text("tensorflow", r"Key (?P<key>\S+) not found in checkpoint")

NO_CHECKPOINT = Text("tensorflow", r"Failed to find any matching files for (?P<path>\S+)")
NOT_A_TABLE = Text("tensorflow", r"Unable to open table file (?P<path>[^:\s]+): \w+: \S+; Is a directory")

# What cannot be written.

NO_CONFIG = Text("keras", r"Object (\w+) was created by passing\s+non-serializable argument values")
NO_CONFIG_2 = Text("tf_keras", r"Layer (\w+) was created by passing[\s\S]*?must\s+override `get_config\b")
PARENT_WITHOUT_CONFIG = Text("keras", r"schedule '(\w+)'\s+must\s+override `get_config\b")
PARENT_WITHOUT_CONFIG_2 = Text("keras", r"<(?:[\w.<>]+\.)?(\w+) object at \w+> does not implement get_config\b")
UNWRITABLE = Text("keras", r"Cannot serialize object [\s\S]*? of type <class '(?:[\w.<>]+\.)?(\w+)'>")
UNWRITABLE_AS_JSON = Text(
    "keras", r"Unable to serialize [\s\S]*? to JSON\. Unrecognized type <class '(?:[\w.<>]+\.)?(\w+)'>"
)

# What is not known when it is read.

NOT_LOCATED = Text("keras", r"Could not locate (?P<kind>class|function) '(?P<name>[^']+)'")
NOT_LOCATED_2 = Text(
    "tf_keras", r"Cannot deserialize object of type `(?P<name>\w+)`\. If `\w+` is a custom (?P<kind>class)"
)
UNKNOWN = Text(
    "keras",
    r"Unknown (?P<kind>layer|optimizer|metric function|metric|loss function|loss|activation function|activation|"
    r"initializer|regularizer|constraint|object)s?: '?(?P<name>[\w>.]+)'?",
)
LAMBDA = Text("keras", r"deserialization of a `Lambda` layer")
LAMBDA_2 = Text("tf_keras", r"deserialization of a Lambda layer")
NOT_DESERIALIZED = Text("keras", r"could not be deserialized properly")
CLASS_NOT_DESERIALIZED = Text("keras", r"Error when deserializing class")
NOT_REVIVED = Text("keras", r"Unable to revive")
