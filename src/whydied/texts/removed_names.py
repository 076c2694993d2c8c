"""What libraries say of names and arguments that they no longer have. Pure."""

from __future__ import annotations

from whydied.texts.entry import Text

UNRECOGNISED_ARGUMENTS = Text("keras", r"Unrecognized keyword arguments? passed to [\w.]+:\s*\{")
NOT_RECOGNISED = Text("keras", r"not recognized:\s*\{")
REQUIRED_MISSING = Text("tensorflow", r"Missing required positional argument")
NOT_IN_KERAS_3 = Text("keras", r"`(\w[\w.]*)` is not supported in")
NOT_WITH_KERAS_3 = Text("tensorflow", r"`(\w[\w.]*)` is not available with")
REMOVED_FROM_NUMPY = Text("numpy", r"`(\w[\w.]*)` was removed in")
