"""What the graph of a failed session run says to what was fed, asked of real TensorFlow."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

ASKED = """
    import json, os
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow.compat.v1 as tf
    from whydied.inside.trials.session_graph import _built, _forward, _Run

    tf.disable_v2_behavior()

    def said(loss, came):
        with tf.Graph().as_default() as graph:
            y = tf.placeholder(tf.float32, [None, 6], name="y")
            top = loss(y, tf.matmul(tf.ones([10, 4]), tf.ones([4, 6]))).op
            fed = {"y": came}
            return json.loads(_built(_Run(graph, _forward([top], fed), fed)))

    losses = {
        "softmax": lambda y, p: tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=p),
        "squares": lambda y, p: tf.reduce_mean(tf.squared_difference(p, y)),
        "centred": lambda y, p: tf.reduce_mean(y - tf.reduce_mean(y, 0, keepdims=True)) + tf.reduce_mean(p),
    }
    print(json.dumps({name: said(loss, [10, 1]) for name, loss in losses.items()}))
"""


def test_a_target_that_would_only_broadcast_is_seen() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ASKED)], capture_output=True, text=True, check=True, timeout=300
    )
    told = json.loads(done.stdout.splitlines()[-1])
    assert all(one["fits"] for one in told.values())
    assert told["softmax"]["crossed"].startswith("softmax_cross_entropy")
    assert told["squares"]["crossed"] == "SquaredDifference"
    # A mean that is taken off is spread out in the program, too.
    assert told["centred"]["crossed"] == ""
