"""Callbacks that get their validation data from the program."""

from __future__ import annotations

from tests.unit.source.edits.test_edits import FILE, lines_of, source_of
from whydied.source.edits.programs.callback_edits import given_validation_data

TEXT = """
class Score(Callback):
    def __init__(self, every=1):
        super().__init__()

    def on_epoch_end(self, epoch, logs=None):
        x, y = self.validation_data

def main(held):
    score = Score(every=2)
    model.fit(x, y, validation_data=held, callbacks=[score])
"""


def test_the_data_are_passed_and_kept() -> None:
    source = source_of(TEXT)
    lines = lines_of(source, *given_validation_data({FILE: source}, FILE, 6))
    assert lines[1:4] == [
        "    def __init__(self, validation_data, every=1):",
        "        super().__init__()",
        "        self.validation_data = validation_data",
    ]
    assert lines[9] == "    score = Score(held, every=2)"


def test_a_constructor_is_made_where_there_is_none() -> None:
    text = TEXT.replace("    def __init__(self, every=1):\n        super().__init__()\n\n", "").replace("every=2", "")
    source = source_of(text)
    lines = lines_of(source, *given_validation_data({FILE: source}, FILE, 3))
    assert lines[1:5] == [
        "    def __init__(self, validation_data):",
        "        super().__init__()",
        "        self.validation_data = validation_data",
        "",
    ]
    assert lines[-2] == "    score = Score(held)"


def test_data_that_are_not_at_hand_are_not_passed() -> None:
    source = source_of(
        TEXT.replace("    score = Score(every=2)\n", "").replace("[score]", "[]") + "\nscore = Score()\n"
    )
    assert given_validation_data({FILE: source}, FILE, 6) == []
