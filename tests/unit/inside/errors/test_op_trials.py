"""What TensorFlow's own rules accept in the place of an op's operands, asked of real TensorFlow."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

ASKED = """
    import json, os, sys
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf
    from whydied.inside.errors.framework.op_trials import prepared, trials
    from whydied.inside.errors.stack_steps import steps_of

    class Mine:
        def user_file(self, frame):
            return None

    tf.debugging.disable_traceback_filtering()

    @tf.function
    def padded(row):
        return tf.pad(row, [[0, 5 - tf.shape(row)[0]], [0, 0]])

    def accepted(call):
        try:
            call()
        except Exception as error:
            ready = prepared(steps_of(error.__traceback__, None, Mine())[1:], [])
            kept = [value for value in ready.given.values() if hasattr(value, "dtype")] if ready else []
            assert kept == [], "no tensor of the program's is kept"
            found = trials(ready) if ready else None
            return None if found is None else [[one.kind, one.code, one.at, one.gives] for one in found]

    calls = {
        "einsum": lambda: tf.einsum("bij,bjk->bik", tf.zeros([2, 3, 4]), tf.zeros([2, 5, 4])),
        "one_hot": lambda: tf.one_hot(tf.constant([1.0, 2.0]), 3),
        "concat": lambda: tf.concat([tf.zeros([4, 5]), tf.zeros([4, 6])], axis=0),
        "pad": lambda: padded(tf.constant([1, 2])),
        "labels": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant([[1], [2]]), tf.zeros([2, 3])),
        "gather": lambda: tf.gather(tf.zeros([3]), [7]),
    }
    print(json.dumps({name: accepted(call) for name, call in calls.items()}))
"""


def test_the_rules_of_ops_are_asked_in_a_graph_of_their_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(ASKED)], capture_output=True, text=True, check=True, timeout=300
    )
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["einsum"] == [["transpose", "tf.transpose({x}, [0, 2, 1])", 1, [2, 3, 5]]]
    assert ["cast", "tf.cast({x}, tf.int32)", 0, [2, 3]] in told["one_hot"]
    assert told["concat"] == [["axis", "1", -1, [4, 11]]]
    assert ["entries", "1", -1] in [one[:3] for one in told["pad"]]
    # A few whole numbers with two axes are no sizes that the rule reads.
    assert ["squeeze", "tf.squeeze({x}, -1)", 0, [2]] in told["labels"]
    # An index that is out of range is no matter of shapes: the rule accepts the call as it was.
    assert told["gather"] is None
