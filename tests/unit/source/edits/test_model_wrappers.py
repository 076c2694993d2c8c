"""Models that a loop makes anew though nothing of them changes."""

from __future__ import annotations

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.programs.model_wrappers import wrapper_in_loop
from whydied.source.text import Source

FILE = "train.py"
JOINT = """\
for step in range(9):
    x = data[step]
    if step > 3:
        filled = net(net.inputs)
        joint = keras.Model(net.inputs, judge(filled))
        joint.compile("adam", "mse")
        joint.train_on_batch(x, x)
"""
MOVED = """\
filled = net(net.inputs)
joint = keras.Model(net.inputs, judge(filled))
joint.compile("adam", "mse")
for step in range(9):
    x = data[step]
    if step > 3:
        joint.train_on_batch(x, x)
"""


def test_what_does_not_change_is_moved_above_the_loop() -> None:
    source = Source(JOINT)
    found = wrapper_in_loop(source, 7, "joint")
    assert found is not None
    assert (found.line, found.loop_line) == (5, 1)
    assert edited(source, found.moved(source, FILE)) == MOVED


def test_compiling_alone_is_enough() -> None:
    source = Source("net = make()\nfor x in data:\n    net.compile('sgd', 'mse')\n    net.fit(x)\n")
    found = wrapper_in_loop(source, 4, "net")
    assert found is not None
    assert edited(source, found.moved(source, FILE)) == (
        "net = make()\nnet.compile('sgd', 'mse')\nfor x in data:\n    net.fit(x)\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "for n in (8, 16):\n    net = build(n)\n    net.compile('adam', 'mse')\n    net.fit(x)\n",
        "for fold in folds:\n    net = keras.Sequential([Dense(8)])\n    net.compile('adam', 'mse')\n    net.fit(x)\n",
        "for rate in rates:\n    net.compile(SGD(rate), 'mse')\n    net.fit(x)\n",
        "for part in parts:\n    net = keras.Model(part.inputs, part.outputs)\n    net.fit(x)\n",
        "for x in data:\n    net.fit(x)\n",
    ],
)
def test_what_differs_from_turn_to_turn_stays(text: str) -> None:
    source = Source(text)
    assert wrapper_in_loop(source, len(source.lines), "net") is None
