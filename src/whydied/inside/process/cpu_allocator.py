"""TensorFlow's allocator on the CPU: makes it count, and reads what it counted; runs in the user's process.

Invariant: TensorFlow's eager context is read only once the program itself has initialised it, because after
that devices cannot be configured any more. Reading asks C++ for two numbers and allocates nothing.

The numbers are chunks of the oneDNN allocator, not tensors: a chunk is up to twice the tensor in it. Without oneDNN
(`TF_ENABLE_ONEDNN_OPTS=0`) the plain allocator counts nothing, and `read` returns None.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from whydied.inside.guest import guard
from whydied.inside.guest.guard import guarded

_SYMBOL = "_ZN3tsl23EnableCPUAllocatorStatsEv"
_LIBRARY = "libtensorflow_framework.so.2"
_DEVICE = "CPU:0"

_enabled = False
_pid = 0


@guarded("allocator.enable")
def enable(tensorflow: ModuleType) -> None:
    """Called when TensorFlow has been imported."""
    global _enabled, _pid
    if _enabled:
        return
    import ctypes

    path = os.path.join(os.path.dirname(getattr(tensorflow, "__file__", "") or ""), _LIBRARY)
    if not os.path.exists(path):
        guard.limited("allocator", "TensorFlow's framework library was not found")
        return
    switch = getattr(ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_NOW), _SYMBOL, None)
    if switch is None:
        guard.limited("allocator", f"{_LIBRARY} cannot count allocations")
        return
    switch.restype, switch.argtypes = None, []
    switch()
    _enabled, _pid = True, os.getpid()


def read() -> int | None:
    """Current bytes, or None where nothing counts or nothing may be asked yet."""
    # In a fork a lock of the allocator may be held by a thread that is not there any more.
    if not _enabled or _pid != os.getpid():
        return None
    current, peak = _numbers() or (0, 0)
    return current if peak else None


def _numbers() -> tuple[int, int] | None:
    """Current and peak bytes."""
    global _enabled
    module: Any = sys.modules.get("tensorflow.python.eager.context")
    context = getattr(module, "_context", None)
    if context is None or not getattr(context, "_initialized", False):
        return None
    handle = getattr(context, "_context_handle", None)
    pywrap: Any = getattr(module, "pywrap_tfe", None)
    if handle is None or pywrap is None:
        return None
    try:
        info = pywrap.TFE_GetMemoryInfo(handle, _DEVICE)
        return int(info["current"]), int(info["peak"])
    except Exception as error:
        if guard.is_the_users(error):
            raise
        # It will not answer the next time either.
        _enabled = False
        return None
