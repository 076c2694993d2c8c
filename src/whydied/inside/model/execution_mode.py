"""Whether TensorFlow runs ops now or traces them, and what a trace that is under way is for: to run, to be compiled, to
be exported; runs in the user's process.

Invariant: only the running stack is read, and one word of TensorFlow's. Where TensorFlow is not as expected a trace is
for nothing but to run.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.user_frames import stack_of

_EXPORTS = ("/saved_model/", "/keras/src/export/", "/tensorflow/lite/")


def executing_eagerly() -> bool:
    """Whether code runs now, and is not being traced into a graph."""
    context: Any = sys.modules.get("tensorflow.python.eager.context")
    return context is None or bool(context.executing_eagerly())


def is_compiled(frame: FrameType | None) -> bool:
    """Whether the function that is being traced is for XLA (`jit_compile=True`). TensorFlow ignores an Assert there,
    and cannot call Python."""
    for step in stack_of(frame):
        if step.f_code.co_filename.endswith("tracing_compilation.py"):
            options = of_library(step).get("tracing_options")
            if (getattr(options, "attributes", None) or {}).get("_XlaMustCompile"):
                return True
    return False


def is_exported(frame: FrameType | None) -> bool:
    """Whether a function is being traced to be written to a file."""
    return any(part in step.f_code.co_filename for step in stack_of(frame) for part in _EXPORTS)
