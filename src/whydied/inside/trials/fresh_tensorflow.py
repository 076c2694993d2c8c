"""TensorFlow in a forked copy as if it had just been imported; runs in a copy of the user's process.

The threads that its ops wait for did not come along with the fork. A new context gets threads of its own where the
device does not take those that all devices of a process share, which a flag of the framework's library decides; a
session gets its own where its configuration says so.

Invariant: nothing of the old context is freed, because that would wait for its threads. Where a version has no such
flag this raises, and the copy is of no use.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

_FLAG = "_ZN10tensorflow11LocalDevice22use_global_threadpool_E"
_kept: list[object] = []


def renew() -> None:
    tf = sys.modules.get("tensorflow")
    if tf is None:
        return
    from tensorflow.python import tf2
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops

    file = str(tf.__file__)
    library = ctypes.CDLL(os.path.join(os.path.dirname(file), "libtensorflow_framework.so.2"))
    ctypes.c_bool.in_dll(library, _FLAG).value = False
    _kept.extend((context._context, ops._default_graph_stack._global_default_graph))
    # First of all: to clear Keras' session empties the caches of the context that there is, and those of the old one
    # may hold kernels of a `fit` that was still running.
    context.default_execution_mode = context.EAGER_MODE
    context._reset_context()
    for name in ("keras", "tf_keras"):
        keras = sys.modules.get(name)
        if keras is not None:
            keras.backend.clear_session()
    ops._default_graph_stack.reset()
    getattr(
        sys.modules.get("tensorflow.python.framework.stack"), "_default_session_stack", ops._default_graph_stack
    ).reset()
    if not tf2.enabled():
        tf.compat.v1.enable_v2_behavior()
    _give_sessions_threads()


def _give_sessions_threads() -> None:
    from tensorflow.core.protobuf import config_pb2
    from tensorflow.python.client import session

    plain = session.BaseSession.__init__

    def begin(self: Any, target: str = "", graph: Any = None, config: Any = None) -> None:
        own = config_pb2.ConfigProto()
        if config is not None:
            own.CopyFrom(config)
        own.use_per_session_threads = True
        plain(self, target, graph, own)

    session.BaseSession.__init__ = begin
