"""Runs a program under one of TensorFlow's own debuggers of values.

numeric_peers.py check_numerics|debugger_v2 SCRIPT
"""

from __future__ import annotations

import runpy
import sys
import tempfile

import tensorflow as tf


def main() -> None:
    tool, script = sys.argv[1:3]
    if tool == "check_numerics":
        tf.debugging.enable_check_numerics()
    else:
        # The mode that its own guide uses to look for values that are not finite.
        dump = tempfile.mkdtemp(dir=".")
        tf.debugging.experimental.enable_dump_debug_info(dump, tensor_debug_mode="CONCISE_HEALTH")
    sys.argv = [script]
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
