"""The moment at which TensorFlow or Keras cuts its own frames off an exception; runs in the user's process.

Invariant: it costs nothing until there is an exception, and changes nothing about it. Both libraries hand the
whole traceback to a function of the same name, inside the handler that has just caught the exception.
"""

from __future__ import annotations

import sys
from types import FrameType

from whydied.inside.guest import frameless
from whydied.inside.guest.guard import guarded


@guarded("error_filters.cut")
def _cut(frame: FrameType) -> None:
    error = sys.exc_info()[1]
    if error is None:
        return
    from whydied.inside.errors.framework import error_facts

    error_facts.look(error, frame.f_back)


hook_filter = frameless.hooking("frames of the libraries at an exception", "_process_traceback_frames", _cut)
