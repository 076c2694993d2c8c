"""Whether TensorFlow runs ops now or traces them; runs in the user's process."""

from __future__ import annotations

import sys
from typing import Any


def executing_eagerly() -> bool:
    """Whether code runs now, and is not being traced into a graph."""
    context: Any = sys.modules.get("tensorflow.python.eager.context")
    return context is None or bool(context.executing_eagerly())
