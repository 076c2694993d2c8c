"""What a trace that is under way is for: to run, to be compiled, to be exported; runs in the user's process.

Invariant: only the running stack is read. Where TensorFlow is not as expected the answer is no.
"""

from __future__ import annotations

from types import FrameType

from whydied.inside.guest.frame_variables import of_library
from whydied.inside.guest.user_frames import LARGEST_WALK

_EXPORTS = ("/saved_model/", "/keras/src/export/", "/tensorflow/lite/")


def is_compiled(frame: FrameType | None) -> bool:
    """Whether the function that is being traced is for XLA (`jit_compile=True`). TensorFlow ignores an Assert there,
    and cannot call Python."""
    for step in _steps(frame):
        if step.f_code.co_filename.endswith("tracing_compilation.py"):
            options = of_library(step).get("tracing_options")
            if (getattr(options, "attributes", None) or {}).get("_XlaMustCompile"):
                return True
    return False


def is_exported(frame: FrameType | None) -> bool:
    """Whether a function is being traced to be written to a file."""
    return any(part in step.f_code.co_filename for step in _steps(frame) for part in _EXPORTS)


def _steps(frame: FrameType | None) -> list[FrameType]:
    steps: list[FrameType] = []
    while frame is not None and len(steps) < LARGEST_WALK:
        steps.append(frame)
        frame = frame.f_back
    return steps
