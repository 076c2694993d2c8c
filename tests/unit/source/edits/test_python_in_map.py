"""Functions of NumPy that a data set traces."""

from __future__ import annotations

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.programs.python_in_map import Line, wrapped
from whydied.source.text import Source

HEAD = """import numpy as np
import tensorflow as tf
def energy(clip, bands=3):
    wave = clip.numpy()
    spec = np.abs(np.fft.rfft(wave))
    return {}
"""
CALLED = "def features(clip, label):\n    return energy(clip{}), label\nds = ds.map(features)\n"


def lines(text: str, *numbers: int) -> list[str]:
    source = Source(text)
    found = wrapped({"a.py": source}, [Line("a.py", number) for number in numbers])
    return [(edited(source, one.edits) or "").splitlines()[numbers[-2] - 1].strip() for one in found]


@pytest.mark.parametrize(
    ("result", "more", "written"),
    [
        ("spec.astype('float32')", "", "return tf.py_function(energy, [clip], tf.float32), label"),
        (
            "spec.astype(np.int64)",
            ", 20",
            "return tf.py_function(lambda clip: energy(clip, 20), [clip], tf.int64), label",
        ),
    ],
)
def test_the_call_in_the_mapped_function(result: str, more: str, written: str) -> None:
    assert lines(HEAD.format(result) + CALLED.format(more), 9, 8, 4) == [written]


def test_an_unknown_type_has_candidates() -> None:
    found = lines(HEAD.format("np.log(spec)") + CALLED.format(""), 9, 8, 4)
    assert found[0] == "return tf.py_function(energy, [clip], tf.float32), label"
    assert len(found) == 4


def test_the_mapped_function_itself() -> None:
    text = HEAD.format("np.float32(spec), label").replace("bands=3", "label").replace(".numpy()", "")
    assert lines(f"{text}ds = ds.map(energy)\n", 7, 5) == [
        "ds = ds.map(lambda clip, label: tuple(tf.numpy_function(energy, [clip, label], [tf.float32, label.dtype])))"
    ]


def test_what_is_no_data_set_or_works_with_tensors_is_left_alone() -> None:
    text = HEAD.format("spec") + CALLED.format("")
    assert lines(text.replace("ds.map(features)", "tf.function(features)(a, b)"), 9, 8, 4) == []
    assert lines(text.replace("np.abs(np.fft.rfft(wave))", "tf.abs(wave)"), 9, 8, 4) == []
