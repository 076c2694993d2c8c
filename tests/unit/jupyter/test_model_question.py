from __future__ import annotations

from typing import Any

import pytest

from whydied.errors import UsageError
from whydied.jupyter.model_question import Question


class Model:
    def train_step(self, data: Any) -> None:
        return


NAMES = {"model": Model(), "x": [1], "nets": {"first": Model()}}


def test_a_model_its_data_and_options() -> None:
    asked = Question.parsed("model x --batch-size 8,32 --limit=4G --device-memory 24G", NAMES)
    assert asked.model is NAMES["model"]
    assert (asked.x, asked.y) == ([1], None)
    assert asked.words == ("8,32", str(4 << 30), str(24 << 30))


def test_an_expression_may_stand_for_the_model() -> None:
    asked = Question.parsed("nets['first']", NAMES)
    assert isinstance(asked.model, Model)
    assert asked.batches == (32,)
    assert asked.device_bytes == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("", "a model is needed"),
        ("nothing", "NameError"),
        ("x", "`x` is not a Keras model"),
        ("model --batch-size 0", "at least one row"),
        ("model 'x", "No closing quotation"),
    ],
)
def test_what_cannot_be_asked(line: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Question.parsed(line, NAMES)
