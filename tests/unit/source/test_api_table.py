"""Our table of old names against the installed version: each new name is there, each old one is not."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.tensorflow

PROGRAM = """
import keras, numpy, tensorflow
from whydied.inside.errors.api.api_names import exists, forms
from whydied.inside.errors.api.api_successors import of_name
from whydied.source.api_table import FORMER_MODULES, GRAPH_ONLY, MOVED

if not keras.__version__.startswith("3."):
    raise SystemExit
# Older versions have not all of the new names yet; there only what exists is offered.
newest = [int(part) for part in keras.__version__.split(".")[:2]] >= [3, 12] and numpy.__version__ >= "2"
for old, new in MOVED.items():
    if new and newest and not any(exists(form) for name in new for form in forms(name)):
        print("gone:", old, new)
for name in GRAPH_ONLY if newest else ():
    if exists(name) or not exists(name.replace("tf.", "tf.compat.v1.", 1)):
        print("not of TensorFlow 1 alone:", name)
for module in FORMER_MODULES:
    if of_name(module) is None:
        print("unknown:", module)
for old, new in {
    "tf.Session": "tf.compat.v1.Session",
    "tf.log": "tf.math.log",
    "tf.layers.dense": "tf.keras.layers.Dense",
    "keras.layers.core.Dense": "keras.layers.Dense",
    "keras.utils.np_utils.to_categorical": "keras.utils.to_categorical",
    "keras.preprocessing.text.Tokenizer": "tf.keras.preprocessing.text.Tokenizer",
    "np.float": "float",
    "tf.contrib.layers.softmax": "tf.nn.softmax",
    "tf.compat.v1.contrib.layers.softmax": "tf.nn.softmax",
    "tf.compat.v1.contrib.layers.l2_regularizer": "tf.keras.regularizers.L2",
}.items():
    answer = of_name(old)
    if answer is None or answer.new[0] != new:
        print("wrong:", old, answer)
for never in ("tf.reduce_menas", "keras.layers.Dnse", "np.zeross"):
    if of_name(never) is not None:
        print("invented:", never)
"""


def test_every_new_name_exists_and_nothing_is_invented() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == ""
