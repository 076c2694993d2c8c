"""Dicts that hold inputs and targets together, and what is written instead."""

from __future__ import annotations

import pytest

from whydied.source.edits.edit import edited
from whydied.source.edits.one_dict import dicts_of_both
from whydied.source.text import Source

NAMES = ({"words", "title"}, {"topic", "tone"})


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (
            'def feed():\n    yield {"words": w, "title": t, "topic": k}\n',
            '    yield {"words": w, "title": t}, {"topic": k}',
        ),
        (
            'def item(self, at):\n    batch = {"words": w[at]}\n    batch["topic"] = k[at]\n    return batch\n',
            '    return batch, {"topic": batch.pop("topic")}',
        ),
        (
            'data.map(lambda row: {"title": row[0], "topic": row[1], "tone": row[2]})\n',
            'data.map(lambda row: ({"title": row[0]}, {"topic": row[1], "tone": row[2]}))',
        ),
        (
            'Dataset.from_tensor_slices({"topic": k, "words": w})\n',
            'Dataset.from_tensor_slices(({"words": w}, {"topic": k}))',
        ),
        ('net.fit({"words": w, "topic": k}, epochs=2)\n', 'net.fit({"words": w}, {"topic": k}, epochs=2)'),
        ('net.fit(x={"words": w, "topic": k})\n', 'net.fit(x={"words": w}, y={"topic": k})'),
    ],
)
def test_inputs_and_targets_apart(text: str, right: str) -> None:
    source = Source(text)
    (found,) = dicts_of_both({"a.py": source}, *NAMES)
    made = edited(source, found.forms[0][1])
    assert made is not None
    assert right in made.splitlines()


def test_the_only_target_by_itself() -> None:
    (found,) = dicts_of_both({"a.py": Source('def feed():\n    yield {"words": w, "topic": k}\n')}, *NAMES)
    assert [text for text, _ in found.forms] == ['{"words": w}, {"topic": k}', '{"words": w}, k']


@pytest.mark.parametrize(
    "text",
    [
        # Inputs alone, and outputs alone.
        'def feed():\n    yield {"words": w, "title": t}, {"topic": k}\n',
        # The targets have their own argument.
        'net.fit({"words": w, "topic": k}, k)\n',
        # Not all keys are known.
        'def feed():\n    yield {"words": w, "topic": k, **rest}\n',
        'def note():\n    return {"topic": 1, "seconds": 2}\n',
    ],
)
def test_dicts_that_are_not_of_both(text: str) -> None:
    assert dicts_of_both({"a.py": Source(text)}, *NAMES) == []
