"""The labels that an iterator or a class of batches holds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from whydied.inside.errors.framework.given_labels import with_labels
from whydied.records import Party


class Pictures:
    def __init__(self, mode: str | None) -> None:
        self.class_mode = mode
        self.class_indices = {"finch": 0, "sparrow": 1, "tit": 2}
        self.classes = np.array([0, 0, 1, 2], dtype="int32")


def test_an_iterator_says_what_it_makes_of_the_classes() -> None:
    (numbers,) = with_labels([], Pictures("binary"), "train")
    assert (numbers.text, numbers.shape, numbers.lowest, numbers.highest) == ("train", [None], 0, 2)
    (rows,) = with_labels([], Pictures("categorical"), "train")
    assert (rows.shape, rows.one_hot, rows.classes) == ([None, 3], True, 3)
    assert with_labels([], Pictures(None), "train") == []
    assert with_labels([], Pictures("input"), "train") == []


def test_what_a_data_set_tells_itself_stays() -> None:
    told = [Party(role="label", text="ds", shape=[None], dtype="float32")]
    (party,) = with_labels(told, Pictures("sparse"), "ds")
    assert (party.text, party.dtype, party.highest) == ("ds", "float32", 2)


def test_other_objects_have_no_labels() -> None:
    assert with_labels([], SimpleNamespace(y=np.arange(3)), "x") == []
